import type { IncomingHttpHeaders, OutgoingHttpHeaders, RequestListener } from 'node:http';
import { gzipSync } from 'node:zlib';
import { applyIndexes, defineModel, openapiText, service, t } from 'koa-mongo-resource';
import { createGateway } from '../../examples/gateway/gateway.ts';
import { useDatabase } from '../support/database/database.ts';
import { useListener } from '../support/http/listen.ts';
import { send, useServer } from '../support/http/serve.ts';
import { everyOperation, type Row, seed } from '../support/operations/every-operation.ts';
import { serveEveryOperation } from '../support/operations/serve-every-operation.ts';

const database = useDatabase();
const serve = useServer();
const listen = useListener();

/** The name of a filter as the document has it. */
const spelt = (row: Row): Row => ({ ...row, path: row.path.replace(/([?&]group)=/, '$1[eq]=') });

const fail = (error: Error) => {
  throw error;
};

describe('the guide on gateways', () => {
  it('lets every operation pass, and finds no answer that is not as it is described', async () => {
    const api = serveEveryOperation(database.db);
    const { port } = await serve(api.routes());
    const reported: string[] = [];
    const report = ({ message }: Error) => reported.push(message);
    const app = await createGateway(`http://127.0.0.1:${port}`, JSON.parse(openapiText(api)), report);
    const gateway = await listen(app.callback());
    let count = 0;
    for (const sent of everyOperation(api)) {
      const n = String(++count);
      await seed(database.db, n);
      const { method, path, body } = spelt(sent.row(n));
      if (method === 'QUERY') continue; // OpenAPI 3.1 has no place for it
      const headers = sent.hasKey ? { 'idempotency-key': n } : {};
      const { status, text } = await send(gateway, method, path, { ...(body && { body }), headers });
      expect([sent.name, reported, status >= 400 && !sent.isRefused ? text : '']).toEqual([sent.name, [], '']);
    }
    expect(count).toBeGreaterThan(80);
  });

  describe('and the api itself', () => {
    const shop = service();
    const Line = t.object('Line', { sku: t.string({ pattern: '^[A-Z]+$' }), quantity: t.int({ minimum: 1 }) });
    const Order = defineModel('Order', {
      collection: 'orders',
      fields: {
        number: t.string({ unique: true, minLength: 1, policy: { filter: ['eq'], sort: true } }),
        status: t.enum(['open', 'sent'], { default: 'open', policy: { filter: ['eq', 'in'] } }),
        total: t.decimal({ policy: { filter: ['gte'] } }),
        serial: t.optional(t.int64()),
        placedAt: t.optional(t.date({ policy: { filter: ['lt'] } })),
        lines: t.array(Line, { default: [] }),
        secret: t.optional(t.string({ policy: { private: true } })),
        revision: t.revision(),
      },
    });

    let ports: { api: number; gateway: number };
    const reported: string[] = [];
    beforeAll(async () => {
      const api = shop.api({ db: database.db, prefix: '/api', resources: [shop.resource({ model: Order, export: {} })] });
      const { port } = await serve(api.routes());
      await applyIndexes(api);
      const app = await createGateway(`http://127.0.0.1:${port}`, JSON.parse(openapiText(api)), ({ message }: Error) =>
        reported.push(message),
      );
      ports = { api: port, gateway: await listen(app.callback()) };
    });

    const order = { number: 'A-1', total: '5.00' };
    type Case = [what: string, method: string, path: string, body: unknown, status: number, headers?: OutgoingHttpHeaders];
    it.each<Case>([
      ['another path', 'GET', '/nothing', undefined, 404],
      ['no id', 'GET', '/orders/x', undefined, 404],
      ['a malformed path', 'GET', '/orders/%E0', undefined, 404],
      ['an unknown parameter', 'GET', '/orders?nothing=1', undefined, 400],
      ['an illegal number', 'GET', '/orders?limit=0', undefined, 400],
      ['a text for a number', 'GET', '/orders?limit=x', undefined, 400],
      ['an illegal member', 'GET', '/orders?status[eq]=lost', undefined, 400],
      ['an illegal member in a list', 'GET', '/orders?status[in]=open,lost', undefined, 400],
      ['a parameter given twice', 'GET', '/orders?limit=1&limit=2', undefined, 400],
      ['an illegal decimal', 'GET', '/orders?total[gte]=x', undefined, 400],
      ['an illegal date', 'GET', '/orders?placedAt[lt]=today', undefined, 400],
      ['an unknown sort', 'GET', '/orders?sort=total', undefined, 400],
      ['no JSON', 'POST', '/orders', '{', 400],
      ['no body', 'POST', '/orders', undefined, 422],
      ['another type', 'POST', '/orders', 'x', 415, { 'content-type': 'text/plain' }],
      ['a missing field', 'POST', '/orders', { number: 'A-1' }, 422],
      ['an unknown field', 'POST', '/orders', { ...order, nothing: 1 }, 422],
      ['a private field', 'POST', '/orders', { ...order, secret: 'x' }, 422],
      ['a field of the server', 'POST', '/orders', { ...order, revision: 1 }, 422],
      ['another type of a field', 'POST', '/orders', { ...order, number: 1 }, 422],
      ['a broken constraint', 'POST', '/orders', { ...order, number: '' }, 422],
      ['a broken constraint within', 'POST', '/orders', { ...order, lines: [{ sku: 'a', quantity: 0 }] }, 422],
      ['an array', 'POST', '/orders', [], 422],
      ['null for what is required', 'PATCH', `/orders/${'0'.repeat(24)}`, { total: null }, 422],
    ])('both refuse %s', async (_what, method, path, body, status, headers = {}) => {
      const ask = async (port: number) =>
        (await send(port, method, `/api${path}`, { ...(body !== undefined && { body }), headers })).status;
      expect([await ask(ports.gateway), await ask(ports.api)]).toEqual([status, status]);
    });

    it('both answer what is legal alike, byte for byte', async () => {
      const whole =
        '{"number":"A-1","total":"5.00","serial":9007199254740993,"placedAt":"2026-01-01T00:00:00Z","lines":[{"sku":"A","quantity":1}]}';
      const created = await send(ports.gateway, 'POST', '/api/orders', { body: whole });
      expect([created.status, created.text.includes('9007199254740993')]).toEqual([201, true]);
      const path = created.headers.location ?? '';
      for (const at of ['/api/orders?status[in]=open,sent&total[gte]=1&sort=-number&limit=5', path, '/api/openapi.json']) {
        const [one, other] = await Promise.all([ports.gateway, ports.api].map((port) => send(port, 'GET', at)));
        expect([at, one?.status, one?.text, one?.headers.etag]).toEqual([at, 200, other?.text, other?.headers.etag]);
      }
      const csv = await send(ports.gateway, 'GET', '/api/orders', { headers: { accept: 'text/csv' } });
      expect([reported, csv.headers['content-type'], csv.text.includes('A-1')]).toEqual([[], expect.stringContaining('text/csv'), true]);
      expect((await send(ports.gateway, 'GET', path, { headers: { 'if-none-match': created.headers.etag } })).status).toBe(304);
      expect((await send(ports.gateway, 'POST', '/api/orders', { body: order })).body.code).toBe('duplicate_key');
      expect((await send(ports.gateway, 'PATCH', path, { body: { status: 'sent' }, headers: { 'if-match': '"9"' } })).status).toBe(412);
      expect((await send(ports.gateway, 'DELETE', '/api/orders')).status).toBe(404);
      expect((await send(ports.api, 'DELETE', '/api/orders')).status).toBe(405);
      expect((await send(ports.gateway, 'DELETE', path)).status).toBe(204);
      expect(reported).toEqual([]);
    });

    it('the gateway stops an answer that is not as it is described', async () => {
      const answers = [
        ['{"data":{"id":5}}', 200, { 'content-type': 'application/json' }],
        ['{}', 418, { 'content-type': 'application/json' }],
        ['<html>', 200, { 'content-type': 'text/html' }],
      ] as const;
      const document = JSON.parse(openapiText(shop.api({ db: database.db, resources: [shop.resource({ model: Order })] })));
      for (const [text, status, headers] of answers) {
        const liar = await listen((_request, response) => void response.writeHead(status, headers).end(text));
        const found: string[] = [];
        const app = await createGateway(`http://127.0.0.1:${liar}`, document, ({ message }: Error) => found.push(message));
        const answer = await send(await listen(app.callback()), 'GET', `/orders/${'0'.repeat(24)}`);
        expect([answer.status, found.length]).toEqual([502, 1]);
      }
    });
  });

  describe('under attack', () => {
    const shop = service();
    const Note = defineModel('Note', { collection: 'notes', fields: { id: t.string(), text: t.string() } });
    const list = '{"data":[],"page":{"size":20,"has_next":false,"next_cursor":null,"prev_cursor":null}}';
    let gateway: number;
    let other: number;
    const seen: [server: string, url: string, headers: IncomingHttpHeaders][] = [];
    const answering = (server: string): RequestListener =>
      function answer(request, response) {
        seen.push([server, request.url ?? '', request.headers]);
        const headers = {
          'content-type': 'application/json',
          'cache-control': 'no-store',
          vary: 'Accept',
          'x-content-type-options': 'nosniff',
        };
        if (!/gzip/.test(request.headers['accept-encoding'] ?? '')) response.writeHead(200, headers).end(list);
        else response.writeHead(200, { ...headers, 'content-encoding': 'gzip' }).end(gzipSync(list));
      };
    beforeAll(async () => {
      const document = JSON.parse(openapiText(shop.api({ db: database.db, prefix: '/api', resources: [shop.resource({ model: Note })] })));
      const parameters = [{ name: 'name', in: 'path', required: true, schema: { type: 'string' } }];
      document.paths['/api/files/{name}'] = { parameters, get: document.paths['/api/notes'].get }; // of another service
      const upstream = await listen(answering('upstream'));
      other = await listen(answering('other'));
      gateway = await listen((await createGateway(`http://127.0.0.1:${upstream}`, document, fail)).callback());
    });
    beforeEach(() => void seen.splice(0));

    it.each([
      ['a target with another host', () => `http://127.0.0.1:${other}/api/notes?limit=5`],
      ['a target with credentials', () => `http://a:b@127.0.0.1:${other}/api/notes?limit=5`],
    ])('asks the upstream alone, whatever a target names: %s', async (_what, target) => {
      const { status } = await send(gateway, 'GET', target(), { headers: { authorization: 'Bearer secret' } });
      expect([status, seen.map(([server, url]) => [server, url])]).toEqual([200, [['upstream', '/api/notes?limit=5']]]);
    });

    it.each([
      '/api/files/%2e%2e',
      '/api/files/..',
      '/api/files/.%2E',
      '/api/files/a\\b',
      '//127.0.0.1/api/notes',
      '/\\127.0.0.1/api/notes',
    ])('does not ask for another path than it has checked: %s', async (path) => {
      expect([(await send(gateway, 'GET', path)).status, seen]).toEqual([404, []]);
    });

    it('sends on no header that is about its own connection, or its own credentials', async () => {
      const own = {
        connection: 'x-hop, close',
        'x-hop': '1',
        'proxy-authorization': 'Basic eDp5',
        'proxy-connection': 'close',
        te: 'trailers',
      };
      await send(gateway, 'GET', '/api/notes', { headers: { ...own, 'x-other': '1' } });
      const names = Object.keys(seen[0]?.[2] ?? {});
      expect([names.includes('x-other'), names.filter((name) => name !== 'connection' && name in own)]).toEqual([true, []]);
    });

    it('says of a compressed answer what its bytes are', async () => {
      const { status, headers, text } = await send(gateway, 'GET', '/api/notes', { headers: { 'accept-encoding': 'gzip' } });
      expect([status, headers['content-encoding'], text]).toEqual([200, undefined, list]);
    });
  });

  it('refuses to begin with a document that is none', async () => {
    await expect(createGateway('http://127.0.0.1', { openapi: '3.1.0', info: {} }, () => undefined)).rejects.toThrow(
      'is no OpenAPI document',
    );
  });
});
