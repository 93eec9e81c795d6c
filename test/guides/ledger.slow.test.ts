import { applyIndexes } from 'koa-mongo-resource';
import { useDatabase } from '../support/database/database.ts';
import { useServer } from '../support/http/serve.ts';
import { until } from '../support/until.ts';
import { byName } from './parts/by-name.ts';
import { type Exchange, exchangesOf, Player } from './parts/exchanges.ts';
import { useWritePage } from './parts/write-page.ts';

const writePage = useWritePage();
const database = useDatabase();
const serve = useServer();

it('the guide on audit trails is answered as it shows', async () => {
  const page = 'docs/guides/audit-trail.md';
  const { createContracts } = await (await writePage(page)).load('api.ts');
  const user = (name: string, isAuditor: boolean) => ({ email: `${name}@example.org`, tenant: 'acme', isAuditor });
  const api = createContracts(database.db, byName({ ann: user('ann', false), ben: user('ben', false), eve: user('eve', true) }));
  await applyIndexes(api);
  await new Player((await serve(api.routes())).port).playAll(exchangesOf(page));
});

it('the guide on webhooks is answered as it shows, and its worker begins and ends', async () => {
  const page = 'docs/guides/webhooks.md';
  const written = await writePage(page);
  const { createShop } = await written.load('api.ts');
  const api = createShop(database.db, byName({ acme: { tenant: 'acme' } }));
  await applyIndexes(api);
  await new Player((await serve(api.routes())).port).playAll(exchangesOf(page));
  const { sendWebhooks } = await written.load('worker.ts');
  const close = await sendWebhooks(api);
  await close();
});

it('the guide on forgetting people is answered as it shows, and leaves nothing of them', async () => {
  const page = 'docs/guides/forgetting-people.md';
  const written = await writePage(page);
  const { createForum, Person, Post } = await written.load('api.ts');
  const { forgetName, work } = await written.load('worker.ts');
  const api = createForum(database.db, byName({ ann: { id: 'ann' } }));
  await applyIndexes(api);
  await api.store(Person).create({ id: 'ann', name: 'Ann' });
  const post = await api.store(Post).create({ author: 'ann', text: 'Hello.' });
  await api.store(Post).remove(post.id);
  await api.store(Post).create({ author: 'ann', text: 'Hello again.' });
  const player = new Player((await serve(api.routes())).port);
  const [ask, look] = exchangesOf(page) as [Exchange, Exchange];
  await player.play(ask);
  const worker = await work(api, () => undefined);
  await until(async () => (await database.db.collection('removals').countDocuments({ status: 'done' })) === 1);
  await worker.close();
  await player.play(look);
  for (const name of ['people', 'posts', 'people_history', 'posts_history', 'events'])
    expect([name, await database.db.collection(name).countDocuments()]).toEqual([name, 0]);
  expect(await forgetName(api, 'ann')).toBe(1);
});
