import type { IncomingMessage } from 'node:http';
import type { StoredOrder } from '../data.ts';
import { type Answer, answer, authenticate, createOrder, getOrder, listOrders, patchOrder } from './by-hand.ts';
import type { Contestant } from './contestant.ts';

/** `node:http` and the driver: the least that can be written. */
export const nodeHttp: Contestant = {
  title: 'node:http + driver, by hand',
  answersAlike: true,
  async create(db) {
    const orders = db.collection<StoredOrder>('orders');
    return (req, res) => {
      void answer(() => route(req)).then(({ status, body, headers }) => {
        const text = body === undefined ? undefined : JSON.stringify(body);
        res.writeHead(status, {
          ...headers,
          ...(text === undefined ? {} : { 'Content-Type': 'application/json; charset=utf-8', 'Content-Length': Buffer.byteLength(text) }),
        });
        res.end(text);
      });
    };

    async function route(req: IncomingMessage): Promise<Answer> {
      const { url = '/', method, headers } = req;
      const owner = authenticate(headers.authorization);
      const [path = '', query = ''] = url.split('?', 2);
      const id = /^\/api\/orders\/([^/]+)$/.exec(path)?.[1];
      if (id !== undefined && method === 'GET') return getOrder(orders, owner, id, headers['if-none-match']);
      if (id !== undefined && method === 'PATCH') return patchOrder(orders, owner, id, await readJson(req), headers['if-match']);
      if (path === '/api/orders' && method === 'GET') return listOrders(orders, owner, new URLSearchParams(query));
      if (path === '/api/orders' && method === 'POST') return createOrder(orders, owner, await readJson(req));
      return { status: 404 };
    }
  },
};

async function readJson(req: IncomingMessage): Promise<unknown> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of req) {
    length += chunk.length;
    if (length > 1_048_576) throw new Error('too large');
    chunks.push(chunk);
  }
  return JSON.parse(Buffer.concat(chunks).toString());
}
