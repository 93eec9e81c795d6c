import type { Db } from 'mongodb';
import { type Api, defineModel, jsonBody, Problem, service, t, Unauthorized } from '../../../src/index.ts';

const all = ['eq', 'ne', 'in', 'gte', 'exists'] as const;

/** Fields whose names and values are hard to pass on. */
const Thing = defineModel('Thing', {
  collection: 'things',
  fields: {
    id: t.string({ policy: { insert: true, filter: ['eq', 'in'], sort: true } }),
    ship_to_city: t.nullable(t.string({ policy: { filter: ['eq'] } })),
    ship: t.nullable(t.object('Ship', { to_city: t.nullable(t.string({ policy: { filter: ['eq'] } })) })),
    'größe über alles': t.nullable(t.int({ policy: { filter: [...all] } })),
    ['x'.repeat(80)]: t.nullable(t.string({ policy: { filter: ['eq', 'prefix'] } })),
    big: t.nullable(t.int64({ policy: { filter: [...all] } })),
    ratio: t.nullable(t.float()),
    label: t.nullable(t.string({ policy: { filter: [...all] } })),
    data: t.nullable(t.any()),
    owner: t.string({ policy: { insert: false, update: false } }),
    revision: t.revision(),
    deletedAt: t.deletedAt(),
  },
});

const Plain = defineModel('Plain', { collection: 'plains', fields: { text: t.string({ default: '' }) } });

interface User {
  readonly name: string;
}

/** What the api was asked, and what its held operation waits for. */
export interface Odd {
  readonly api: Api<User>;
  readonly seen: { readonly path: string; readonly aborted: () => boolean }[];
  readonly errors: unknown[];
  release: () => void;
}

/**
 * An api with all that is odd: names, numbers, answers. Callers are named by `authorization`; `guarded` hides the
 * description from others than root.
 */
export function createOdd(db: Db, { guarded = false } = {}): Odd {
  const seen: { path: string; aborted: () => boolean }[] = [];
  const errors: unknown[] = [];
  const waiting = { release: () => {} };
  const odd = service<User>({
    authenticate(ctx) {
      const name = ctx.get('authorization');
      if (name === 'bad') throw new Unauthorized('Nobody is called bad.');
      return name === '' ? null : { name };
    },
  });
  const things = odd.resource({
    model: Thing,
    ops: ['list', 'get', 'create', 'patch', 'put', 'delete', 'restore', 'patchMany', 'deleteMany'],
    scope: (ctx) => ({ owner: ctx.requirePrincipal().name }),
    serverFields: (ctx) => ({ owner: ctx.requirePrincipal().name }),
    fields: true,
    operations: {
      ship: { use: [jsonBody({ schema: t.object('ShipIt', { by: t.string() }) })], handler: (ctx) => ({ by: ctx.request.body.by }) },
      wait: {
        method: 'GET',
        path: '/wait',
        async handler(ctx) {
          seen.push({ path: ctx.path, aborted: () => ctx.signal.aborted });
          await new Promise<void>((resolve) => {
            waiting.release = resolve;
            ctx.signal.addEventListener('abort', () => resolve());
          });
          return { waited: true };
        },
      },
      file: {
        method: 'GET',
        path: '/file',
        handler: (ctx) => void Object.assign(ctx, { type: 'application/pdf', body: Buffer.from('%PDF') }),
      },
      csv: { method: 'GET', path: '/csv', handler: (ctx) => void Object.assign(ctx, { type: 'text/csv', body: 'a,b' }) },
      broken: { method: 'GET', path: '/broken', handler: () => Promise.reject(new Error('a secret of the service')) },
      taken: {
        method: 'GET',
        path: '/taken',
        handler: () => Promise.reject(new Problem({ status: 409, code: 'ticket_taken', title: 'Ticket taken', detail: 'bob has it.' })),
      },
      busy: {
        method: 'GET',
        path: '/busy',
        handler: () => Promise.reject(new Problem({ code: 'overloaded', headers: { 'retry-after': '7' } })),
      },
      line: { method: 'PUT', path: '/:id/lines/:body', handler: (ctx) => ({ of: ctx.params.id, line: ctx.params.body }) },
    },
  });
  const plains = odd.resource({ model: Plain, guards: [(ctx) => ctx.principal?.name === 'root'] });
  const api = odd.api({
    db,
    prefix: '/api',
    resources: [things, plains],
    maxBody: 200_000,
    idempotency: { principal: (ctx) => ctx.requirePrincipal().name },
    onError: (error) => errors.push(error),
    ...(guarded ? { openapi: { guards: [(ctx) => ctx.principal?.name === 'root'] } } : {}),
  });
  return { api, seen, errors, release: () => waiting.release() };
}
