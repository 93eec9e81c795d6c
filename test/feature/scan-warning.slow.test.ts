import { MongoClient } from 'mongodb';
import { applyIndexes, defineModel, service, t } from '../../src/index.ts';
import { formatKey } from '../../src/mongo/indexes/index-plan.ts';
import { useCommands } from '../support/database/commands.ts';
import { useDatabase } from '../support/database/database.ts';

const database = useDatabase({ monitorCommands: true });
const commands = useCommands(database);
const shop = service();

const Doc = defineModel('Doc', {
  collection: 'docs',
  fields: {
    id: t.objectId({ policy: { sort: true } }),
    status: t.string({ policy: { filter: true } }),
    amount: t.int({ policy: { filter: true, sort: true } }),
    owner: t.string(),
    note: t.string({ index: false, policy: { filter: true } }),
  },
});

const build = (options: object = { warnOnScan: true }, resource: object = {}, db = database.db) =>
  shop.api({ db, resources: [shop.resource({ model: Doc, ...resource })], ...options });
const list = async (api: ReturnType<typeof build>, query = '') => {
  const answer = await api.fetch(new Request(`http://in-process/docs?${query}`));
  expect(answer.status).toBe(200);
};

let warnings: { text: string; options: unknown }[] = [];
let onWarning = (): void => {};
const warned = () =>
  new Promise<void>((resolve) => {
    onWarning = resolve;
  });

/** Resolves when the database has explained so many queries. */
const explained = (count = 1) =>
  new Promise<void>((resolve) => {
    const { client } = database;
    let left = count;
    client.on('commandSucceeded', function onSuccess({ commandName }) {
      if (commandName !== 'explain' || --left > 0) return;
      client.off('commandSucceeded', onSuccess);
      resolve();
    });
  });

beforeEach(async () => {
  warnings = [];
  jest.spyOn(process, 'emitWarning').mockImplementation((...given: unknown[]) => {
    warnings.push({ text: String(given[0]), options: given[1] });
    onWarning();
  });
  await database.db.dropDatabase();
  await database.db.collection('docs').insertMany(fill(30));
  commands.clear();
});
afterEach(() => {
  jest.restoreAllMocks();
});

function fill(count: number): object[] {
  return Array.from({ length: count }, (_, n) => ({ status: n % 100 === 0 ? 'rare' : 'open', amount: n, owner: 'ann', note: 'x' }));
}

/** A list that is always told of, so that whatever was noticed before it has been looked at by then. */
async function listLast(): Promise<void> {
  const end = warned();
  await list(build({ warnOnScan: true }), 'sort=-amount&status[ne]=none');
  await end;
  expect(warnings.pop()?.text).toContain('status[ne]=…, sort=-amount,-id');
}

