import { ObjectId } from 'mongodb';
import { applyIndexes, defineModel, everything, service, t } from '../../../src/index.ts';
import { defineRemovals } from '../../../src/mongo/removals/define-removals.ts';
import { defineWebhooks } from '../../../src/products/webhooks/webhooks.ts';
import type { Any } from '../../support/any.ts';
import { useDatabase } from '../../support/database/database.ts';
import { until } from '../../support/until.ts';
import { carryOut } from './tree.ts';

const database = useDatabase();

/** What no document may hold but the removal: an id, as text or as the bytes of an ObjectId, or a canary word. */
type Needle = string | ObjectId;

function bytesOf(needle: Needle): Buffer {
  return typeof needle === 'string' ? Buffer.from(needle) : Buffer.from(needle.id);
}

/** The collections of the database that hold one of these, in any document and in any form. */
async function findIn(needles: readonly Needle[]): Promise<string[]> {
  const all = needles.flatMap((one) => (typeof one === 'string' ? [bytesOf(one)] : [bytesOf(one), Buffer.from(String(one))]));
  const found: string[] = [];
  for (const { name } of await database.db.listCollections({}, { nameOnly: true }).toArray())
    for await (const bytes of database.db.collection(name).find({}, { raw: true }) as Any)
      if (all.some((one) => Buffer.from(bytes).includes(one))) found.push(name);
  return [...new Set(found)].sort();
}

afterEach(async () => {
  for (const { name } of await database.db.listCollections({}, { nameOnly: true }).toArray())
    await database.db.collection(name).deleteMany({});
});

const kinds = [
  ['text', () => t.string({ policy: { insert: true } }), t.string, (at: number) => `canary-${at}-`],
  ['ObjectId', () => t.objectId({ policy: { insert: true } }), t.objectId, () => new ObjectId()],
] as const;

