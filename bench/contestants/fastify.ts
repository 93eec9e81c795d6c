import Fastify, { type FastifyReply } from 'fastify';
import type { StoredOrder } from '../data.ts';
import { type Answer, answer, authenticate, createOrder, createSchema, getOrder, listOrders, patchOrder, patchSchema } from './by-hand.ts';
import type { Contestant } from './contestant.ts';

/** Fastify and the driver. Its own Ajv looks at the bodies first, as its users do it. */
export const fastify: Contestant = {
  title: 'Fastify + driver, by hand',
  answersAlike: true,
  async create(db) {
    const orders = db.collection<StoredOrder>('orders');
    const app = Fastify();
    app.get('/api/orders', async (req, reply) =>
      send(reply, await answer(() => listOrders(orders, owner(req), new URLSearchParams(req.raw.url?.split('?')[1])))),
    );
    app.post('/api/orders', { schema: { body: createSchema } }, async (req, reply) =>
      send(reply, await answer(() => createOrder(orders, owner(req), req.body))),
    );
    app.get<One>('/api/orders/:id', async (req, reply) =>
      send(reply, await answer(() => getOrder(orders, owner(req), req.params.id, req.headers['if-none-match']))),
    );
    app.patch<One>('/api/orders/:id', { schema: { body: patchSchema } }, async (req, reply) =>
      send(reply, await answer(() => patchOrder(orders, owner(req), req.params.id, req.body, req.headers['if-match']))),
    );
    await app.ready();
    return app.server;
  },
};

interface One {
  Params: { id: string };
}

function owner({ headers }: { readonly headers: { readonly authorization?: string | undefined } }): string {
  return authenticate(headers.authorization);
}

function send(reply: FastifyReply, { status, body, headers = {} }: Answer): FastifyReply {
  return reply.code(status).headers(headers).send(body);
}
