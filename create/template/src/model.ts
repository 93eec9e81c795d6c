import { defineModel, t } from 'koa-mongo-resource';

export const Note = defineModel('Note', {
  collection: 'notes',
  fields: {
    title: t.string({ minLength: 1, maxLength: 200, policy: { filter: ['eq', 'prefix'], sort: true } }),
    text: t.string({ default: '' }),
    done: t.boolean({ default: false, policy: { filter: true } }),
    revision: t.revision(),
    createdAt: t.createdAt({ policy: { sort: true } }),
    updatedAt: t.updatedAt(),
  },
});