describe.each(kinds)('a purge of a tree whose ids are of type %s', (kind, idField, idType, makeId) => {
  const ref = (model: string, options: object = {}) => t.ref(model, { id: (idType as Any)(), ...options } as Any) as Any;
  const life = { revision: t.revision(), deletedAt: t.deletedAt() };
  const id = (idField as Any)() as Any;
  const Person = defineModel('Person', {
    collection: 'people',
    fields: { id, name: t.string(), ...life },
    history: true,
    outbox: true,
  });
  /** The same records, by another name. */
  const Member = defineModel('Member', {
    collection: 'people',
    fields: { id, name: t.string(), ...life },
    history: true,
    outbox: true,
  });
  const Post = defineModel('Post', {
    collection: 'posts',
    fields: {
      id,
      author: ref('Person', { as: 'writtenBy', onDelete: 'cascade' }),
      answers: t.optional(ref('Post', { as: 'question', onDelete: 'cascade' })),
      text: t.string(),
      ...life,
    },
    history: true,
    outbox: { collection: 'post_events' },
  });
  const Bill = defineModel('Bill', {
    collection: 'bills',
    fields: {
      id,
      person: t.nullable(ref('Person', { as: 'of', onDelete: 'nullify' })),
      about: t.array(ref('Post', { as: 'posts', onDelete: 'pull' }), { default: [] }),
      place: t.nullable(t.object('Place', { keeper: t.nullable(ref('Person', { as: 'kept', onDelete: 'nullify' })), city: t.string() })),
      seen: t.map(ref('Person'), { default: {} }),
      pairs: t.array(t.array(ref('Person')), { default: [] }),
      first: t.optional(ref('Person')),
      total: t.int({ default: 0 }),
      ...life,
    },
    history: { scopeFields: ['person'] },
    outbox: true,
  });
  const Removal = defineRemovals();
  const ofModels = ['people', 'posts', 'bills', 'subscriptions'];
  const webhooks = defineWebhooks('Subscription', { collection: 'subscriptions', history: true } as Any);
  let api: Any;
  let keys = 0;

  beforeAll(async () => {
    const forum = service({ authenticate: () => ({ id: 'somebody' }) });
    const resources = [Person, Post, Bill].map((model) =>
      forum.resource({
        model,
        ops: ['get', 'create', 'patch'],
        history: true,
        operations: {
          purge: {
            method: 'POST',
            path: '/:id/purge',
            answer: 'none',
            status: 202,
            handler: async (ctx: Any) => void (await ctx.store(model, { scope: everything }).purge(ctx.params.id, { cascade: true })),
          },
          look: { method: 'POST', path: '/:id/look', handler: async (ctx: Any) => ctx.load() },
        },
      } as Any),
    );
    api = forum.api({
      db: database.db,
      resources: [...resources, forum.resource({ model: webhooks.model as Any, ops: ['list'] } as Any)],
      models: [Member as Any],
      removals: Removal,
      idempotency: { principal: () => 'somebody' },
    } as Any);
    await applyIndexes(api);
  });

  async function send(method: string, path: string, body: object = {}): Promise<Any> {
    const headers = { 'content-type': 'application/json', 'idempotency-key': `"${kind}-${++keys}"` };
    const response: Response = await api.fetch(new Request(`http://forum${path}`, { method, headers, body: JSON.stringify(body) }));
    if (!response.ok) throw new Error(`${method} ${path} is ${response.status}: ${await response.text()}`);
    return response.status === 204 || response.status === 202 ? undefined : ((await response.json()) as Any).data;
  }

  it('leaves no id and no word of it in any collection but that of the removals', async () => {
    const [ann, ben] = [makeId(1), makeId(2)] as const;
    await api
      .store(webhooks.model)
      .create({ url: 'https://example.com/hook', types: ['*'], secret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw' });
    const opened = await webhooks.open({ api, scope: () => everything, retry: { first: 3_600_000 }, observe: () => undefined } as Any);
    await send('POST', '/people', { id: ann, name: 'canary word ann' });
    await send('POST', '/people', { id: ben, name: 'ben' });
    await api.store(Member).update(ann, { name: 'canary word ann, again' });
    const posts = Array.from({ length: 150 }, (_, at) => makeId(1_000 + at));
    for (const [at, post] of posts.entries())
      await send('POST', '/posts', {
        id: post,
        author: at % 3 === 2 ? ben : ann,
        text: 'canary word',
        ...(at % 3 === 2 && { answers: posts[at - 1] }),
      });
    const bills = Array.from({ length: 40 }, (_, at) => makeId(5_000 + at));
    for (const [at, bill] of bills.entries())
      await send('POST', '/bills', {
        id: bill,
        person: ann,
        about: [posts[at], posts[at + 1]],
        place: { keeper: ann, city: 'Bern' },
        seen: { one: ann },
        pairs: [[ann, ben], [ann]],
        first: ann,
      });
    for (const bill of bills.slice(0, 20)) await send('PATCH', `/bills/${bill}`, { person: ben, about: [] });
    for (const bill of bills) await send('PATCH', `/bills/${bill}`, { seen: {}, pairs: [[ben]], first: null });
    for (const bill of bills.slice(20)) await send('POST', `/bills/${bill}/look`);
    const some = posts.slice(0, 3);
    const removal = await api.store(Post).remove(some[0], { inBackground: true });
    const worker = await api.deliver({ handle: opened.handle, poll: 100, observe: () => undefined });
    await until(async () => (await worker.count()).pending === 0);
    await worker.close();
    await opened.close({ timeout: 0 });
    expect(await database.db.collection('subscriptions_deliveries').countDocuments()).toBeGreaterThan(200);
    const needles = [ann, ...posts, 'canary word'];
    expect((await findIn(needles)).length).toBeGreaterThan(8);

    await send('POST', `/people/${ann}/purge`);
    await carryOut(api, database, { handle: () => undefined });
    expect(await findIn([...posts, 'canary word'])).toEqual([]);
    expect(await findIn([ann])).toEqual(['removals']);
    const [progress] = (await api.store(Removal).find({ kind: 'purge' })) as Any[];
    expect(progress).toMatchObject({ status: 'done', record: String(ann) });
    expect(await api.store(Removal).get(removal.id)).toMatchObject({ kind: 'remove', record: null });
    expect(await database.db.collection('bills').countDocuments()).toBe(40);
    const declared = [...(await api.keeps()).all.map(({ collection }: Any) => collection), ...ofModels];
    const there = await database.db.listCollections({}, { nameOnly: true }).toArray();
    expect(there.map(({ name }) => name).filter((name) => !declared.includes(name))).toEqual([]);
    expect(await findIn([ben])).toContain('bills_history');
  });

  it('shows in a history that there was a reference, and not which', async () => {
    const [ann, ben, bill] = [makeId(3), makeId(4), makeId(5)] as const;
    await api.store(Person).createMany([
      { id: ann, name: 'a' },
      { id: ben, name: 'b' },
    ]);
    await api
      .store(Bill)
      .create({ id: bill, person: ann, place: { keeper: ann, city: 'Bern' }, seen: { one: ann, two: ben }, pairs: [[ann, ben]] });
    await api.store(Bill).update(bill, { person: ben });
    await api.store(Person).purge(ann, { cascade: true });
    await carryOut(api, database);
    const ask = async (path: string): Promise<Any> => (await api.fetch(new Request(`http://forum${path}`))).json();
    const history = await ask(`/bills/${bill}/history?sort=revision`);
    expect(history.data[0].changes).toEqual(
      expect.arrayContaining([
        { path: 'person', after_erased: ['person'] },
        { path: 'place', after: { keeper: null, city: 'Bern' }, after_erased: ['place.keeper'] },
        { path: 'seen', after: { two: String(ben) }, after_erased: ['seen'] },
        { path: 'pairs', after: [[String(ben)]], after_erased: ['pairs'] },
      ]),
    );
    expect(history.data[1].changes).toEqual([{ path: 'person', after: String(ben), before_erased: ['person'] }]);
    const was = await ask(`/bills/${bill}?at=0`);
    expect([was.data.person, was.data.place.keeper, was.erased]).toEqual([null, null, expect.arrayContaining(['person', 'place.keeper'])]);
    expect((await ask(`/bills/${bill}?at=1`)).erased).not.toContain('person');
  });
});
