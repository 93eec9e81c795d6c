import { applyIndexes, openapiDocument } from 'koa-mongo-resource';
import { useDatabase } from '../support/database/database.ts';
import { send, useServer } from '../support/http/serve.ts';
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

describe('the guide on webhooks', () => {
  const page = 'docs/guides/webhooks.md';
  const user = (tenant: string, isAdmin: boolean) => ({ tenant, isAdmin });
  const users = { acme: user('acme', true), clerk: user('acme', false), globex: user('globex', true) };

  it('is answered as it shows, and lets only admins subscribe', async () => {
    const { createShop } = await (await writePage(page)).load('api.ts');
    const api = createShop(database.db, byName(users));
    await applyIndexes(api);
    const { port } = await serve(api.routes());
    const [created] = await new Player(port).playAll(exchangesOf(page));
    const path = `/api/subscriptions/${created?.body.data.id}`;
    const headers = { authorization: 'Bearer clerk', 'content-type': 'application/json' };
    const sent = { url: 'https://example.com/hooks', types: ['*'] };
    for (const { method, path: template } of Object.entries<object>(openapiDocument(api).paths).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => ({ method: method.toUpperCase(), path })),
    )) {
      if (!template.includes('/subscriptions') || method === 'PARAMETERS') continue;
      const at = template.replace('/api/subscriptions/{id}', path);
      expect([method, at, (await send(port, method, at, { headers, body: sent })).status]).toEqual([method, at, 403]);
    }
  });

  it('tells its own tenant of a create, a patch and a delete', async () => {
    await database.db.dropDatabase();
    const written = await writePage(page);
    const api = (await written.load('api.ts')).createShop(database.db, byName(users));
    await applyIndexes(api);
    const { port } = await serve(api.routes());
    const ask = async (name: string, method: string, path: string, body?: object) => {
      const { status, body: answer } = await send(port, method, `/api/${path}`, { headers: { authorization: `Bearer ${name}` }, body });
      expect(status).toBeLessThan(300);
      return answer?.data?.id as string;
    };
    for (const name of ['acme', 'globex']) await ask(name, 'POST', 'subscriptions', { url: 'https://hooks.invalid/', types: ['*'] });
    const close = await (await written.load('worker.ts')).sendWebhooks(api);
    try {
      const order = await ask('clerk', 'POST', 'orders', { total: 1 });
      await ask('clerk', 'PATCH', `orders/${order}`, { total: 2 });
      await ask('clerk', 'DELETE', `orders/${order}`);
      await ask('globex', 'POST', 'orders', { total: 3 });
      const told = async () => (await database.db.collection('subscriptions_deliveries').find().toArray()).map(({ type }) => type);
      await until(async () => (await told()).length === 4);
      expect((await told()).sort()).toEqual(['order.created', 'order.created', 'order.deleted', 'order.patched']);
    } finally {
      await close();
    }
  });
});

it('the guide on forgetting people is answered as it shows, and leaves nothing of them', async () => {
  const page = 'docs/guides/forgetting-people.md';
  const written = await writePage(page);
  const { createForum, Person, Post } = await written.load('api.ts');
  const { forgetName, work } = await written.load('worker.ts');
  await database.db.collection('events').deleteMany({}); // those of the guide on webhooks
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
