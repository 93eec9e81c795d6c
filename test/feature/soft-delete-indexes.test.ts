import { applyIndexes, cursorPaging, defineModel, openStore, planIndexes, service, t } from '../../src/index.ts';
import { useCommands } from '../support/database/commands.ts';
import { useDatabase } from '../support/database/database.ts';
import { useExplain } from '../support/database/explain.ts';

const Box = defineModel('Box', {
  collection: 'boxes',
  fields: {
    id: t.int({ policy: { insert: true } }),
    code: t.nullable(t.string({ unique: true, policy: { filter: ['eq'] } })),
    serial: t.int({ unique: true }),
    size: t.int({ policy: { filter: true, sort: true } }),
    owner: t.string(),
    deletedAt: t.deletedAt({ policy: { sort: true } }),
  },
});

const database = useDatabase({ monitorCommands: true });
const commands = useCommands(database);
const explain = useExplain(database, commands);
const shop = service();
const guards = [() => true];
const open = shop.resource({ model: Box, path: 'open', deleted: { guards } });
const scoped = shop.resource({
  model: Box,
  path: 'scoped',
  scope: () => ({ owner: 'ann' }),
  scopeFields: ['owner'],
  deleted: { guards },
  paging: cursorPaging({ total: true }),
});
const api = () => shop.api({ db: database.db, resources: [open, scoped] });
const boxes = () => database.db.collection<{ _id: number }>('boxes');
const get = (path: string) => api().fetch(new Request(`http://x/${path}`));

async function costOf(path: string) {
  const { status } = await get(path);
  expect(status).toBe(200);
  const { stages, keys, documents } = await explain();
  return { scans: stages.has('COLLSCAN'), sorts: stages.has('SORT'), keys, documents };
}

beforeAll(async () => {
  const records = Array.from({ length: 1_000 }, (_, n) => ({
    _id: n,
    code: `c${n}`,
    serial: n,
    size: n % 7,
    owner: n % 2 ? 'ann' : 'ben',
    ...(n < 900 && { deletedAt: new Date(1_000_000 + n) }),
  }));
  await boxes().insertMany(records as never);
  await applyIndexes(api());
});

describe('the indexes of a model with t.deletedAt()', () => {
  it('are planned for living records, and one for deleted ones', async () => {
    const { collections } = await planIndexes(api());
    const live = { deletedAt: null };
    const dead = { deletedAt: { $gte: new Date(-8.64e15) } };
    const planned = collections[0]?.existing.map(({ key, options }) => [
      Object.fromEntries(key),
      options.unique ?? false,
      options.partialFilterExpression,
    ]);
    expect(planned).toEqual([
      [{ code: 1 }, true, { code: { $gte: '' }, ...live }],
      [{ serial: 1 }, true, live],
      [{ size: 1, _id: 1 }, false, live],
      [{ deletedAt: 1, _id: 1 }, false, dead],
      [{ _id: 1, deletedAt: 1 }, false, live],
      [{ owner: 1, _id: 1 }, false, live],
      [{ owner: 1, size: 1, _id: 1 }, false, live],
      [{ owner: 1, deletedAt: 1, _id: 1 }, false, dead],
    ]);
    expect([collections[0]?.missing, collections[0]?.conflicting, collections[0]?.unused]).toEqual([[], [], []]);
    expect(await applyIndexes(api())).toEqual([]);
  });

  it.each([
    ['a list by ids', 'open?limit=10', 11],
    ['a list in the scope', 'scoped?limit=10', 11],
    ['a filter', 'open?size=3&limit=10', 11],
    ['a sort', 'scoped?sort=-size&limit=10', 11],
    ['deleted records by the time', 'scoped?deleted=only&sort=-deletedAt&limit=10', 11],
    ['deleted records of all, by the time', 'open?deleted=only&sort=deletedAt&limit=10', 11],
  ])('serve %s: a page reads no more records than it has, however many are deleted', async (_what, path, documents) => {
    const cost = await costOf(path);
    expect(cost).toEqual({ scans: false, sorts: false, keys: expect.any(Number), documents });
    expect(cost.keys).toBeLessThanOrEqual(documents + 1);
  });

  it('find a unique value by the unique index', async () => {
    const { keys, documents, scans } = await costOf('open?code=c950');
    expect([keys, documents, scans]).toEqual([1, 1, false]);
  });

  it('leave a get a look-up by id', async () => {
    expect((await get('open/950')).status).toBe(200);
    const { find, filter, limit } = commands.events.at(-1)?.command ?? {};
    const { executionStats, queryPlanner } = await database.db.command({ explain: { find, filter, limit }, verbosity: 'executionStats' });
    expect([executionStats.totalKeysExamined, executionStats.totalDocsExamined]).toEqual([1, 1]);
    expect(queryPlanner.rejectedPlans).toEqual([]);
  });

  it('serve the purge', async () => {
    await openStore(Box, { db: database.db }).purge({ olderThan: new Date(1_000_004), max: 5 });
    const { command } = commands.events.find(({ commandName }) => commandName === 'find') ?? {};
    const { find, filter, sort, limit } = command ?? {};
    const { executionStats } = await database.db.command({ explain: { find, filter, sort, limit }, verbosity: 'executionStats' });
    expect([executionStats.totalDocsExamined, executionStats.nReturned]).toEqual([0, 0]);
    expect(await boxes().countDocuments()).toBe(995);
  });
});

describe('planIndexes() on a collection that has indexes already', () => {
  const fields = { a: t.int({ policy: { sort: true } }), code: t.string({ unique: true }), deletedAt: t.deletedAt() };
  const Other = defineModel('Other', { collection: 'others', fields });
  const other = () => shop.api({ db: database.db, resources: [shop.resource({ model: Other })] });

  it('accepts larger ones, but no unique one that deleted records would hold values of', async () => {
    const others = database.db.collection('others');
    await others.createIndexes([{ key: { a: 1, _id: 1 } }, { key: { code: 1 }, unique: true }]);
    const [plan] = (await planIndexes(other())).collections;
    const keys = (list: readonly { key: unknown }[] = []) => list.map(({ key }) => JSON.stringify(key));
    expect(keys(plan?.existing)).toEqual(['[["a",1],["_id",1]]']);
    expect(keys(plan?.conflicting)).toEqual(['[["code",1]]']);
    expect(keys(plan?.missing)).toEqual(['[["deletedAt",1],["_id",1]]', '[["_id",1],["deletedAt",1]]']);
    await expect(applyIndexes(other())).rejects.toThrow('code_1');
  });
});
