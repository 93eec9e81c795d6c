import { defineModel, service, t } from '../../../src/index.ts';
import type { Any } from '../../support/any.ts';
import { useDatabase } from '../../support/database/database.ts';

const database = useDatabase();
const fields = { title: t.string(), revision: t.revision() };
const Before = defineModel('Letter', {
  collection: 'letters',
  fields: { ...fields, owner: t.string() },
  history: { scopeFields: ['owner'] },
});
const After = defineModel('Letter', {
  collection: 'letters',
  fields: { ...fields, owner: t.string({ policy: { private: true } }) },
  history: true,
});
const open = (model: Any): Any =>
  service()
    .api({ db: database.db, resources: [], models: [model] })
    .store(model);

afterEach(async () => {
  for (const name of ['letters', 'letters_history']) await database.db.collection(name).deleteMany({});
});

it('the update of the page on histories removes the values of a field that has become private, and nothing else', async () => {
  const before = open(Before);
  const { id } = await before.create({ title: 'A', owner: 'canary-1' });
  await before.update(id, { title: 'B', owner: 'canary-2' });
  const entries = database.db.collection<Any>('letters_history');
  expect(JSON.stringify(await entries.find().toArray())).toContain('canary');

  await entries.updateMany(
    {},
    {
      $unset: { 'was.owner': '', 'is.owner': '' },
      $pull: { changes: { path: 'owner' }, paths: 'owner' } as object,
    },
  );

  expect(JSON.stringify(await entries.find().toArray())).not.toContain('canary');
  const after = open(After);
  await after.update(id, { title: 'C', owner: 'canary-3' });
  const shown: unknown[] = [];
  for await (const { changes } of after.history(id)) shown.push(changes.map(({ path, after: now }: Any) => [path, now]));
  expect(shown).toEqual([[['title', 'C']], [['title', 'B']], [['title', 'A']]]);
  expect(JSON.stringify(await entries.find().toArray())).not.toContain('canary');
});

/** A letter whose owner is private, or is not, and lines of which a part is private, and asks what it was. */
function openLetters(isPrivate: boolean): Any {
  const Line = t.object('Line', { text: t.string(), note: t.optional(t.string({ policy: { private: true } })) });
  const model = defineModel('Letter', {
    collection: 'letters',
    fields: {
      ...fields,
      owner: t.string({ policy: { private: isPrivate } }),
      lines: t.array(Line, { default: [] }),
    },
    history: true,
  } as Any);
  const shop: Any = service();
  const api = shop.api({ db: database.db, resources: [shop.resource({ model, ops: ['get'], history: true })] });
  const ask = async (path: string) => {
    const response = await api.fetch(new Request(`http://shop/letters/${path}`));
    return { status: response.status, body: (await response.json()) as Any };
  };
  return { store: api.store(model), ask };
}

it('an earlier state is not shown if a field was private when it changed, and is not any more', async () => {
  const { store } = openLetters(true);
  const { id } = await store.create({ title: 'A', owner: 'ann' });
  await store.update(id, { owner: 'ben' });
  await store.update(id, { title: 'B' });

  const { ask } = openLetters(false);
  expect(await ask(`${id}?at=0`)).toMatchObject({ status: 409, body: { code: 'not_kept' } });
  expect(await ask(`${id}?at=1`)).toMatchObject({ status: 200, body: { data: { title: 'A', owner: 'ben' } } });
});

it('an earlier state is shown if only a private part of a value has changed', async () => {
  const { store, ask } = openLetters(false);
  const { id } = await store.create({ title: 'A', owner: 'ann', lines: [{ text: 'x', note: 'one' }] });
  await store.update(id, { lines: [{ text: 'x', note: 'two' }] });
  expect(await ask(`${id}?at=0`)).toMatchObject({ status: 200, body: { data: { lines: [{ text: 'x' }] } } });
});
