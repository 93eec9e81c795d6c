import { applyIndexes, defineModel, service, t } from '../../../src/index.ts';
import { useDatabase } from '../../support/database/database.ts';
import { type TestServer, useServer } from '../../support/http/serve.ts';

const staff = { read: 'staff' } as const;
const Label = defineModel('Label', {
  collection: 'labels',
  fields: {
    id: t.string({ policy: { insert: true } }),
    name: t.string({ policy: { filter: true } }),
    secret: t.optional(t.string({ policy: staff })),
  },
});
const Task = defineModel('Task', {
  collection: 'tasks',
  fields: {
    id: t.string({ policy: { insert: true } }),
    title: t.string({ policy: { filter: true, sort: true } }),
    code: t.string({ unique: true, default: () => Math.random().toString(36), policy: { read: true } }),
    labels: t.array(t.ref('Label', { id: t.string() }), { default: [], policy: { update: 'editors' } }),
    watchers: t.array(t.ref('Label', { id: t.string() }), { default: [], policy: { ...staff } }),
    note: t.optional(t.string({ policy: { ...staff, filter: true, sort: true } })),
    revision: t.revision(),
    deletedAt: t.deletedAt(),
  },
});

const database = useDatabase();
const serve = useServer();
let server: TestServer;

beforeAll(async () => {
  const shop = service({
    authenticate: (ctx) => ctx.get('authorization'),
    rules: { staff: (name) => name.includes('staff'), editors: (name) => name.includes('editors') },
  });
  const tasks = shop.resource({
    model: Task,
    ops: ['list', 'get', 'create', 'patch', 'delete', 'restore', 'patchMany', 'deleteMany'],
    links: ['labels', 'watchers'],
    include: ['labels', 'watchers'],
    deleted: { guards: [() => true] },
    before: { create: [(_ctx, draft) => void draft] },
    within: { write: [async () => undefined] },
    after: { read: [async () => undefined] },
  });
  const api = shop.api({ db: database.db, resources: [tasks, shop.resource({ model: Label })] });
  await applyIndexes(api);
  server = await serve(api.routes());
});

beforeEach(async () => {
  for (const name of ['tasks', 'labels']) await database.db.collection(name).deleteMany({});
  await database.db.collection<{ _id: string }>('labels').insertOne({ _id: 'l', name: 'n', secret: 'hidden' } as never);
  await database.db
    .collection<{ _id: string }>('tasks')
    .insertOne({ _id: 'a', title: 't', code: 'c', labels: [], watchers: ['l'], note: 'hidden', revision: 0 } as never);
});

const ask = (method: string, path: string, authorization = 'anna', body?: unknown) =>
  server.request(method, path, { headers: { authorization }, ...(body === undefined ? {} : { body }) });

describe('links', () => {
  it('of an array that the caller does not read are 404, like an unknown path', async () => {
    const unknown = await ask('PUT', '/tasks/a/nothing/l');
    const hidden = await ask('PUT', '/tasks/a/watchers/l');
    expect([hidden.status, hidden.text]).toEqual([404, unknown.text]);
    expect((await ask('DELETE', '/tasks/a/watchers/l')).status).toBe(404);
    expect((await ask('DELETE', '/tasks/a/watchers/l', 'staff')).status).toBe(204);
  });

  it('of an array that the caller reads and may not write are 422', async () => {
    const refused = await ask('PUT', '/tasks/a/labels/l');
    expect([refused.status, refused.body.errors]).toEqual([422, [expect.objectContaining({ field: 'labels', rule: 'not_writable' })]]);
    expect((await ask('PUT', '/tasks/a/labels/l', 'editors')).status).toBe(204);
  });
});

describe('soft delete', () => {
  it('shows a deleted and a restored record in the view of its caller', async () => {
    expect((await ask('DELETE', '/tasks/a')).status).toBe(204);
    const deleted = await ask('GET', '/tasks?deleted=only');
    expect([deleted.status, deleted.body.data[0].id, deleted.text.includes('hidden')]).toEqual([200, 'a', false]);
    const restored = await ask('POST', '/tasks/a/restore');
    expect([restored.status, 'note' in restored.body.data, restored.text.includes('watchers')]).toEqual([200, false, false]);
    expect((await ask('GET', '/tasks/a', 'staff')).body.data.note).toBe('hidden');
  });
});

describe('writes to many', () => {
  it('neither choose nor change by what the caller does not read', async () => {
    expect((await ask('PATCH', '/tasks?note=hidden&max_affected=5', 'anna', { title: 'u' })).status).toBe(400);
    expect((await ask('PATCH', '/tasks?title=t&max_affected=5', 'anna', { note: 'x' })).status).toBe(422);
    expect((await ask('DELETE', '/tasks?note=hidden&max_affected=5')).status).toBe(400);
    expect((await ask('PATCH', '/tasks?note=hidden&max_affected=5', 'staff', { note: 'x' })).body).toMatchObject({ data: { modified: 1 } });
  });
});

describe('include', () => {
  it('shows records of two hops in the view of their own model, and no relation of a hidden field', async () => {
    await database.db.collection<{ _id: string }>('tasks').updateOne({ _id: 'a' }, { $set: { labels: ['l'] } });
    const shown = await ask('GET', '/tasks/a?include=labels');
    expect([shown.status, shown.body.data.labels]).toEqual([200, [{ id: 'l', name: 'n' }]]);
    const [hidden, unknown] = [await ask('GET', '/tasks/a?include=watchers'), await ask('GET', '/tasks/a?include=watchrs')];
    expect([hidden.status, unknown.status]).toEqual([400, 400]);
    expect(hidden.text.replaceAll('watchers', 'watchrs')).toBe(unknown.text);
    const all = await ask('GET', '/tasks/a?include=watchers,labels', 'staff');
    expect(all.body.data).toMatchObject({ watchers: [{ secret: 'hidden' }], labels: [{ secret: 'hidden' }] });
  });
});

describe('a conflict', () => {
  it('names only fields that its caller may write', async () => {
    const taken = await ask('POST', '/tasks', 'anna', { id: 'b', title: 't', code: 'c' });
    expect([taken.status, taken.body.errors]).toEqual([409, [expect.objectContaining({ field: 'code' })]]);
  });
});
