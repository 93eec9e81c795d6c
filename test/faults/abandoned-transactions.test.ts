import { once } from 'node:events';
import { createServer, request, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import type { ClientSession, CommandStartedEvent, Db, Document, MongoClient } from 'mongodb';
import { type Api, defineModel, everything, Problem, service, t, type WithinHook } from '../../src/index.ts';
import type { Message } from './parts/network.ts';
import { useNetwork } from './parts/use-network.ts';

const Note = defineModel('Note', {
  collection: 'notes',
  fields: { id: t.string(), text: t.string({ default: '' }), revision: t.revision() },
});
const Entry = defineModel('Entry', { collection: 'entries', fields: { of: t.string() } });

const between = useNetwork();
let client: MongoClient;
let db: Db;
const servers: Server[] = [];

/** The commands of transactions, with the number of each: the first transaction of a test has 1. */
let sent: string[] = [];
let numberBefore: bigint | undefined;
/** The state of the transaction in the driver at each abort. It is not public: only a test looks at it. */
let states: string[] = [];
const openSessions = new Set<ClientSession>();
const stateOf = (session: ClientSession | undefined) => (session as unknown as { transaction: { state: string } }).transaction.state;
/** The open session of a command. */
const sessionOf = ({ lsid }: Document) => [...openSessions].find(({ id }) => id?.id.toString('hex') === lsid.id.toString('hex'));

beforeAll(async () => {
  client = await between.deployment.connect({}, between.network.uri);
  client.on('commandStarted', ({ commandName, command }: CommandStartedEvent) => {
    if (!('autocommit' in command)) return;
    numberBefore ??= BigInt(command.txnNumber) - 1n;
    sent.push(`${commandName} ${BigInt(command.txnNumber) - numberBefore}`);
    if (commandName === 'abortTransaction') states.push(stateOf(sessionOf(command)));
  });
  const startSession = client.startSession.bind(client);
  client.startSession = (options) => {
    const session = startSession(options);
    openSessions.add(session.once('ended', () => openSessions.delete(session)));
    const abort = session.abortTransaction.bind(session);
    session.abortTransaction = (given) => {
      if (stateOf(session) === 'STARTING_TRANSACTION') states.push('STARTING_TRANSACTION'); // nothing is sent
      return abort(given);
    };
    return session;
  };
  db = between.deployment.admin.db('abandoned');
});
beforeEach(async () => {
  for (const name of ['notes', 'entries']) await db.collection(name).deleteMany({});
  await db.collection<{ _id: string; text: string; revision: number }>('notes').insertOne({ _id: 'a', text: '', revision: 0 });
  sent = [];
  states = [];
  numberBefore = undefined;
});
afterEach(async () => {
  between.network.disturb = () => undefined;
  await untilEnded();
  for (const server of servers.splice(0)) server.close().closeAllConnections();
});

interface Serving {
  readonly maxTimeMS?: number;
  readonly requestTimeout?: number;
}

/** What runs within the transaction of a delete. */
const writeEntry: WithinHook = async (_ctx, { tx }) => void (await tx.store(Entry, { scope: everything }).create({ of: 'a' }));

async function serve(options: Serving = {}, within: WithinHook = writeEntry): Promise<{ readonly api: Api; readonly server: Server }> {
  const shop = service();
  const api = shop.api({
    db: client.db('abandoned'),
    ...options,
    onError: () => undefined,
    resources: [
      shop.resource({
        model: Note,
        ops: ['list', 'delete'],
        within: { delete: [within] },
      }),
    ],
  });
  const server = createServer(api.callback()).listen(0, '127.0.0.1');
  servers.push(server);
  await once(server, 'listening');
  return { api, server };
}

function remove(server: Server) {
  const { port } = server.address() as AddressInfo;
  const outgoing = request({ host: '127.0.0.1', port, method: 'DELETE', path: '/notes/a', agent: false });
  outgoing.on('error', () => undefined);
  outgoing.end();
  return outgoing;
}

/** Holds a command, or its answer, until it is released. */
function hold(command: string, from: Message['from']) {
  let release: () => void = () => undefined;
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  let isHeld = false;
  const reached = new Promise<void>((resolve) => {
    between.network.disturb = (message) => {
      if (isHeld || message.from !== from || message.command !== command) return undefined;
      isHeld = true;
      resolve();
      return released;
    };
  });
  return { reached, release };
}

function openTransactions() {
  const stages = [
    { $currentOp: { allUsers: true, idleSessions: true } },
    { $match: { 'transaction.parameters.txnNumber': { $exists: true } } },
  ];
  return between.deployment.admin.db('admin').aggregate(stages).toArray();
}

async function untilEnded(): Promise<void> {
  while (openSessions.size > 0 || (await openTransactions()).length > 0) await pause(5);
}

/** Whether a record may be written at once. */
const isFree = () =>
  db
    .collection<{ _id: string }>('notes')
    .updateOne({ _id: 'a' }, { $set: { text: 'free' } }, { maxTimeMS: 100 })
    .then(
      ({ matchedCount }) => matchedCount === 1,
      () => false,
    );

/** The promise is a second. A busy machine needs longer; without the promise it would be more than a minute. */
async function untilFree(): Promise<void> {
  const begun = performance.now();
  while (!(await isFree())) if (performance.now() - begun > 5_000) throw new Error('the record is still locked');
}

const count = async () => [await db.collection('notes').countDocuments(), await db.collection('entries').countDocuments()];

describe('a transaction whose client leaves while its first command runs', () => {
  it('is aborted when the answer arrives', async () => {
    const { server } = await serve();
    const { reached, release } = hold('findAndModify', 'database');
    const outgoing = remove(server);
    await reached;
    expect(await isFree()).toBe(false);
    outgoing.destroy();
    await pause(50); // the client is answered, and the driver waits
    release();
    await untilFree();
    await untilEnded();
    expect([sent, states]).toEqual([['findAndModify 1', 'abortTransaction 1'], ['TRANSACTION_IN_PROGRESS']]);
    expect(await count()).toEqual([1, 0]);
  });

  it('is ended by the next transaction of its session when no answer arrives', async () => {
    const { server } = await serve();
    const { reached, release } = hold('findAndModify', 'database');
    const outgoing = remove(server);
    await reached;
    outgoing.destroy();
    await untilFree();
    await untilEnded();
    release();
    expect([sent, states]).toEqual([
      ['findAndModify 1', 'find 2', 'abortTransaction 2'],
      ['STARTING_TRANSACTION', 'TRANSACTION_IN_PROGRESS'],
    ]);
    expect(await count()).toEqual([1, 0]);
  });

  it('is refused when the command arrives after that', async () => {
    const { server } = await serve();
    const { reached, release } = hold('findAndModify', 'service');
    const outgoing = remove(server);
    await reached;
    outgoing.destroy();
    await untilEnded();
    expect([sent, states]).toEqual([
      ['findAndModify 1', 'find 2', 'abortTransaction 2'],
      ['STARTING_TRANSACTION', 'TRANSACTION_IN_PROGRESS'],
    ]);
    const taken = await countTaken('findAndModify');
    release();
    while ((await countTaken('findAndModify')) === taken) await pause(5);
    expect([await openTransactions(), await isFree(), await count()]).toEqual([[], true, [1, 0]]);
  });
});

describe('a transaction whose client leaves later', () => {
  it.each(['service', 'database'] as const)('is aborted while its second command is held on its way from the %s', async (from) => {
    const { server } = await serve();
    const { reached, release } = hold('insert', from);
    const outgoing = remove(server);
    await reached;
    outgoing.destroy();
    await untilFree();
    await untilEnded();
    expect(sent.slice(0, 3)).toEqual(['findAndModify 1', 'insert 1', 'abortTransaction 1']);
    const taken = await countTaken('insert');
    release();
    while (from === 'service' && (await countTaken('insert')) === taken) await pause(5);
    expect([await openTransactions(), await isFree(), await count()]).toEqual([[], true, [1, 0]]);
  });

  it('is committed if its commit was sent, however late that arrives', async () => {
    const { server } = await serve();
    const { reached, release } = hold('commitTransaction', 'service');
    const outgoing = remove(server);
    await reached;
    outgoing.destroy();
    release();
    await untilEnded();
    expect(await count()).toEqual([0, 1]);
  });
});

describe('a transaction that is given up', () => {
  it.each(['service', 'database'] as const)(
    'by `requestTimeout` is answered at once, and holds no lock: held on its way from the %s',
    async (from) => {
      const { server } = await serve({ requestTimeout: 1_000 });
      const { reached, release } = hold('findAndModify', from);
      const outgoing = remove(server);
      await reached;
      const [{ statusCode }] = await once(outgoing, 'response');
      expect([statusCode, openSessions.size]).toEqual([503, 1]);
      await untilFree();
      await untilEnded();
      release();
      expect(await count()).toEqual([1, 0]);
    },
  );

  it.each(['service', 'database'] as const)(
    'at its deadline is answered at once, and holds no lock: held on its way from the %s',
    async (from) => {
      const { server } = await serve({ maxTimeMS: 1_000 });
      const { reached, release } = hold('findAndModify', from);
      const outgoing = remove(server);
      await reached;
      const [{ statusCode }] = await once(outgoing, 'response');
      expect([statusCode, openSessions.size]).toEqual([503, 1]);
      await untilFree();
      await untilEnded();
      release();
      expect(await count()).toEqual([1, 0]);
    },
  );

  it.each(['service', 'database'] as const)('while its commit is held on its way from the %s holds no lock afterwards', async (from) => {
    const { server } = await serve({ requestTimeout: 1_000 });
    const { reached, release } = hold('commitTransaction', from);
    const outgoing = remove(server);
    await reached;
    const [{ statusCode }] = await once(outgoing, 'response');
    expect(statusCode).toBe(504);
    while ((await openTransactions()).length > 0) await pause(5);
    const taken = await countTaken('commitTransaction');
    release();
    while (from === 'service' && (await countTaken('commitTransaction')) === taken) await pause(5);
    await untilEnded();
    expect(await count()).toEqual(from === 'service' ? [1, 0] : [0, 1]);
  });

  it('by a shutdown is ended before `close` resolves', async () => {
    const { api, server } = await serve();
    const { reached, release } = hold('findAndModify', 'database');
    remove(server);
    await reached;
    await api.close({ server, timeout: 0 });
    expect([await openTransactions(), openSessions.size]).toEqual([[], 0]);
    release();
    expect(await count()).toEqual([1, 0]);
  });
});

describe('a transaction that fails', () => {
  it.each(['service', 'database'] as const)('is ended although its abort is held on its way from the %s', async (from) => {
    const { server } = await serve({}, () => Promise.reject(new Problem({ status: 409, code: 'not_empty' })));
    const { reached, release } = hold('abortTransaction', from);
    const [{ statusCode }] = await once(remove(server), 'response');
    expect(statusCode).toBe(409);
    await reached;
    await untilFree();
    await untilEnded();
    release();
    expect([sent, states]).toEqual([
      ['findAndModify 1', 'abortTransaction 1', 'abortTransaction 1'],
      ['TRANSACTION_IN_PROGRESS', 'TRANSACTION_IN_PROGRESS'],
    ]);
    expect(await count()).toEqual([1, 0]);
  });

  it('sends one abort', async () => {
    const { server } = await serve({}, () => Promise.reject(new Problem({ status: 409, code: 'not_empty' })));
    const [{ statusCode }] = await once(remove(server), 'response');
    expect(statusCode).toBe(409);
    await untilEnded();
    expect(sent).toEqual(['findAndModify 1', 'abortTransaction 1']);
  });
});

describe('a transaction whose connection breaks', () => {
  it('before the answer to its abort is aborted over another one', async () => {
    const { server } = await serve({}, () => Promise.reject(new Problem({ status: 409, code: 'not_empty' })));
    let broken = 0;
    between.network.disturb = ({ from, command }) => {
      if (from !== 'service' || command !== 'abortTransaction' || ++broken > 3) return undefined;
      return 'reset';
    };
    const [{ statusCode }] = await once(remove(server), 'response');
    expect(statusCode).toBe(409);
    await untilEnded();
    expect(sent).toEqual(['findAndModify 1', ...Array.from({ length: 4 }, () => 'abortTransaction 1')]);
    expect(await count()).toEqual([1, 0]);
  });

  it('before the answer to its first command is ended, and runs again', async () => {
    const { server } = await serve();
    let isBroken = false;
    between.network.disturb = ({ from, command }) => {
      if (isBroken || from !== 'database' || command !== 'findAndModify') return undefined;
      isBroken = true;
      return 'reset';
    };
    const [{ statusCode }] = await once(remove(server), 'response');
    expect(statusCode).toBe(204);
    await untilEnded();
    expect(sent.slice(0, 4)).toEqual(['findAndModify 1', 'abortTransaction 1', 'find 2', 'abortTransaction 2']);
    expect(await count()).toEqual([0, 1]);
  });
});

/** How many commands of a name the database has taken, those that it has refused included. */
async function countTaken(command: string): Promise<number> {
  const { metrics } = await between.deployment.admin.db('admin').command({ serverStatus: 1 });
  return Number(metrics.commands[command].total);
}
