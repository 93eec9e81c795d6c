import { Binary, Double, Int32, Long, ObjectId, UUID } from 'mongodb';
import { cursorPaging, defineModel, type Model, type Service, t } from '../../src/index.ts';
import { useCommands } from '../support/database/commands.ts';
import { useDatabase } from '../support/database/database.ts';
import { useApi } from '../support/http/api.ts';

const objectId = new ObjectId('0123456789abcdef01234567');
const uuid = new UUID('6f9619ff-8b86-4d01-b42d-00cf4fc964ff');
const legacy = new Binary(uuid.buffer, 3);

/** A type of ids, two ids as the records have them, and the first one as another record refers to it. */
const kinds = [
  { name: 'objectId', id: t.objectId(), ids: [objectId, new ObjectId()], referring: objectId },
  { name: 'uuid', id: t.uuid(), ids: [uuid, new UUID()], referring: uuid },
  { name: 'legacy-csharp', id: t.uuid({ storedAs: 'legacy-csharp' }), ids: [legacy, new Binary(Buffer.alloc(16), 3)], referring: legacy },
  { name: 'legacy-java', id: t.uuid({ storedAs: 'legacy-java' }), ids: [legacy, new Binary(Buffer.alloc(16), 3)], referring: legacy },
  { name: 'legacy-python', id: t.uuid({ storedAs: 'legacy-python' }), ids: [legacy, new Binary(Buffer.alloc(16), 3)], referring: legacy },
  { name: 'string', id: t.string(), ids: ['a "b" é', '/x/'], referring: 'a "b" é' },
  { name: 'int', id: t.int(), ids: [new Int32(7), new Int32(8)], referring: new Double(7) },
  {
    name: 'int64',
    id: t.int64(),
    ids: [Long.fromString('9007199254740993'), Long.fromString('9007199254740992')],
    referring: 9007199254740993n,
  },
  { name: 'date', id: t.date(), ids: [new Date(5), new Date(6)], referring: new Date(5) },
  {
    name: 'binary',
    id: t.binary(),
    ids: [new Binary(Buffer.from('a')), new Binary(Buffer.from('b'))],
    referring: new Binary(Buffer.from('a')),
  },
  { name: 'enum', id: t.enum(['a', 'b']), ids: ['a', 'b'], referring: 'a' },
].map((kind) => {
  const fields = { id: kind.id, name: t.string({ policy: { filter: true, sort: true } }) };
  // Its time limit is not that of the list.
  const Target = defineModel(`Target-${kind.name}`, { collection: `to-${kind.name}`, maxTimeMS: 60_000, fields }) as unknown as Model;
  const to = t.nullable(t.ref(Target.name, { id: kind.name === 'enum' ? t.string() : kind.id }));
  const Source = defineModel(`Source-${kind.name}`, { collection: `from-${kind.name}`, fields: { id: t.int(), to } }) as unknown as Model;
  return { ...kind, Target, Source };
});

const database = useDatabase({ monitorCommands: true });
const commands = useCommands(database);
const models = kinds.map(({ Target }) => Target);
const serve = (shop: Service<never>) =>
  kinds.map(({ Source }) => shop.resource({ model: Source, through: ['to'], ops: ['list'], paging: cursorPaging({ total: true }) }));
const byIds = useApi(database, serve, { models, maxTimeMS: 5_000 });
const byLookup = useApi(database, serve, { models, maxIdsThrough: 1 });

beforeAll(async () => {
  for (const { name, ids, referring } of kinds) {
    await database.db.collection(`to-${name}`).insertMany(ids.map((_id, index) => ({ _id: _id as never, name: `found ${index}` })));
    await database.db.collection(`from-${name}`).insertMany([
      { _id: 1 as never, to: referring },
      { _id: 2 as never, to: /./ },
      { _id: 3 as never, to: null },
    ]);
  }
});

