import { defineModel, everything, type Guard, Problem, type RequestContext, t, Unauthorized } from '../../src/index.ts';
import { useCommands } from '../support/database/commands.ts';
import { useDatabase } from '../support/database/database.ts';
import { useApi } from '../support/http/api.ts';
import type { Stored } from '../support/models/books.ts';

interface User {
  readonly name: string;
}
type Ctx = RequestContext<User>;

const id = t.string();
const Team = defineModel('Team', {
  collection: 'teams',
  fields: { id, name: t.string(), budget: t.optional(t.string({ policy: { private: true } })) },
});
const Member = defineModel('Member', {
  collection: 'members',
  fields: {
    id,
    name: t.string(),
    owner: t.string(),
    salary: t.optional(t.string({ policy: { private: true } })),
    home: t.optional(t.object('Home', { city: t.string(), code: t.optional(t.string({ policy: { private: true } })) })),
    teamId: t.optional(t.ref('Team', { id, as: 'team' })),
    code: t.optional(t.int({ policy: { private: true } })),
    revision: t.revision(),
  },
});
const Task = defineModel('Task', {
  collection: 'tasks',
  fields: {
    id,
    member: t.ref('Member', { id }),
    memberId: t.ref('Member', { id, as: 'asMember' }),
    vip: t.ref('Member', { id, resource: 'vip-members' }),
    others: t.array(t.ref('Member', { id, resource: 'open-members' })),
    team: t.ref('Team', { id }),
    listed: t.ref('Listed', { id }),
    unserved: t.optional(t.ref('Unserved', { id })),
    unservedId: t.optional(t.ref('Unserved', { id, as: 'asUnserved' })),
  },
});
const Unserved = defineModel('Unserved', { collection: 'teams', fields: { id, name: t.string() } });
const Listed = defineModel('Listed', { collection: 'teams', fields: { id, name: t.string() } });

const calls: string[] = [];
/** What the guard, or the scope, of the test at hand does. */
let guard: (ctx: Ctx) => boolean = () => true;
let scope: (ctx: Ctx) => unknown = () => everything;
const asksTwice: Guard<Ctx> = async (ctx) => {
  calls.push('guard');
  await Promise.resolve();
  return guard(ctx);
};
const never: Guard<Ctx> = () => {
  calls.push('never');
  return false;
};

const database = useDatabase({ monitorCommands: true });
const commands = useCommands(database);
const reached = ['member', 'member.team', 'asMember', 'asMember.team', 'vip', 'others', 'team'] as const;
const include = [...reached, 'listed', 'unserved', 'asUnserved'] as const;
const api = useApi<User>(
  database,
  (shop) => [
    shop.resource({ model: Task, include }),
    shop.resource({ model: Task, path: 'guarded-tasks', include, guards: [asksTwice] }),
    shop.resource({
      model: Member,
      guards: [asksTwice],
      guardsFor: { delete: [never], list: [never] },
      scope: (ctx) => scope(ctx) as typeof everything,
    }),
    shop.resource({ model: Member, path: 'vip-members', scope: (ctx) => ({ owner: ctx.requirePrincipal().name }) }),
    shop.resource({
      model: Member,
      path: 'open-members',
      guardsFor: { patch: [never] },
      scope: () => ({ name: { in: ['Ann', 'Ben'] }, id: { ne: 'ben' } }),
    }),
    shop.resource({ model: Team, path: 'the-only-one', guardsFor: { get: [asksTwice], list: [] } }),
    shop.resource({
      model: Unserved,
      path: 'unserved',
      ops: ['create', 'delete'],
      operations: { look: { method: 'GET', handler: (ctx) => ctx.load() } },
    }),
    shop.resource({ model: Listed, path: 'listed', ops: ['list'], guardsFor: { list: [never] } }),
  ],
  { authenticate: (ctx) => (ctx.get('x-user') ? { name: ctx.get('x-user') } : undefined) },
);

