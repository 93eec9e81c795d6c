import { type AfterHook, applyIndexes, defineModel, jsonBody, Problem, planIndexes, service, t } from '../../src/index.ts';
import type { Any } from '../support/any.ts';
import { useCommands } from '../support/database/commands.ts';
import { useDatabase } from '../support/database/database.ts';
import { useApi } from '../support/http/api.ts';
import { until } from '../support/until.ts';

const Doc = defineModel('Doc', {
  collection: 'docs',
  fields: {
    id: t.string({ policy: { insert: true } }),
    text: t.string({ default: 'd' }),
    big: t.optional(t.int64()),
    at: t.createdAt(),
    revision: t.revision(),
  },
});
const Note = defineModel('Note', { collection: 'notes', fields: { text: t.string() } });

let after: AfterHook | undefined;
let act: ((ctx: Any) => unknown) | undefined;
let guard: (() => boolean) | undefined;

const database = useDatabase({ monitorCommands: true });
const commands = useCommands(database);
const api = useApi<string>(
  database,
  (shop) => [
    shop.resource({
      model: Doc,
      ops: ['create', 'patch', 'put', 'delete', 'get'],
      guards: [() => guard?.() ?? true],
      after: { create: [(ctx, record) => after?.(ctx as never, record)] },
      operations: {
        act: { handler: (ctx) => act?.(ctx) },
        wrapped: {
          use: [
            jsonBody(),
            async (ctx, next) => {
              await next();
              ctx.set('X-Time', String(performance.now()));
              ctx.body = `wrapped at ${performance.now()}`;
            },
          ],
          handler: (ctx) => act?.(ctx),
        },
      },
    }),
    shop.resource({ model: Note, ops: ['create'] }),
  ],
  {
    authenticate: (ctx) => ctx.get('authorization') || 'ann',
    idempotency: { principal: (ctx) => String(ctx.requirePrincipal()), maxAnswerBytes: 10_000, ttl: 60 },
    batch: true,
    undescribed: ['no_more', 'conflict'],
  },
);
const docs = () => database.db.collection<{ _id: string; [key: string]: unknown }>('docs');
const keys = () => database.db.collection('idempotency_keys');
const send = (method: string, path: string, body: object | undefined, key: string | undefined, headers = {}) =>
  api.request(method, `/api${path}`, {
    ...(body && { body }),
    headers: { ...(key === undefined ? {} : { 'idempotency-key': key }), ...headers },
  });
const create = (key: string | undefined, body: object = { id: 'n' }, headers = {}) => send('POST', '/docs', body, key, headers);
/** What is the same each time: all but the date and the connection. */
const bytesOf = ({ status, headers: { date: _date, connection: _connection, ...headers }, text }: Any) => ({ status, headers, text });

beforeEach(async () => {
  api.errors.length = 0;
  after = undefined;
  act = undefined;
  guard = undefined;
  await docs().deleteMany({});
  await keys().deleteMany({});
  await database.db.collection('notes').deleteMany({});
  await docs().insertOne({ _id: 'a', text: 'x', revision: 1 });
  commands.clear();
});

