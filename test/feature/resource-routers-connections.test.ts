import { EventEmitter, once } from 'node:events';
import { connect } from 'node:net';
import Router from '@koa/router';
import type Koa from 'koa';
import { type Api, defineModel, type RequestContext, type Resource, service, t } from '../../src/index.ts';
import { ClientGone } from '../../src/middleware/exchange/exchange.ts';
import { useDatabase } from '../support/database/database.ts';
import { LiveStream } from '../support/http/live-stream.ts';
import { useServer } from '../support/http/serve.ts';
import { until } from '../support/until.ts';

const Card = defineModel('Card', {
  collection: 'cards',
  fields: { id: t.string({ policy: { insert: true } }), title: t.string({ default: '' }), revision: t.revision() },
});
const Label = defineModel('Label', { collection: 'labels', fields: { id: t.string({ policy: { insert: true } }) } });

const database = useDatabase();
const serve = useServer();
const open: LiveStream[] = [];

afterEach(async () => {
  for (const stream of open.splice(0)) stream.close();
  for (const name of ['cards', 'labels']) await database.db.collection(name).deleteMany({});
});

interface Made {
  readonly api: Api<never>;
  readonly cards: Resource<never>;
  /** Tells `begun` when the operation `wait` has begun. */
  readonly seen: EventEmitter;
  /** Why the signals of `wait` were aborted. */
  readonly reasons: unknown[];
  readonly observed: string[];
}

function make(): Made {
  const board = service();
  const seen = new EventEmitter();
  const [reasons, observed]: [unknown[], string[]] = [[], []];
  const isOpen = (ctx: RequestContext<never>) => ctx.get('x-closed') === '';
  const cards = board.resource({
    model: Card,
    live: true,
    guards: [isOpen],
    operations: {
      wait: {
        path: '/wait',
        async handler({ signal }) {
          const ended = once(signal, 'abort');
          seen.emit('begun');
          await ended;
          reasons.push(signal.reason);
        },
      },
    },
  });
  const labels = board.resource({ model: Label });
  const api = board.api({
    db: database.db,
    prefix: '/api',
    batch: true,
    live: { max: 1 },
    observe: ({ resource, operation, status }) => void observed.push(`${resource}.${operation} ${status}`),
    resources: [labels, cards],
  });
  return { api, cards, seen, reasons, observed };
}

const asMiddleware = (router: Router) => router.routes() as unknown as Koa.Middleware;

/** The ways in which an app takes an api, or one resource of it. */
const ways: [string, string, (made: Made) => Koa.Middleware][] = [
  ['routes()', '/api', ({ api }) => api.routes()],
  ['routes(cards)', '/api', ({ api, cards }) => api.routes(cards)],
  ['router(cards)', '/api', ({ api, cards }) => asMiddleware(api.router(cards))],
  ['routes(cards) in a router', '/v1/api', ({ api, cards }) => asMiddleware(new Router().use('/v1', api.routes(cards) as never))],
  ['router(cards) in a router', '/v1/api', ({ api, cards }) => asMiddleware(new Router().use('/v1', api.router(cards).routes()))],
];

describe.each(ways)('%s', (_name, base, mount) => {
  async function start() {
    const made = make();
    const app = await serve(mount(made));
    function listen(path = '/cards', headers = {}): Promise<LiveStream> {
      const stream = new LiveStream(app.port, base + path, headers);
      open.push(stream);
      return stream.opened();
    }
    return { ...made, app, listen };
  }

  it('keeps streams of lists and of records true, until the api is closed', async () => {
    const { api, app, listen } = await start();
    await app.request('POST', `${base}/cards`, { body: { id: 'a' } });
    const stream = await listen('/cards/a');
    await app.request('PATCH', `${base}/cards/a`, { body: { title: 'x' }, headers: { 'content-type': 'application/merge-patch+json' } });
    await stream.sees(({ data }) => data.title === 'x');
    await api.close();
    await stream.ended();
    expect([stream.last?.event, stream.last?.data.problem.code]).toEqual(['end', 'shutting_down']);
    expect(app.errors).toEqual([]);
  });

  it('gives the place of a stream back when its connection is reset', async () => {
    const { app, listen } = await start();
    const socket = connect(app.port, '127.0.0.1');
    socket.on('error', () => undefined);
    socket.write(`GET ${base}/cards HTTP/1.1\r\nHost: x\r\nAccept: text/event-stream\r\n\r\n`);
    await once(socket, 'data');
    expect((await listen()).status).toBe(503);
    socket.resetAndDestroy();
    await until(async () => (await listen()).status === 200);
    expect(app.errors).toEqual([]);
  });

  it('asks the guards of a stream before anything is sent', async () => {
    const { listen } = await start();
    expect((await listen('/cards', { 'x-closed': 'yes' })).status).toBe(403);
  });

  it('gives an operation up when its connection is reset, which is no bug', async () => {
    const { app, seen, reasons, observed } = await start();
    const begun = once(seen, 'begun');
    const socket = connect(app.port, '127.0.0.1');
    socket.on('error', () => undefined);
    socket.write(`POST ${base}/cards/wait HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\n\r\n`);
    await begun;
    socket.resetAndDestroy();
    await until(() => reasons.length === 1 && observed.length === 1);
    expect([reasons, observed]).toEqual([[expect.any(ClientGone)], ['cards.wait 499']]);
    expect(app.errors.filter((error) => (error as NodeJS.ErrnoException).code !== 'ECONNRESET')).toEqual([]); // of which Koa tells
  });
});

describe('router(cards) beside a batch', () => {
  const create = (path: string, id: string) => ({ method: 'POST', path, body: { id } });

  it('leaves batches to the api, whose operations are those of the router', async () => {
    const { api, cards, observed } = make();
    const app = await serve(asMiddleware(api.router(cards)), api.routes());
    const operations = [create('/cards', 'a'), create('/labels', 'red'), { method: 'PATCH', path: '/cards/a', body: { title: 'x' } }];
    const answer = await app.request('POST', '/api/batch', { body: { operations } });
    expect(answer.status).toBe(200);
    expect((await app.request('GET', '/api/cards/a')).body.data).toEqual({ id: 'a', title: 'x', revision: 1 });
    expect(observed.at(-1)).toBe('cards.get 200');
    expect(observed.filter((one) => one === 'cards.get 200')).toHaveLength(1);
  });

  it('lets a batch write nothing if one of its operations is refused', async () => {
    const { api, cards } = make();
    const app = await serve(asMiddleware(api.router(cards)), api.routes());
    const operations = [create('/labels', 'red'), create('/cards', 'a')];
    const refused = await app.request('POST', '/api/batch', { body: { operations }, headers: { 'x-closed': 'yes' } });
    expect([refused.status, refused.body.operation]).toEqual([403, 1]);
    expect((await app.request('GET', '/api/cards')).body.data).toEqual([]);
    expect((await app.request('GET', '/api/labels')).body.data).toEqual([]);
  });

  it('alone has none: the app goes on', async () => {
    const { api, cards } = make();
    const app = await serve(asMiddleware(api.router(cards)), (ctx) => {
      ctx.status = 299;
    });
    expect((await app.request('POST', '/api/batch', { body: { operations: [create('/cards', 'a')] } })).status).toBe(299);
    expect((await app.request('GET', '/api/cards/a')).status).toBe(404);
  });
});