beforeAll(async () => {
  await database.db.collection<Stored>('teams').insertOne({ _id: 'red', name: 'Red', budget: 'secret-1' });
  await database.db.collection<Stored>('members').insertMany([
    {
      _id: 'ann',
      name: 'Ann',
      owner: 'ann',
      salary: 'secret-2',
      home: { city: 'Ulm', code: 'secret-3' },
      teamId: 'red',
      undeclared: 'secret-4',
      code: 44,
    },
    { _id: 'ben', name: 'Ben', owner: 'ben' },
    { _id: 'cat', name: 'Cat', owner: 'ann' },
  ]);
  await database.db.collection<Stored>('tasks').insertMany([
    {
      _id: '1',
      member: 'ann',
      memberId: 'ann',
      vip: 'ann',
      others: ['ann', 'ben', 'cat'],
      team: 'red',
      listed: 'red',
      unserved: 'red',
      unservedId: 'red',
    },
    { _id: '2', member: 'ben', memberId: 'ben', vip: 'ben', others: [], team: 'red', listed: 'red' },
  ]);
});
beforeEach(() => {
  guard = () => true;
  scope = () => everything;
  calls.length = 0;
  api.errors.length = 0;
});

const ann = { id: 'ann', name: 'Ann', owner: 'ann', home: { city: 'Ulm' }, teamId: 'red', revision: 0 };
const red = { id: 'red', name: 'Red' };
const request = (path: string, user?: string) =>
  api.request('GET', `/api/${path}`, user === undefined ? {} : { headers: { 'x-user': user } });
const get = async (path: string, user?: string) => (await request(path, user)).body.data;

describe('an embedded record', () => {
  it("shows what its own model's policy lets a client read, at any depth", async () => {
    const { text, body } = await request('tasks/1?include=member.team,asMember', 'ann');
    expect(body.data).toMatchObject({ member: { ...ann, team: red }, asMember: ann });
    expect(Object.keys(body.data.member)).toEqual(['id', 'name', 'owner', 'home', 'teamId', 'revision', 'team']);
    expect(text).not.toMatch(/secret|44|salary|budget|code/);
  });

  it('is read without its private fields, which stay in the database', async () => {
    await request('tasks?include=member.team');
    const finds = commands.events
      .filter(({ commandName }) => commandName === 'find')
      .map(({ command }) => [command.find, command.projection]);
    expect(finds).toEqual([
      ['tasks', undefined],
      ['members', { salary: 0, 'home.code': 0, code: 0 }],
      ['teams', { budget: 0 }],
    ]);
  });

  it('has its own relations as ids, however its own resource includes them', async () => {
    expect((await get('tasks/1?include=member')).member).toEqual(ann);
  });
});

describe('the scope of an embedded record', () => {
  it('leaves the id, with `as` null, of a record that is outside', async () => {
    scope = () => ({ owner: 'ben' });
    expect(await get('tasks/1?include=member,asMember')).toMatchObject({ member: 'ann', memberId: 'ann', asMember: null });
    expect(await get('tasks/2?include=member,asMember')).toMatchObject({ member: { id: 'ben' }, asMember: { id: 'ben' } });
  });

  it('answers as if the record did not exist', async () => {
    scope = () => ({ owner: 'nobody' });
    const outside = await request('tasks/1?include=member,asMember');
    await database.db
      .collection<Stored>('tasks')
      .insertOne({ ...(await database.db.collection<Stored>('tasks').findOne({ _id: '1' })), _id: '3', member: 'xxx', memberId: 'xxx' });
    const missing = await request('tasks/3?include=member,asMember');
    await database.db.collection<Stored>('tasks').deleteOne({ _id: '3' });
    expect(missing.text.replaceAll('xxx', 'ann').replace('"id":"3"', '"id":"1"').replace('"vip":"xxx"', '"vip":"ann"')).toBe(outside.text);
  });

  it('is that of the resource which the relation names, else of the one at the path of the collection, else of the only one', async () => {
    scope = () => ({ owner: 'nobody' });
    const task = await get('tasks/1?include=member,vip,others,team', 'ann');
    expect([task.member, task.vip.id, task.team]).toEqual(['ann', 'ann', red]);
    expect(task.others).toEqual([{ ...ann, teamId: 'red' }, 'ben', 'cat']);
  });

  it('shows nothing where it refuses, as `requirePrincipal()` does for an anonymous caller', async () => {
    expect((await get('tasks/1?include=vip')).vip).toBe('ann');
    expect((await get('tasks/1?include=vip', 'ben')).vip).toBe('ann');
    expect((await get('tasks/1?include=vip', 'ann')).vip).toEqual(ann);
    scope = () => {
      throw new Problem({ code: 'not_found' });
    };
    expect((await request('tasks/1?include=member')).body.data.member).toBe('ann');
    expect(api.errors).toEqual([]);
  });

  it.each<[string, () => unknown]>([
    [
      'throws',
      () => {
        throw new Error('a bug');
      },
    ],
    [
      'throws a problem of the service',
      () => {
        throw new Problem({ code: 'database_unavailable', cause: new Error('a bug') });
      },
    ],
    ['returns nothing', () => undefined],
    ['returns an empty filter', () => ({})],
    ['returns a value that is undefined', () => ({ owner: undefined })],
    ['names a field that there is not', () => ({ ownr: 'ann' })],
  ])('is a closed door, and an error, when it %s', async (_how, does) => {
    scope = does;
    for (const path of ['tasks/1?include=member', 'tasks?include=asMember']) {
      const { status, text } = await request(path);
      expect([status, text.includes('Ann')]).toEqual([status === 503 ? 503 : 500, false]);
    }
    expect(api.errors).toHaveLength(2);
    expect((await request('tasks/1')).status).toBe(200);
  });
});