describe('a request with an Idempotency-Key', () => {
  it('is carried out once, and answered with the same bytes again', async () => {
    const first = await create('"k-1"', { id: 'n', text: 'ü' });
    expect(first.status).toBe(201);
    expect(commands.names).toEqual(['find', 'update', 'insert', 'update', 'commitTransaction']);
    commands.clear();
    const second = await create('k-1', { id: 'n', text: 'ü' });
    expect(commands.names).toEqual(['find', 'find']); // the key, and whether the caller may see the record
    expect(bytesOf(second)).toEqual(bytesOf(first));
    expect(second.headers).toMatchObject({ etag: '"0"', location: '/api/docs/n', 'cache-control': 'private, no-cache' });
    expect(await docs().countDocuments()).toBe(2);
  });

  it('is answered as it was, however the record was changed since', async () => {
    const patch = () => send('PATCH', '/docs/a', { text: 'y' }, 'p', { 'if-match': '"1"' });
    const first = await patch();
    await send('PATCH', '/docs/a', { text: 'z' }, undefined);
    expect(bytesOf(await patch())).toEqual(bytesOf(first));
    expect(first.body.data).toMatchObject({ text: 'y', revision: 2 });
  });

  it('is 422 with another body, path or method, and free for other principals', async () => {
    await create('k', { id: 'n' });
    for (const again of [create('k', { id: 'm' }), send('POST', '/notes', { id: 'n' }, 'k'), send('PATCH', '/docs/n', { id: 'n' }, 'k')])
      expect((await again).body).toMatchObject({ status: 422, code: 'idempotency_key_reused' });
    const bob = await create('k', { id: 'm' }, { authorization: 'bob' });
    expect(bob.status).toBe(201);
    expect(await keys().countDocuments()).toBe(2);
  });

  it.each(['', '"a', 'a b', '"a", "b"', 'x'.repeat(256)])('is 400 for the key %j', async (key) => {
    expect((await create(key)).body).toMatchObject({ status: 400, code: 'malformed_header' });
    expect(commands.names).toEqual([]);
  });

  it('is looked up behind authentication, guards and the reading of the body, and before its validation', async () => {
    await create('k');
    commands.clear();
    guard = () => false;
    expect((await create('k')).status).toBe(403);
    guard = undefined;
    expect((await send('POST', '/docs', undefined, 'k', { 'content-type': 'text/plain' })).status).toBe(415);
    expect((await create('k', { id: 'n' }, { 'if-match': 'x' })).status).toBe(400);
    expect(commands.names).toEqual([]);
    expect((await create('k', { wrong: 1 })).body).toMatchObject({ code: 'idempotency_key_reused' });
  });

  it.each<[string, () => Promise<{ status: number }>, number]>([
    ['a duplicate', () => create('k', { id: 'a' }), 409],
    ['an invalid body', () => create('k', { id: 'n', wrong: 1 }), 422],
    ['a stale revision', () => send('PATCH', '/docs/a', { text: 'y' }, 'k', { 'if-match': '"7"' }), 412],
    ['a missing record', () => send('PATCH', '/docs/z', { text: 'y' }, 'k'), 404],
    ['a refusal of the handler', () => send('POST', '/docs/a/act', undefined, 'k'), 409],
  ])('leaves no key after a refusal: %s', async (_what, refused, status) => {
    act = async (ctx) => {
      await ctx.store(Note).create({ text: 'lost' });
      throw new Problem({ status: 409, code: 'no_more' });
    };
    expect((await refused()).status).toBe(status);
    expect((await refused()).status).toBe(status);
    expect(await keys().countDocuments()).toBe(0);
    expect(await database.db.collection('notes').countDocuments()).toBe(0);
  });

  it('keeps no answer of a handler that says itself that it has failed, and what that has written stays', async () => {
    act = async (ctx) => {
      await ctx.store(Note).create({ text: 'kept' });
      ctx.status = 409;
      ctx.body = { no: true };
    };
    expect((await send('POST', '/docs/a/act', undefined, 'k')).status).toBe(409);
    expect(await keys().countDocuments()).toBe(0);
    expect(await database.db.collection('notes').countDocuments()).toBe(1);
  });

  it('is answered before the hooks of after, which run once and cannot change the answer', async () => {
    let calls = 0;
    after = (ctx) => {
      calls++;
      ctx.set('X-Hook', 'yes');
      ctx.body = 'changed';
      throw new Error('the mail server is down');
    };
    const first = await create('k');
    expect(first.status).toBe(201);
    expect(bytesOf(await create('k'))).toEqual(bytesOf(first));
    expect(first.headers['x-hook']).toBeUndefined();
    expect(calls).toBe(1);
    expect(api.errors.map(({ message }) => message)).toEqual(['the mail server is down']);
  });

  it('covers a handler: what it stores, its status, its headers and its body, but no cookie again', async () => {
    let calls = 0;
    act = async (ctx) => {
      calls++;
      const doc = await ctx.load();
      doc.text = `acted ${calls}`;
      await ctx.save(doc);
      await ctx.store(Note).create({ text: 'n' });
      ctx.status = 202;
      ctx.set('X-Mine', 'yes');
      ctx.set('Set-Cookie', 'secret=1');
      ctx.body = { done: calls };
    };
    const first = await send('POST', '/docs/a/act', undefined, 'k');
    const second = await send('POST', '/docs/a/act', undefined, 'k');
    expect(first).toMatchObject({ status: 202, headers: { 'x-mine': 'yes', 'set-cookie': ['secret=1'] }, body: { done: 1 } });
    expect(second).toMatchObject({ status: 202, headers: { 'x-mine': 'yes' }, body: { done: 1 } });
    expect(second.headers['set-cookie']).toBeUndefined();
    expect(JSON.stringify(await keys().findOne())).not.toContain('secret');
    expect(await database.db.collection('notes').countDocuments()).toBe(1);
  });

  it.each([
    ['nothing', () => undefined],
    ['a status alone', (ctx: Any) => Object.assign(ctx, { status: 205 }) && undefined],
    ['a created status without a body', (ctx: Any) => Object.assign(ctx, { status: 201 }) && undefined],
    ['a text', (ctx: Any) => Object.assign(ctx, { body: 'text' }) && undefined],
    ['bytes', (ctx: Any) => Object.assign(ctx, { body: Buffer.from([0, 255]) }) && undefined],
  ])('is answered again with %s', async (_what, answers) => {
    act = answers;
    const first = await send('POST', '/docs/a/act', undefined, 'k');
    act = () => 'never';
    expect(bytesOf(await send('POST', '/docs/a/act', undefined, 'k'))).toEqual(bytesOf(first));
  });

  it('keeps what the operation answers, and not what a middleware of `use` makes of it afterwards', async () => {
    act = () => ({ x: 1 });
    const first = await send('POST', '/docs/a/wrapped', {}, 'k');
    expect(first.body).toEqual({ data: { x: 1 } });
    expect(bytesOf(await send('POST', '/docs/a/wrapped', {}, 'k'))).toEqual(bytesOf(first));
  });

  it('writes nothing if its answer would be too large to be kept, or is a stream', async () => {
    const large = await create('k', { id: 'n', text: 'x'.repeat(10_000) });
    expect(large.body).toMatchObject({ status: 413, code: 'body_too_large' });
    act = async (ctx) => {
      await ctx.store(Note).create({ text: 'lost' });
      ctx.body = new ReadableStream();
    };
    expect((await send('POST', '/docs/a/act', undefined, 'k')).status).toBe(500);
    expect(await docs().countDocuments()).toBe(1);
    expect(await keys().countDocuments()).toBe(0);
    expect(await database.db.collection('notes').countDocuments()).toBe(0);
  });

  it('is carried out again when its key has expired, even if the index has not removed it', async () => {
    await create('k');
    await keys().updateOne({}, { $set: { expiresAt: new Date(Date.now() - 1) } });
    await docs().deleteOne({ _id: 'n' });
    expect((await create('k', { id: 'n', text: 'again' })).body.data).toMatchObject({ text: 'again' });
    expect((await create('k', { id: 'n', text: 'again' })).status).toBe(201);
    expect(await keys().countDocuments()).toBe(1);
  });

  it('has no effect on PUT and DELETE, whose repeats leave the same and answer otherwise', async () => {
    await create(undefined);
    const put = (headers = {}) => send('PUT', '/docs/n', { text: 'p' }, 'k', headers);
    const remove = (headers = {}) => send('DELETE', '/docs/n', undefined, 'k', headers);
    const guarded = [await put({ 'if-match': '"0"' }), await put({ 'if-match': '"0"' })];
    expect(guarded.map(({ status }) => status)).toEqual([200, 412]);
    expect(await docs().findOne({ _id: 'n' })).toMatchObject({ text: 'p', revision: 1 });
    expect((await put()).body.data).toMatchObject({ text: 'p', revision: 2 });
    expect([(await remove({ 'if-match': '"2"' })).status, (await remove({ 'if-match': '"2"' })).status, (await remove()).status]).toEqual([
      204, 404, 404,
    ]);
    expect(await keys().countDocuments()).toBe(0);
  });

  it('costs nothing where there is no key', async () => {
    await create(undefined);
    await send('PATCH', '/docs/a', { text: 'y' }, undefined);
    expect(commands.names).toEqual(['insert', 'findAndModify']);
  });

  it('is one for a batch as a whole', async () => {
    const operations = [
      { method: 'POST', path: '/docs', body: { id: 'n', big: 5 } },
      { method: 'POST', path: '/notes', body: { text: 'x' } },
      { method: 'PATCH', path: '/docs/a', body: { text: 'y' } },
    ];
    const first = await send('POST', '/batch', { operations }, 'k');
    expect(first.body.data.map(({ status }: Any) => status)).toEqual([201, 201, 200]);
    commands.clear();
    expect(bytesOf(await send('POST', '/batch', { operations }, 'k'))).toEqual(bytesOf(first));
    expect(commands.names).toEqual(['find', 'find', 'find']); // the key, and the records of each model
    expect(await keys().countDocuments()).toBe(1);
    const failed = await send('POST', '/batch', { operations }, 'other');
    expect(failed.body).toMatchObject({ status: 409, code: 'duplicate_key', operation: 0 });
    expect(await keys().countDocuments()).toBe(1);
  });
});

