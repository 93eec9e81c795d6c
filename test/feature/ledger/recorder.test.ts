import { type Api, defineModel, everything, openStore, service, t } from '../../../src/index.ts';
import type { Any } from '../../support/any.ts';
import { useDatabase } from '../../support/database/database.ts';
import { expectWith } from '../../support/expect.ts';
import { ledgerDiscrepancies } from '../../support/fuzzing/replay-ledger.ts';
import { type TestServer, useServer } from '../../support/http/serve.ts';

const canary = 'canary-7f3a';
const kept = { history: true, outbox: true } as const;
const all = { insert: true, filter: true } as const;

const Project = defineModel('Project', {
  collection: 'projects',
  ...kept,
  fields: {
    id: t.string({ policy: all }),
    name: t.string({ default: 'p', policy: { filter: true } }),
    tasks: t.hasMany('Task', { via: 'project' }),
    updatedAt: t.updatedAt(),
    revision: t.revision(),
    deletedAt: t.deletedAt(),
  },
});
const Task = defineModel('Task', {
  collection: 'tasks',
  ...kept,
  fields: {
    id: t.string({ policy: all }),
    title: t.string({ default: 't', policy: { filter: true } }),
    project: t.nullable(t.ref('Project', { id: t.string(), onDelete: 'cascade', policy: { filter: true } })),
    memo: t.nullable(t.ref('Project', { id: t.string(), onDelete: 'nullify' })),
    fans: t.array(t.ref('Project', { id: t.string(), as: 'fanProjects', onDelete: 'pull' }), { default: [] }),
    place: t.nullable(t.object('Place', { city: t.string(), zip: t.optional(t.string()) })),
    secret: t.optional(t.string({ policy: { private: true } })),
    lines: t.array(t.object('Line', { sku: t.string(), cost: t.optional(t.string({ policy: { private: true } })) }), { default: [] }),
    prices: t.optional(t.map(t.object('Price', { net: t.int(), cost: t.optional(t.string({ policy: { private: true } })) }))),
    revision: t.revision(),
    deletedAt: t.deletedAt(),
  },
});
/** Its records are removed by a delete. */
const Note = defineModel('Note', {
  collection: 'notes',
  ...kept,
  fields: {
    id: t.string({ policy: { insert: true } }),
    text: t.string({ default: 'n' }),
    number: t.optional(t.int({ unique: true })),
    revision: t.revision(),
  },
});

const database = useDatabase();
const serve = useServer();
let api: Api;
let server: TestServer;

beforeAll(async () => {
  const desk = service<{ id: string }, Any>({ authenticate: (ctx) => (ctx.get('x-user') ? { id: ctx.get('x-user') } : undefined) });
  const ops = ['list', 'get', 'create', 'patch', 'put', 'delete', 'restore', 'patchMany', 'deleteMany'] as const;
  api = desk.api({
    db: database.db,
    requestIds: true,
    batch: true,
    resources: [
      desk.resource({ model: Project, ops, nested: ['tasks'], guards: [] }),
      desk.resource({
        model: Task,
        ops,
        links: ['fanProjects'],
        operations: {
          close: {
            answer: 'record',
            handler: async (ctx: Any) => {
              const task = await ctx.load();
              task.title = 'closed';
              task.secret = canary;
              return ctx.save(task);
            },
          },
        },
      }),
      desk.resource({ model: Note, ops: ['get', 'create', 'patch', 'delete'] }),
    ],
  } as Any);
  await database.db
    .collection('notes')
    .createIndex({ number: 1 }, { unique: true, partialFilterExpression: { number: { $exists: true } } });
  server = await serve(api.routes());
});

const models = [
  ['projects', 'Project'],
  ['tasks', 'Task'],
  ['notes', 'Note'],
] as const;

beforeEach(async () => {
  for (const [name] of models) for (const one of [name, `${name}_history`]) await database.db.collection(one).deleteMany({});
  await database.db.collection('events').deleteMany({});
});

async function ask(method: string, path: string, body?: unknown, headers: Record<string, string> = {}): Promise<Any> {
  const answer = await server.request(method, path, { ...(body === undefined ? {} : { body }), headers: { 'x-user': 'ann', ...headers } });
  expectWith(answer.status, JSON.stringify(answer.body)).toBeLessThan(300);
  return answer;
}

