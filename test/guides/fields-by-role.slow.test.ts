import type Koa from 'koa';
import type { Api } from '../../src/index.ts';
import { describeFields, formatFields } from '../../src/products/cli/describe-fields.ts';
import { useDatabase } from '../support/database/database.ts';
import { blocksOf } from '../support/docs/pages.ts';
import { useServer } from '../support/http/serve.ts';
import { exchangesOf, Player } from './parts/exchanges.ts';
import { useWritePage, type WrittenPage } from './parts/write-page.ts';

const writePage = useWritePage();
const page = 'docs/guides/fields-by-role.md';
const database = useDatabase();
const serve = useServer();
const exchanges = exchangesOf(page).filter(({ path }) => path.startsWith('/api/orders')); // the others are of two-resources
const users = {
  ann: { name: 'ann', roles: [] },
  sam: { name: 'sam', roles: ['staff'] },
  fay: { name: 'fay', roles: ['finance'] },
};
const authenticate = (ctx: Koa.Context) => users[ctx.get('authorization').slice('Bearer '.length) as keyof typeof users];

let written: WrittenPage;
beforeAll(async () => {
  written = await writePage(page);
});

describe('fields by role', () => {
  it('are shown, taken and kept as the page shows', async () => {
    const { createApi } = await written.load('api.ts');
    const api = createApi(database.db, authenticate) as Api;
    const { port } = await serve(api.routes());
    await new Player(port).playAll(exchanges);
  });

  it('make the table of the page', async () => {
    const { createApi } = await written.load('api.ts');
    const { description } = createApi(database.db, authenticate) as Api;
    const [fields] = description.resources.map(describeFields);
    const shown = blocksOf(page).find(({ language }) => language === 'console')?.code ?? '';
    expect(shown).toContain(formatFields(fields ?? []));
  });

  it('make a description of its own for each caller', async () => {
    const { createApi } = await written.load('api.ts');
    const server = await serve((createApi(database.db, authenticate) as Api).routes());
    const describedTo = async (name: string) => {
      const { body, headers } = await server.request('GET', '/api/openapi.json', { headers: { authorization: `Bearer ${name}` } });
      return [Object.keys(body.components.schemas.OrderRead.properties), headers.vary, headers['cache-control']];
    };
    const caching = ['Authorization, Cookie', 'private, no-cache'];
    expect(await describedTo('ann')).toEqual([['id', 'number', 'title', 'revision'], ...caching]);
    expect(await describedTo('sam')).toEqual([['id', 'number', 'title', 'note', 'margin', 'revision'], ...caching]);
    expect(await describedTo('fay')).toEqual([['id', 'number', 'title', 'margin', 'revision'], ...caching]);
  });
});
