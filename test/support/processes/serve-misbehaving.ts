/**
 * A process of its own for the tests of what a deployer's functions may do: every one of them misbehaves as the request
 * says, in its query: `place` names the function, `what` what it does. `serve-misbehaving.ts <routes | callback>`
 * prints its port, and ends with its standard input.
 */
import { createReadStream, ReadStream } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { PassThrough, Readable, Writable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import Koa from 'koa';
import { MongoClient } from 'mongodb';
import { type Context, defineModel, everything, service, t } from '../../../src/index.ts';

const revoked = Proxy.revocable({}, {});
revoked.revoke();
const trap = () => {
  throw new Error('trapped');
};
const touchy = new Proxy(new Error('touched'), {
  get: trap,
  has: trap,
  getPrototypeOf: trap,
  ownKeys: trap,
  getOwnPropertyDescriptor: trap,
});
const getters = (target: object, ...names: string[]) =>
  Object.defineProperties(target, Object.fromEntries(names.map((name) => [name, { get: trap, configurable: true }])));

/** What is thrown, by its name. */
const thrown: Readonly<Record<string, () => unknown>> = {
  'an error': () => new Error('plain'),
  undefined: () => undefined,
  null: () => null,
  'a symbol': () => Symbol('odd'),
  'a revoked proxy': () => revoked.proxy,
  'a proxy that throws at every touch': () => touchy,
  'an object without a prototype': () => Object.create(null),
  'an error without a prototype': () => Object.setPrototypeOf(new Error('orphan'), null),
  'an object whose prototype is a proxy': () => Object.create(revoked.proxy),
  'an error whose message, stack and status throw': () => getters(new Error('x'), 'message', 'stack', 'status', 'expose', 'headers'),
  'an object that cannot be text': () => ({ [Symbol.toPrimitive]: trap, toString: trap, [Symbol.for('nodejs.util.inspect.custom')]: trap }),
  'a frozen error': () => Object.freeze(new Error('frozen')),
  'an exposed error of odd parts': () =>
    Object.assign(new Error('x'), { expose: true, status: 409, headers: getters({}, 'x-odd'), message: { toJSON: trap } }),
  'a thenable that throws': () => getters({}, 'then'),
};

async function misbehave(ctx: Koa.Context, place: string): Promise<void> {
  if (ctx.query.place !== place) return;
  throw thrown[String(ctx.query.what)]?.();
}

function throwAtOnce(ctx: Koa.Context, place: string): void {
  if (ctx.query.place === place) throw thrown[String(ctx.query.what)]?.();
}

/** What `ctx.body` is set to, by its name. */
const bodies: Readonly<Record<string, () => unknown>> = {
  'a file that is missing': () => createReadStream('/nowhere/at/all'),
  'a stream that fails later': () =>
    Readable.from(
      (async function* () {
        yield 'begun';
        await delay(5);
        throw new Error('half-way');
      })(),
    ),
  'a stream that is destroyed': () => new PassThrough().destroy(),
  'a stream that is destroyed with no error': () => new PassThrough().destroy({ name: 'x', message: 'no error' }),
  'a stream that is destroyed with a frozen error': () => new PassThrough().destroy(Object.freeze(new Error('frozen'))),
  'a stream that is only written to': () => new Writable(),
  'a web stream that is locked': () => {
    const stream = new ReadableStream();
    stream.getReader();
    return stream;
  },
  'a web stream that fails': () => new ReadableStream({ pull: (controller) => controller.error(null) }),
};

function setBody(ctx: Koa.Context): void {
  ctx.body = bodies[String(ctx.query.what)]?.();
}

/** Waits until a file that is missing has failed: `close` follows `error`, of which nothing here hears. */
async function untilMissing({ body }: Koa.Context): Promise<void> {
  if (body instanceof ReadStream && !body.closed) await new Promise<void>((resolve) => body.once('close', () => resolve())); // `events.once` would listen to `error` too
}

const Doc = defineModel('Doc', {
  collection: 'docs',
  fields: { id: t.string({ policy: { insert: true } }), text: t.string({ default: '' }), revision: t.revision() },
  check: ({ text }) => {
    if (text !== undefined && text in thrown) throw thrown[text]?.();
    return [];
  },
});

const shop = service({
  async authenticate(ctx) {
    await misbehave(ctx, 'authenticate');
    return 'ann';
  },
});
const docs = shop.resource({
  model: Doc,
  guards: [
    async (ctx) => {
      await misbehave(ctx, 'guard');
      return true;
    },
    (ctx) => {
      throwAtOnce(ctx, 'guard at once');
      return true;
    },
  ],
  scope: async (ctx): Promise<typeof everything> => {
    await misbehave(ctx, 'scope');
    return everything;
  },
  serverFields: async (ctx) => {
    await misbehave(ctx, 'serverFields');
    return {};
  },
  after: {
    get: [(ctx) => misbehave(ctx, 'hook')],
    body: [untilMissing],
  },
  operations: {
    handle: { path: '/handle', handler: (ctx) => misbehave(ctx, 'handler') },
    return: { path: '/return', handler: (ctx) => ({ odd: thrown[String(ctx.query.what)]?.() }) },
    body: { path: '/body', handler: setBody },
    'body-at-once': { path: '/body-at-once', handler: setBody },
    twice: {
      path: '/twice',
      use: [
        (_ctx: Context, next: Koa.Next) => {
          void next();
          void next();
          return Promise.resolve();
        },
      ],
      handler: () => ({ done: true }),
    },
    'not-awaited': {
      path: '/not-awaited',
      use: [(_ctx: Context, next: Koa.Next) => Promise.resolve(void next())],
      handler: async () => {
        await delay(5);
        throw new Error('behind a middleware that does not wait');
      },
    },
  },
});

const client = new MongoClient(process.env.MONGODB_URI ?? '');
const fail = { throws: trap, rejects: () => Promise.reject(revoked.proxy) };
let calls = 0;
/** Every second one throws, the others reject. */
const listener = () => (calls++ % 2 === 0 ? fail.throws() : fail.rejects());
const api = shop.api({ db: client.db(process.argv[3]), resources: [docs], onError: listener, observe: listener, requestIds: false });
const app = new Koa().use(api.routes());
app.on('error', listener);
const server = createServer(process.argv[2] === 'routes' ? app.callback() : api.callback()).listen(0, '127.0.0.1', () => {
  console.log((server.address() as AddressInfo).port);
});
process.stdin.resume().on('end', () => process.exit(0));