describe('a list that looks through its collection', () => {
  it.each<[query: string, text: string, index: Record<string, 1>]>([
    ['status=open', 'status=…, sort=id', { status: 1, _id: 1 }],
    ['sort=-amount', 'sort=-amount,-id', { amount: 1, _id: 1 }],
    ['status=open&sort=-amount', 'status=…, sort=-amount,-id', { status: 1, amount: 1, _id: 1 }],
    ['amount[gte]=5', 'amount[gte]=…, sort=id', { amount: 1, _id: 1 }],
    ['status[prefix]=o&sort=amount', 'status[prefix]=…, sort=amount,id', { status: 1, _id: 1 }],
  ])('warns of %s, with the index that ends the warning', async (query, text, index) => {
    const warning = warned();
    await list(build(), query);
    await warning;
    const fault = `A list of \`docs\` looks through the whole collection: ${text}.`;
    const help = `This index would help: db.collection("docs").createIndex(${formatKey(Object.entries(index))})`;
    expect(warnings).toEqual([{ text: `${fault} ${help}`, options: { type: 'KoaMongoResourceWarning', code: 'LIST_SCAN' } }]);

    warnings = [];
    const name = await database.db.collection('docs').createIndex(index);
    const looked = explained();
    await list(build(), query);
    await looked;
    await database.db.collection('docs').dropIndex(name);
    await listLast();
    expect(warnings).toEqual([]);
  });

  it('warns of each alternative of a filter that no index serves', async () => {
    await database.db.collection('docs').createIndex({ status: 1, _id: 1 });
    const looked = explained(2);
    const warning = warned();
    await list(build(), `filter=${encodeURIComponent('status = "open" OR (amount > 5 AND NOT note = "rare")')}`);
    await Promise.all([looked, warning]);
    await listLast();
    const help = 'This index would help: db.collection("docs").createIndex({ amount: 1, _id: 1 })';
    expect(warnings.map(({ text }) => text)).toEqual([
      `A list of \`docs\` looks through the whole collection: amount[gt]=…, sort=id. ${help}`,
    ]);
  });

  it('warns once for each kind, whatever the values', async () => {
    const api = build();
    const first = warned();
    await list(api, 'status=open');
    await first;
    for (const query of ['status=paid', 'status=open&limit=3', 'status=open']) await list(api, query);
    const second = warned();
    await list(api, 'status[in]=open');
    await second;
    expect(warnings.map(({ text }) => / collection: (.*)\. This/.exec(text)?.[1])).toEqual(['status=…, sort=id', 'status[in]=…, sort=id']);
    expect(commands.names.filter((name) => name === 'explain')).toHaveLength(2);
  });

  it('sees the scope as it is, declared or not', async () => {
    const warning = warned();
    await list(build({ warnOnScan: true }, { scope: () => ({ owner: 'ann' }) }), 'sort=amount');
    await warning;
    expect(warnings[0]?.text).toMatch(/owner=…, sort=amount,id\. This index would help: .*\{ owner: 1, amount: 1, _id: 1 \}/);
  });

  it('warns of a list that an index serves in part from 1,000 records on', async () => {
    await database.db.collection('docs').createIndex({ status: 1, _id: 1 });
    await list(build(), 'status=open&sort=amount');
    await listLast();
    expect(warnings).toEqual([]);

    await database.db.collection('docs').insertMany(fill(3_000));
    const warning = warned();
    await list(build(), 'status=open&sort=amount&limit=2');
    await warning;
    expect(warnings[0]?.text).toMatch(/looks at \d{4} records to find 3: status=…, sort=amount,id\. .*\{ status: 1, amount: 1, _id: 1 \}/);
  });

  it('warns when there is a collection: before that there is nothing to look through', async () => {
    const api = build();
    await database.db.dropCollection('docs');
    const looked = explained();
    await list(api, 'status=open');
    await looked;
    await database.db.collection('docs').insertMany(fill(3));
    const warning = warned();
    await list(api, 'status=open');
    await warning;
    expect(warnings).toHaveLength(1);
  });
});

describe('a list that is not told of', () => {
  it.each(['', 'status[ne]=open', 'status[exists]=true', 'status[in]=', 'note=x', 'note=x&sort=id'])('?%s', async (query) => {
    await list(build(), query);
    await listLast();
    expect(warnings).toEqual([]);
  });

  it('has the indexes of applyIndexes', async () => {
    const api = build();
    await applyIndexes(api);
    const queries = ['', 'status=open', 'status[in]=open,paid', 'amount[gte]=5', 'sort=amount', 'sort=-amount', 'status=open&sort=amount'];
    const looked = explained(queries.length);
    for (const query of queries) await list(api, query);
    await looked;
    await database.db.collection('docs').dropIndexes();
    await listLast();
    expect(warnings).toEqual([]);
  });

  it.each([
    ['production', undefined, 0],
    ['test', undefined, 0],
    ['development', undefined, 1],
    ['', undefined, 1],
    ['development', false, 0],
    ['production', true, 1],
  ])('by NODE_ENV %j and warnOnScan %j', async (environment, warnOnScan, expected) => {
    const before = process.env.NODE_ENV;
    process.env.NODE_ENV = environment;
    try {
      const api = build(warnOnScan === undefined ? {} : { warnOnScan });
      const warning = expected ? warned() : undefined;
      await list(api, 'status=open');
      await warning;
    } finally {
      process.env.NODE_ENV = before;
    }
    await listLast();
    expect(warnings).toHaveLength(expected);
    expect(commands.names.filter((name) => name === 'explain')).toHaveLength(expected + 1);
  });
});

describe('the look at a plan', () => {
  it('harms nobody when the client is closed meanwhile', async () => {
    const client = await MongoClient.connect(process.env.MONGODB_URI ?? '');
    const rejected = jest.fn();
    process.on('unhandledRejection', rejected);
    await list(build({ warnOnScan: true }, {}, client.db(database.db.databaseName)), 'status=open');
    await client.close();
    await listLast();
    process.off('unhandledRejection', rejected);
    expect(rejected).not.toHaveBeenCalled();
  });
});