const entriesOf = (collection: string) => database.db.collection<Any>(`${collection}_history`).find().sort({ _id: 1 }).toArray();

/** The entries that a write has left, and that they fit the records and the events. */
async function left(run: () => Promise<unknown>): Promise<unknown[]> {
  const counts = await Promise.all(models.map(async ([name]) => (await entriesOf(name)).length));
  await run();
  const found = await Promise.all(models.map(async ([name], index) => (await entriesOf(name)).slice(counts[index])));
  const isHidden = (path: string) => path === 'secret';
  for (const [name, model] of models) expect(await ledgerDiscrepancies(database.db, name, model, isHidden)).toEqual([]);
  return found.flat().map(({ record, change, paths }) => `${record} ${change}: ${paths.join()}`);
}

const seed = async () => {
  await ask('POST', '/projects', { id: 'p' });
  await ask('POST', '/tasks', { id: 'a', project: 'p', memo: null, place: null });
  await ask('POST', '/tasks', { id: 'b', project: null, memo: 'p', fans: ['p'], place: { city: 'Bern' } });
  await ask('POST', '/notes', { id: 'n' });
};
const store = (model: Any): Any => api.store(model, { scope: everything });

describe('each write leaves one entry and one event for each record that it changes', () => {
  const cases: [string, () => Promise<unknown>, string[]][] = [
    ['a create', () => ask('POST', '/tasks', { id: 'c', project: 'p', memo: null, place: null }), ['c created: title,project,fans,lines']],
    [
      'a nested create',
      () => ask('POST', '/projects/p/tasks', { id: 'c', memo: null, place: null }),
      ['c created: title,project,fans,lines'],
    ],
    ['a patch', () => ask('PATCH', '/tasks/b', { title: 'x', place: { zip: '1' } }), ['b patched: title,place.zip']],
    ['a put', () => ask('PUT', '/tasks/b', { title: 'x', project: null, memo: null, place: null }), ['b patched: title,memo,fans,place']],
    ['a delete', () => ask('DELETE', '/tasks/a'), ['a deleted: deletedAt']],
    ['a delete that removes', () => ask('DELETE', '/notes/n'), ['n deleted: text']],
    [
      'a delete with a cascade',
      () => ask('DELETE', '/projects/p'),
      ['p deleted: deletedAt', 'a deleted: deletedAt', 'b patched: memo,fans'],
    ],
    ['a link', () => ask('PUT', '/tasks/a/fanProjects/p'), ['a patched: fans']],
    ['a link that is taken away', () => ask('DELETE', '/tasks/b/fanProjects/p'), ['b patched: fans']],
    ['a patch of many', () => ask('PATCH', '/tasks?title=t', { title: 'y' }), ['a patched: title', 'b patched: title']],
    ['a delete of many', () => ask('DELETE', '/tasks?title=t'), ['a deleted: deletedAt', 'b deleted: deletedAt']],
    ['a custom operation', () => ask('POST', '/tasks/a/close'), ['a patched: title']],
    [
      'a batch',
      () =>
        ask('POST', '/batch', {
          operations: [
            { method: 'POST', path: '/projects', body: { id: 'q' } },
            { method: 'PATCH', path: '/tasks/a', body: { project: 'q' } },
          ],
        }),
      ['q created: name', 'a patched: project'],
    ],
    ['a store', () => store(Task).update('a', { title: 'z' }), ['a patched: title']],
    [
      'a store that saves',
      async () =>
        store(Task)
          .save({ ...(await store(Task).get('a')) })
          .catch(() => undefined),
      [],
    ],
    ['a store of the application', () => openStore(Note, { db: database.db }).update('n', { text: 'z' }), ['n patched: text']],
    ['a store that updates many', () => store(Task).updateMany({}, { title: 'z' }), ['a patched: title', 'b patched: title']],
    ['a store that deletes many', () => store(Note).removeMany({}), ['n deleted: text']],
    ['createMany', () => store(Note).createMany([{ id: 'x' }, { id: 'y' }]), ['x created: text', 'y created: text']],
    ['createMany of all', () => store(Note).createMany([{ id: 'x' }, { id: 'y' }], { all: true }), ['x created: text', 'y created: text']],
    [
      'a transaction',
      () =>
        api.transaction(async (tx: Any) => {
          await tx.store(Note).create({ id: 'x' });
          await tx.store(Note).update('x', { text: 'u' });
        }),
      ['x created: text', 'x patched: text'],
    ],
    ['a patch of nothing', () => ask('PATCH', '/tasks/a', {}), []],
    ['a patch with the values that are there', () => ask('PATCH', '/tasks/a', { title: 't' }), []],
    ['a link that is there', () => ask('PUT', '/tasks/b/fanProjects/p'), []],
    ['a patch of many that changes nothing', () => ask('PATCH', '/tasks?title=t', {}), []],
  ];
  it.each(cases)('%s', async (_what, write, expected) => {
    await seed();
    expect(await left(write)).toEqual(expected);
  });

  it('a restore with those that a cascade has deleted', async () => {
    await seed();
    await ask('DELETE', '/projects/p');
    expect(await left(() => ask('POST', '/projects/p/restore'))).toEqual(['p restored: deletedAt', 'a restored: deletedAt']);
  });

  it.each([
    ['one that was deleted itself', 'tasks/b', ['b restored: memo,fans,deletedAt']],
    ['one that a cascade has deleted', 'projects/q', ['q restored: deletedAt', 'b restored: memo,fans,deletedAt']],
  ])('a restore that loses references to what has gone meanwhile: of %s', async (_what, path, expected) => {
    await seed();
    await ask('POST', '/projects', { id: 'q' });
    await ask('PATCH', '/tasks/b', { project: 'q' });
    await ask('DELETE', `/${path}`);
    await ask('DELETE', '/projects/p');
    expect(await left(() => ask('POST', `/${path}/restore`))).toEqual(expected);
  });

  it('a write to more records than are read at once', async () => {
    await store(Note).createMany(Array.from({ length: 1_200 }, (_, index) => ({ id: `n${index}` })));
    expect(await left(() => store(Note).updateMany({}, { text: 'new' }, { max: 2_000 }))).toHaveLength(1_200);
    expect(await left(() => store(Note).removeMany({}, { max: 2_000 }))).toHaveLength(1_200);
  });

  it('a write to records that are larger together than what is read at once', async () => {
    await store(Note).createMany(Array.from({ length: 40 }, (_, index) => ({ id: `n${index}`, text: 'x'.repeat(1_000_000) })));
    expect(await left(() => store(Note).updateMany({}, { text: 'small' }))).toHaveLength(40);
  });

  it('writes at the same time, one after the other', async () => {
    await seed();
    const patches = Array.from({ length: 12 }, (_, index) => ask('PATCH', '/tasks/a', { title: `t${index}` }));
    expect(await left(() => Promise.all(patches))).toHaveLength(12);
  });
});

