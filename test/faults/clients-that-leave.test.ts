import { once } from 'node:events';
import { type ClientRequest, createServer, request, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { type ClientSession, type CommandStartedEvent, type Db, MongoClient } from 'mongodb';
import type { Api } from '../../src/index.ts';
import { everyOperation, type Row, type Sent, seed } from '../support/operations/every-operation.ts';
import { collections } from '../support/operations/models.ts';
import { serveEveryOperation } from '../support/operations/serve-every-operation.ts';
import type { Message } from './parts/network.ts';
import { useNetwork } from './parts/use-network.ts';

const between = useNetwork();
let client: MongoClient;
let db: Db;
let api: Api;
/** The service that requests go to: the patient one, but for the tests of `requestTimeout`. */
let server: Server;
const servers: Server[] = [];

interface SentCommand {
  readonly name: string;
  readonly isInTransaction: boolean;
  readonly opensTransaction: boolean;
}
/** The commands of the service since the last reset. */
let commands: SentCommand[] = [];
const openSessions = new Set<ClientSession>();

beforeAll(async () => {
  client = await between.deployment.connect({ maxPoolSize: 20 }, between.network.uri);
  client.on('commandStarted', ({ commandName: name, command }: CommandStartedEvent) => {
    commands.push({ name, isInTransaction: 'autocommit' in command, opensTransaction: 'startTransaction' in command });
  });
  const startSession = client.startSession.bind(client);
  client.startSession = (options) => {
    const session = startSession(options);
    openSessions.add(session.once('ended', () => openSessions.delete(session)));
    return session;
  };
  db = between.deployment.admin.db('leaving');
  for (const name of collections) await db.createCollection(name);
  api = serveEveryOperation(client.db('leaving'));
  server = await serve(api);
});

async function serve(served: Api): Promise<Server> {
  const one = createServer(served.callback()).listen(0, '127.0.0.1');
  servers.push(one);
  await once(one, 'listening');
  return one;
}

afterEach(() => {
  between.network.disturb = () => undefined;
});
afterAll(async () => {
  for (const one of servers) {
    one.closeAllConnections();
    one.close();
  }
});

let made = 0;
const newId = () => String(++made);

function send({ method, path, body }: Row, key?: string): ClientRequest {
  const { port } = server.address() as AddressInfo;
  const headers = { 'content-type': 'application/json', ...(key !== undefined && { 'idempotency-key': key }) };
  const outgoing = request({ host: '127.0.0.1', port, method, path, headers, agent: false });
  outgoing.on('error', () => undefined);
  outgoing.end(body && JSON.stringify(body));
  return outgoing;
}

async function ask(row: Row, key?: string): Promise<{ readonly status: number; readonly text: string }> {
  const [incoming] = await once(send(row, key), 'response');
  let text = '';
  for await (const chunk of incoming) text += chunk;
  return { status: incoming.statusCode, text };
}

/** The open transactions of the database, those between two commands included. */
function openTransactions() {
  const stages = [
    { $currentOp: { allUsers: true, idleSessions: true } },
    { $match: { 'transaction.parameters.txnNumber': { $exists: true } } },
  ];
  return between.deployment.admin.db('admin').aggregate(stages).toArray();
}

const hasNoTransaction = async () => (await openTransactions()).length === 0;

/** The promise is a second. A busy machine needs longer; without the promise it would be more than a minute. */
const soonMS = 5_000;

/** Waits until a condition holds; false if it does not. It asks less and less often, because asking is work, too. */
async function soon(holds: () => Promise<boolean> | boolean): Promise<boolean> {
  const begun = performance.now();
  for (let ms = 2; performance.now() - begun < soonMS; ms = Math.min(2 * ms, 32)) {
    if (await holds()) return true;
    await pause(ms);
  }
  return holds();
}

const isAsExpected = ({ isRefused }: Sent, status: number) => (isRefused ? status === 409 : status < 300);

/** Whether another request has the only place. */
const hasPlace = () => ask({ method: 'GET', path: '/plain?limit=1' }).then(({ status }) => status === 200);

const ignored = new Set(['hello', 'ping', 'endSessions', 'saslStart', 'saslContinue', 'ismaster', 'isMaster']);

/** Holds the command of the service with this index, or its answer, until it is released. */
class Hold {
  readonly reached: Promise<void>;
  release: () => void = () => undefined;

  constructor(index: number, from: Message['from']) {
    let seen = 0;
    const released = new Promise<void>((resolve) => {
      this.release = resolve;
    });
    this.reached = new Promise((resolve) => {
      between.network.disturb = (message) => {
        if (message.from !== from || ignored.has(message.command)) return undefined;
        if (seen++ !== index) return undefined;
        resolve();
        return released;
      };
    });
  }
}

/** When the client leaves: while a command is on its way, while its answer is, or when the answer has arrived. */
const moments = ['before', 'during', 'after'] as const;

/** Lets a client leave at one moment, and says what is wrong afterwards. */
async function leave(
  sent: Sent,
  at: number,
  moment: (typeof moments)[number],
  { isInTransaction, opensTransaction, name }: SentCommand,
): Promise<string[]> {
  const n = newId();
  await seed(db, n);
  const key = sent.hasKey ? `key${n}` : undefined;
  const wrong: string[] = [];
  const hold = new Hold(at, moment === 'before' ? 'service' : 'database');
  const outgoing = send(sent.row(n), key);
  await hold.reached;
  if (moment === 'after') hold.release();
  outgoing.destroy();
  const isFreed = isInTransaction && name !== 'commitTransaction';
  if (isFreed && !(await soon(hasPlace))) wrong.push('its place is not free while the command is on its way');
  if (opensTransaction && !(await soon(hasNoTransaction))) wrong.push('its transaction is open while the command is on its way');
  hold.release();
  if (!(await soon(hasPlace))) wrong.push('its place is not free');
  if (!(await soon(hasNoTransaction))) wrong.push('a transaction is open');
  if (!(await soon(() => openSessions.size === 0))) wrong.push('a session is not given back');
  between.network.disturb = () => undefined;
  if (key !== undefined) {
    const { status, text } = await ask(sent.row(n), key);
    if (!isAsExpected(sent, status)) wrong.push(`its key: ${status} ${text}`);
  }
  if (wrong.length > 0) await between.deployment.admin.db('admin').command({ killAllSessions: [] });
  return wrong.map((what) => `${sent.name}, ${moment} ${name} (${at}): ${what}`);
}

/** Every operation by its name. The definitions alone say which there are, so that this api needs no connection. */
const names = everyOperation(serveEveryOperation(new MongoClient('mongodb://127.0.0.1').db('leaving')))
  .filter(({ isHead }) => !isHead) // a HEAD runs what its GET runs
  .map(({ name }) => name);

describe('a client that leaves', () => {
  it.each(names)('holds no place, no lock, no session and no key, at whatever command it leaves: %s', async (name) => {
    const sent = everyOperation(api).find((one) => one.name === name) as Sent;
    const n = newId();
    await seed(db, n);
    commands = [];
    const { status, text } = await ask(sent.row(n), sent.hasKey ? `key${n}` : undefined);
    const wrong = isAsExpected(sent, status) ? [] : [`${sent.name}: ${status} ${text}`];
    const all = commands.filter((command) => !ignored.has(command.name));
    for (const [at, command] of all.entries()) {
      for (const moment of moments) wrong.push(...(await leave(sent, at, moment, command)));
    }
    expect(wrong).toEqual([]);
  });
});

describe('a request whose time is over while the database does not answer', () => {
  let patient: Server;
  beforeAll(async () => {
    patient = server;
    server = await serve(serveEveryOperation(client.db('leaving'), { requestTimeout: 250 }));
  });
  afterAll(() => {
    server = patient;
  });

  const asking = names.filter((name) => !name.includes(' ') && name !== 'tasks.store-history'); // which has no history to ask for
  it.each(asking)('is 503 or 504, and holds no place, no lock and no session: %s', async (name) => {
    const sent = everyOperation(api).find((one) => one.name === name) as Sent;
    const n = newId();
    await seed(db, n);
    const hold = new Hold(0, 'service');
    const { status, text } = await ask(sent.row(n));
    const { code } = JSON.parse(text);
    const isUnknown = status === 504 && code === 'write_outcome_unknown' && !sent.isRead;
    expect(isUnknown || [status, code].join(' ') === '503 request_given_up').toBe(true);
    hold.release();
    expect(await soon(hasPlace)).toBe(true);
    expect(await soon(hasNoTransaction)).toBe(true);
    expect(await soon(() => openSessions.size === 0)).toBe(true);
  });
});
