import Router from '@koa/router';
import { Ajv2020 } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import Koa from 'koa';
import { stringifyJson } from '../../src/http/json.ts';
import { type AfterHook, defineModel, openapiDocument, Problem, problems, scope, service, t } from '../../src/index.ts';
import type { Any } from '../support/any.ts';
import { useCommands } from '../support/database/commands.ts';
import { useDatabase } from '../support/database/database.ts';
import { useApi } from '../support/http/api.ts';
import { useListener } from '../support/http/listen.ts';
import { send as sendTo } from '../support/http/serve.ts';

const Order = defineModel('Order', {
  collection: 'orders',
  fields: {
    id: t.string({ policy: { insert: true } }),
    text: t.string({ default: 'd' }),
    owner: t.string({ default: 'ann', policy: { insert: false, update: false } }),
    big: t.optional(t.int64()),
    revision: t.revision(),
  },
});
const Line = defineModel('Line', {
  collection: 'lines',
  fields: {
    order: t.string(),
    orders: t.array(t.string(), { default: [] }),
    part: t.nullable(t.object('Part', { order: t.string() })),
    data: t.nullable(t.any()),
    revision: t.revision(),
  },
});

const listen = useListener();
const calls: unknown[][] = [];
/** What the hook of `after` of Create does in the test at hand. */
let afterCreate: AfterHook | undefined;
/** What the handler of `act` does in the test at hand. */
let act: ((ctx: Any) => unknown) | undefined;
let principals: string[] = [];

/** A middleware that answers in place of what stands below it. */
const answers = (body: string) => async (ctx: Any) => {
  ctx.body = body;
};

const database = useDatabase({ monitorCommands: true });
const commands = useCommands(database);
const api = useApi<{ name: string }>(
  database,
  (shop) => [
    shop.resource({
      model: Order,
      ops: ['list', 'get', 'create', 'patch', 'put', 'delete'],
      guards: [
        (ctx) => {
          calls.push(['guard', ctx.method, ctx.path, ctx.params.id]);
          return ctx.requirePrincipal().name !== 'eve';
        },
      ],
      scope: (ctx) => ({ owner: ctx.requirePrincipal().name }),
      serverFields: (ctx) => ({ owner: ctx.requirePrincipal().name }),
      after: {
        create: [(ctx, record) => afterCreate?.(ctx as never, record)],
        patch: [(_ctx, { id }) => void calls.push(['after patch', id])],
      },
      operations: {
        act: { handler: (ctx) => act?.(ctx) },
        all: { path: '/all', handler: () => ({ done: true }) },
        uses: { use: [answers('done')] },
        shortcut: { use: [answers('cached')], handler: () => 'never' },
        peek: { method: 'GET', handler: () => 1 },
      },
    }),
    shop.resource({ model: Line, ops: ['create', 'list'], within: { create: [(_ctx, { after }) => calls.push(['within', after.order])] } }),
  ],
  {
    authenticate: (ctx) => {
      principals.push(ctx.get('authorization'));
      return ctx.get('authorization') ? { name: ctx.get('authorization') } : undefined;
    },
    batch: { maxOperations: 20, maxBytes: 50_000 },
    maxConcurrency: 1,
    undescribed: ['no_more', 'conflict', 'im_a_teapot'],
  },
);
const orders = () => database.db.collection<{ _id: string; [key: string]: unknown }>('orders');
const lines = () => database.db.collection('lines');
const stored = async () => (await orders().find().sort({ _id: 1 }).toArray()).map(({ _id, text }) => [_id, text]);
const send = (operations: unknown, headers: Record<string, string> = {}) =>
  api.request('POST', '/api/batch', {
    body: stringifyJson({ operations }),
    headers: { authorization: 'ann', 'content-type': 'application/json', ...headers },
  });

