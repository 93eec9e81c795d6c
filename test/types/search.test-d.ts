// biome-ignore-all lint/correctness/noUnusedVariables: the types are the test
import type { ObjectId } from 'mongodb';
import { defineModel, service, t } from '../../src/index.ts';

const fields = { tenant: t.string(), title: t.string(), place: t.object('Place', { text: t.string() }) };

const Note = defineModel('Note', {
  collection: 'notes',
  fields,
  search: { fields: { title: 10, 'place.text': 1 }, language: 'english', scopeFields: ['tenant'] },
});

// @ts-expect-error: a misspelt field
defineModel('Note', { collection: 'notes', fields, search: { fields: { titel: 10 } } });
// @ts-expect-error: a misspelt field beside one that is there
defineModel('Note', { collection: 'notes', fields, search: { fields: { title: 10, bdoy: 1 } } });
// @ts-expect-error: a misspelt field of the scope
defineModel('Note', { collection: 'notes', fields, search: { fields: { title: 10 }, scopeFields: ['tennant'] } });
// @ts-expect-error: a language that MongoDB does not know
defineModel('Note', { collection: 'notes', fields, search: { fields: { title: 10 }, language: 'klingon' } });
// @ts-expect-error: no fields
defineModel('Note', { collection: 'notes', fields, search: { language: 'english' } });
// @ts-expect-error: a misspelt option
defineModel('Note', { collection: 'notes', fields, search: { fields: { title: 10 }, langauge: 'english' } });
// @ts-expect-error: a weight that is no number
defineModel('Note', { collection: 'notes', fields, search: { fields: { title: 'high' } } });

const Post = defineModel('Post', { collection: 'posts', fields: { text: t.string() } });
const Numbered = defineModel('Numbered', { collection: 'numbered', fields: { id: t.int(), text: t.string() } });
const shop = service({ authenticate: (): { tenant: string } | undefined => undefined });

shop.resource({ model: Post, search: async (q, ctx) => [q.toUpperCase(), ctx.requirePrincipal().tenant] });
shop.resource({ model: Post, search: (_q, _ctx): ObjectId[] => [] });
shop.resource({ model: Numbered, search: () => [1, '2'] });
// @ts-expect-error: ids of another type
shop.resource({ model: Post, search: () => [1] });
// @ts-expect-error: a result that is no array
shop.resource({ model: Post, search: () => 'a' });
// @ts-expect-error: records in place of ids
shop.resource({ model: Post, search: () => [{ id: 'a' }] });
