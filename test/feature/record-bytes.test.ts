import type { CommandSucceededEvent, Db } from 'mongodb';
import { defineModel, service, t } from '../../src/index.ts';
import { isServerError } from '../../src/mongo/driver/server-error.ts';
import { useDatabase } from '../support/database/database.ts';
import { useServer } from '../support/http/serve.ts';

const Person = defineModel('Person', {
  collection: 'people',
  fields: {
    id: t.string({ policy: { insert: true } }),
    email: t.string({ unique: true }),
    seen: t.optional(t.date()),
    groups: t.array(t.ref('Group', { id: t.string() })),
    deletedAt: t.deletedAt(),
    revision: t.revision(),
  },
});
const Group = defineModel('Group', {
  collection: 'groups',
  fields: { id: t.string({ policy: { insert: true } }), revision: t.revision() },
});

// The driver decodes what a monitor sees only if there is one: the errors are those of a client without one.
const database = useDatabase();
const monitored = useDatabase({ monitorCommands: true });
const serve = useServer();
type Server = Awaited<ReturnType<typeof serve>>;
const replies: unknown[] = [];
const note = ({ commandName, reply }: CommandSucceededEvent): void => {
  if (commandName === 'findAndModify') replies.push((reply as { value: unknown }).value);
};

beforeAll(async () => {
  monitored.client.on('commandSucceeded', note);
  await database.db.collection('people').createIndex({ email: 1 }, { unique: true });
});
afterAll(() => monitored.client.off('commandSucceeded', note));

const people = [
  { _id: 'ann', email: 'ann@example.org', groups: ['a'], revision: 1 },
  { _id: 'bob', email: 'bob@example.org', groups: [], revision: 1 },
];

async function start(db: Db): Promise<Server> {
  replies.length = 0;
  const options = { writeConcern: { w: 1 } } as const;
  await db.collection<{ _id: string }>('people', options).deleteMany({});
  await db.collection<{ _id: string }>('people', options).insertMany(people);
  await db.collection<{ _id: string }>('groups', options).replaceOne({ _id: 'a' }, { revision: 1 }, { upsert: true });
  const shop = service();
  const ops = ['get', 'create', 'patch', 'put', 'delete', 'restore'] as const;
  const resources = [shop.resource({ model: Person, ops, links: ['groups'] }), shop.resource({ model: Group, ops: ['get', 'create'] })];
  return serve(shop.api({ db, resources }).routes());
}

/** Every write that returns the record of a stored one. */
const writes: [what: string, method: string, path: string, body: object | undefined][] = [
  ['a patch', 'PATCH', '/people/ann', { seen: '2026-01-01T00:00:00Z' }],
  ['a put', 'PUT', '/people/ann', { email: 'ann@example.com', groups: [] }],
  ['a link', 'PUT', '/people/bob/groups/a', undefined],
  ['a removed link', 'DELETE', '/people/ann/groups/a', undefined],
  ['a delete', 'DELETE', '/people/ann', undefined],
];

describe('a write whose record stays bytes', () => {
  it.each(writes)('shows the record to a monitor of commands: %s', async (_what, method, path, body) => {
    const server = await start(monitored.db);
    const { status } = await server.request(method, path, body && { body });
    expect(status).toBeLessThan(300);
    expect(replies).toMatchObject([{ _id: path.split('/')[2], email: expect.any(String), groups: expect.any(Array) }]);
  });

  it.each(writes)('hears that the record was not written to as many servers as it should: %s', async (_what, method, path, body) => {
    const server = await start(database.client.db(database.db.databaseName, { writeConcern: { w: 9, wtimeoutMS: 50 } }));
    const answer = await server.request(method, path, body && { body });
    expect([answer.status, (answer.body as { code: string }).code]).toEqual([504, 'write_outcome_unknown']);
    const [error] = server.errors as [Error & { cause: unknown }];
    expect(isServerError(error.cause, 100)).toBe(true); // UnsatisfiableWriteConcern
  });

  it('names the fields of a duplicate key', async () => {
    const server = await start(database.db);
    const answer = await server.request('PATCH', '/people/ann', { body: { email: 'bob@example.org' } });
    expect(answer.body).toMatchObject({ code: 'duplicate_key', errors: [{ field: 'email', rule: 'unique' }] });
  });
});