it('leaves nothing of a write that fails, and the write leaves nothing if its entry cannot be written', async () => {
  await seed();
  expect(await left(() => server.request('PATCH', '/tasks/a', { body: { title: 5 }, headers: { 'x-user': 'ann' } }))).toEqual([]);
  const failing = { validator: { never: { $exists: true } }, validationAction: 'error' };
  await database.db.command({ collMod: 'events', ...failing });
  try {
    const answer = await server.request('PATCH', '/tasks/a', { body: { title: 'x' }, headers: { 'x-user': 'ann' } });
    expect(answer.status).toBe(500);
    expect((await store(Task).get('a')).title).toBe('t');
    expect(await left(async () => undefined)).toEqual([]);
  } finally {
    await database.db.command({ collMod: 'events', validator: {}, validationLevel: 'off' });
  }
});

it('stores the good ones of many new records, and says of the others what it says without a ledger', async () => {
  await store(Note).create({ id: 'x', number: 1 });
  const made = await store(Note).createMany([
    { id: 'a', number: 2 },
    { id: 'b', number: 1 },
    { id: 'c' },
    { id: 'x' },
    { id: 'd', text: 5 },
  ]);
  expect(made.map(({ record, error }: Any) => record?.id ?? [error.code, error.errors?.map(({ field }: Any) => field)])).toEqual([
    'a',
    ['duplicate_key', ['number']],
    'c',
    ['duplicate_key', ['id']],
    ['validation_failed', ['text']],
  ]);
  expect((await entriesOf('notes')).map(({ record }) => record)).toEqual(['x', 'a', 'c']);
});

