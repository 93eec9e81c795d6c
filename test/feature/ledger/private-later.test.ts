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
