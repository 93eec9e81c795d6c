import { defineModel, t } from 'koa-mongo-resource';

/**
 * Who wrote a comment is for the staff: a list that holds such values cannot be replaced by PATCH, only added to by an
 * operation.
 */
const Comment = t.object('Comment', {
  text: t.string({ minLength: 1, maxLength: 500 }),
  at: t.date(),
  by: t.string({ policy: { private: true } }),
});

export const Ticket = defineModel('Ticket', {
  collection: 'tickets',
  fields: {
    title: t.string({ minLength: 1, maxLength: 100, policy: { sort: true } }),
    status: t.enum(['open', 'closed'], { default: 'open', policy: { insert: false, update: false, filter: ['eq'] } }),
    resolution: t.nullable(t.string({ maxLength: 500, policy: { insert: false, update: false } })),
    assignee: t.nullable(t.string({ policy: { insert: false, update: false, filter: ['eq', 'exists'] } })),
    comments: t.array(Comment, { default: [], policy: { insert: false } }),
    reporter: t.string({ policy: { insert: false, update: false } }),
    revision: t.revision(),
    createdAt: t.createdAt({ policy: { sort: true } }),
  },
});
