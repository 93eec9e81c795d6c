import { defineModel, t } from 'koa-mongo-resource';

export const Card = defineModel('Card', {
  collection: 'cards',
  fields: {
    title: t.string({ minLength: 1, maxLength: 100 }),
    column: t.enum(['planned', 'doing', 'done'], { default: 'planned' }),
    changedBy: t.string({ policy: { insert: false, update: false } }),
    revision: t.revision(),
  },
});