describe('many requests with one key', () => {
  /** Sends until the answer is not that another one runs. */
  async function untilAnswered(sent: () => ReturnType<typeof create>): Promise<Any> {
    let answer: Any;
    await until(async () => {
      answer = await sent();
      if (answer.body?.code !== 'idempotency_in_progress') return true;
      expect(answer.headers['retry-after']).toBe('1');
      return false;
    });
    return answer;
  }

  it('at the same time, by fifty clients of two processes: one record, and the same bytes for all', async () => {
    const other = service({ authenticate: () => 'ann' });
    const resources = [other.resource({ model: Doc, ops: ['create'] })];
    const idempotency = { principal: () => 'ann', maxAnswerBytes: 10_000, ttl: 60 };
    const second = other.api({ db: database.client.db(database.db.databaseName), prefix: '/api', resources, idempotency });
    const body = JSON.stringify({ id: 'n', text: 'once' });
    const headers = { 'idempotency-key': 'k', 'content-type': 'application/json' };
    const fetched = async () => {
      const response = await second.fetch(new Request('http://x/api/docs', { method: 'POST', body, headers }));
      const text = await response.text();
      return { status: response.status, headers: Object.fromEntries(response.headers), text, body: JSON.parse(text) };
    };
    const answers = await Promise.all(
      Array.from({ length: 50 }, (_, index) =>
        untilAnswered(index % 2 ? (fetched as never) : () => create('k', { id: 'n', text: 'once' })),
      ),
    );
    expect(new Set(answers.map(({ status, text }) => `${status} ${text}`)).size).toBe(1);
    expect(answers[0].status).toBe(201);
    expect(await docs().countDocuments()).toBe(2);
    expect(await keys().countDocuments()).toBe(1);
  });

  it('is 409 with Retry-After while the first one runs, and is not tried again by the service', async () => {
    let calls = 0;
    let finish: () => void = () => undefined;
    const running = new Promise<void>((resolve) => {
      act = async () => {
        calls++;
        resolve();
        await new Promise<void>((done) => {
          finish = done;
        });
        return { done: true };
      };
    });
    const first = send('POST', '/docs/a/act', undefined, 'k');
    await running;
    commands.clear();
    const second = await send('POST', '/docs/a/act', undefined, 'k');
    expect(second.body).toMatchObject({ status: 409, code: 'idempotency_in_progress' });
    expect(second.headers['retry-after']).toBe('1');
    expect(commands.names.filter((name) => name === 'update')).toHaveLength(1);
    finish();
    expect((await first).status).toBe(200);
    expect((await send('POST', '/docs/a/act', undefined, 'k')).text).toBe((await first).text);
    expect(calls).toBe(1);
  });
});

