import { defineModel, t } from 'koa-mongo-resource';

/**
 * Who wrote a comment is for agents: for everybody else the field does not exist. An array that holds what clients may
 * not set is not replaced by PATCH, but an operation adds to it.
 */
const Comment = t.object('Comment', {
  text: t.string({ minLength: 1, maxLength: 500 }),
  at: t.date(),
  by: t.string({ policy: { read: 'agents', insert: false, update: false } }),
});

export const Ticket = defineModel('Ticket', {
  collection: 'tickets',
  fields: {
    title: t.string({ minLength: 1, maxLength: 100, policy: { sort: true } }),
    status: t.enum(['open', 'closed'], { default: 'open', policy: { insert: false, update: false, filter: ['eq'], group: true } }),
    resolution: t.nullable(t.string({ maxLength: 500, policy: { insert: false, update: false } })),
    assignee: t.nullable(t.string({ policy: { insert: false, update: false, filter: ['eq', 'exists'], group: true } })),
    comments: t.array(Comment, { default: [], policy: { insert: false } }),
    internalNotes: t.optional(t.string({ maxLength: 500, policy: { read: 'agents' } })),
    costPrice: t.optional(t.decimal({ policy: { read: 'finance', filter: ['gte', 'lt'], sort: true, aggregate: ['sum', 'avg'] } })),
    reporter: t.string({ policy: { insert: false, update: false } }),
    revision: t.revision(),
    createdAt: t.createdAt({ policy: { filter: ['gte', 'lt'], sort: true, group: true } }),
  },
  search: { fields: { title: 5, resolution: 2, 'comments.text': 1 } }, // GET /tickets?q=printer: what everybody may read
});
