import { join } from 'node:path';
import { applyIndexes } from 'koa-mongo-resource';
import { createShop } from '../orders/api.ts';
import { tokens } from '../orders/authenticate.ts';
import { serve } from '../serve.ts';
import { buildPage } from './build-page.ts';

const url = await serve({
  dbPath: join(import.meta.dirname, '.data'),
  middlewares: [await buildPage()],
  async createApi(client) {
    const shop = createShop(client.db('koa-mongo-resource-admin'));
    await applyIndexes(shop);
    return shop;
  },
});

console.log(`${url}, with any name and one of these passwords: ${[...tokens.keys()].join(', ')} (root may do everything)`);
