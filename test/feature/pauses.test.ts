import { clearImmediate, setImmediate } from 'node:timers';
import type Koa from 'koa';
import { defineModel, jsonBody, problems, type ResourceMiddleware, type service, t } from '../../src/index.ts';
import { useDatabase } from '../support/database/database.ts';
import { useApi } from '../support/http/api.ts';
import { useServer } from '../support/http/serve.ts';

/**
 * Counts the turns of the event loop between two places of a request. Without a pause there is none: promises alone let
 * nothing else run.
 */
let turns = 0;
let counting: NodeJS.Immediate | undefined;
function begin(): void {
  turns = 0;
  const count = () => {
    turns++;
    counting = setImmediate(count);
  };
  counting = setImmediate(count);
}
function end(): void {
  clearImmediate(counting);
}

const Doc = defineModel('Doc', {
  collection: 'docs',
  fields: { text: t.string({ default: '' }), owner: t.string({ default: '', policy: { insert: false, update: false } }) },
});
function owned() {
  begin();
  return { owner: 'ann' };
}
const database = useDatabase();
const define = (shop: ReturnType<typeof service<never>>) => [
  shop.resource({
    model: Doc,
    ops: ['create', 'patch', 'put'],
    serverFields: { create: owned, update: owned },
    before: { create: [end], patch: [end], put: [end] },
  }),
];
const api = useApi<never>(database, define as never, { batch: true });
const serve = useServer();

const json = { 'content-type': 'application/json' };
const small = { text: 'x'.repeat(65_536 - '{"text":""}'.length - 1) };
const large = { text: `${small.text}x` };

describe('a large body lets other requests run', () => {
  it.each([
    ['small', small, 0],
    ['large', large, 1],
  ])('between its validation and its write: a %s one', async (_size, body, pauses) => {
    const { body: created } = await api.request('POST', '/api/docs', { body: JSON.stringify(body), headers: json });
    expect(turns).toBe(pauses);
    for (const method of ['PATCH', 'PUT']) {
      turns = -1;
      await api.request(method, `/api/docs/${created.data.id}`, { body: JSON.stringify(body), headers: json });
      expect(turns).toBe(pauses);
    }
    const operation = { method: 'POST', path: '/docs', body };
    await api.request('POST', '/api/batch', { body: JSON.stringify({ operations: [operation] }), headers: json });
    expect(turns).toBe(pauses);
  });

  it.each([
    ['small', small, false],
    ['large', large, true],
  ])('before and behind its parser: a %s one', async (_size, body, isDivided) => {
    const readBefore: ResourceMiddleware = async (ctx, next) => {
      const chunks: Buffer[] = [];
      for await (const chunk of ctx.req) chunks.push(chunk);
      Object.assign(ctx.request, { rawBody: Buffer.concat(chunks).toString() });
      begin();
      await next();
      end();
      ctx.status = 204;
    };
    const server = await serve(...([problems(), readBefore, jsonBody()] as readonly Koa.Middleware[]));
    const { status } = await server.request('POST', '/', { body: JSON.stringify(body), headers: json });
    expect([status, turns >= 2]).toEqual([204, isDivided]);
  });
});
