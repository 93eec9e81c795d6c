import { cursorPaging, defineModel, everything, t, Unauthorized } from '../../src/index.ts';
import type { Any } from '../support/any.ts';
import { useCommands } from '../support/database/commands.ts';
import { useDatabase } from '../support/database/database.ts';
import { useApi } from '../support/http/api.ts';
import { withQuery } from '../support/http/with-query.ts';
import { Project, projects, type Stored, Tag, Task, tags, tasks } from '../support/models/projects.ts';

const database = useDatabase({ monitorCommands: true });
const commands = useCommands(database);
let created: unknown[] = [];
const api = useApi(
  database,
  (shop) => [
    shop.resource({
      model: Project,
      nested: ['tasks', 'watched', 'stepped', 'parts'],
      guardsFor: { get: [(ctx) => ctx.get('x-user') !== 'blind'], list: [] },
      scope: (ctx) => (ctx.get('x-user') === 'small' ? { name: 'Few' } : everything),
    }),
    shop.resource({
      model: Task,
      include: ['project'],
      fields: true,
      paging: cursorPaging({ max: 10, total: true }),
      guardsFor: { create: [(ctx) => ctx.get('x-user') !== 'reader'], list: [(ctx) => ctx.get('x-user') !== 'writer'] },
      scope(ctx) {
        const user = ctx.get('x-user');
        if (user === '') throw new Unauthorized();
        return ['root', 'small', 'blind', 'reader', 'writer'].includes(user) ? everything : { owner: user };
      },
      serverFields: () => ({ secret: 'made', projectId: 'forged' }),
      after: { create: [(_ctx, task) => void created.push(task.projectId)] },
    }),
    shop.resource({ model: Tag }),
  ],
  { batch: true, idempotency: { principal: (ctx) => ctx.get('x-user') } },
);

const collection = (name: string) => database.db.collection<Stored>(name);
beforeEach(async () => {
  for (const name of ['projects', 'tasks', 'tags']) await collection(name).deleteMany({});
  await collection('projects').insertMany(projects);
  await collection('tasks').insertMany(tasks);
  await collection('tags').insertMany(tags);
  commands.clear();
  created = [];
});

const send = (method: string, path: string, body?: unknown, user = 'root', headers = {}) =>
  api.request(method, `/api/${path}`, { headers: { 'x-user': user, ...headers }, ...(body === undefined ? {} : { body }) });
const list = async (path: string, user?: string) => (await send('GET', path, undefined, user)).body;
const idsOf = (records: Any) => records.map(({ id }: Any) => id);

