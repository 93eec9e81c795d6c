import { type Api, applyIndexes, defineModel, everything, service, t } from '../../../src/index.ts';
import { defineWebhooks } from '../../../src/products/webhooks/webhooks.ts';
import { local, textOf } from '../../products/webhooks/receivers.ts';
import type { Any } from '../../support/any.ts';
import { useDatabase } from '../../support/database/database.ts';
import { useListener } from '../../support/http/listen.ts';
import { until } from '../../support/until.ts';

const Article = defineModel('Article', {
  collection: 'articles',
  fields: { id: t.string({ policy: { insert: true } }), title: t.string(), revision: t.revision(), deletedAt: t.deletedAt() },
  history: true,
  outbox: true,
});
const DeskArticle = Article.extend('DeskArticle', { fields: { notes: t.optional(t.string()) } });
const webhooks = defineWebhooks('Subscription', { collection: 'subscriptions', ...local });

const database = useDatabase();
const listen = useListener();
let api: Api;
const open: { close(options: { timeout: number }): Promise<void> }[] = [];

beforeEach(async () => {
  for (const name of ['articles', 'articles_history', 'events', 'subscriptions', 'subscriptions_deliveries'])
    await database.db.collection(name).deleteMany({});
  const shop = service();
  const articles = shop.resource({ model: Article, history: true });
  api = shop.api({ db: database.db, resources: [articles], models: [DeskArticle, webhooks.model] } as Any) as Api;
  await applyIndexes(api);
});

afterEach(async () => {
  await Promise.all(open.splice(0).map((one) => one.close({ timeout: 0 })));
});

/** Changes each article by the one model and by the other, in turns. */
async function change(ids: readonly string[]): Promise<void> {
  const [articles, desk] = [api.store(Article), api.store(DeskArticle)];
  for (const id of ids) await articles.create({ id, title: '0' } as never);
  for (let revision = 1; revision < 8; revision++)
    for (const id of ids) await (revision % 2 === 1 ? desk : articles).update(id as never, { title: `${revision}` } as never);
}

const ids = ['a', 'b', 'c'];
const inOrder = Object.fromEntries(ids.map((id) => [id, [0, 1, 2, 3, 4, 5, 6, 7]]));

describe('the events of one record that two models have written', () => {
  it('are delivered in the order of its changes', async () => {
    await change(ids);
    const seen: Record<string, number[]> = {};
    let count = 0;
    const delivery = await api.deliver({
      poll: 100,
      handle: async ({ subject, revision }) => {
        await new Promise((resolve) => setTimeout(resolve, revision % 2 === 1 ? 0 : 20)); // those of one model are slower
        seen[subject] = [...(seen[subject] ?? []), Number(revision)];
        count++;
      },
    });
    open.push(delivery);
    await until(() => count === 24);
    expect(seen).toEqual(inOrder);
  });

  it('reach a receiver in the order of its changes, also if one was not taken', async () => {
    const seen: Record<string, number[]> = {};
    let count = 0;
    const port = await listen(async (request, response) => {
      const { data } = JSON.parse(await textOf(request)) as Any;
      const status = count++ === 5 ? 500 : 204;
      if (status === 204) seen[data.id] = [...(seen[data.id] ?? []), data.revision];
      response.writeHead(status).end();
    });
    await api.store(webhooks.model).create({ url: `http://127.0.0.1:${port}/`, types: ['*'] });
    await change(ids);
    const retry = { first: 20, longest: 100 };
    const sending = await webhooks.open({ api, scope: () => everything, retry });
    open.push(await api.deliver({ handle: sending.handle, retry, poll: 100 }), sending);
    await until(() => count === 25);
    expect(seen).toEqual(inOrder);
  });
});

it('the history of a record has the changes by every model of its collection', async () => {
  await change(['a']);
  const answer = await api.fetch(new Request('http://shop/articles/a/history?sort=revision'));
  const { data } = (await answer.json()) as Any;
  expect(data.map(({ revision, changes }: Any) => [revision, changes[0].after])).toEqual(
    Array.from({ length: 8 }, (_, revision) => [revision, revision === 0 ? '0' : `${revision}`]),
  );
});
