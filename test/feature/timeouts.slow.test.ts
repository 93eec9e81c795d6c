import { EventEmitter, once } from 'node:events';
import { request as httpRequest } from 'node:http';
import { defineModel, jsonBody, type Observation, Problem, t } from '../../src/index.ts';
import { useDatabase } from '../support/database/database.ts';
import { useApi } from '../support/http/api.ts';
import { sendUnread } from '../support/http/raw-client.ts';
import { readAnswer } from '../support/http/serve.ts';

const Doc = defineModel('Doc', {
  collection: 'docs',
  fields: { id: t.string({ policy: { insert: true } }), text: t.string({ default: '' }), revision: t.revision() },
});

const database = useDatabase();
const docs = () => database.db.collection<{ _id: string }>('docs');
const never = () => new Promise<never>(() => undefined);
const told = new EventEmitter();
const observe = (observation: Observation) => void told.emit('told', observation);

/** Each guard, scope, … waits for ever where the request names it. */
const hasty = useApi(
  database,
  (shop) => [
    shop.resource({
      model: Doc,
      ops: ['list', 'get', 'create', 'patch', 'put', 'delete'],
      guards: [(ctx) => (ctx.get('x-hang') === 'guard' ? never() : true)],
      scope: (ctx) => (ctx.get('x-hang') === 'scope' ? never() : { id: { ne: 'none' } }),
      serverFields: (ctx) => (ctx.get('x-hang') === 'serverFields' ? never() : {}),
      operations: {
        wait: {
          handler: (ctx) => new Promise((_resolve, reject) => ctx.signal.addEventListener('abort', () => reject(ctx.signal.reason))),
        },
        late: {
          async handler(ctx) {
            const record = await ctx.load();
            record.text = 'first';
            await ctx.save(record);
            await once(ctx.signal, 'abort');
            record.text = 'late';
            await ctx.save(record).then(
              () => told.emit('late', 'saved'),
              (error: Error) => told.emit('late', error),
            );
          },
        },
        read: { path: '/read', use: [jsonBody()], handler: () => ({ read: true }) },
        take: {
          path: '/take',
          handler(ctx) {
            ctx.respond = false;
            if (ctx.get('x-begins')) ctx.res.write('begun');
            if (ctx.get('x-hang')) return never();
            throw new Error('of a handler');
          },
        },
      },
      after: { patch: [(ctx) => (ctx.get('x-hang') === 'hook' ? never() : undefined)] },
    }),
  ],
  {
    maxConcurrency: 1,
    requestTimeout: 200,
    bodyTimeout: 100,
    observe,
    authenticate: (ctx) => (ctx.get('x-hang') === 'authenticate' ? never() : null),
  },
);

async function expectPlace(): Promise<void> {
  expect((await hasty.request('GET', '/api/docs')).status).toBe(200);
}

/** Its limit for a body is the default, and longer. */
const patient = useApi(database, (shop) => [shop.resource({ model: Doc })], { maxConcurrency: 1, requestTimeout: 200 });

describe('requestTimeout', () => {
  it.each([
    ['GET', '/api/docs', 'authenticate'],
    ['GET', '/api/docs', 'guard'],
    ['GET', '/api/docs', 'scope'],
    ['POST', '/api/docs', 'serverFields'],
  ])('gives up a request whose function never ends, and frees its place: %s %s, %s', async (method, path, hang) => {
    const body = method === 'POST' ? { body: { id: 'n' } } : {};
    const { status, headers, body: problem } = await hasty.request(method, path, { ...body, headers: { 'x-hang': hang } });
    expect([status, problem.code, headers['retry-after']]).toEqual([503, 'request_given_up', '1']);
    await expectPlace();
  });

  it('counts the time of the body, where that may take longer', async () => {
    const headers = { 'content-type': 'application/json', 'content-length': 1000 };
    const request = httpRequest({ port: patient.port, host: '127.0.0.1', method: 'POST', path: '/api/docs', headers, agent: false });
    request.on('error', () => undefined);
    request.write('{');
    const [response] = await once(request, 'response');
    const { status, body } = await readAnswer(response);
    expect([status, body.code]).toEqual([503, 'request_given_up']);
    expect((await patient.request('GET', '/api/docs')).status).toBe(200);
    request.destroy();
  });

  it('aborts `ctx.signal`, whose reason is the answer', async () => {
    const { status, body } = await hasty.request('POST', '/api/docs/a/wait');
    expect([status, body.code]).toEqual([503, 'request_given_up']);
    await expectPlace();
  });

  it('is 504 where a write was handed over, and lets `ctx.save` begin nothing any more', async () => {
    await docs().insertOne({ _id: 'late' });
    const late = once(told, 'late');
    const { status, body, headers } = await hasty.request('POST', '/api/docs/late/late');
    expect([status, body.code, headers['retry-after']]).toEqual([504, 'write_outcome_unknown', '1']);
    const [error] = await late;
    expect(error).toBeInstanceOf(Problem);
    expect(await docs().findOne({ _id: 'late' })).toEqual({ _id: 'late', text: 'first', revision: 1 });
    await expectPlace();
  });

  it.each([
    ['never ends', { 'x-hang': 'handler' }, 503],
    ['throws', {}, 500],
  ])('answers in the place of a handler that has taken over the response and %s', async (_what, headers, status) => {
    expect((await hasty.request('POST', '/api/docs/take', { headers })).status).toBe(status);
    await expectPlace();
  });

  it.each([
    ['never ends', { 'x-hang': 'handler' }],
    ['throws', {}],
  ])('breaks off the answer that a handler has begun itself, when it %s', async (_what, headers) => {
    const answer = hasty.request('POST', '/api/docs/take', { headers: { 'x-begins': 'yes', ...headers } });
    await expect(answer).rejects.toMatchObject({ code: 'ECONNRESET' });
    await expectPlace();
  });

  it('is 500 in a hook of `after`, because the operation itself is done', async () => {
    await docs().insertOne({ _id: 'hook' });
    hasty.errors.length = 0;
    const { status, body } = await hasty.request('PATCH', '/api/docs/hook', { body: { text: 'x' }, headers: { 'x-hang': 'hook' } });
    expect([status, body.code]).toEqual([500, undefined]);
    expect(hasty.errors.map(({ message }) => message)).toEqual([expect.stringContaining('`requestTimeout`')]);
    expect(await docs().findOne({ _id: 'hook' })).toMatchObject({ text: 'x' });
    await expectPlace();
  });
});