describe('the index of the keys', () => {
  it('is planned and created with those of the models', async () => {
    const shop = service();
    const own = shop.api({ db: database.db, resources: [], idempotency: { principal: () => 'x', collection: 'own_keys' } });
    expect(String(await planIndexes(own))).toContain('missing   { expiresAt: 1 }');
    await applyIndexes(own);
    expect(await database.db.collection('own_keys').indexes()).toMatchObject([
      {},
      { key: { expiresAt: 1 }, expireAfterSeconds: 0 },
      { key: { about: 1 } },
    ]);
    expect(String(await planIndexes(own))).toContain('exists    { expiresAt: 1 }');
  });
});

describe('`idempotency` of an api', () => {
  it.each<[string, Any, RegExp]>([
    ['nothing', undefined, /`idempotency` must be an object/],
    ['true', true, /`idempotency` must be an object/],
    ['no principal', {}, /`principal` of `idempotency` must be a function/],
    ['a misspelt option', { principal: () => 'x', tll: 5 }, /did you mean `ttl`/],
    ['no time', { principal: () => 'x', ttl: 0 }, /`ttl` of `idempotency` must be a whole number of seconds/],
    ['more than a document can have', { principal: () => 'x', maxAnswerBytes: 2 ** 24 }, /`maxAnswerBytes`/],
  ])('must not be %s', (_what, idempotency, message) => {
    expect(() => service().api({ db: database.db, resources: [], idempotency })).toThrow(message);
  });

  it.each(['', undefined, 5])('gives no access to keys of nobody: a principal %j is an error', async (principal) => {
    const shop = service();
    const errors: Error[] = [];
    const idempotency = { principal: () => principal as never, required: true };
    const own = shop.api({
      db: database.db,
      resources: [shop.resource({ model: Doc })],
      idempotency,
      onError: (error) => errors.push(error),
    });
    const request = (headers: Record<string, string>) =>
      own.fetch(
        new Request('http://x/docs', { method: 'POST', body: '{"id":"n"}', headers: { 'content-type': 'application/json', ...headers } }),
      );
    expect((await request({ 'idempotency-key': 'k' })).status).toBe(500);
    expect(errors[0]?.message).toContain('`principal` of `idempotency` must return a string');
    const missing = await request({});
    expect(missing.status).toBe(400);
    expect(await missing.json()).toMatchObject({ code: 'idempotency_key_required' });
    expect(await docs().countDocuments()).toBe(1);
  });
});