beforeEach(async () => {
  calls.length = 0;
  api.errors.length = 0;
  principals = [];
  afterCreate = undefined;
  act = undefined;
  await orders().deleteMany({});
  await lines().deleteMany({});
  await orders().insertMany([
    { _id: 'a', text: 'x', owner: 'ann', revision: 1 },
    { _id: 'b', text: 'x', owner: 'bob', revision: 1 },
  ]);
  await lines().createIndex({ order: 1 });
  commands.clear();
});

describe('POST /batch', () => {
  it('carries out all operations in one transaction, and answers each in their order', async () => {
    const answer = await send([
      { method: 'POST', path: '/orders', body: { id: 'n', text: 'new', big: 9007199254740993n } },
      { method: 'PATCH', path: '/orders/a', body: { text: 'y' }, if_match: '"1"' },
      { method: 'PUT', path: '/orders/a', body: { text: 'z' } },
      { method: 'DELETE', path: '/orders/a' },
    ]);
    expect(answer.status).toBe(200);
    expect(answer.headers['cache-control']).toBe('no-store');
    const [created, ...others] = answer.body.data;
    expect(created).toEqual({
      status: 201,
      etag: '"0"',
      location: '/api/orders/n',
      body: { data: { id: 'n', text: 'new', owner: 'ann', big: expect.anything(), revision: 0 } },
    });
    expect(answer.text).toContain('"big":9007199254740993');
    expect(others).toEqual([
      { status: 200, etag: '"2"', body: { data: { id: 'a', text: 'y', owner: 'ann', revision: 2 } } },
      { status: 200, etag: '"3"', body: { data: { id: 'a', text: 'z', owner: 'ann', revision: 3 } } },
      { status: 204 },
    ]);
    expect(commands.names).toEqual(['insert', 'findAndModify', 'findAndModify', 'findAndModify', 'commitTransaction']);
    expect(await stored()).toEqual([
      ['b', 'x'],
      ['n', 'new'],
    ]);
    expect(principals).toEqual(['ann']);
  });

  it('asks the guards of each operation, with its method, path and parameters, before the transaction begins', async () => {
    await send([
      { method: 'POST', path: '/orders', body: { id: 'n' } },
      { method: 'PATCH', path: '/orders/a', body: {} },
    ]);
    expect(calls.slice(0, 2)).toEqual([
      ['guard', 'POST', '/api/orders', undefined],
      ['guard', 'PATCH', '/api/orders/a', 'a'],
    ]);
    commands.clear();
    const refused = await send([{ method: 'PATCH', path: '/orders/a', body: { text: 'y' } }], { authorization: 'eve' });
    expect(refused.body).toMatchObject({ status: 403, code: 'forbidden', operation: 0 });
    expect(commands.names).toEqual([]);
  });

  const good = { method: 'POST', path: '/orders', body: { id: 'n' } };
  it.each<[what: string, operation: object, status: number, problem: object]>([
    ['a record out of scope', { method: 'PATCH', path: '/orders/b', body: { text: 'y' } }, 404, { code: 'not_found' }],
    ['a stale revision', { method: 'DELETE', path: '/orders/a', if_match: '"7"' }, 412, { code: 'precondition_failed' }],
    ['a malformed If-Match', { method: 'DELETE', path: '/orders/a', if_match: '7' }, 400, { code: 'malformed_header' }],
    ['an id that is taken', { method: 'POST', path: '/orders', body: { id: 'a' } }, 409, { code: 'duplicate_key' }],
    ['an id that an earlier operation takes', { method: 'POST', path: '/orders', body: { id: 'n' } }, 409, { code: 'duplicate_key' }],
    ['a body that is not acceptable', { method: 'POST', path: '/orders', body: { id: 'm', txt: 1 } }, 422, { errors: [{ field: 'txt' }] }],
    ['no body', { method: 'POST', path: '/orders' }, 422, { code: 'validation_failed' }],
    ['a body that is no object', { method: 'POST', path: '/orders', body: [] }, 422, { code: 'validation_failed' }],
    ['a path that is none', { method: 'POST', path: '/nowhere' }, 404, { code: 'not_found' }],
    ['the root', { method: 'POST', path: '/' }, 404, { code: 'not_found' }],
    ['another host', { method: 'POST', path: '//evil.example/orders', body: {} }, 404, { code: 'not_found' }],
    ['a path that leads upwards', { method: 'PATCH', path: '/lines/../orders/a', body: {} }, 404, { code: 'not_found' }],
    ['the same, encoded', { method: 'PATCH', path: '/lines/%2e%2e/orders/a', body: {} }, 404, { code: 'not_found' }],
    ['an encoded slash', { method: 'PATCH', path: '/orders%2fa', body: {} }, 404, { code: 'not_found' }],
    ['the prefix of the api', { method: 'PATCH', path: '/api/orders/a', body: {} }, 404, { code: 'not_found' }],
    ['the description', { method: 'POST', path: '/openapi.json' }, 404, { code: 'not_found' }],
    ['a batch', { method: 'POST', path: '/batch', body: { operations: [] } }, 404, { code: 'not_found' }],
    ['a method that the path has not', { method: 'PUT', path: '/lines', body: {} }, 405, { code: 'method_not_allowed' }],
    ['an operation whose middlewares do the work', { method: 'POST', path: '/orders/a/uses' }, 404, { code: 'not_found' }],
    ['a read', { method: 'POST', path: '/orders/a/peek' }, 404, { code: 'not_found' }],
  ])('writes nothing because of %s, and names the operation', async (_what, operation, status, problem) => {
    const answer = await send([good, { method: 'PATCH', path: '/orders/a', body: { text: 'lost' } }, operation, good]);
    expect([answer.status, answer.body.operation]).toEqual([status, 2]);
    expect(answer.body).toMatchObject(problem);
    expect(await stored()).toEqual([
      ['a', 'x'],
      ['b', 'x'],
    ]);
    expect(calls.some(([name]) => name === 'after patch')).toBe(false);
  });

  it.each<[what: string, operations: unknown, field: string]>([
    ['no list', undefined, 'operations'],
    ['something else', { 0: good }, 'operations'],
    ['an empty list', [], 'operations'],
    ['too many operations', Array(21).fill(good), 'operations'],
    ['an operation that is none', [good, 5], 'operations.1'],
    ['a read', [{ method: 'GET', path: '/orders' }], 'operations.0.method'],
    ['HEAD', [{ method: 'HEAD', path: '/orders' }], 'operations.0.method'],
    ['OPTIONS', [{ method: 'OPTIONS', path: '/orders' }], 'operations.0.method'],
    ['a method in lower case', [{ method: 'post', path: '/orders' }], 'operations.0.method'],
    ['an absolute URL', [{ method: 'POST', path: 'http://evil.example/api/orders' }], 'operations.0.path'],
    ['a query', [{ method: 'DELETE', path: '/orders/a?x=1' }], 'operations.0.path'],
    ['a fragment', [{ method: 'DELETE', path: '/orders/a#x' }], 'operations.0.path'],
    ['a control character', [{ method: 'DELETE', path: '/orders/a\r\nx: y' }], 'operations.0.path'],
    ['another character', [{ method: 'DELETE', path: '/orders/ä' }], 'operations.0.path'],
    ['braces that are no reference', [{ method: 'DELETE', path: '/orders/{id}' }], 'operations.0.path'],
    ['braces within a segment', [{ method: 'DELETE', path: '/orders/x{0}' }], 'operations.0.path'],
    ['an unknown member', [{ ...good, headers: { authorization: 'eve' } }], 'operations.0.headers'],
    ['If-Match that is no text', [{ ...good, if_match: 1 }], 'operations.0.if_match'],
    ['a reference to itself', [{ ...good, refs: { '/id': 0 } }], 'operations.0.refs./id'],
    ['a reference to a later one', [{ method: 'PATCH', path: '/orders/{1}', body: {} }, good], 'operations.0.path'],
    [
      'a reference to no create',
      [
        { method: 'PATCH', path: '/orders/a', body: {} },
        { ...good, refs: { '/id': 0 } },
      ],
      'operations.1.refs./id',
    ],
    ['a negative reference', [good, { ...good, refs: { '/id': -1 } }], 'operations.1.refs./id'],
    [
      'too many references',
      [good, { ...good, refs: Object.fromEntries(Array.from({ length: 1_001 }, (_, n) => [`/${n}`, 0])) }],
      'operations.1.refs',
    ],
    ['a reference into nothing', [good, { ...good, refs: { '/part/order': 0 } }], 'operations.1.refs./part/order'],
    ['a reference that is no pointer', [good, { ...good, refs: { id: 0 } }], 'operations.1.refs.id'],
    ['a reference to the whole', [good, { ...good, refs: { '': 0 } }], 'operations.1.refs.'],
    ['a reference into all objects', [good, { ...good, refs: { '/__proto__/x': 0 } }], 'operations.1.refs./__proto__/x'],
    ['a reference into a constructor', [good, { ...good, refs: { '/constructor/x': 0 } }], 'operations.1.refs./constructor/x'],
    ['a reference without a body', [good, { method: 'POST', path: '/lines', refs: { '/order': 0 } }], 'operations.1.refs./order'],
  ])('is 422 for %s', async (_what, operations, field) => {
    const answer = await send(operations);
    expect([answer.status, answer.body.errors?.[0].field]).toEqual([422, field]);
    expect(answer.body).not.toHaveProperty('operation');
    expect(commands.names.filter((name) => name !== 'abortTransaction')).toEqual([]);
  });

  it('puts the ids of created records where the client says, in paths and bodies, and takes no data for a reference', async () => {
    const data = { $ref: 0, text: '{0}', path: '/orders/{0}' };
    const answer = await send([
      { method: 'POST', path: '/orders', body: { id: 'a b/ü' } },
      {
        method: 'POST',
        path: '/lines',
        body: { orders: ['x', 'y'], part: {}, data },
        refs: { '/order': 0, '/orders/1': 0, '/part/order': 0 },
      },
      { method: 'PATCH', path: '/orders/{0}', body: { text: '{0}' } },
    ]);
    expect(answer.status).toBe(200);
    expect(await lines().findOne()).toMatchObject({ order: 'a b/ü', orders: ['x', 'a b/ü'], part: { order: 'a b/ü' }, data });
    expect(answer.body.data[2].body.data).toMatchObject({ id: 'a b/ü', text: '{0}' });
    expect(calls).toContainEqual(['within', 'a b/ü']);
  });

  it('runs the hooks of all operations after the commit; one that throws is told in its own answer', async () => {
    const seen: unknown[] = [];
    afterCreate = async (_ctx, record) => {
      seen.push(await orders().countDocuments());
      if ((record as { id: string }).id === 'n') throw new Problem({ status: 409, code: 'no_more' });
    };
    const answer = await send([good, { ...good, body: { id: 'm' } }, { method: 'PATCH', path: '/orders/a', body: { text: 'y' } }]);
    expect(answer.status).toBe(200);
    expect(answer.body.data.map(({ status }: { status: number }) => status)).toEqual([500, 201, 200]);
    expect(answer.body.data[0].body).toEqual({ type: 'about:blank', title: 'Internal Server Error', status: 500 });
    expect(seen).toEqual([4, 4]);
    expect(api.errors).toHaveLength(1);
    expect(calls.at(-1)).toEqual(['after patch', 'a']);
  });

  it('makes handlers part of the transaction, and their refusals those of the batch', async () => {
    act = async (ctx) => {
      const order = await ctx.load();
      order.text = 'acted';
      await ctx.save(order);
      await ctx.store(Line).create({ order: order.id, part: null, data: null, orders: [] });
      ctx.set('X-Other', 'y');
      return order;
    };
    const done = await send([good, { method: 'POST', path: '/orders/a/act' }, { method: 'POST', path: '/orders/all' }]);
    expect(done.body.data.slice(1)).toEqual([
      { status: 200, etag: '"2"', body: { data: { id: 'a', text: 'acted', owner: 'ann', revision: 2 } } },
      { status: 200, body: { data: { done: true } } },
    ]);
    expect(await lines().countDocuments()).toBe(1);
    act = async (ctx) => {
      await ctx.store(Line).create({ order: 'x', part: null, data: null, orders: [] });
      throw new Problem({ status: 409, code: 'no_more', detail: 'Not today.' });
    };
    const refused = await send([{ method: 'POST', path: '/orders/a/act' }]);
    expect(refused.body).toMatchObject({ status: 409, code: 'no_more', detail: 'Not today.', operation: 0 });
    expect(await lines().countDocuments()).toBe(1);
    act = () => {
      throw new Error('a bug');
    };
    expect((await send([{ method: 'POST', path: '/orders/a/act' }])).body).toEqual({
      type: 'about:blank',
      title: 'Internal Server Error',
      status: 500,
      operation: 0,
    });
    expect(api.errors.map(({ message }) => message)).toEqual(['a bug']);
  });

  it('answers what a handler has set by hand, or that a middleware has answered in its place', async () => {
    act = (ctx) => {
      ctx.status = 202;
      ctx.body = 'not "JSON"';
    };
    const answer = await send([
      { method: 'POST', path: '/orders/a/act' },
      { method: 'POST', path: '/orders/a/shortcut' },
    ]);
    expect(answer.body.data).toEqual([
      { status: 202, body: 'not "JSON"' },
      { status: 200, body: 'cached' },
    ]);
    act = (ctx) => {
      ctx.type = 'json';
      ctx.body = '{"broken":';
    };
    expect((await send([{ method: 'POST', path: '/orders/a/act' }])).body.data).toEqual([{ status: 200, body: '{"broken":' }]);
  });

  it.each<[string, (ctx: Any) => unknown, number]>([
    ['a status of refusal', (ctx) => Object.assign(ctx, { status: 409 }), 409],
    ['a stream', (ctx) => Object.assign(ctx, { body: new ReadableStream() }), 500],
    ['a response that it has taken over', (ctx) => Object.assign(ctx, { respond: false }), 500],
    ['an answer that it has sent itself', (ctx) => void ctx.res.end('x'), 500],
  ])('writes nothing if a handler answers with %s', async (_what, answers, status) => {
    act = async (ctx) => {
      await ctx.store(Line).create({ order: 'x', part: null, data: null, orders: [] });
      answers(ctx);
    };
    const answer = await send([{ method: 'POST', path: '/orders/a/act' }]);
    expect([answer.status, answer.body.operation]).toEqual([status, 0]);
    expect(await lines().countDocuments()).toBe(0);
  });

  it('repeats the writes of a lost attempt only, and nothing of that attempt is answered', async () => {
    let attempts = 0;
    act = async (ctx) => {
      attempts++;
      const order = await ctx.load();
      if (attempts === 1) {
        ctx.status = 202;
        await orders().updateOne({ _id: 'a' }, { $set: { text: 'in the way', revision: 2 } });
      }
      order.text = `attempt ${attempts}`;
      return ctx.save(order);
    };
    const answer = await send([good, { method: 'POST', path: '/orders/a/act' }]);
    expect(attempts).toBe(2);
    expect(answer.body.data.map(({ status }: { status: number }) => status)).toEqual([201, 200]);
    expect(answer.body.data[1].body.data).toMatchObject({ text: 'attempt 2', revision: 3 });
    expect(calls.filter(([name]) => name === 'guard')).toHaveLength(2);
  });

  it('has bounds in bytes, and is refused like every other body', async () => {
    expect((await send([{ ...good, body: { text: 'x'.repeat(50_000) } }])).body).toMatchObject({ status: 413, code: 'body_too_large' });
    const noJson = await api.request('POST', '/api/batch', {
      body: 'x',
      headers: { authorization: 'ann', 'content-type': 'text/plain' },
    } as never);
    expect(noJson.status).toBe(415);
    expect((await api.request('GET', '/api/batch')).status).toBe(405);
    expect((await api.request('POST', '/api/%62atch')).status).toBe(404);
  });

  it('is 401 where an operation asks who it is', async () => {
    const answer = await api.request('POST', '/api/batch', { body: { operations: [good] } });
    expect(answer.body).toMatchObject({ status: 401, operation: 0 });
  });

  it('takes one place in maxConcurrency, and gives it back', async () => {
    for (let time = 0; time < 3; time++) expect((await send([{ method: 'PATCH', path: '/orders/a', body: {} }])).status).toBe(200);
  });
});

