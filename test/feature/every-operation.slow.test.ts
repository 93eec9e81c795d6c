import { type Db, MongoClient } from 'mongodb';
import { Problem } from '../../src/index.ts';
import { useCommands } from '../support/database/commands.ts';
import { useDatabase } from '../support/database/database.ts';
import { type Answer, type TestServer, useServer } from '../support/http/serve.ts';
import { everyOperation, type Sent, seed, textOf } from '../support/operations/every-operation.ts';
import { type Expected, expected } from '../support/operations/expected.ts';
import { collections } from '../support/operations/models.ts';
import { type Phase, serveEveryOperation } from '../support/operations/serve-every-operation.ts';

const database = useDatabase({ monitorCommands: true });
const commands = useCommands(database);
const serve = useServer();

/** The driver sends no limit with the end of a transaction: the budget of the request ends the wait for it. */
const unlimited = new Set(['commitTransaction', 'abortTransaction']);

/** What the tests decide while the api is served. */
interface State {
  isOpen: boolean;
  closedGroup: 'read' | 'write' | undefined;
  /** The groups that callers see, by the path of the resource; all, where it is not named. */
  groups: Readonly<Record<string, string>>;
  /** The hooks that have run. */
  hooks: string[];
  /** The phase in which hooks refuse. */
  refusing: Phase | undefined;
}
const atFirst = (): State => ({ isOpen: true, closedGroup: undefined, groups: {}, hooks: [], refusing: undefined });
let state = atFirst();
afterEach(() => {
  state = atFirst();
});

const refusal = new Problem({ status: 409, code: 'stopped' });

/** An api that has guards, hooks and scopes on every operation. */
const serveGuarded = (db: Db) =>
  serveEveryOperation(db, {
    isOpen: () => state.isOpen,
    isGroupOpen: (group) => group !== state.closedGroup,
    groupOf: (path) => state.groups[path],
    hook(phase, operation) {
      state.hooks.push(`${phase} ${operation}`);
      if (phase === state.refusing) throw refusal;
    },
  });

/** An api that bounds bodies and answers closely. */
const serveBounded = (db: Db) =>
  serveEveryOperation(db, { maxValues: 10, maxPageBytes: 1_024, batch: { maxAnswerBytes: 1_024 }, maxKeptBytes: 1_024 });

/** The definitions alone say which operations there are, so that this api needs no connection. */
const all = everyOperation(serveGuarded(new MongoClient('mongodb://127.0.0.1').db('every')));
const namesOf = (those: (sent: Sent) => boolean) => all.filter(those).map(({ name }) => name);
const names = namesOf(() => true);

let guarded: TestServer;
let plain: TestServer;
let bounded: TestServer;

beforeAll(async () => {
  for (const name of collections) await database.db.createCollection(name);
  guarded = await serve(serveGuarded(database.db).routes());
  plain = await serve(serveEveryOperation(database.db).routes());
  bounded = await serve(serveBounded(database.db).routes());
});

let made = 0;

/** What came of a request. */
interface Done extends Answer {
  readonly sent: Sent;
  readonly expected: Expected;
  /** Whether what is stored is another than before. */
  readonly hasWritten: boolean;
}

/**
 * Stores what an operation finds, and sends it. `body` stands for its own body, and the records have `length`
 * characters.
 */
async function send(
  server: TestServer,
  name: string,
  { body = undefined as string | undefined, length = 0, groups = (_n: string) => ({}) } = {},
): Promise<Done> {
  const n = String(++made);
  const sent = all.find((one) => one.name === name) as Sent;
  const row = sent.row(n);
  await seed(database.db, n, length);
  state.groups = groups(n);
  const before = await readStored();
  commands.clear();
  const answer = await server.request(row.method, row.path, {
    ...((body ?? row.body) && { body: body ?? row.body }),
    headers: sent.hasKey ? { 'idempotency-key': `key${n}` } : {},
  });
  sentCommands = [...commands.events];
  return { ...answer, sent, expected: expected[sent.operation] as Expected, hasWritten: (await readStored()) !== before };
}

/** The commands of the last operation. */
let sentCommands: typeof commands.events;

/** Everything in the collections of the api, but for the keys; by one command, because each test reads it twice. */
async function readStored(): Promise<string> {
  const [first, ...rest] = collections.filter((name) => name !== 'idempotency_keys') as [string, ...string[]];
  const records = (name: string) => [{ $project: { _id: 0, of: name, id: '$_id', record: '$$ROOT' } }];
  const unions = rest.map((coll) => ({ $unionWith: { coll, pipeline: records(coll) } }));
  const found = database.db.collection(first).aggregate([...records(first), ...unions, { $sort: { of: 1, id: 1 } }]);
  return JSON.stringify(await found.toArray());
}

const success = ({ sent, status }: Done) => (sent.isRefused ? status === 409 : status < 300);
const resourceOf = (name: string) => name.split('.')[0] as string;
const others = (resource: string) => collections.filter((name) => name !== resource);

/** Whether an operation belongs to a group of `guardsFor`; custom ones have only guards of their own. */
const isStandard = ({ operation }: Sent) => !/^tasks\.(?:move|refuse|rename|store-)/.test(operation);

/** A handler alone answers all that it has found by a store: it says itself how much it reads. */
const answersAll = ({ operation, isHead }: Sent) => /^tasks\.store-(?:find|each)/.test(operation) && !isHead;

