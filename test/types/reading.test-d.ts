import type { Decimal128, ObjectId } from 'mongodb';
import { type Document, defineModel, jsonBody, service, t, toJsonSchema } from '../../src/index.ts';
import { assert, type Equal } from './equal.ts';

const Order = defineModel('Order', { collection: 'orders', fields: { status: t.enum(['open', 'sent']), total: t.decimal() } });

const shop = service({ authenticate: (): { readonly name: string } | undefined => undefined });

// The parameters of an operation have the types of their fields in its handler, without annotations.
shop.resource({
  model: Order,
  guardsFor: { search: [(ctx) => ctx.principal !== undefined] },
  operations: {
    search: {
      method: 'GET',
      path: '/search',
      query: {
        q: t.string({ minLength: 1 }),
        limit: t.int({ default: 20 }),
        since: t.optional(t.date()),
        ids: t.optional(t.array(t.objectId())),
        status: t.enum(['open', 'sent'], { default: 'open' }),
        least: t.decimal(),
      },
      async handler(ctx) {
        assert<
          Equal<
            typeof ctx.typedQuery,
            Readonly<{ q: string; limit: number; since?: Date; ids?: ObjectId[]; status: 'open' | 'sent'; least: Decimal128 }>
          >
        >();
        assert<Equal<ReturnType<typeof ctx.requirePrincipal>, { readonly name: string }>>();
        // @ts-expect-error: `q` is a string
        ctx.typedQuery.q = 1;
        // @ts-expect-error: `lmit` is no parameter
        return [ctx.typedQuery.lmit];
      },
    },
    note: {
      query: { dry: t.boolean({ default: false }) },
      use: [jsonBody({ schema: t.object('NoteOrder', { text: t.string() }) })],
      handler(ctx) {
        assert<Equal<typeof ctx.typedQuery, Readonly<{ dry: boolean }>>>();
        assert<Equal<typeof ctx.request.body, { text: string }>>();
      },
    },
    touch: {
      use: [jsonBody({ schema: t.object('TouchOrder', { text: t.string() }) })],
      handler(ctx) {
        assert<Equal<typeof ctx.typedQuery, Readonly<Record<string, unknown>> | undefined>>();
        assert<Equal<typeof ctx.request.body, { text: string }>>();
      },
    },
    plain: {
      handler(ctx) {
        assert<Equal<typeof ctx.typedQuery, Readonly<Record<string, unknown>> | undefined>>();
        assert<Equal<typeof ctx.request.body, unknown>>();
      },
    },
  },
  after: { search: [(ctx) => ctx.typedQuery?.q] },
});
shop.resource({
  model: Order,
  // @ts-expect-error: a parameter is a field
  operations: { search: { method: 'GET', path: '/search', query: { q: 'string' }, handler: () => [] } },
});
shop.resource({
  model: Order,
  // @ts-expect-error: `serach` is not an operation
  guardsFor: { serach: [] },
  operations: { search: { method: 'GET', path: '/search', query: { q: t.string() }, handler: () => [] } },
});

// Records, and a page of them, come from the model of the resource.
shop.resource({
  model: Order,
  operations: {
    open: {
      method: 'GET',
      path: '/open',
      answer: 'records',
      handler: (ctx) => {
        assert<Equal<ReturnType<typeof ctx.requirePrincipal>, { readonly name: string }>>();
        return ctx.store(Order).find({ status: 'open' });
      },
    },
    next: {
      method: 'GET',
      path: '/next',
      query: { after: t.optional(t.string()) },
      answer: 'page',
      async handler(ctx) {
        assert<Equal<typeof ctx.typedQuery, Readonly<{ after?: string }>>>();
        const records = await ctx.store(Order).find({});
        assert<Equal<typeof records, Document<typeof Order>[]>>();
        return { records, next: ctx.typedQuery.after ?? null, total: records.length };
      },
    },
    whole: { answer: t.object('Whole', { n: t.int() }), handler: (ctx) => ({ n: ctx.path.length }) },
    one: { answer: 'record', handler: (ctx) => ctx.load() },
    none: { answer: 'none', handler: () => undefined },
  },
});
shop.resource({
  model: Order,
  // @ts-expect-error: one record is not records
  operations: { open: { answer: 'records', handler: async (ctx) => ctx.load() } },
});
shop.resource({
  model: Order,
  // @ts-expect-error: a total is not a record
  operations: { open: { answer: 'records', handler: async (ctx) => [(await ctx.load()).total] } },
});
shop.resource({
  model: Order,
  // @ts-expect-error: records alone are no page
  operations: { open: { answer: 'page', handler: (ctx) => ctx.store(Order).find({}) } },
});
shop.resource({
  model: Order,
  // @ts-expect-error: a cursor is a text
  operations: { open: { answer: 'page', handler: async (ctx) => ({ records: await ctx.store(Order).find({}), next: 5 }) } },
});
// @ts-expect-error: `record s` is no answer
shop.resource({ model: Order, operations: { open: { answer: 'record s', handler: () => [] } } });

// The schema of what clients read of a model is one of an answer.
shop.resource({
  model: Order,
  operations: {
    all: { method: 'GET', path: '/all', answer: t.array(t.from(toJsonSchema(Order, 'read'))), handler: (ctx) => ctx.store(Order).find({}) },
    some: { answer: toJsonSchema(Order, 'read'), handler: (ctx) => ctx.load() },
  },
});
declare function bodyOf<B>(middleware: { readonly '~body': B }): B;
const big = bodyOf(jsonBody({ schema: { type: 'object', properties: { id: { type: 'integer', format: 'int64' } }, required: ['id'] } }));
assert<Equal<typeof big, { id: number | bigint }>>();
