import { join } from 'node:path';
import Koa from 'koa';
import { serve } from '../serve.ts';
import { createShop } from './api.ts';
import { tokens } from './authenticate.ts';
import { createIndexes } from './model.ts';

const url = await serve({
  dbPath: join(import.meta.dirname, '.data'),
  async createApp(client) {
    const db = client.db('koa-mongo-resource-orders');
    await createIndexes(db);
    return new Koa().use(createShop(db).routes());
  },
});

console.log(`${url}/api/orders, for the tokens ${[...tokens.keys()].join(', ')}`);