describe('every operation that is served', () => {
  it('has a row in the table of what is expected', () => {
    expect([...new Set(all.map(({ operation }) => operation))].sort()).toEqual(Object.keys(expected).sort());
  });

  it.each(names)('is 403 and writes nothing if its guard is closed: %s', async (name) => {
    state.isOpen = false;
    const { status, body, hasWritten, sent } = await send(guarded, name);
    expect([status, sent.isHead || body.code, hasWritten, state.hooks]).toEqual([403, sent.isHead || 'forbidden', false, []]);
  });

  it.each(namesOf(isStandard))('is 403 and writes nothing if the guard of its group is closed: %s', async (name) => {
    state.closedGroup = all.find((sent) => sent.name === name)?.isRead ? 'read' : 'write';
    const { status, hasWritten } = await send(guarded, name);
    expect([status, hasWritten, state.hooks]).toEqual([403, false, []]);
  });

  it.each(names)('runs the hooks of its resource in order, each once for each record: %s', async (name) => {
    const done = await send(guarded, name);
    expect(success(done)).toBe(true);
    const own = (hook: string) => (hook.includes(' ') ? hook : `${hook} ${done.sent.operation}`);
    expect(state.hooks).toEqual(done.expected.hooks.split(', ').filter(Boolean).map(own));
  });

  it.each(['before', 'within'] as const)('stores nothing, and runs no hook after it, if a hook of `%s` refuses', async (phase) => {
    const wrong: string[] = [];
    for (const { name } of all.filter(({ operation }) => expected[operation]?.hooks.includes(phase))) {
      Object.assign(state, { hooks: [], refusing: phase });
      const { status, body, hasWritten } = await send(guarded, name);
      if (status !== 409 || body.code !== 'stopped') wrong.push(`${name}: ${status} ${JSON.stringify(body)}`);
      if (hasWritten) wrong.push(`${name} has written`);
      if (state.hooks.some((hook) => hook.startsWith('after'))) wrong.push(`${name}: ${state.hooks}`);
    }
    expect(wrong).toEqual([]);
  });

  it.each(names)('neither shows nor writes a record out of the scope: %s', async (name) => {
    const none = { labels: 'none', tasks: 'none', tags: 'none', plain: 'none' };
    const { status, text, hasWritten, expected: row } = await send(guarded, name, { groups: () => none });
    expect([status, hasWritten]).toEqual([row.unseen, false]);
    for (const collection of collections) expect(text).not.toContain(textOf(collection));
  });

  it.each(names)('neither shows nor holds to a record of another resource out of its scope: %s', async (name) => {
    const none = { labels: 'none', tasks: 'none', tags: 'none', plain: 'none' };
    const {
      status,
      text,
      hasWritten,
      expected: row,
      sent,
    } = await send(guarded, name, { groups: (n) => ({ ...none, [resourceOf(name)]: n }) });
    expect(status).toBe(sent.isInBatch && row.apart < 300 ? 200 : row.apart);
    if (status >= 400) expect(hasWritten).toBe(false);
    for (const collection of others(resourceOf(name))) expect(text).not.toContain(textOf(collection));
  });

  it.each(names)('sends the commands that are expected, each with a limit of time: %s', async (name) => {
    const done = await send(plain, name);
    expect(success(done)).toBe(true);
    const { isInBatch, hasKey } = done.sent;
    const own = done.expected.commands.split(' ').filter((one) => one !== '');
    const commit = isInBatch || hasKey ? ['commitTransaction'] : [];
    const ends = own.at(-1)?.endsWith('Transaction') ? own.splice(-1) : commit;
    const wanted = hasKey
      ? ['find', 'update', ...own, ...(done.expected.keyed?.split(' ') ?? []), ...(done.sent.isRefused ? [] : ['update']), ...ends]
      : [...own, ...(isInBatch ? [] : (done.expected.alone?.split(' ') ?? [])), ...ends];
    expect([...sentCommands.map(({ commandName }) => commandName)].sort()).toEqual(wanted.sort());
    const endless = sentCommands.filter(({ commandName, command }) => !unlimited.has(commandName) && !(command.maxTimeMS > 0));
    expect(endless.map(({ commandName }) => commandName)).toEqual([]);
  });

  it.each(namesOf(({ row }) => row('').body !== undefined))(
    'is 413 and writes nothing if its body has too many bytes, or too many values: %s',
    async (name) => {
      for (const text of ['x'.repeat(1_100_000), Array(12).fill(1)]) {
        const { status, body, hasWritten } = await send(bounded, name, { body: JSON.stringify({ text }) });
        expect([status, body.code, hasWritten]).toEqual([413, 'body_too_large', false]);
      }
    },
  );

  it.each(names)('has an answer of no more bytes than the limit and one record, or writes nothing: %s', async (name) => {
    const { status, text, hasWritten, sent } = await send(bounded, name, { length: 2_000 });
    if (answersAll(sent)) expect([status, text.length > 1_024 + 2_200]).toEqual([200, true]);
    else expect(text.length).toBeLessThan(1_024 + 2_200);
    expect(status === 413 && hasWritten).toBe(false);
    if (sent.isInBatch) expect(text.length).toBeLessThan(1_200);
  });
});
