import { cursorPaging, offsetPaging } from '../../src/index.ts';
import { useCommands } from '../support/database/commands.ts';
import { useDatabase } from '../support/database/database.ts';
import { useApi } from '../support/http/api.ts';
import type { Stored } from '../support/models/books.ts';
import { type Caller, callerOf, projectResources } from '../support/models/related-tasks.ts';

const database = useDatabase({ monitorCommands: true });
const commands = useCommands(database);
const authenticate = (ctx: { get(name: string): string }) => callerOf(ctx.get('x-tenant'));
const paging = cursorPaging({ max: 100, total: true });
const api = useApi<Caller>(database, (shop) => projectResources(shop, { paging, fields: true }), { authenticate });
const bounded = useApi<Caller>(database, (shop) => projectResources(shop, { paging }), {
  authenticate,
  maxSortThrough: 3,
  maxIdsThrough: 1,
});
const numbered = useApi<Caller>(database, (shop) => projectResources(shop, { paging: offsetPaging({ total: true }) }), { authenticate });

beforeAll(async () => {
  const { db } = database;
  await db.collection<Stored>('members').insertMany([
    { _id: 'zoe', tenant: 'a', name: 'Zoe' },
    { _id: 'ann', tenant: 'a', name: 'Ann' },
    { _id: 'ben', tenant: 'b', name: 'Ben' },
  ]);
  await db.collection<Stored>('projects').insertMany(
    [
      { _id: 'p1', tenant: 'a', name: 'Same', budget: 5, ownerId: 'zoe' },
      { _id: 'p2', tenant: 'a', name: 'Same', budget: 9, ownerId: 'ann' },
      { _id: 'p3', tenant: 'a', name: 'Else', ownerId: 'ben', place: { city: 'Ulm' } },
      { _id: 'p4', tenant: 'a', name: null, ownerId: null },
      { _id: 'p5', tenant: 'b', name: 'Abroad', ownerId: 'ben' },
      { _id: null as never, tenant: 'a', name: 'Null' },
    ],
    { forceServerObjectId: true },
  );
  await db
    .collection<Stored>('tasks')
    .insertMany([
      { _id: 't1', project: 'p1', rank: 2 },
      { _id: 't2', project: 'p2', rank: 1 },
      { _id: 't3', project: 'p3', related_0: 'a field of another program' },
      { _id: 't4', project: 'p4' },
      { _id: 't5', project: 'p5' },
      { _id: 't6', project: 'gone' },
      { _id: 't7' },
      { _id: 't8', project: 'p2', rank: 1 },
    ]);
});

type Api = typeof api;

async function ask(query: string, tenant = 'a', of: Api = api) {
  const { status, body } = await of.request('GET', `/api/tasks?${query}`, { headers: { 'x-tenant': tenant } });
  return { status, body, ids: (body.data ?? []).map((task: { id: string }) => task.id).join(' ') };
}

