import { join } from 'node:path';
import Koa from 'koa';
import { applyIndexes } from 'koa-mongo-resource';
import { serve } from '../serve.ts';
import { createShop } from './api.ts';
import { tokens } from './authenticate.ts';

const url = await serve({
  dbPath: join(import.meta.dirname, '.data'),
  async createApp(client) {
    const db = client.db('koa-mongo-resource-orders');
    const shop = createShop(db);
    await applyIndexes(shop);
    return new Koa().use(shop.routes());
  },
});

console.log(`${url}/api/orders, for the tokens ${[...tokens.keys()].join(', ')}; a page to try them: ${url}/api/docs`);
