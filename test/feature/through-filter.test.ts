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
const byIds = useApi<Caller>(database, (shop) => projectResources(shop, { paging }), { authenticate });
const byLookup = useApi<Caller>(database, (shop) => projectResources(shop, { paging }), { authenticate, maxIdsThrough: 1 });
const numbered = useApi<Caller>(database, (shop) => projectResources(shop, { paging: offsetPaging({ total: true }) }), {
  authenticate,
  maxIdsThrough: 1,
});

const data: Readonly<Record<string, readonly Stored[]>> = {
  members: [
    { _id: 'ann', tenant: 'a', name: 'Ann' },
    { _id: 'abe', tenant: 'a', name: 'Abe' },
    { _id: 'ben', tenant: 'b', name: 'Ben' },
    { _id: 'cat', tenant: 'a' },
  ],
  projects: [
    { _id: 'p1', tenant: 'a', name: 'One', status: 'open', budget: 5, ownerId: 'ann', place: { city: 'Ulm' }, secret: 's' },
    { _id: 'p2', tenant: 'a', name: 'Two', status: 'open', budget: 50, ownerId: 'abe' },
    { _id: 'p3', tenant: 'a', name: 'Three', status: 'done', budget: 7, ownerId: 'ben' },
    { _id: 'p4', tenant: 'a', ownerId: null },
    { _id: 'p5', tenant: 'b', name: 'Five', status: 'open', budget: 5, ownerId: 'ben' },
    { _id: null as never, tenant: 'a', name: 'Null', status: 'open' },
  ],
  tags: [
    { _id: 'red', name: 'Red' },
    { _id: 'blue', name: 'Blue' },
  ],
  tasks: [
    { _id: 't1', project: 'p1', tagIds: ['red', 'blue'], review: { byId: 'ann' } },
    { _id: 't2', project: 'p2', tagIds: ['blue'], review: { byId: 'ben' } },
    { _id: 't3', project: 'p3', tagIds: [], lines: [{ tagId: 'red' }, { tagId: 'gone' }] },
    { _id: 't4', project: 'p4', review: { byId: null } },
    { _id: 't5', project: 'p5' },
    { _id: 't6', project: 'gone', tagIds: ['gone'] },
    { _id: 't7' },
    { _id: 't8', project: null },
    { _id: 't9', project: 'p1', title: 'late' },
  ],
};

beforeAll(async () => {
  for (const [name, records] of Object.entries(data))
    await database.db.collection<Stored>(name).insertMany([...records], { forceServerObjectId: true }); // the driver would give null another value
});

const plans = [
  ['by ids', byIds],
  ['by $lookup', byLookup],
] as const;