describe('GET <resource>/{id}/<relation>', () => {
  it('is the list of the other resource, of the records that refer to the record', async () => {
    expect(idsOf((await list('projects/full/tasks')).data)).toEqual(['a', 'b', 'c', 'd', 'e']);
    expect(idsOf((await list('projects/few/tasks')).data)).toEqual(['f', 'g']);
    expect(idsOf((await list('projects/$none/tasks')).data)).toEqual([]);
    expect(idsOf((await list('projects/few/watched')).data)).toEqual(['a']);
    expect(idsOf((await list('projects/few/stepped')).data)).toEqual(['b']);
    expect(idsOf((await list('projects/full/parts')).data)).toEqual(['$none', 'few']);
  });

  it('has its filters, sorts, fields, includes, totals and pages', async () => {
    const { data, page } = await list('projects/full/tasks?rank[gte]=1&sort=-rank&limit=2&fields=title&include=project&total=true');
    expect(data.map(({ id, title, project }: Any) => [id, title, project.name])).toEqual([
      ['d', 'D', 'Full'],
      ['c', 'C', 'Full'],
    ]);
    expect(page).toMatchObject({ has_next: true, total: 4 });
    const next = await list(`projects/full/tasks?rank[gte]=1&sort=-rank&limit=2&after=${page.next_cursor}`);
    expect(idsOf(next.data)).toEqual(['b', 'a']);
    expect((await send('GET', 'projects/full/tasks?colour=red')).status).toBe(400);
  });

  it('links to its own pages, and its cursors belong to it and to its parent', async () => {
    const { headers, body } = await send('GET', 'projects/full/tasks?limit=2');
    expect(headers.link).toContain('/api/projects/full/tasks?limit=2&after=');
    const cursor = body.page.next_cursor;
    expect(idsOf((await list(`projects/full/tasks?after=${cursor}`)).data)).toEqual(['c', 'd', 'e']);
    expect((await send('GET', `projects/few/tasks?after=${cursor}`)).body.code).toBe('invalid_cursor');
    expect((await send('GET', `projects/full/stepped?after=${cursor}`)).body.code).toBe('invalid_cursor');
    expect((await send('GET', `tasks?after=${cursor}`)).body.code).toBe('invalid_cursor');
    const { page } = await list('tasks?limit=2');
    expect((await send('GET', `projects/full/tasks?after=${page.next_cursor}`)).body.code).toBe('invalid_cursor');
  });

  it('cannot be led to another parent by a filter', async () => {
    expect((await list('projects/full/tasks?projectId=few')).data).toEqual([]);
    expect(idsOf((await list('projects/full/tasks?projectId[in]=few,full')).data)).toHaveLength(5);
  });

  it('shows only what lies within the scope of the other resource', async () => {
    expect(idsOf((await list('projects/full/tasks', 'ben')).data)).toEqual(['c']);
  });

  it('reads the id of the record, and then the page', async () => {
    await list('projects/full/tasks');
    expect(commands.events.map(({ command }) => [command.find, command.projection])).toEqual([
      ['projects', { _id: 1, revision: 1 }],
      ['tasks', { secret: 0 }],
    ]);
  });

  it.each(['none', '', '%00', 'FULL', '__proto__', '%24none%00'])('is 404 as Get of the record is: %o', async (id) => {
    const get = await send('GET', `projects/${id}${id === '' ? 'x' : ''}`);
    const nested = await send('GET', `projects/${id}${id === '' ? 'x' : ''}/tasks`);
    expect([nested.status, nested.body]).toEqual([404, get.body]);
    expect(commands.events.every(({ command }) => command.find === 'projects')).toBe(true);
  });

  it('is 404 for a record outside of its scope, in the words of one that does not exist', async () => {
    const [outside, none] = [
      await send('GET', 'projects/full/tasks', undefined, 'small'),
      await send('GET', 'projects/none/tasks', undefined, 'small'),
    ];
    expect([outside.status, outside.text]).toEqual([404, none.text]);
    expect(idsOf((await list('projects/few/tasks', 'small')).data)).toEqual(['f', 'g']);
  });

  it('tells who may not ask nothing about the record: the guards of both are asked before anything is read', async () => {
    expect((await send('GET', 'projects/nowhere/tasks', undefined, 'writer')).status).toBe(403);
    expect((await send('POST', 'projects/nowhere/tasks', { id: 'x', title: 'X' }, 'reader')).status).toBe(403);
    expect(commands.names).toEqual([]);
  });

  it('asks the Get guards of the record and the List guards of the other resource', async () => {
    expect((await send('GET', 'projects/full/tasks', undefined, 'blind')).status).toBe(403);
    expect((await send('GET', 'projects/full/tasks', undefined, 'writer')).status).toBe(403);
    expect((await send('GET', 'projects/full/tasks', undefined, '')).status).toBe(401);
  });

  it('answers HEAD and OPTIONS, and 405 for what it does not serve', async () => {
    expect((await send('HEAD', 'projects/full/tasks')).status).toBe(200);
    expect((await send('DELETE', 'projects/full/tasks')).headers.allow).toBe(withQuery('GET, HEAD, POST'));
    expect((await send('POST', 'projects/full/stepped', {})).headers.allow).toBe(withQuery('GET, HEAD'));
  });
});

