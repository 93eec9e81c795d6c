import { applyIndexes, defineModel, openStore, planIndexes, service, t } from '../../../src/index.ts';
import { defineRemovals } from '../../../src/mongo/removals/define-removals.ts';
import type { Any } from '../../support/any.ts';
import { useDatabase } from '../../support/database/database.ts';
import { carryOut } from './tree.ts';

const database = useDatabase();
const id = t.string({ policy: { insert: true } });
const life = { revision: t.revision(), deletedAt: t.deletedAt() };
const Person = defineModel('Person', { collection: 'people', fields: { id, ...life }, history: true, outbox: true });
const Member = defineModel('Member', { collection: 'people', fields: { id, ...life }, history: true, outbox: true });
const Bill = defineModel('Bill', {
  collection: 'bills',
  fields: { id, person: t.nullable(t.ref('Person', { id: t.string(), onDelete: 'nullify' })), ...life },
  history: { scopeFields: ['person'] },
});
const Letter = defineModel('Letter', {
  collection: 'letters',
  fields: { id, to: t.optional(t.ref('Person', { id: t.string() })), ...life },
  history: true,
});
const models = [Person, Member, Bill, Letter] as Any;
let api: Any;
const entries = (name: string) => database.db.collection<Any>(`${name}_history`);

beforeAll(async () => {
  api = service().api({ db: database.db, resources: [], models, removals: defineRemovals() } as Any);
  await applyIndexes(api);
});
afterEach(async () => {
  for (const name of ['people', 'bills', 'letters', 'people_history', 'bills_history', 'letters_history', 'events', 'removals'])
    await database.db.collection(name).deleteMany({});
});

async function purge(person: string): Promise<void> {
  await api.store(Person).purge(person, { cascade: true });
  await carryOut(api, database);
}

async function textOf(name: string): Promise<string> {
  return JSON.stringify(await entries(name).find().toArray());
}

describe('a purge of a record that others refer to', () => {
  it('erases its id from their histories, and says where', async () => {
    await api.store(Person).create({ id: 'ann' });
    await api.store(Bill).create({ id: 'b', person: 'ann' });
    await purge('ann');
    expect(await textOf('bills')).not.toContain('"ann"');
    const changes: Any[] = [];
    for await (const one of api.store(Bill).history('b')) changes.push(...one.changes);
    expect(changes).toEqual([
      { path: 'person', beforeErased: ['person'] },
      { path: 'person', afterErased: ['person'] },
    ]);
  });

  it('erases it where another write had taken it away long before, by a reference that nothing checks', async () => {
    await api.store(Person).create({ id: 'ann' });
    await api.store(Letter).create({ id: 'l', to: 'ann' });
    await api.store(Letter).update('l', { to: 'ben' });
    await purge('ann');
    expect(await textOf('letters')).not.toContain('"ann"');
    expect(await textOf('letters')).toContain('"ben"');
  });

  it('finds entries that were written before `refers`, and those of other references', async () => {
    await api.store(Person).createMany([{ id: 'ann' }, { id: 'ben' }]);
    await api.store(Bill).createMany([
      { id: 'b', person: 'ann' },
      { id: 'c', person: 'ann' },
      { id: 'd', person: 'ben' },
    ]);
    await entries('bills').updateOne({ record: 'b' }, { $unset: { refers: '' } });
    await entries('bills').updateOne({ record: 'c' }, { $set: { refers: { by: 'others', to: [] } } });
    await purge('ann');
    expect(await textOf('bills')).not.toContain('"ann"');
    expect(await entries('bills').distinct('refers.by')).toHaveLength(1);
    await purge('ben');
    expect(await textOf('bills')).not.toContain('"ben"');
  });

  it('takes it from a deleted record, too, whose restore writes it nowhere', async () => {
    await api.store(Person).create({ id: 'ann' });
    await api.store(Bill).create({ id: 'b', person: 'ann' });
    await api.store(Bill).remove('b');
    await api.store(Person).remove('ann');
    await purge('ann');
    expect(JSON.stringify(await database.db.collection('bills').find().toArray())).not.toContain('"ann"');
    await api.store(Bill).restore('b');
    expect(await textOf('bills')).not.toContain('"ann"');
  });

  it('leaves ids of other models that are equal', async () => {
    await api.store(Person).create({ id: 'b' });
    await api.store(Bill).create({ id: 'b', person: null });
    await purge('b');
    expect(await entries('bills').countDocuments({ record: 'b' })).toBe(1);
  });

  it('leaves nothing for a scope that compares the id, and what it was for one that does not', async () => {
    await api.store(Person).create({ id: 'ann' });
    await api.store(Bill).create({ id: 'b', person: 'ann' });
    await purge('ann');
    const [created] = await entries('bills').find({ change: 'created' }).toArray();
    expect(created.is).toEqual({ person: { erased: true } });
    expect(await entries('bills').countDocuments({ change: 'created', 'is.person': null })).toBe(0);
  });

  it('has an index in the plan, by which it finds them', async () => {
    expect(String(await planIndexes(api))).toContain("exists    { 'refers.by': 1, 'refers.to': 1 }");
    const found = await entries('bills')
      .find({ 'refers.by': { $in: ['x'] }, 'refers.to': { $in: [1n] } })
      .explain('queryPlanner');
    expect(JSON.stringify(found.queryPlanner.winningPlan)).toContain('IXSCAN');
  });
});

describe('a purge of what was deleted long ago', () => {
  it('erases the ids from the histories of others, too', async () => {
    await api.store(Person).create({ id: 'ann' });
    await api.store(Bill).create({ id: 'b', person: 'ann' });
    await api.store(Person).remove('ann');
    expect(await api.store(Person).purge({ olderThan: 0 })).toBe(1);
    expect(await textOf('bills')).not.toContain('"ann"');
  });

  it('does so by a store without an api that knows the models', async () => {
    await api.store(Person).create({ id: 'ann' });
    await api.store(Bill).create({ id: 'b', person: 'ann' });
    await api.store(Person).remove('ann');
    const people: Any = openStore(Person, { db: database.db, models } as Any);
    expect(await people.purge({ olderThan: 0 })).toBe(1);
    expect(await textOf('bills')).not.toContain('"ann"');
  });
});

it('erases what another model of the same records has kept of them', async () => {
  for (const purgeIt of [
    () => purge('ann'),
    () =>
      api
        .store(Person)
        .remove('ann')
        .then(() => api.store(Person).purge({ olderThan: 0 })),
  ]) {
    await api.store(Member).create({ id: 'ann' });
    expect([await entries('people').countDocuments(), await database.db.collection('events').countDocuments()]).toEqual([1, 1]);
    await purgeIt();
    expect([await entries('people').countDocuments(), await database.db.collection('events').countDocuments()]).toEqual([0, 0]);
  }
});
