import { ObjectId } from 'mongodb';
import { applyIndexes, defineModel, service, t } from '../../../src/index.ts';
import { defineWebhooks } from '../../../src/products/webhooks/webhooks.ts';
import type { Any } from '../../support/any.ts';
import { useDatabase } from '../../support/database/database.ts';
import { Box, Comment, carryOut, clear, Invoice, Plan, Project, Removal, Task, treeApi } from './tree.ts';

const database = useDatabase();
const webhooks = defineWebhooks('Subscription', { collection: 'subscriptions' });
const records = (name: string) => database.db.collection<Any>(name);
const others = ['idempotency_keys', 'subscriptions', 'subscriptions_deliveries', 'shelves', 'volumes'];

interface User {
  readonly id: string;
}

let api: Any;

beforeAll(async () => {
  const shop = service<User>({ authenticate: (ctx) => ({ id: ctx.get('authorization') }) });
  const begin = (handler: (ctx: Any) => Promise<Any>) => ({
    method: 'POST',
    status: 202,
    answer: 'none',
    handler: async (ctx: Any) => ctx.set('location', `/removals/${(await handler(ctx)).id}`),
  });
  const projects = shop.resource({
    model: Project,
    ops: ['get', 'create'],
    scope: (ctx: Any) => ({ team: ctx.principal.id }),
    serverFields: (ctx: Any) => ({ team: ctx.principal.id }),
    operations: {
      removal: { path: '/:id/removal', ...begin((ctx) => ctx.store(Project).remove(ctx.params.id, { inBackground: true })) },
      purge: { path: '/:id/purge', ...begin((ctx) => ctx.store(Project).purge(ctx.params.id, { cascade: true })) },
    },
  } as Any);
  api = shop.api({
    db: database.db,
    resources: [projects, shop.resource({ model: webhooks.model })],
    models: [Task, Comment, Invoice, Plan, Box],
    removals: Removal,
    idempotency: { principal: (ctx: Any) => ctx.principal.id },
    maxCascade: 3,
  } as Any);
  await applyIndexes(api);
});

afterEach(async () => {
  await clear(database);
  for (const name of others) await records(name).deleteMany({});
});

function ask(
  method: string,
  path: string,
  { key, body, user = 'ann' }: { key?: string; body?: object; user?: string } = {},
): Promise<Response> {
  const headers = { authorization: user, 'content-type': 'application/json', ...(key && { 'idempotency-key': `"${key}"` }) };
  return api.fetch(new Request(`http://shop${path}`, { method, headers, ...(body && { body: JSON.stringify(body) }) }));
}

describe('a delete in the background', () => {
  it('is begun once by a request that comes again with its Idempotency-Key', async () => {
    await api.store(Project).create({ id: 'p', team: 'ann' });
    const first = await ask('POST', '/projects/p/removal', { key: 'k1' });
    const again = await ask('POST', '/projects/p/removal', { key: 'k1' });
    expect([first.status, again.status]).toEqual([202, 202]);
    expect(again.headers.get('location')).toBe(first.headers.get('location'));
    expect(await records('removals').countDocuments()).toBe(1);
  });

  it('says of a record of another tenant what it says of none', async () => {
    await api.store(Project).create({ id: 'p', team: 'ann' });
    for (const operation of ['removal', 'purge']) {
      const foreign = await ask('POST', `/projects/p/${operation}`, { user: 'ben' });
      const none = await ask('POST', `/projects/nothing/${operation}`, { user: 'ben' });
      expect([foreign.status, await foreign.text()]).toEqual([404, await none.text()]);
    }
    expect(await records('removals').countDocuments()).toBe(0);
  });

  it('refuses ids that no record can have as get does, and is no operator', async () => {
    await api.store(Project).create({ id: 'p', team: 'ann' });
    for (const id of ['$ne', '__proto__', '%00', 'x'.repeat(600)]) {
      expect([id, (await ask('POST', `/projects/${id}/removal`)).status]).toEqual([id, (await ask('GET', `/projects/${id}`)).status]);
    }
    for (const id of [{ $ne: null }, /./, undefined, null, 7])
      await expect(api.store(Project).remove(id as never, { inBackground: true })).rejects.toMatchObject({ status: 404 });
    expect(await records('removals').countDocuments()).toBe(0);
  });

  it('writes the name that an actor was given when the person was forgotten meanwhile', async () => {
    await api.store(Project).create({ id: 'p', team: 'ann' });
    await api.store(Task).create({ id: 't', project: 'p' });
    await ask('POST', '/projects/p/removal');
    await api.forgetActor('ann', 'a former user');
    await carryOut(api, database);
    expect(await records('tasks_history').distinct('actor', { change: 'deleted' })).toEqual(['a former user']);
  });
});

