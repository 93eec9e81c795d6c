import Router from '@koa/router';
import type Koa from 'koa';
import koaCompose from 'koa-compose';
import { defineModel, jsonBody, problems, service, t } from '../../src/index.ts';
import type { ResourceMiddleware } from '../../src/middleware/exchange/context.ts';
import { joinSteps } from '../../src/middleware/exchange/step.ts';
import { type TestDatabase, useDatabase } from '../support/database/database.ts';
import { useServer } from '../support/http/serve.ts';

const Note = defineModel('Note', {
  collection: 'notes',
  fields: {
    id: t.string({ policy: { insert: true } }),
    text: t.string({ policy: { filter: true } }),
    owner: t.string({ policy: { update: false } }),
    revision: t.revision(),
  },
});

const ours = useDatabase();
const another = useDatabase();
const serve = useServer();
type Served = Awaited<ReturnType<typeof serve>>;
let api: Served;
let byKoa: Served;

let chainOf: (name: string) => readonly ResourceMiddleware[];

/** One api as it is, and its chains run by Koa, where each middleware calls the next. */
beforeAll(async () => {
  const define = ({ db }: TestDatabase) => {
    const shop = service({ authenticate: ({ req }) => req.headers.authorization });
    const notes = shop.resource({
      model: Note,
      ops: ['list', 'get', 'create', 'patch', 'put', 'delete'],
      guards: [(ctx) => ctx.principal !== 'nobody', async (ctx) => Promise.resolve(ctx.principal !== 'late')],
      scope: async (ctx) => ({ owner: ctx.requirePrincipal() }),
      serverFields: (ctx) => ({ owner: ctx.requirePrincipal() }),
      before: { change: [(_ctx, draft) => void draft] },
      after: { change: [async (ctx) => ctx.set('X-After', 'ran')] },
      preconditionRequired: true,
      operations: { send: { use: [jsonBody(), countRequests, (_ctx, next) => next()], handler: () => undefined } },
    });
    return shop.api({ db, resources: [notes] });
  };
  api = await serve(define(ours).routes());
  const { description } = define(another) as unknown as { readonly description: { readonly resources: readonly Resource[] } };
  const router = new Router();
  for (const { rows } of description.resources)
    for (const { method, path, whole } of rows)
      router.register(`/notes${path === '/' ? '' : path}`, [method], koaCompose([problems(), ...whole()] as Koa.Middleware[]));
  chainOf = (sought) => description.resources[0]?.rows.find(({ name }) => name === sought)?.whole() ?? [];
  byKoa = await serve(router.routes() as unknown as Koa.Middleware);
});

async function countRequests(_ctx: unknown, next: () => Promise<void>): Promise<void> {
  await next();
}

interface Resource {
  readonly rows: readonly {
    readonly name: string;
    readonly method: string;
    readonly path: string;
    whole(): readonly ResourceMiddleware[];
  }[];
}

const ann = { authorization: 'ann' };
const requests: readonly [method: string, path: string, sent?: { readonly body?: unknown; readonly headers?: Record<string, string> }][] = [
  ['POST', '/notes', { body: { id: 'a', text: 'x' }, headers: ann }],
  ['POST', '/notes', { body: { id: 'a', text: 'x' }, headers: ann }],
  ['POST', '/notes', { body: { text: 5, more: 1 }, headers: ann }],
  ['POST', '/notes', { body: { id: 'b', text: 'x' } }],
  ['GET', '/notes/a', { headers: ann }],
  ['GET', '/notes/a', { headers: { ...ann, 'if-none-match': '"0"' } }],
  ['GET', '/notes/a', { headers: { authorization: 'bob' } }],
  ['GET', '/notes/a', { headers: { authorization: 'nobody' } }],
  ['GET', '/notes/a', { headers: { authorization: 'late' } }],
  ['GET', '/notes?text=x', { headers: ann }],
  ['GET', '/notes?txt=x', { headers: ann }],
  ['PATCH', '/notes/a', { body: { text: 'y' }, headers: ann }],
  ['PATCH', '/notes/a', { body: { text: 'y' }, headers: { ...ann, 'if-match': '"0"' } }],
  ['PATCH', '/notes/a', { body: { text: 'y' }, headers: { ...ann, 'if-match': '"0"' } }],
  ['PUT', '/notes/a', { body: { text: 'z' }, headers: { ...ann, 'if-match': '"1"' } }],
  ['DELETE', '/notes/a', { headers: { ...ann, 'if-match': '"2"' } }],
  ['DELETE', '/notes/a', { headers: { ...ann, 'if-match': '"2"' } }],
];

describe('the chain of an operation', () => {
  it('answers the same in one loop over its steps as in Koa, where each middleware calls the next', async () => {
    const answers: unknown[] = [];
    for (const [method, path, sent] of requests) {
      const [found, expected] = [await api.request(method, path, sent), await byKoa.request(method, path, sent)].map((answer) => {
        const { date: _, connection: __, 'keep-alive': ___, 'x-content-type-options': ____, ...headers } = answer.headers;
        return { status: answer.status, body: answer.body, headers };
      });
      expect([method, path, found]).toEqual([method, path, expected]);
      answers.push(found?.status);
    }
    expect(answers).toEqual([201, 409, 422, 401, 200, 304, 404, 403, 403, 200, 400, 428, 200, 412, 200, 204, 404]);
  });

  it('has names to print, those of the application among them', () => {
    const before = 'requestTimeout stores authenticate guards caching scope';
    expect(namesOf('patch')).toBe(`${before} jsonBody ifMatch checkPatch beforeHooks update afterHooks record`);
    expect(namesOf('send')).toBe(`${before} bodyLimit jsonBody ifMatch records checkBody countRequests  handler answer`);
  });

  it('has names as well where koa-compose is given it, with one middleware of the steps that follow each other', () => {
    const joined = joinSteps(chainOf('patch'));
    expect(joined.map(({ name }) => name)).toEqual([
      'requestTimeout',
      'stores + authenticate + guards',
      'caching',
      'scope + jsonBody + ifMatch + checkPatch + beforeHooks + update + afterHooks',
      'record',
    ]);
  });
});

function namesOf(operation: string): string {
  return chainOf(operation)
    .map(({ name }) => name)
    .join(' ');
}