describe('POST <resource>/{id}/<relation>', () => {
  it('creates a record that refers to the record, whatever the client and its own server fields say', async () => {
    const { status, body, headers } = await send('POST', 'projects/few/tasks', { id: 'new', title: 'New', projectId: 'full' });
    expect([status, body.data.projectId, headers.location]).toEqual([201, 'few', '/api/tasks/new']);
    expect(await collection('tasks').findOne({ _id: 'new' })).toMatchObject({ projectId: 'few', secret: 'made' });
    expect(created).toEqual(['few']);
  });

  it('does not need the reference in the body, and sets an array to the one id', async () => {
    expect((await send('POST', 'projects/few/tasks', { id: 'new', title: 'New' })).body.data.projectId).toBe('few');
    const { body } = await send('POST', 'projects/few/watched', { id: 'seen', title: 'Seen', watcherIds: ['full'] });
    expect(body.data.watcherIds).toEqual(['few']);
  });

  it('checks the record first: 404, and nothing is read of the body or stored', async () => {
    expect((await send('POST', 'projects/none/tasks', { title: 5 })).status).toBe(404);
    expect((await send('POST', 'projects/full/tasks', { id: 'x', title: 'X' }, 'small')).status).toBe(404);
    expect((await send('POST', 'projects/few/tasks', { title: 5 })).status).toBe(422);
    expect(await collection('tasks').countDocuments({})).toBe(tasks.length);
  });

  it('asks the guards of both, and keeps to the scope of the other resource', async () => {
    expect((await send('POST', 'projects/few/tasks', { id: 'x', title: 'X' }, 'reader')).status).toBe(403);
    expect((await send('POST', 'projects/few/tasks', { id: 'x', title: 'X' }, 'blind')).status).toBe(403);
    const { status, body } = await send('POST', 'projects/few/tasks', { id: 'x', title: 'X', owner: 'ann' }, 'ben');
    expect([status, body.errors[0]]).toMatchObject([422, { field: 'owner', rule: 'scope' }]);
    expect((await send('POST', 'projects/few/tasks', { id: 'x', title: 'X', owner: 'ben' }, 'ben')).status).toBe(201);
  });

  it('is answered by its Idempotency-Key, once for each parent', async () => {
    const key = { 'idempotency-key': '"k1"' };
    const first = await send('POST', 'projects/few/tasks', { id: 'once', title: 'Once' }, 'root', key);
    const again = await send('POST', 'projects/few/tasks', { id: 'once', title: 'Once' }, 'root', key);
    expect([again.status, again.text, again.headers.location]).toEqual([201, first.text, '/api/tasks/once']);
    expect((await send('POST', 'projects/full/tasks', { id: 'once', title: 'Once' }, 'root', key)).body.code).toBe(
      'idempotency_key_reused',
    );
  });

  it('is no operation of a batch: the other resource has its own', async () => {
    const operations = [{ method: 'POST', path: '/projects/few/tasks', body: { id: 'x', title: 'X' } }];
    const { status, body } = await send('POST', 'batch', { operations });
    expect([status, body.operation, await collection('tasks').countDocuments({})]).toEqual([404, 0, tasks.length]);
  });
});

describe('ids that are numbers of two types', () => {
  const Box = defineModel('Box', {
    collection: 'boxes',
    fields: {
      id: t.int64({ policy: { insert: true } }),
      things: t.hasMany('Thing', { via: 'boxId' }),
      count: t.hasMany('Thing', { via: 'boxId', count: true }),
    },
  });
  const Thing = defineModel('Thing', { collection: 'things', fields: { boxId: t.ref('Box', { id: t.int() }) } });
  const boxes = useApi(database, (shop) => [
    shop.resource({ model: Box, include: ['things', 'count'], nested: ['things'] }),
    shop.resource({ model: Thing }),
  ]);

  it('are equal by value: below the record, and in include', async () => {
    await boxes.request('POST', '/api/boxes', { body: { id: 7 } });
    expect((await boxes.request('POST', '/api/boxes/7/things', { body: {} })).body.data.boxId).toBe(7);
    expect((await boxes.request('GET', '/api/boxes/7/things')).body.data).toHaveLength(1);
    expect((await boxes.request('GET', '/api/boxes/7?include=things,count')).body.data).toMatchObject({ things: [{ boxId: 7 }], count: 1 });
  });
});