describe('the Get guards of an embedded record', () => {
  it.each<[string, (ctx: Ctx) => unknown]>([
    ['returns false', () => false],
    ['returns what is not true', () => 1],
    [
      'throws Unauthorized',
      () => {
        throw new Unauthorized();
      },
    ],
    ['uses ctx.throw', (ctx) => ctx.throw(403, 'no')],
  ])('leave the id, with `as` null, when one %s', async (_how, does) => {
    guard = does as typeof guard;
    const { status, body, headers } = await request('tasks/1?include=member.team,asMember.team,team');
    expect([status, body.data]).toEqual([200, expect.objectContaining({ member: 'ann', memberId: 'ann', asMember: null, team: 'red' })]);
    expect(headers).not.toHaveProperty('www-authenticate');
    expect(api.errors).toEqual([]);
    expect(commands.names).toEqual(['find']); // nobody asks the database for what nobody may see
  });

  it('are 500 when one has a bug', async () => {
    guard = () => {
      throw new Error('a bug');
    };
    expect((await request('tasks/1?include=member')).status).toBe(500);
    expect(api.errors.map(({ message }) => message)).toEqual(['a bug']);
  });

  it('run once per request, whatever they say, for however many relations and records', async () => {
    await request('tasks?include=member.team,asMember.team,team');
    expect(calls).toEqual(['guard']);
    calls.length = 0;
    guard = () => false;
    await request('tasks?include=member.team,asMember.team,team');
    expect(calls).toEqual(['guard']);
    calls.length = 0;
    guard = () => true;
    await request('guarded-tasks?include=member,team'); // it opened for the operation itself
    expect(calls).toEqual(['guard']);
  });

  it('are asked anew by the next request', async () => {
    guard = () => false;
    expect((await get('tasks/1?include=member')).member).toBe('ann');
    guard = () => true;
    expect((await get('tasks/1?include=member')).member).toEqual(ann);
  });

  it('are those of Get only; a resource without Get has those of List', async () => {
    const task = await get('tasks/1?include=member,listed');
    expect([task.member, task.listed]).toEqual([ann, 'red']);
    expect(calls).toEqual(['guard', 'never']);
  });

  it('do not matter where the resource serves neither Get nor List: it shows no record, and no query is made', async () => {
    const { status, body } = await request('tasks/1?include=unserved,asUnserved');
    expect([status, body.data]).toEqual([200, expect.objectContaining({ unserved: 'red', unservedId: 'red', asUnserved: null })]);
    expect(commands.names).toEqual(['find']);
  });

  it('do not run without include, nor for relations that are not asked for', async () => {
    await request('tasks/1');
    await request('tasks?include=others');
    expect(calls).toEqual([]);
  });
});