describe('`batch` of an api', () => {
  const shop = service();
  const make = (options: Any, ...resources: Any[]) =>
    shop.api({ db: database.db, resources: resources.map((one) => shop.resource(one)), ...options });

  it.each<[string, Any, RegExp]>([
    ['a number', 5, /`batch` must be true, false or `\{ maxOperations, maxBytes, maxAnswerBytes \}`/],
    ['no operations', { maxOperations: 0 }, /`maxOperations` of `batch` must be a whole number of operations from 1 to 1000/],
    ['a misspelt option', { maxByte: 5 }, /did you mean `maxBytes`/],
  ])('must not be %s', (_what, batch, message) => expect(() => make({ batch })).toThrow(message));

  it('takes the path from resources, and only if it is on', () => {
    expect(() => make({ batch: true }, { model: Order, path: 'batch' })).toThrow(/A resource cannot have the path `batch`/);
    expect(() => make({}, { model: Order, path: 'batch' })).not.toThrow();
  });

  it('is described with the problems of its operations', () => {
    const { paths, components } = openapiDocument(make({ batch: true, prefix: '/api' }, { model: Order }));
    for (const name of ['BatchRequest', 'BatchAnswer'])
      expect(() => formats.default(new Ajv2020({ strict: true })).compile(components.schemas?.[name] ?? {})).not.toThrow();
    const { post } = paths['/api/batch'] as Any;
    expect(Object.keys(post.responses)).toEqual(expect.arrayContaining(['200', '404', '409', '412', '413', '422', '501', '503', '504']));
    expect(openapiDocument(make({ prefix: '/api' }, { model: Order })).paths).not.toHaveProperty('/api/batch');
  });

  it('keeps a scope that stands above the api, the parameters of its mount, and what the app has left in ctx.state', async () => {
    const own = make({ batch: true }, { model: Order, ops: ['patch'], guards: [(ctx: Any) => ctx.state.app === ctx.params.shop] });
    const app = new Koa();
    const router = new Router();
    router.use('/shops/:shop', async (ctx, next) => {
      Object.assign(ctx.state, { app: 'x' });
      await next();
    });
    router.use('/shops/:shop', scope(Order, () => ({ owner: 'bob' })) as Any, own.routes() as Any);
    app.use(problems() as Any).use(router.routes());
    const port = await listen(app.callback());
    const operations = [{ method: 'PATCH', path: '/orders/b', body: { text: 'y' } }];
    const answer = await sendTo(port, 'POST', '/shops/x/batch', { body: { operations } });
    expect(answer.body).toMatchObject({ data: [{ status: 200 }] });
    const other = await sendTo(port, 'POST', '/shops/x/batch', { body: { operations: [{ ...operations[0], path: '/orders/a' }] } });
    expect(other.body).toMatchObject({ status: 404, operation: 0 });
    expect((await sendTo(port, 'POST', '/shops/y/batch', { body: { operations } })).status).toBe(403);
  });
});