describe.each(plans)('a filter through a relation, %s', (_plan, api) => {
  async function ask(query: string, tenant = 'a'): Promise<string> {
    const answer = await api.request('GET', `/api/tasks?total=true&${query}`, { headers: { 'x-tenant': tenant } });
    expect([answer.status, answer.body.errors]).toEqual([200, undefined]);
    expect(answer.body.page.total).toBe(answer.body.data.length);
    return answer.body.data.map((task: { id: string }) => task.id).join(' ');
  }

  it.each([
    ['project.status=open', 't1 t2 t9'],
    ['project.status=done', 't3'],
    ['project.budget[gte]=6', 't2 t3'],
    ['project.budget[gte]=6&project.status=open', 't2'],
    ['project.name[in]=One,Two', 't1 t2 t9'],
    ['project.name[prefix]=T', 't2 t3'],
    ['project.name[prefix]=', 't1 t2 t3 t4 t9'],
    ['project.name[nin]=', 't1 t2 t3 t4 t9'],
    ['project.place.city=Ulm', 't1 t9'],
    ['project.id=p1', 't1 t9'],
    ['project.status=open&title[exists]=false', 't1 t2'],
    ['project.status=open&project=p2', 't2'],
    ['project.status=open&sort=-id', 't9 t2 t1'],
  ])('matches if a related record within sight fulfils it: %s', async (query, ids) => {
    expect(await ask(query)).toBe(ids);
  });

  it.each([
    ['project.status[ne]=open', 't3 t4'],
    ['project.status[nin]=open,done', 't4'],
    ['project.status[exists]=false', 't4'],
    ['project.status[exists]=true', 't1 t2 t3 t9'],
    ['project.id[ne]=p1', 't2 t3 t4'],
    ['review.by.name[ne]=Abe', 't1'],
  ])('matches a negation only if there is a related record within sight: %s', async (query, ids) => {
    expect(await ask(query)).toBe(ids);
  });

  it.each([
    ['tags.name=Blue', 't1 t2'],
    ['tags.name[ne]=Blue', 't1'],
    ['tags.name[in]=Red,Blue', 't1 t2'],
    ['tags.name=Red&tags.name[ne]=Red', ''],
    ['lines.tag.name=Red', 't3'],
  ])('matches a list of references if one of them leads to a record that fulfils all conditions: %s', async (query, ids) => {
    expect(await ask(query)).toBe(ids);
  });

  it.each([
    ['project.owner.name=Ann', 't1 t9'],
    ['project.owner.name[in]=Ann,Abe', 't1 t2 t9'],
    ['project.owner.name[in]=Ann,Abe,Ben&project.status=open', 't1 t2 t9'],
    ['project.owner.name=Ann&project.budget=50', ''],
    ['project.owner.name[exists]=true&review.by.name=Ann&tags.name=Red', 't1'],
    ['project.owner.name=Ben', ''],
  ])('follows several relations, all conditions being about the same records: %s', async (query, ids) => {
    expect(await ask(query)).toBe(ids);
  });

  it.each([
    ['project.status=open', 'b', 't5'],
    ['project.status[ne]=open', 'b', ''],
    ['project.owner.name=Ben', 'b', 't5'],
    ['project.owner.name=Ben', '', 't3 t5'],
    ['project.id[exists]=true', '', 't1 t2 t3 t4 t5 t9'],
    ['project.status=open', 'a?', ''],
    ['project.status[ne]=open', 'a?', ''],
    ['project.owner.name=Ann', 'a?', ''],
    ['review.by.name=Ann', 'a?', 't1'],
  ])('sees only what the guards and the scope of the target show: %s as %s', async (query, tenant, ids) => {
    expect(await ask(query, tenant)).toBe(ids);
  });

  it('pages by cursor in both directions, and counts', async () => {
    const query = 'project.id[exists]=true&sort=-rank&limit=2';
    const seen: string[] = [];
    let [next, prev]: (string | null)[] = ['', null];
    while (next !== null) {
      const { body } = await api.request('GET', `/api/tasks?${query}${next && `&after=${next}`}`, { headers: { 'x-tenant': 'a' } });
      seen.push(body.data.map((one: { id: string }) => one.id).join(' '));
      ({ next_cursor: next, prev_cursor: prev } = body.page);
    }
    expect(seen).toEqual(['t9 t4', 't3 t2', 't1']);
    while (prev !== null) {
      const { body } = await api.request('GET', `/api/tasks?${query}&before=${prev}`, { headers: { 'x-tenant': 'a' } });
      expect(body.data.map((one: { id: string }) => one.id).join(' ')).toBe(seen.at(seen.length - 2));
      seen.pop();
      prev = body.page.prev_cursor;
    }
    expect(seen.length).toBe(1);
  });
});