describe('a sort through a relation', () => {
  it.each([
    ['project.name', 't4 t5 t6 t7 t3 t1 t2 t8'],
    ['-project.name', 't8 t2 t1 t3 t7 t6 t5 t4'],
    ['project.name,-id', 't7 t6 t5 t4 t3 t8 t2 t1'],
    ['project.name,rank', 't4 t5 t6 t7 t3 t2 t8 t1'],
    ['rank,-project.budget', 't7 t6 t5 t4 t3 t8 t2 t1'],
    ['project.place.city', 't1 t2 t4 t5 t6 t7 t8 t3'],
    ['project.owner.name', 't3 t4 t5 t6 t7 t2 t8 t1'],
    ['project.id', 't5 t6 t7 t1 t2 t8 t3 t4'],
    ['-project.name,project.budget', 't1 t2 t8 t3 t4 t5 t6 t7'],
  ])('puts what is missing, null or out of sight first: %s', async (sort, all) => {
    const sorted = await ask(`sort=${sort}&total=true`);
    expect([sorted.ids, sorted.body.page.total]).toEqual([all, 8]);
  });

  it.each([
    'project.name',
    'project.id',
    '-project.name',
    'project.name,rank',
    'rank,-project.budget',
    '-project.owner.name,project.name',
    'title,project.budget',
  ])('is walked by cursors in both directions: %s', async (sort) => {
    const whole = (await ask(`sort=${sort}`)).ids.split(' ');
    for (const limit of [1, 3]) {
      const forwards: string[] = [];
      let page = await ask(`sort=${sort}&limit=${limit}`);
      forwards.push(...page.ids.split(' '));
      while (page.body.page.has_next) {
        page = await ask(`sort=${sort}&limit=${limit}&after=${page.body.page.next_cursor}`);
        forwards.push(...page.ids.split(' '));
      }
      expect(forwards).toEqual(whole);
      const backwards = page.ids.split(' ');
      while (page.body.page.prev_cursor) {
        page = await ask(`sort=${sort}&limit=${limit}&before=${page.body.page.prev_cursor}`);
        backwards.unshift(...page.ids.split(' '));
      }
      expect(backwards).toEqual(whole);
    }
  });

  it('sees only what the guards and the scope of the target show', async () => {
    expect((await ask('sort=project.name', 'b')).ids).toBe('t1 t2 t3 t4 t6 t7 t8 t5');
    expect((await ask('sort=-project.name', 'a?')).ids).toBe('t8 t7 t6 t5 t4 t3 t2 t1');
    expect((await ask('sort=project.owner.name', 'a?')).ids).toBe('t1 t2 t3 t4 t5 t6 t7 t8');
    expect((await ask('sort=project.name', '')).ids).toBe('t4 t6 t7 t5 t3 t1 t2 t8');
  });

  it('works together with filters, numbers of pages, fields and include', async () => {
    expect((await ask('project.name=Same&sort=-project.budget')).ids).toBe('t8 t2 t1');
    expect((await ask('project.owner.name=Ann&sort=project.name&total=true')).body.page.total).toBe(2);
    const second = await ask('sort=project.name&limit=3&page=2&total=true', 'a', numbered);
    expect([second.ids, second.body.page]).toEqual(['t7 t3 t1', { size: 3, number: 2, has_next: true, total: 8 }]);
    const chosen = await ask('sort=-project.name&limit=1&fields=rank');
    expect([chosen.body.data, chosen.body.page.has_next]).toEqual([[{ id: 't8', rank: 1 }], true]);
    const included = await ask('sort=project.name&limit=5&include=project');
    expect(included.body.data[4]).toEqual({ id: 't3', project: expect.objectContaining({ name: 'Else' }) });
  });

  it('is one count and one page, and the count is also the total', async () => {
    await ask('sort=project.name&total=true');
    expect(commands.names).toEqual(['aggregate', 'aggregate']);
  });

  it('is 422 if more records match than may be sorted, whatever lies out of sight', async () => {
    const { status, body } = await ask('sort=project.name', 'a', bounded);
    expect([status, body.code, body.detail]).toEqual([422, 'too_many_matches', expect.stringMatching(/^More than 3 records match/)]);
    expect((await ask('sort=project.name&project.name=Same', 'a', bounded)).ids).toBe('t1 t2 t8');
    expect((await ask('sort=project.name&project.id[exists]=true', 'a', bounded)).status).toBe(422);
    expect((await ask('sort=project.name&project.id[exists]=true', 'b', bounded)).ids).toBe('t5');
  });

  it('does not mistake the cursor of another sort or filter for its own', async () => {
    const { body } = await ask('sort=project.name&limit=2');
    const after = body.page.next_cursor;
    for (const query of ['sort=-project.name', 'sort=project.budget', 'sort=project.name&project.name=Same', ''])
      expect((await ask(`${query}&after=${after}`)).body.code).toBe('invalid_cursor');
  });

  it.each([
    ['tags.name', 'through a list of references'],
    ['lines.tag.name', 'through a list of objects'],
    ['project.status', 'by a field that cannot be sorted by'],
    ['project.secret', 'by a private field'],
    ['hiddenProject.name', 'through a private relation'],
    ['project', 'by the relation itself'],
  ])('is 400: %s, %s', async (sort) => {
    const { status, body } = await ask(`sort=${sort}`);
    expect([status, body.errors[0].rule]).toEqual([400, 'not_sortable']);
  });

  it('is 400 with the same key twice', async () => {
    expect((await ask('sort=project.name,-project.name')).body.errors[0].rule).toBe('repeated_sort_key');
  });
});

describe('a record that has no place in a sort through a relation', () => {
  it.each([
    ['an array where the value should be', 'projects', { _id: 'odd', tenant: 'a', name: ['x'] }, 'odd'],
    ['an array of references to several records', undefined, undefined, ['p1', 'p2']],
  ])('is 500, with its id for the application: %s', async (_what, collection, record, project) => {
    const { db } = database;
    if (collection) await db.collection<Stored>(collection).insertOne(record as Stored);
    await db.collection<Stored>('tasks').insertOne({ _id: 'odd', project });
    try {
      expect((await ask('sort=project.name', 'a')).status).toBe(500);
      expect(String(api.errors.at(-1))).toMatch(/the id "odd" holds something in `project\.name`/);
      api.errors.length = 0;
      // Out of sight it is missing, like every other record.
      expect((await ask('sort=project.name', 'b')).status).toBe(200);
    } finally {
      await db.collection<Stored>('tasks').deleteOne({ _id: 'odd' });
      await db.collection<Stored>('projects').deleteOne({ _id: 'odd' });
    }
  });
});