describe('a request that was given up while one of its functions ran', () => {
  let ran: string[] = [];
  /** Notes that a function has begun, and lets it wait until the answer is there where the request says so. */
  async function step(name: string, ctx: { get(header: string): string }): Promise<void> {
    ran.push(name);
    if (ctx.get('x-late') === name) await once(told, 'answered');
  }
  const stepwise = useApi(
    database,
    (shop) => [
      shop.resource({
        model: Doc,
        path: 'steps',
        ops: ['create'],
        guards: [async (ctx) => step('guard', ctx).then(() => true), async (ctx) => step('second guard', ctx).then(() => true)],
        scope: async (ctx) => step('scope', ctx).then(() => ({ id: { ne: 'none' } })),
        serverFields: async (ctx) => step('serverFields', ctx).then(() => ({})),
        operations: {
          work: {
            use: [async (ctx, next) => step('use', ctx).then(next)],
            async handler(ctx) {
              await step('handler', ctx);
              for (const call of [ctx.load, ctx.load, () => ctx.save({} as never)]) {
                await call().then(
                  () => ran.push('done'),
                  (error: Error) => ran.push((error as Problem).code ?? error.message),
                );
              }
            },
          },
        },
      }),
    ],
    { requestTimeout: 100, authenticate: (ctx) => step('authenticate', ctx).then(() => null) },
  );
  const refused = ['request_given_up', 'request_given_up', 'request_given_up'];

  it.each([
    ['/a/work', ['authenticate', 'guard', 'second guard', 'scope', 'use', 'handler'], refused],
    ['', ['authenticate', 'guard', 'second guard', 'scope', 'serverFields'], []],
  ])('begins none of the others, not even a handler: POST %s', async (path, steps, last) => {
    for (const [at, late] of steps.entries()) {
      ran = [];
      const { status, body } = await stepwise.request('POST', `/api/steps${path}`, { body: { id: 'n' }, headers: { 'x-late': late } });
      expect([status, body.code]).toEqual([503, 'request_given_up']);
      told.emit('answered');
      for (let turn = 0; turn < 10; turn++) await new Promise(setImmediate);
      expect(ran).toEqual([...steps.slice(0, at + 1), ...(late === 'handler' ? last : [])]);
    }
  });
});

describe('bodyTimeout', () => {
  it.each(['/api/docs', '/api/docs/read'])('is 408 for a body that trickles, and frees its place: POST %s', async (path) => {
    const headers = { 'content-type': 'application/json', 'content-length': 1000 };
    const request = httpRequest({ port: hasty.port, host: '127.0.0.1', method: 'POST', path, headers, agent: false });
    request.on('error', () => undefined);
    request.write('{');
    const [response] = await once(request, 'response');
    const answer = await readAnswer(response);
    expect([answer.status, answer.body.code, answer.headers.connection]).toEqual([408, 'body_timeout', 'close']);
    await expectPlace();
    request.destroy();
  });
});

describe('requests that come by one connection at once', () => {
  const busy = useApi(
    database,
    (shop) => [
      shop.resource({
        model: Doc,
        path: 'piped',
        operations: {
          hold: {
            method: 'GET',
            path: '/hold',
            async handler(ctx) {
              told.emit('held');
              await once(ctx.signal, 'abort');
            },
          },
        },
      }),
    ],
    { maxConcurrency: 20, observe: (observation) => void told.emit('piped', observation) },
  );

  it('give all their places back when it is reset, and `observe` hears of each once', async () => {
    for (let round = 0; round < 3; round++) {
      const heard: Observation[] = [];
      let held = 0;
      const all = new Promise<void>((resolve) => {
        told.on('piped', (one: Observation) => heard.push(one) === 20 && resolve());
      });
      const holding = new Promise<void>((resolve) => told.on('held', () => ++held === 20 && resolve()));
      const socket = await sendUnread(busy.port, 'GET /api/piped/hold HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(20));
      await holding;
      expect((await busy.request('GET', '/api/piped')).status).toBe(503);
      heard.length = 0; // that one was observed too
      socket.resetAndDestroy();
      await all;
      told.removeAllListeners();
      expect(heard.map(({ status, isAborted }) => [status, isAborted])).toEqual(Array.from({ length: 20 }, () => [499, true]));
      const answers = await Promise.all(Array.from({ length: 20 }, () => busy.request('GET', '/api/piped')));
      expect(answers.map(({ status }) => status)).toEqual(Array.from({ length: 20 }, () => 200));
    }
  });
});