describe('a record whose id does not fit the field that refers to it', () => {
  const id = t.string({ policy: { insert: true } });
  const short = t.string({ maxLength: 3 });
  const Shelf = defineModel('Shelf', {
    collection: 'shelves',
    fields: {
      id,
      bookIds: t.array(t.ref('Book', { id: short, as: 'books' }), { default: [] }),
      kept: t.hasMany('Book', { via: 'shelfId' }),
      seen: t.hasMany('Book', { via: 'seenIds' }),
      hidden: t.hasMany('Book', { via: 'hiddenId' }),
      paired: t.hasMany('Book', { via: 'pairIds' }),
    },
  });
  const Book = defineModel('Book', {
    collection: 'books',
    fields: {
      id,
      shelfId: t.optional(t.ref('Shelf', { id: short })),
      seenIds: t.array(t.ref('Shelf', { id: short }), { default: [] }),
      hiddenId: t.optional(t.ref('Shelf', { id: short, policy: { private: true } })),
      pairIds: t.optional(t.array(t.ref('Shelf', { id: short }), { minItems: 2 })),
    },
  });
  const shelves = useApi(database, (shop) => [
    shop.resource({ model: Shelf, nested: ['kept', 'seen', 'hidden', 'paired'], links: ['books'] }),
    shop.resource({ model: Book, guardsFor: { create: [(ctx) => ctx.get('x-user') !== 'reader'] } }),
  ]);
  const errorsOf = async (method: string, path: string) => {
    const { status, body } = await shelves.request(method, `/api/shelves/${path}`, method === 'POST' ? { body: {} } : {});
    return [status, body.errors.map(({ field, rule }: Any) => [field, rule])];
  };
  beforeEach(async () => {
    for (const name of ['shelves', 'books']) await collection(name).deleteMany({});
    for (const one of ['a', 'long']) await shelves.request('POST', '/api/shelves', { body: { id: one } });
    await shelves.request('POST', '/api/books', { body: { id: 'thick' } });
  });

  it('is 422 on this field, in the words of a link to such a record', async () => {
    expect(await errorsOf('POST', 'long/kept')).toEqual([422, [['shelfId', 'maxLength']]]);
    expect(await errorsOf('POST', 'long/seen')).toEqual([422, [['seenIds', 'maxLength']]]);
    expect(await errorsOf('PUT', 'a/books/thick')).toEqual([422, [['bookIds', 'maxLength']]]);
    expect((await shelves.request('POST', '/api/shelves/a/kept', { body: { id: 'n' } })).body.data.shelfId).toBe('a');
    expect((await shelves.request('GET', '/api/shelves/long/kept')).body.data).toEqual([]);
  });

  it('does not name the field, and nothing of its schema, if it is private', async () => {
    expect(await errorsOf('POST', 'long/hidden')).toEqual([422, [['', 'reference']]]);
    expect((await shelves.request('POST', '/api/shelves/a/hidden', { body: { id: 'n' } })).status).toBe(201);
  });

  it('is told only to who may create', async () => {
    const { status } = await shelves.request('POST', '/api/shelves/long/kept', { body: {}, headers: { 'x-user': 'reader' } });
    expect(status).toBe(403);
  });

  it('cannot be created below at all if the array requires several ids', async () => {
    expect((await shelves.request('POST', '/api/shelves/a/paired', { body: {} })).headers.allow).toBe(withQuery('GET, HEAD'));
  });
});
