import { MongoClient } from 'mongodb';
import { defineModel, type Model, service, t } from '../../../src/index.ts';
import type { Any } from '../../support/any.ts';

const fields = { title: t.string(), owner: t.string(), revision: t.revision() };
const ref = (onDelete: 'nullify' | 'cascade') => t.optional(t.ref('Person', { as: 'embedded', onDelete }));
const db = new MongoClient('mongodb://127.0.0.1:1').db('test'); // it is never asked
const Person = defineModel('Person', { collection: 'people', fields: { name: t.string() } });
const model = (name: string, options: Any): Model => defineModel(name, { collection: 'docs', ...options } as never) as never;
const open = (...models: Model[]) => service().api({ db, resources: [], models: [Person as never, ...models] });

const kept = { fields, history: true, outbox: true };

/** What another model of a collection with a history or an outbox has otherwise, and the words of the refusal. */
const differences: readonly (readonly [of: Any, other: Any, words: string])[] = [
  [kept, { ...kept, history: false }, 'differ in `history`: what the one writes would be missing there'],
  [kept, { ...kept, outbox: false }, 'differ in `outbox`: what the one writes would be missing there'],
  [kept, { fields: { title: t.string() } }, 'differ in `history`'],
  [{ ...kept, history: false }, { fields }, 'differ in `outbox`'],
  [kept, { ...kept, outbox: { collection: 'changes' } }, 'differ in `outbox`'],
  [kept, { ...kept, history: { keep: '9d' } }, 'differ in `keep` of `history`'],
  [kept, { ...kept, history: { scopeFields: ['owner'] } }, 'differ in `scopeFields` of `history`'],
  [
    kept,
    { ...kept, fields: { ...fields, revision: t.revision({ stored: 'rev' }) } },
    'differ in `t.revision()`: the changes of a record would have no order',
  ],
  [kept, { ...kept, fields: { ...fields, deletedAt: t.deletedAt() } }, 'differ in `t.deletedAt()`'],
  [kept, { ...kept, fields: { ...fields, by: ref('nullify') } }, 'differ in the references with `nullify` or `pull`'],
  [kept, { ...kept, fields: { ...fields, title: t.string({ stored: 'headline' }) } }, 'differ in how `title`'],
  [
    kept,
    { ...kept, fields: { ...fields, headline: t.string({ stored: 'owner' }), owner: t.string({ stored: 'own' }) } },
    'differ in how `owner`',
  ],
  [kept, { ...kept, fields: { ...fields, title: t.object('Title', { text: t.string() }) } }, 'differ in how `title`'],
];

describe('two models of one collection, of which one keeps a history or events', () => {
  it.each(differences.map(([of, other, words], at) => [at, words, of, other] as const))('are refused: %i, %s', (_at, words, of, other) => {
    for (const pair of [
      [of, other],
      [other, of],
    ] as const) {
      const create = () => open(model('One', pair[0]), model('Two', pair[1]));
      expect(create).toThrow('One and Two describe the records of one collection, `docs`, and ');
      expect(create).toThrow(words);
    }
  });

  it('may have other fields, policies and cascades, and another `by`', () => {
    const other = {
      ...kept,
      history: { by: () => 'ann' },
      fields: {
        ...fields,
        title: t.string({ policy: { private: true } }),
        owner: t.string({ policy: { filter: true } }),
        more: t.optional(t.string()),
        of: ref('cascade'),
      },
    };
    expect(() => open(model('One', kept), model('Two', other))).not.toThrow();
  });

  it('may differ in anything if neither keeps any, and in other collections', () => {
    expect(() => open(model('One', { fields }), model('Two', { fields: { title: t.string() } }))).not.toThrow();
    expect(() => open(model('One', kept), model('Two', { fields, collection: 'others' }))).not.toThrow();
  });
});