describe('the plan of a filter through a relation', () => {
  const ask = (api: typeof byIds, query: string, tenant = 'a') =>
    api.request('GET', `/api/tasks?${query}`, { headers: { 'x-tenant': tenant } });

  it('is a first query for ids, and then the same find as ever', async () => {
    await ask(byIds, 'project.owner.name=Ann');
    const isOfType = { _id: { $type: ['string'] } };
    expect(commands.events.map(({ command }) => [command.find, command.filter, command.limit])).toEqual([
      ['members', { ...isOfType, name: { $eq: 'Ann' }, tenant: { $eq: 'a' } }, 1001],
      ['projects', { ...isOfType, tenant: { $eq: 'a' }, ownerId: { $in: ['ann'] } }, 1001],
      ['tasks', { project: { $in: ['p1'] } }, 21],
    ]);
  });

  it('is a $lookup if more records match than there may be ids', async () => {
    await ask(byLookup, 'project.status=open');
    expect(commands.names).toEqual(['find', 'aggregate']);
    expect(commands.events[1]?.command.pipeline.map((stage: object) => Object.keys(stage)[0])).toEqual([
      '$match',
      '$sort',
      '$lookup',
      '$match',
      '$unset',
      '$limit',
      '$project',
    ]);
  });

  it('asks no further if a relation leads to nothing, or shows nothing', async () => {
    await ask(byIds, 'project.owner.name=Nobody&tags.name=Red');
    expect(commands.names).toEqual(['find', 'find']);
    commands.clear();
    await ask(byIds, 'project.status=open', 'a?');
    expect(commands.names).toEqual(['find']);
  });

  it('costs nothing without such a filter', async () => {
    await ask(byIds, 'title=late');
    expect(commands.names).toEqual(['find']);
  });

  it('skips the matches before a page by number', async () => {
    const { body } = await ask(numbered, 'project.id[exists]=true&limit=2&page=2&total=true');
    expect([body.data.map((one: { id: string }) => one.id), body.page]).toEqual([
      ['t3', 't4'],
      { size: 2, number: 2, has_next: true, total: 5 },
    ]);
  });
});

describe('a filter through a relation that is not allowed', () => {
  const refused = async (query: string) => {
    const { status, body } = await byIds.request('GET', `/api/tasks?${query}`, { headers: { 'x-tenant': 'a' } });
    return [status, body.errors?.map(({ field, rule }: { field: string; rule: string }) => `${field}: ${rule}`)];
  };

  it.each([
    ['project.secret=s', 'project.secret: unknown_parameter'],
    ['project.secrets=s', 'project.secrets: unknown_parameter'],
    ['project.note=s', 'project.note: unknown_parameter'],
    ['project.tenant=a', 'project.tenant: unknown_parameter'],
    ['hiddenProject.name=One', 'hiddenProject.name: unknown_parameter'],
    ['hidden.name=One', 'hidden.name: unknown_parameter'],
    ['project.owner.salary=1', 'project.owner.salary: unknown_parameter'],
    ['project.project.name=One', 'project.project.name: unknown_parameter'],
    ['project.owner=ann', 'project.owner: unknown_parameter'],
    ['project.ownerId=ann', 'project.ownerId: unknown_parameter'],
    ['project.status[gte]=5x', 'project.status[gte]: enum'],
    ['project.budget=x', 'project.budget: type'],
    ['project.budget=1&project.budget=2', 'project.budget: repeated_parameter'],
    ['project.$where=1', 'project.$where: unknown_parameter'],
  ])('is 400 as for own fields: %s', async (query, error) => {
    expect(await refused(query)).toEqual([400, [error]]);
  });

  it('suggests names of related fields', async () => {
    const { body } = await byIds.request('GET', '/api/tasks?project.statu=open');
    expect(body.errors[0].message).toMatch(/did you mean `project\.status`\?/);
  });

  it('is 400 for a write to many records', async () => {
    const { status, body } = await byIds.request('DELETE', '/api/tasks?project.status=open');
    expect([status, body.errors[0].rule]).toEqual([400, 'unknown_parameter']);
  });

  it('is 422 for an integer beyond 64 bits', async () => {
    expect((await refused('project.budget=99999999999999999999'))[0]).toBe(422);
  });
});
