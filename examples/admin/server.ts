import { join } from 'node:path';
import { applyIndexes } from 'koa-mongo-resource';
import { serve } from '../serve.ts';
import { createShop } from './api.ts';
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

console.log(`${url}, with any name and the password root-token`);
