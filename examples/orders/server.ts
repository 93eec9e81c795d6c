import { join } from 'node:path';
import { applyIndexes } from 'koa-mongo-resource';
import { serve } from '../serve.ts';
import { createShop } from './api.ts';
import { tokens } from './authenticate.ts';

const url = await serve({
  dbPath: join(import.meta.dirname, '.data'),
  async createApi(client) {
    const db = client.db('koa-mongo-resource-orders');
    const shop = createShop(db);
    await applyIndexes(shop);
    return shop;
  },
});

console.log(`Open ${url}/api/docs to try it, or call ${url}/api/orders, for the tokens ${[...tokens.keys()].join(', ')}.`);
