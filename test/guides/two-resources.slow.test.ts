import type { Api } from '../../src/index.ts';
import { useDatabase } from '../support/database/database.ts';
import { useServer } from '../support/http/serve.ts';
import { byName } from './parts/by-name.ts';
import { exchangesOf, Player } from './parts/exchanges.ts';
import { useWritePage } from './parts/write-page.ts';

const writePage = useWritePage();
const page = 'docs/guides/fields-by-role.md';
const database = useDatabase();
const serve = useServer();

it('the guide on two resources is answered as it shows', async () => {
  const { createPress } = await (await writePage(page)).load('press.ts');
  const api = createPress(database.db, byName({ ann: { name: 'ann' } })) as Api;
  const { port, request } = await serve(api.routes());
  await new Player(port).playAll(exchangesOf(page).filter(({ path }) => !path.startsWith('/api/orders')));
  const { body } = await request('GET', '/api/openapi.json');
  expect(Object.keys(body.components.schemas)).toEqual(expect.arrayContaining(['ArticleRead', 'DeskArticleRead', 'DeskArticleCreate']));
  expect(Object.keys(body.components.schemas.ArticleRead.properties)).toEqual(['id', 'slug', 'title', 'revision']);
});
