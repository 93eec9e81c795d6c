import { type Db, MongoClient } from 'mongodb';
import { useDatabase } from '../../support/database/database.ts';
import { everyOperation, type Sent, seed, textOf } from '../../support/operations/every-operation.ts';
import { type Expected, expected } from '../../support/operations/expected.ts';
import { collections } from '../../support/operations/models.ts';
import { serveEveryOperation } from '../../support/operations/serve-every-operation.ts';
import { type Agent, connect } from './connect.ts';

const database = useDatabase();
let isOpen: boolean;
let group: string | undefined;
const serveGuarded = (db: Db) => serveEveryOperation(db, { isOpen: () => isOpen, groupOf: () => group });

/** The definitions alone say which operations there are, so that this api needs no connection. */
const alone = everyOperation(serveGuarded(new MongoClient('mongodb://127.0.0.1').db('every'))).filter(
  ({ hasKey, isInBatch, isHead, isTwin }) => !hasKey && !isInBatch && !isHead && !isTwin,
);
const names = alone.map(({ name }) => name);
let agent: Agent;
/** The tools, by their operations. */
let tools: ReadonlyMap<string, string>;

beforeAll(async () => {
  const api = serveGuarded(database.db);
  agent = await connect(api, { write: true });
  tools = new Map(
    await Promise.all(
      names.map(async (name) => {
        const only = await connect(api, { write: true, operations: [name] });
        return [name, (await only.names())[0] as string] as const;
      }),
    ),
  );
});
beforeEach(() => {
  [isOpen, group] = [true, undefined];
});

async function call(name: string) {
  await seed(database.db, '1');
  const { isRefused, argumentsOf } = alone.find((sent) => sent.name === name) as Sent;
  const before = await readStored();
  const called = await agent.call(tools.get(name) as string, argumentsOf('1'));
  return { ...called, isRefused, expected: expected[name] as Expected, hasWritten: (await readStored()) !== before };
}

async function readStored(): Promise<string> {
  return JSON.stringify(await Promise.all(collections.map((name) => database.db.collection(name).find().sort({ _id: 1 }).toArray())));
}

describe('the tool of every operation', () => {
  it.each(names)('does what the operation does: %s', async (name) => {
    const { isError, text, isRefused } = await call(name);
    expect([isError, text]).toEqual([isRefused, isRefused ? expect.stringContaining('refused') : expect.anything()]);
  });

  it.each(names)('is refused and writes nothing if the guard is closed: %s', async (name) => {
    isOpen = false;
    const { isError, text, hasWritten } = await call(name);
    expect([isError, text, hasWritten]).toEqual([true, expect.stringContaining('forbidden'), false]);
  });

  it.each(names)('neither shows nor writes a record out of the scope: %s', async (name) => {
    group = 'none';
    const { isError, text, hasWritten, expected: row } = await call(name);
    expect([isError, hasWritten]).toEqual([row.unseen >= 400, false]);
    for (const collection of collections) expect(text).not.toContain(textOf(collection));
  });
});