describe('a filter or sort through a relation', () => {
  it.each(kinds.map(({ name }) => name))('finds records by ids of type %s, by either plan', async (name) => {
    for (const api of [byIds, byLookup]) {
      const filtered = await api.request('GET', `/api/from-${name}?to.name[prefix]=found`);
      expect(filtered.body.data).toMatchObject([{ id: 1 }]);
      const sorted = await api.request('GET', `/api/from-${name}?to.name[prefix]=found&sort=-to.name`);
      expect(sorted.body.data).toMatchObject([{ id: 1 }]);
    }
  });

  it('has the time limit of the list, whatever that of the target', async () => {
    await byIds.request('GET', '/api/from-string?to.name=x');
    await byIds.request('GET', '/api/from-string?to.name[prefix]=found');
    expect(commands.events.map(({ command }) => command.maxTimeMS <= 5_000)).toEqual([true, true, true, true]);
  });

  it('counts as a filter for an estimate of the total', async () => {
    const { status, body } = await byIds.request('GET', '/api/from-string?to.name=x&total=estimate');
    expect([status, body.errors[0].rule]).toEqual([400, 'not_estimable']);
  });

  it('takes an estimate beside a sort', async () => {
    const { body } = await byIds.request('GET', '/api/from-objectId?sort=to.name&total=estimate');
    expect(body.page).toMatchObject({ total: 3, total_is_estimate: true });
    expect(body.data.map(({ id }: { id: number }) => id)).toEqual([2, 3, 1]);
  });
});

describe('long ids of related records', () => {
  const kinds = ['A', 'B', 'C', 'D', 'E'];
  const sortable = { sort: true } as const;
  const keys = ['k1', 'k2', 'k3', 'k4', 'k5', 'k6'];
  const targets = kinds.map((kind) =>
    defineModel(`Long${kind}`, { collection: `long${kind}`, fields: { id: t.string(), rank: t.int({ policy: { filter: true } }) } }),
  );
  const Row = defineModel('LongRow', {
    collection: 'rows',
    fields: {
      id: t.int({ policy: { sort: true } }),
      ...Object.fromEntries(kinds.map((kind) => [kind, t.ref(`Long${kind}`, { id: t.string() })])),
      ...Object.fromEntries(keys.map((key) => [key, t.int({ policy: sortable })])),
    },
  }) as unknown as Model;
  const api = useApi(
    database,
    (shop) => [shop.resource({ model: Row, through: [...kinds], ops: ['list'], paging: cursorPaging({ total: true }) })],
    { models: targets as unknown as Model[] },
  );
  const idOf = (n: number) => `${n} ${'€'.repeat(340)}`; // 1 KB
  const query = `${kinds.map((kind) => `${kind}.rank=1`).join('&')}&limit=2&total=true`;
  const list = async (more: string) => (await api.request('GET', `/api/rows?${query}${more}`)).body;

  /** How many relations each page was planned for by `$lookup`. */
  const lookups = () =>
    commands.events.flatMap(({ command: { find, aggregate, pipeline = [] } }) => {
      const stages = pipeline as Record<string, unknown>[];
      const isPage = find === 'rows' || (aggregate === 'rows' && '$limit' in (stages.at(-1) ?? {}));
      return isPage ? [stages.filter((stage) => '$lookup' in stage).length] : [];
    });

  beforeAll(async () => {
    for (const kind of kinds)
      await database.db
        .collection(`long${kind}`)
        .insertMany(Array.from({ length: 1_000 }, (_, n) => ({ _id: idOf(n) as never, rank: n === 999 ? 2 : 1 })));
    const related = (n: number) => Object.fromEntries(kinds.map((kind) => [kind, idOf(n)]));
    const sorted = Object.fromEntries(keys.map((key) => [key, 1]));
    await database.db
      .collection('rows')
      .insertMany([0, 1, 999, 2, 3].map((n, index) => ({ _id: index as never, ...sorted, ...related(n) })));
  });

  it('become filters as far as the command of the page has room, and `$lookup`s beyond', async () => {
    const sort = `&sort=${keys.join()}`;
    commands.clear();
    const first = await list(sort);
    const second = await list(`${sort}&after=${first.page.next_cursor}`);
    const back = await list(`${sort}&before=${second.page.prev_cursor}`);
    const ids = [first, second, back].map(({ data, page }) => [data.map(({ id }: { id: number }) => id), page.total]);
    expect(ids).toEqual([
      [[0, 1], 4],
      [[3, 4], 4],
      [[0, 1], 4],
    ]);
    expect(lookups()).toEqual([1, 5, 5]);
  });
});