it('tells a record from an earlier one with its id', async () => {
  await ask('POST', '/notes', { id: 'n' });
  await ask('DELETE', '/notes/n');
  await ask('POST', '/notes', { id: 'n', text: 'again' });
  const entries = await entriesOf('notes');
  expect(entries.map(({ change, revision, previous }) => [change, revision, previous])).toEqual([
    ['created', 0, undefined],
    ['deleted', 1, 0],
    ['created', 0, undefined],
  ]);
  expect(entries[0]?.life).toEqual(entries[1]?.life);
  expect(entries[2]?.life).not.toEqual(entries[0]?.life);
});

it('erases what is kept of a record that is purged', async () => {
  await seed();
  await ask('DELETE', '/projects/p');
  await store(Task).purge({ olderThan: 0 });
  expect((await entriesOf('tasks')).map(({ record }) => record)).not.toContain('a');
  expect(await database.db.collection('events').countDocuments({ model: 'Task', record: 'a' })).toBe(0);
  expect(await database.db.collection('events').countDocuments({ model: 'Task', record: 'b' })).toBeGreaterThan(0);
});

it('keeps no value of a private field, at any depth, but that it has changed', async () => {
  const lines = (sku: string, cost: string) => [{ sku, cost: `${canary}-${cost}` }];
  await store(Task).create({
    id: 's',
    project: null,
    memo: null,
    place: null,
    secret: canary,
    lines: lines('A', '1'),
    prices: { a: { net: 1, cost: canary } },
  });
  await store(Task).update('s', { secret: `${canary}2`, lines: lines('A', '2') });
  await store(Task).update('s', { lines: lines('B', '3'), prices: { a: { net: 2, cost: canary } } });
  await store(Task).remove('s');
  const entries = await entriesOf('tasks');
  expect(entries.map(({ paths, private: hidden }) => [paths, hidden])).toEqual([
    [['title', 'fans', 'lines', 'prices'], ['secret']],
    [[], ['secret', 'lines']],
    [['lines', 'prices'], []],
    [['deletedAt'], []],
  ]);
  expect(entries[2]?.changes).toEqual([
    { path: 'lines', before: [{ sku: 'A' }], after: [{ sku: 'B' }] },
    { path: 'prices', before: { a: { net: 1 } }, after: { a: { net: 2 } } },
  ]);
  expect(JSON.stringify([entries, await database.db.collection('events').find().toArray()])).not.toContain(canary);
});

describe('who has made a change', () => {
  it('is the principal of the request, with its operation and its id', async () => {
    await ask('POST', '/notes', { id: 'n' }, { 'x-user': 'bob', 'x-request-id': 'req-1' });
    const { body } = await ask('POST', '/batch', { operations: [{ method: 'PATCH', path: '/notes/n', body: { text: 'x' } }] });
    expect(body.data ?? body).toBeDefined();
    await store(Note).update('n', { text: 'y' });
    const circumstances = (rows: Any[]) => rows.map(({ actor, operation, request }) => [actor, operation, request]);
    const expected = [
      ['bob', 'create', 'req-1'],
      ['ann', 'patch', expect.any(String)],
      [null, undefined, undefined],
    ];
    expect(circumstances(await entriesOf('notes'))).toEqual(expected);
    expect(circumstances(await database.db.collection('events').find().sort({ _id: 1 }).toArray())).toEqual(expected);
  });

  it('is what `by` says, which is asked once in a request; nothing is written if it throws', async () => {
    let asked = 0;
    const by = (ctx: Any) => {
      asked++;
      if (ctx.get('x-user') === 'eve') throw new Error('no');
      return `tenant/${ctx.principal}`;
    };
    const Doc = defineModel('Doc', {
      collection: 'docs',
      history: { by },
      fields: { id: t.string({ policy: { insert: true } }), text: t.string(), revision: t.revision() },
    });
    const desk = service<string, Any>({ authenticate: (ctx: Any) => ctx.get('x-user') });
    const own = desk.api({
      db: database.db,
      batch: true,
      resources: [desk.resource({ model: Doc, ops: ['create', 'patch'] })],
      onError: () => undefined,
    } as Any);
    const at = await serve(own.routes());
    const create = (id: string, user: string) => at.request('POST', '/docs', { body: { id, text: 'x' }, headers: { 'x-user': user } });
    expect((await create('d', 'ann')).status).toBe(201);
    expect((await create('e', 'eve')).status).toBe(500);
    expect(await database.db.collection('docs').countDocuments()).toBe(1);
    expect((await entriesOf('docs')).map(({ actor }) => actor)).toEqual(['tenant/ann']);
    expect(asked).toBe(2);
  });
});

