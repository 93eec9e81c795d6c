import { setTimeout as pause } from 'node:timers/promises';
import type { CommandStartedEvent, MongoClient } from 'mongodb';
import { type Api, defineModel, service, t } from '../../src/index.ts';
import { type Deployment, failCommands, startMongods } from './parts/mongods.ts';

const Note = defineModel('Note', { collection: 'notes', fields: { id: t.string({ policy: { insert: true } }) } });
const maxTimeMS = 300;

let deployment: Deployment;
let client: MongoClient;
let api: Api;
let causes: unknown[];
let calls: string[];
/** Called for each command that is sent. */
let whenSent: (command: string) => void;
let key = 0;

beforeAll(async () => {
  deployment = await startMongods(1);
  client = await deployment.connect();
  client.on('commandStarted', ({ commandName }: CommandStartedEvent) => {
    calls.push(commandName);
    whenSent(commandName);
  });
  for (const name of ['notes', 'idempotency_keys']) await deployment.admin.db('commits').createCollection(name);
  const shop = service();
  api = shop.api({
    db: client.db('commits'),
    maxTimeMS,
    idempotency: { principal: () => 'ann' },
    onError: (error) => causes.push((error as { readonly cause?: unknown }).cause),
    resources: [shop.resource({ model: Note, ops: ['create'] })],
  });
});
beforeEach(async () => {
  [causes, calls, whenSent] = [[], [], () => undefined];
  expect(await create()).toMatchObject({ status: 201 }); // it knows the server, and has a connection
  calls = [];
});
afterEach(() => failCommands(deployment, 'off'));
afterAll(() => deployment.stop());

/** Creates a record in a transaction, together with its key. */
async function create(): Promise<{ readonly status: number; readonly code?: string }> {
  const headers = { 'content-type': 'application/json', 'idempotency-key': `key-${key}` };
  const body = JSON.stringify({ id: `note-${key++}` });
  const response = await api.fetch(new Request('http://x/notes', { method: 'POST', headers, body }));
  return { status: response.status, ...((await response.json()) as { readonly code?: string }) };
}

const unknown = { status: 504, code: 'write_outcome_unknown' };

describe('a commit', () => {
  it.each([
    ['a write concern that fails', { writeConcernError: { code: 64, errmsg: 'of the test' } }, { code: 64 }],
    ['an outcome that the database does not know', { errorCode: 50 }, { code: 50 }],
  ])('with %s is asked for again while something of maxTimeMS is left, and no longer', async (_name, data, cause) => {
    await failCommands(deployment, 'alwaysOn', { failCommands: ['commitTransaction'], ...data });
    expect(await create()).toMatchObject(unknown);
    expect(causes).toEqual([expect.objectContaining(cause)]); // what the database says, and not that it says nothing
    expect(calls.filter((name) => name === 'commitTransaction').length).toBeGreaterThan(1);
  });

  it('is done if its write concern holds before that', async () => {
    await failCommands(deployment, { times: 1 }, { failCommands: ['commitTransaction'], writeConcernError: { code: 64, errmsg: '' } });
    expect(await create()).toMatchObject({ status: 201 });
  });
});

describe('a transaction whose database stands still', () => {
  it.each(['insert', 'commitTransaction'])('from its %s on is answered at the deadline, before the database reacts', async (command) => {
    whenSent = (name) => name === command && deployment.members[0]?.freeze();
    const late = pause(maxTimeMS + 1_000 + 700, 'later than its deadline');
    const answer = await Promise.race([create(), late]);
    deployment.members[0]?.thaw();
    whenSent = () => undefined;
    expect(answer).toMatchObject(command === 'insert' ? { status: 503 } : unknown);
    await late;
  });
});
