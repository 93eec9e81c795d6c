/** A program with JSON Schemas and Zod side by side. */
export const app = `
import { type Create, defineModel, type Document, jsonBody, type Read, service, t, update } from 'koa-mongo-resource';
import { requestTimeout } from 'koa-mongo-resource/middleware/request-timeout';
import { MongoClient } from 'mongodb';
import { z } from 'zod';

export const Order = defineModel('Order', {
  collection: 'orders',
  fields: {
    number: t.string({ immutable: true, minLength: 3, policy: { sort: true } }),
    mail: t.from(z.email()),
    size: t.from({ type: 'object', properties: { w: { type: 'number' }, h: { type: 'number' } }, required: ['w'] }),
    shipTo: t.nullable(t.object('Address', { city: t.string(), zip: t.optional(t.string()) })),
    status: t.enum(['open', 'sent'], { default: 'open' }),
  },
});
export type OrderDocument = Document<typeof Order>;
export type OrderCreate = Create<typeof Order>;
export type OrderRead = Read<typeof Order>;
export const db = new MongoClient('mongodb://127.0.0.1').db('shop');
export const shop = service({ authenticate: () => ({ name: 'ann' }) });
export const orders = shop.resource({
  model: Order,
  preconditionRequired: true,
  operations: {
    send: {
      use: [jsonBody({ schema: { type: 'object', properties: { by: { enum: ['post', 'bike'] }, days: { type: 'integer', default: 7 } }, required: ['by'] } })],
      async handler(ctx) {
        const sent = ctx.request.body;
        const order = await ctx.load();
        return { by: sent.by, days: sent.days + 1, order };
      },
    },
    invite: {
      use: [jsonBody({ schema: z.object({ mail: z.email() }) })],
      handler: (ctx) => ({ to: ctx.request.body.mail }),
    },
  },
});
export const api = shop.api({ db, resources: [orders] });
export const chain = [update(Order, { db }), requestTimeout(1_000)];
`;
