import { defineModel, everything, Problem, t } from '../../src/index.ts';
import type { Any } from '../support/any.ts';
import { useCommands } from '../support/database/commands.ts';
import { useDatabase } from '../support/database/database.ts';
import { useApi } from '../support/http/api.ts';

const Doc = defineModel('Doc', {
  collection: 'docs',
  fields: {
    id: t.string({ policy: { insert: true } }),
    text: t.string({ default: 'd' }),
    owner: t.string({ default: 'ann' }),
    revision: t.revision(),
    deletedAt: t.deletedAt(),
  },
});

/** What the guard of patches answers by now. */
let guard: () => Any = () => true;
const database = useDatabase({ monitorCommands: true });
const commands = useCommands(database);
const api = useApi<string>(
  database,
  (shop) => [
    shop.resource({
      model: Doc,
      ops: ['list', 'get', 'create', 'patch', 'delete', 'restore'],
      guardsFor: { patch: [() => guard()], restore: [] },
      scope: (ctx) => (ctx.principal === 'admin' ? everything : { owner: String(ctx.principal) }),
      operations: {
        peek: { method: 'GET', handler: async (ctx) => ({ text: (await ctx.load()).text }) },
      },
    }),
  ],
  {
    authenticate: (ctx) => ctx.get('authorization') || undefined,
    idempotency: { principal: (ctx) => String(ctx.requirePrincipal()) },
    batch: true,
    undescribed: ['forbidden', 'too_many'],
  },
);
const collectionOf = (name: string) => database.db.collection<{ _id: string; [key: string]: unknown }>(name);
const docs = () => collectionOf('docs');
const keys = () => collectionOf('idempotency_keys');

interface Operation {
  readonly method: string;
  readonly path: string;
  readonly body?: object;
}

const send = ({ method, path, body }: Operation, principal = 'ann') =>
  api.request(method, `/api${path}`, { ...(body && { body }), headers: { authorization: principal, 'idempotency-key': 'k' } });
const batchOf = (...operations: readonly Operation[]): Operation => ({ method: 'POST', path: '/batch', body: { operations } });
const patch = (id: string, text = 'secret'): Operation => ({ method: 'PATCH', path: `/docs/${id}`, body: { text } });
const create: Operation = { method: 'POST', path: '/docs', body: { id: 'n', text: 'secret' } };
const ways: readonly (readonly [string, (operation: Operation) => Operation])[] = [
  ['alone', (operation) => operation],
  ['in a batch', (operation) => batchOf(operation)],
];

beforeEach(async () => {
  guard = () => true;
  await keys().deleteMany({});
  await docs().deleteMany({});
  await docs().insertMany(['a', 'b'].map((_id) => ({ _id, text: 'x', owner: 'ann', revision: 1 })));
  commands.clear();
});

describe.each(ways)('a repeated request, %s', (_how, wrap) => {
  it('is carried out again if its key has expired', async () => {
    expect((await send(wrap(patch('a')))).status).toBe(200);
    await keys().updateMany({}, { $set: { expiresAt: new Date(0) } });
    await docs().updateOne({ _id: 'a' }, { $set: { text: 'other' } });
    expect((await send(wrap(patch('a')))).status).toBe(200);
    expect(await docs().findOne({ _id: 'a' })).toMatchObject({ text: 'secret', revision: 3 });
    expect(await keys().countDocuments()).toBe(1);
  });

  it('is refused as a new request if its key has expired and the record is no longer of the caller', async () => {
    expect((await send(wrap(patch('a')))).status).toBe(200);
    await keys().updateMany({}, { $set: { expiresAt: new Date(0) } });
    await docs().updateOne({ _id: 'a' }, { $set: { owner: 'bob' } });
    const again = await send(wrap(patch('a')));
    expect([again.status, again.text.includes('secret')]).toEqual([404, false]);
    expect(await docs().findOne({ _id: 'a' })).toMatchObject({ owner: 'bob', revision: 2 });
  });

  it('is a request of its own for another principal', async () => {
    const first = await send(wrap(patch('a')));
    expect(first.status).toBe(200);
    const other = await send(wrap(patch('a')), 'bob');
    expect([other.status, other.text.includes('secret')]).toEqual([404, false]);
    expect((await send(wrap(patch('a')), 'admin')).status).toBe(200); // carried out
    expect(await docs().findOne({ _id: 'a' })).toMatchObject({ revision: 3 });
    expect((await send(wrap(patch('a')))).text).toBe(first.text);
  });

  it('follows its record into the trash and back', async () => {
    const first = await send(wrap(patch('a')));
    expect((await send({ method: 'DELETE', path: '/docs/a' })).status).toBe(204);
    const again = await send(wrap(patch('a')));
    expect([again.status, again.text.includes('secret')]).toEqual([404, false]);
    await docs().updateOne({ _id: 'a' }, { $unset: { deletedAt: 1 } });
    expect((await send(wrap(patch('a')))).text).toBe(first.text);
  });

  it('is 404 if another owner has created a record with the same id since', async () => {
    expect((await send(wrap(patch('a')))).status).toBe(200);
    await docs().deleteOne({ _id: 'a' });
    await docs().insertOne({ _id: 'a', text: 'of bob', owner: 'bob', revision: 1 });
    const again = await send(wrap(patch('a')));
    expect([again.status, again.text.includes('secret'), again.text.includes('of bob')]).toEqual([404, false, false]);
    expect(await docs().findOne({ _id: 'a' })).toMatchObject({ text: 'of bob', revision: 1 });
  });

  it.each([
    ['answers no', () => false, 403],
    ['answers no by a promise', async () => false, 403],
    ['throws a problem', () => refuse(), 429],
    ['throws a problem by a promise', async () => refuse(), 429],
    ['answers yes by a promise', async () => true, 200],
  ])('waits for a guard that %s', async (_what, answer, status) => {
    const first = await send(wrap(patch('a')));
    guard = answer;
    commands.clear();
    const again = await send(wrap(patch('a')));
    expect([again.status, again.text === first.text]).toEqual([status, status === 200]);
    expect(commands.names.filter((name) => name !== 'find')).toEqual([]);
    guard = () => true;
    expect((await send(wrap(patch('a')))).text).toBe(first.text);
  });
});

