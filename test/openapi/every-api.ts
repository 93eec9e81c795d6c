import { type Db, Decimal128 } from 'mongodb';
import {
  type Api,
  cursorPaging,
  defineModel,
  everything,
  jsonBody,
  offsetPaging,
  type RequestContext,
  service,
  t,
  Unauthorized,
} from '../../src/index.ts';
import { Everything, Guarded, db as nowhere } from './fixtures.ts';

const Price = defineModel('Price', {
  collection: 'prices',
  fields: {
    value: t.decimal({ default: Decimal128.fromString('0') }),
    visits: t.hasMany('Visit', { via: 'price', max: 5, sort: '-at' }),
    visitCount: t.hasMany('Visit', { via: 'price', count: true }),
  },
});

const Visit = defineModel('Visit', {
  collection: 'visits',
  fields: {
    host: t.ref('Everything', { id: t.uuid(), policy: { filter: true } }),
    price: t.nullable(t.ref('Price', { as: 'priceRecord' })),
    at: t.date({ policy: { sort: true } }),
    note: t.nullable(t.string({ maxLength: 100, policy: { insert: false, update: false } })),
    revision: t.revision(),
  },
});

interface User {
  readonly name: string;
}

/**
 * Everything that a description may hold: all builders, all policies, resources over one model that differ, both kinds
 * of pages.
 */
export function everyApi(db: Db = nowhere): Api<User> {
  const shop = service({ authenticate: (ctx) => (ctx.get('authorization') === 'Bearer ann-token' ? { name: 'ann' } : undefined) });
  return shop.api({
    db,
    prefix: '/api',
    title: 'Shop',
    version: '2.1.0',
    description: 'Everything at once.',
    contact: { name: 'Ann', email: 'ann@example.org' },
    license: { name: 'MIT', identifier: 'MIT' },
    securitySchemes: { bearer: { type: 'http', scheme: 'bearer' } },
    maxConcurrency: 100,
    resources: [
      shop.resource({
        model: Everything,
        path: 'all',
        description: 'All there is.',
        ops: ['list', 'get', 'create', 'patch', 'put', 'delete', 'patchMany', 'deleteMany'],
        paging: cursorPaging({ max: 50, total: true }),
        guards: [isSignedIn],
        scope: (ctx) => (ctx.requirePrincipal().name === 'ann' ? everything : { text: ctx.requirePrincipal().name }),
      }),
      shop.resource({
        model: Guarded,
        path: 'guarded',
        ops: ['list', 'get', 'create', 'patch', 'put', 'delete'],
        preconditionRequired: true,
      }),
      shop.resource({
        model: Guarded,
        path: 'old-guarded',
        mergePatch: false,
        explicitWrites: true,
        // Without them nothing could be created: no client may write what is required.
        serverFields: (ctx) => ({
          open: ctx.requirePrincipal().name,
          createOnly: 'once',
          fixed: 'for ever',
          address: { city: 'Rome', country: 'IT' },
        }),
      }),
      shop.resource({ model: Price, ops: ['list', 'get', 'create'], include: ['visits', 'visitCount', 'visits.host'], nested: ['visits'] }),
      shop.resource({
        model: Visit,
        paging: offsetPaging({ max: 10, maxOffset: 1000, total: 'estimate' }),
        fields: true,
        live: true,
        include: ['host', 'priceRecord'],
        through: ['host'],
        operations: {
          look: { method: 'GET', summary: 'Look at a visit', answer: 'record', handler: (ctx) => ctx.load() },
          remark: {
            summary: 'Remark on a visit',
            use: [jsonBody({ schema: t.object('Remark', { note: t.string({ maxLength: 100 }) }) })],
            answer: 'record',
            async handler(ctx) {
              return ctx.save(Object.assign(await ctx.load(), { note: ctx.request.body.note }));
            },
          },
          hours: { method: 'GET', path: '/hours', summary: 'List the hours of visits', answer: t.array(t.int()), handler: () => [9, 17] },
        },
      }),
    ],
  });
}

function isSignedIn(ctx: RequestContext<User>): boolean {
  if (!ctx.principal) throw new Unauthorized('Sign in.', { 'www-authenticate': 'Bearer' });
  return true;
}
