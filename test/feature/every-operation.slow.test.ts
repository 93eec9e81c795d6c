import { beforeAll, describe, expect, it } from '@jest/globals';
import { MongoClient } from 'mongodb';
import { collections, everyOperation, type Sent, seed, serveEveryOperation } from '../faults/parts/every-operation.ts';
import { useCommands } from '../support/database/commands.ts';
import { useDatabase } from '../support/database/database.ts';
import { type Answer, type TestServer, useServer } from '../support/http/serve.ts';

const database = useDatabase({ monitorCommands: true });
const commands = useCommands(database);
const serve = useServer();
let isOpen = true;
let server: TestServer;
let operations: ReadonlyMap<string, Sent>;

/** The definitions alone say which operations there are, so that this api needs no connection. */
const served = everyOperation(serveEveryOperation(new MongoClient('mongodb://127.0.0.1').db('every')));
const names = served.map(({ name }) => name);
const namesWithBody = served.filter(({ row }) => row('').body).map(({ name }) => name);

beforeAll(async () => {
  for (const name of collections) await database.db.createCollection(name);
  const api = serveEveryOperation(database.db, 10_000, () => isOpen);
  operations = new Map(everyOperation(api).map((sent) => [sent.name, sent]));
  server = await serve(api.routes());
});

let made = 0;

/** Stores what an operation finds, and sends it. `body` stands for its own body. */
async function send(name: string, body?: string): Promise<Answer> {
  const n = String(++made);
  const { row, hasKey } = operations.get(name) as Sent;
  const sent = row(n);
  await seed(database.db, n);
  commands.clear();
  return server.request(sent.method, sent.path, {
    ...((body ?? sent.body) && { body: body ?? sent.body }),
    headers: hasKey ? { 'idempotency-key': `key${n}` } : {},
  });
}

const writes = new Set(['insert', 'update', 'delete', 'findAndModify', 'bulkWrite', 'commitTransaction']);
/** The driver sends no limit with the end of a transaction: the budget of the request ends the wait for it. */
const unlimited = new Set(['commitTransaction', 'abortTransaction']);
const written = () =>
  commands.events.filter(({ commandName, command }) => writes.has(commandName) && command[commandName] !== 'idempotency_keys');

describe('every operation that is served', () => {
  it.each(names)('is 403 and writes nothing if its guard is closed: %s', async (name) => {
    isOpen = false;
    const answer = await send(name).finally(() => {
      isOpen = true;
    });
    expect([answer.status, answer.body.code]).toEqual([403, 'forbidden']);
    expect(written()).toEqual([]);
  });

  it.each(names)('gives the database a limit of time for each command: %s', async (name) => {
    const { status } = await send(name);
    expect(status < 300 || (operations.get(name)?.isRefused && status === 409)).toBe(true);
    expect(commands.names.length).toBeGreaterThan(0);
    const endless = commands.events.filter(({ commandName, command }) => !unlimited.has(commandName) && !(command.maxTimeMS > 0));
    expect(endless.map(({ commandName }) => commandName)).toEqual([]);
  });

  it.each(namesWithBody)('is 413 before any write if its body is too large: %s', async (name) => {
    const answer = await send(name, JSON.stringify({ text: 'x'.repeat(1_100_000) }));
    expect([answer.status, answer.body.code]).toEqual([413, 'body_too_large']);
    expect(written()).toEqual([]);
  });
});
