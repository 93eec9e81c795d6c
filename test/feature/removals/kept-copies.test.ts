import { applyIndexes, defineModel, everything, service, t } from '../../../src/index.ts';
import { defineRemovals } from '../../../src/mongo/removals/define-removals.ts';
import type { Any } from '../../support/any.ts';
import { useDatabase } from '../../support/database/database.ts';
import { carryOut } from './tree.ts';

const database = useDatabase();
const id = t.string({ policy: { insert: true } });
const life = { revision: t.revision(), deletedAt: t.deletedAt() };
const Person = defineModel('Person', { collection: 'people', fields: { id, ...life } });
const Bill = defineModel('Bill', {
  collection: 'bills',
  fields: { id, person: t.nullable(t.ref('Person', { id: t.string(), onDelete: 'nullify' })), ...life },
});
const keys = () => database.db.collection<Any>('idempotency_keys');
let api: Any;

beforeAll(async () => {
  const shop = service({ authenticate: () => 'somebody' });
  const ask = (path: string, model: Any, answer: (found: Any[]) => unknown) => ({
    method: 'POST',
    path,
    handler: async (ctx: Any) => answer(await ctx.store(model, { scope: everything }).find({})),
  });
  const desks = shop.resource({
    model: defineModel('Desk', { collection: 'desks', fields: { id } }),
    operations: {
      people: ask('/people', Person, (found) => ({ ids: found.map((one) => one.id) })),
      debtors: ask('/debtors', Bill, (found) => found.map((one) => ({ of: one.person }))),
      count: ask('/count', Person, (found) => ({ people: found.length })),
    },
  } as Any);
  api = shop.api({
    db: database.db,
    resources: [desks],
    models: [Person, Bill],
    removals: defineRemovals(),
    idempotency: { principal: () => 'somebody' },
    batch: true,
  } as Any);
  await applyIndexes(api);
});
beforeEach(async () => {
  for (const name of ['people', 'bills', 'idempotency_keys', 'removals']) await database.db.collection(name).deleteMany({});
  await api.store(Person).createMany([{ id: 'ann' }, { id: 'ben' }]);
  await api.store(Bill).create({ id: 'b', person: 'ann' });
});

async function post(path: string, body: object = {}) {
  const headers = { 'content-type': 'application/json', 'idempotency-key': '"k"' };
  const response: Response = await api.fetch(new Request(`http://shop${path}`, { method: 'POST', headers, body: JSON.stringify(body) }));
  return { status: response.status, text: await response.text() };
}

async function purge(person: string): Promise<void> {
  await api.store(Person).purge(person, { cascade: true });
  await carryOut(api, database);
}

const asked: [string, string, object?][] = [
  ['the ids of records', '/desks/people'],
  ['the ids to which records refer', '/desks/debtors'],
  ['either in a batch', '/batch', { operations: [{ method: 'POST', path: '/desks/people', body: {} }] }],
];

describe('a kept answer for which a handler has copied from a store', () => {
  it.each(asked)('%s is forgotten when one of them is purged', async (_what, path, body) => {
    const first = await post(path, body);
    expect(first).toMatchObject({ status: 200, text: expect.stringContaining('"ann"') });
    await purge('ann');
    const [key] = await keys().find().toArray();
    expect(key).not.toHaveProperty('body');
    expect(JSON.stringify(key)).not.toContain('ann');
    expect(await post(path, body)).toEqual({ status: 204, text: '' });
  });

  it('stays if another record is purged, and names none that it does not show', async () => {
    await api.store(Person).create({ id: 'eve' });
    const first = await post('/desks/debtors');
    await purge('eve');
    expect(await post('/desks/debtors')).toEqual(first);
    await keys().deleteMany({});
    await post('/desks/count');
    expect(await keys().findOne()).toMatchObject({ about: [] });
  });
});