describe('a key', () => {
  it.each([
    ['in a batch', batchOf(create)],
    ['in another batch', batchOf(create, patch('a'))],
    ['with another body', { ...create, body: { id: 'n', text: 'other' } }],
  ])('of a POST is not that of the POST %s', async (_how, other) => {
    expect((await send(create)).status).toBe(201);
    const again = await send(other);
    expect([again.status, again.body.code, again.text.includes('secret')]).toEqual([422, 'idempotency_key_reused', false]);
    expect(await docs().countDocuments()).toBe(3);
  });

  it('of a batch is not that of the batch with its operations in another order', async () => {
    expect((await send(batchOf(patch('a'), patch('b')))).status).toBe(200);
    expect((await send(batchOf(patch('b'), patch('a')))).status).toBe(422);
  });

  it.each([
    ['HEAD', '/docs/a'],
    ['HEAD', '/docs'],
    ['HEAD', '/docs/a/peek'],
    ['GET', '/docs/a'],
    ['GET', '/docs/a/peek'],
  ])('is ignored by %s %s', async (method, path) => {
    expect((await send({ method, path })).status).toBe(200);
    expect((await send({ method, path })).status).toBe(200);
    await docs().updateMany({}, { $set: { owner: 'bob' } });
    expect((await send({ method, path })).status).toBe(path === '/docs' ? 200 : 404);
    expect([await keys().countDocuments(), commands.events.some(({ command }) => command.find === 'idempotency_keys')]).toEqual([0, false]);
  });

  it('is free after a batch of which a guard has thrown', async () => {
    guard = () => refuse();
    const refused = await send(batchOf(create, patch('a')));
    expect([refused.status, refused.body.operation, await docs().countDocuments(), await keys().countDocuments()]).toEqual([429, 1, 2, 0]);
    guard = () => true;
    expect((await send(batchOf(create, patch('a')))).status).toBe(200);
  });

  it('keeps the answer of a restore while the record is not in the trash again', async () => {
    await docs().updateOne({ _id: 'a' }, { $set: { deletedAt: new Date() } });
    const restore = { method: 'POST', path: '/docs/a/restore' };
    const first = await send(restore);
    expect([first.status, (await send(restore)).text]).toEqual([200, first.text]);
    await docs().updateOne({ _id: 'a' }, { $set: { deletedAt: new Date() } });
    expect((await send(restore)).status).toBe(404);
    expect(await docs().findOne({ _id: 'a', deletedAt: { $exists: true } })).not.toBeNull();
  });
});

describe('the repeated request of a batch', () => {
  it('is refused if the guard of one operation refuses, whatever may be seen of the others', async () => {
    const batch = batchOf(create, patch('a'), patch('b'));
    expect((await send(batch)).status).toBe(200);
    guard = async () => {
      throw new Problem({ status: 403, code: 'forbidden' });
    };
    const again = await send(batch);
    expect([again.status, again.body.operation, again.text.includes('secret')]).toEqual([403, 1, false]);
  });

  it('is 500 if the guard of one operation fails, and shows nothing', async () => {
    const batch = batchOf(create, patch('a'));
    expect((await send(batch)).status).toBe(200);
    guard = async () => {
      throw new Error('of the application');
    };
    const again = await send(batch);
    expect([again.status, again.body.operation, again.text.includes('secret')]).toEqual([500, 1, false]);
    expect(api.errors.splice(0)).toMatchObject([{ message: 'of the application' }]);
  });
});

function refuse(): never {
  throw new Problem({ status: 429, code: 'too_many' });
}