describe('a purge that cascades', () => {
  it('empties the stored answers that show what it removes, and erases what webhooks keep of it', async () => {
    expect((await ask('POST', '/projects', { key: 'k2', body: { id: 'p' } })).status).toBe(201);
    await api.store(Task).create({ id: 't', project: 'p' });
    const row = { subscription: 's', state: 'pending', type: 'x.created', life: null, revision: 0, at: new Date(), actor: null };
    await records('subscriptions_deliveries').insertMany([
      { _id: '1', ...row, model: 'Project', subject: 'p', event: '1' },
      { _id: '2', ...row, model: 'Task', subject: 't', event: '2' },
      { _id: '3', ...row, model: 'Task', subject: 'other', event: '3' },
    ]);
    expect((await ask('POST', '/projects/p/purge')).status).toBe(202);
    await carryOut(api, database);
    expect(await records('subscriptions_deliveries').distinct('_id')).toEqual(['3']);
    const [kept] = await records('idempotency_keys').find().toArray();
    expect([kept.status, kept.headers, 'body' in kept]).toEqual([204, [], false]);
    expect((await ask('POST', '/projects', { key: 'k2', body: { id: 'p' } })).status).toBe(404); // and creates nothing again
    expect(await records('projects').countDocuments()).toBe(0);
  });
});

describe.each([
  ['objectId', () => t.objectId(), () => new ObjectId()],
  ['uuid', () => t.uuid(), undefined],
] as const)('records with ids of type %s', (_name, type, make) => {
  it('are removed with what refers to them', async () => {
    const Shelf = defineModel('Shelf', { collection: 'shelves', fields: { id: type() as Any } });
    const Volume = defineModel('Volume', {
      collection: 'volumes',
      fields: { id: type() as Any, shelf: t.ref('Shelf', { id: type(), as: 'on', onDelete: 'cascade' } as Any) },
    });
    const library: Any = service().api({ db: database.db, resources: [], models: [Shelf, Volume], removals: Removal } as Any);
    const { id } = await library.store(Shelf).create(make ? { id: make() } : {});
    await library.store(Volume).create({ shelf: id, ...(make && { id: make() }) });
    const removal = await library.store(Shelf).remove(String(id), { inBackground: true });
    expect(removal.record).toBe(String(id));
    await carryOut(library, database);
    expect([await records('shelves').countDocuments(), await records('volumes').countDocuments()]).toEqual([0, 0]);
  });
});

it('those who look after queues see a removal that has stopped, and release it or give it up', async () => {
  const tree: Any = treeApi(database);
  for (const id of ['p', 'q']) {
    await tree.store(Project).create({ id });
    await tree.store(Task).createMany(Array.from({ length: 5 }, (_, at) => ({ id: `${id}${at}`, project: id })));
    await tree.store(Invoice).create({ id, task: `${id}0` });
    await tree.store(Project).remove(id, { inBackground: true });
  }
  await carryOut(tree, database);
  const queue = (await tree.queues()).find(({ collection }: Any) => collection === 'removals');
  const dead = await queue.letters.findDead(10);
  expect(dead.map(({ type, subject }: Any) => [type, subject]).sort()).toEqual([
    ['Project.remove', 'p'],
    ['Project.remove', 'q'],
  ]);
  const [given, released] = dead;
  expect(await queue.letters.skip(given._id)).toBe(true);
  await tree.store(Invoice).remove(released.subject);
  expect(await queue.letters.release(released._id)).toBe(1);
  await carryOut(tree, database);
  expect(await records('tasks').countDocuments({ deletedAt: null })).toBe(1);
  expect(await records('removals_steps').countDocuments()).toBe(0);
});
