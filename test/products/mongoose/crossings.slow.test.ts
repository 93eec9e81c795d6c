import { defineModel, service, t } from '../../../src/index.ts';
import type { Any } from '../../support/any.ts';
import { useDatabase } from '../../support/database/database.ts';
import { LiveStream } from '../../support/http/live-stream.ts';
import { type TestServer, useServer } from '../../support/http/serve.ts';
import { unique, useMongoose, versions } from './use-mongoose.ts';
import { updating } from './ways.ts';

/** The same records, of which not every caller sees what mongoose writes. */
const Task = defineModel('Task', {
  collection: 'tasks',
  fields: {
    title: t.string({ policy: { filter: ['eq'] } }),
    note: t.nullable(t.string({ policy: { read: 'staff' } })),
    done: t.boolean({ default: false, policy: { read: 'staff' } }),
    revision: t.revision(),
  },
});

const database = useDatabase();
const serve = useServer();
/** Two apis, which share a change stream. */
let servers: readonly TestServer[];

beforeAll(async () => {
  const makeApi = () => {
    const shop = service({ authenticate: (ctx) => ctx.get('authorization'), rules: { staff: (name) => name === 'sue' } });
    const resources = [shop.resource({ model: Task, ops: ['list', 'get', 'create', 'patch'], live: true })];
    return shop.api({ db: database.db, resources, batch: true, idempotency: { principal: (ctx) => String(ctx.principal) } });
  };
  servers = await Promise.all([makeApi(), makeApi()].map((api) => serve(api.routes())));
});

describe.each(versions)('an update by %s', (version) => {
  const tasks = useMongoose(database, version);

  it.each(Object.entries(updating))('%s counts for callers of every view, batches, keys and lists', async (_name, { run }) => {
    const [server] = servers as [TestServer];
    const send = (method: string, path: string, body?: object, more: object = {}, authorization = 'ann') =>
      server.request(method, path, { ...(body && { body }), headers: { authorization, ...more } });
    const before = await tasks.insert({ done: false });
    const path = `/tasks/${before._id}`;
    const key = { 'idempotency-key': unique() };
    const kept = await send('PATCH', path, { title: before.title }, key);
    const streams = servers.flatMap(({ port }) =>
      ['ann', 'sue'].map((authorization) => new LiveStream(port, `/tasks?title=${before.title}`, { authorization })),
    );
    await Promise.all(streams.map((stream) => stream.opened()));
    const { body: seen } = await send('GET', path);
    const { revision } = seen.data;

    await run({ Task: tasks.Task, filter: { title: before.title }, id: before._id.toHexString(), options: {} }, { $set: { done: true } });

    // The tag of a caller who sees nothing of it is another one, and nothing else is.
    const now = await send('GET', path);
    expect([now.headers.etag, now.body.data]).toEqual([`"${revision + 1}"`, { ...seen.data, revision: revision + 1 }]);
    expect((await send('GET', path, undefined, {}, 'sue')).body.data).toMatchObject({ done: true, revision: revision + 1 });
    await Promise.all(streams.map((stream) => stream.sees(({ data }) => data[0]?.revision === revision + 1)));
    expect(streams.map(({ state }) => (state as Any).data[0].done)).toEqual([undefined, true, undefined, true]);
    for (const stream of streams) stream.close();

    // A batch of which one member compares the old tag writes nothing.
    const patchOf = (tag: number) => ({ method: 'PATCH', path, body: { title: unique() }, if_match: `"${tag}"` });
    const created = { method: 'POST', path: '/tasks', body: { title: unique() } };
    const operations = [created, patchOf(revision)];
    expect((await send('POST', '/batch', { operations })).status).toBe(412);
    expect(await tasks.read({ title: created.body.title })).toBeNull();
    expect((await send('POST', '/batch', { operations: [patchOf(revision + 1)] })).status).toBe(200);

    // A key that was used before writes nothing again.
    const again = await send('PATCH', path, { title: before.title }, key);
    expect([kept.status, again.status, again.text]).toEqual([200, 200, kept.text]);
    expect(await tasks.read({ _id: before._id })).toMatchObject({ revision: revision + 2, done: true });
  });
});