it('forgets an actor in all histories and events, and leaves the others', async () => {
  for (const user of ['ann', 'bob', 'ann']) await ask('POST', '/projects', { id: `p${Math.random()}` }, { 'x-user': user });
  await ask('POST', '/notes', { id: 'n' });
  const actors = async () =>
    (
      await Promise.all(
        ['projects_history', 'notes_history', 'events'].map((name) => database.db.collection(name).find().sort({ _id: 1 }).toArray()),
      )
    ).map((rows) => rows.map(({ actor }) => actor).join());
  expect(await api.forgetActor('ann', 'former')).toBe(6);
  expect(await actors()).toEqual(['former,bob,former', 'former', 'former,bob,former,former']);
  expect(await api.forgetActor('former')).toBe(6);
  expect(await actors()).toEqual([',bob,', '', ',bob,,']);
  expect(await api.forgetActor('nobody')).toBe(0);
});

describe('the differences that hooks of `within` are given', () => {
  it('name each changed field with its values as in a document, and leave out those of private ones', async () => {
    const seen: Any[] = [];
    const Doc = defineModel('Paper', {
      collection: 'papers',
      fields: {
        id: t.string({ policy: { insert: true } }),
        title: t.string(),
        due: t.optional(t.date()),
        secret: t.string({ default: canary, policy: { private: true } }),
        place: t.optional(t.object('PaperPlace', { city: t.string(), code: t.string({ default: canary, policy: { private: true } }) })),
        updatedAt: t.updatedAt(),
        revision: t.revision(),
      },
    });
    const desk = service<Any, Any>();
    const note = (_ctx: Any, { changes }: Any) => void seen.push(changes);
    const within = { create: [note], patch: [note], delete: [note] };
    const own = desk.api({
      db: database.db,
      resources: [desk.resource({ model: Doc, ops: ['create', 'patch', 'delete'], within })],
    } as Any);
    const at = await serve(own.routes());
    await at.request('POST', '/papers', { body: { id: 'd', title: 'A', due: '2026-01-01T00:00:00Z' } });
    await at.request('PATCH', '/papers/d', { body: { title: 'B', place: { city: 'Bern' } } });
    await at.request('PATCH', '/papers/d', { body: { place: { city: 'Basel' } } });
    await at.request('DELETE', '/papers/d');
    const short = seen.map((changes) =>
      changes.filter(({ path }: Any) => path !== 'updatedAt').map((one: Any) => [one.path, one.before, one.after, one.isPrivate]),
    );
    expect(short).toEqual([
      [
        ['title', undefined, 'A', false],
        ['due', undefined, new Date('2026-01-01T00:00:00Z'), false],
        ['secret', undefined, undefined, true],
      ],
      [
        ['title', 'A', 'B', false],
        ['place', undefined, { city: 'Bern' }, false],
      ],
      [['place.city', 'Bern', 'Basel', false]],
      [
        ['title', 'B', undefined, false],
        ['due', new Date('2026-01-01T00:00:00Z'), undefined, false],
        ['secret', undefined, undefined, true],
        ['place', { city: 'Basel' }, undefined, false],
      ],
    ]);
    expect(JSON.stringify(seen)).not.toContain(canary);
  });
});
