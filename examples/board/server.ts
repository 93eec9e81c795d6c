import { join } from 'node:path';
import { serve } from '../serve.ts';
import { createBoard } from './api.ts';
import { buildPage } from './build-page.ts';
import { Card } from './model.ts';

const url = await serve({
  dbPath: join(import.meta.dirname, '.data'),
  middlewares: [await buildPage()],
  async createApi(client) {
    const board = createBoard(client.db('koa-mongo-resource-board'));
    const cards = board.store(Card);
    if ((await cards.count({})) === 0)
      for (const title of ['Write the page', 'Draw the picture', 'Tell the others']) await cards.create({ title, changedBy: 'ann' });
    return board;
  },
});

console.log(`Open ${url}/?as=ann and ${url}/?as=ben in two windows, and drag cards.`);
