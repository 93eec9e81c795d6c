import { cursorPaging, defineModel, everything, type Guard, type RequestContext, t } from '../../src/index.ts';
import { useCommands } from '../support/database/commands.ts';
import { useDatabase } from '../support/database/database.ts';
import { useApi } from '../support/http/api.ts';

const Doc = defineModel('Doc', {
  collection: 'docs',
  fields: {
    id: t.string({ policy: { insert: true } }),
    text: t.string({ default: '' }),
    secret: t.optional(t.string({ policy: { private: true } })),
    part: t.nullable(t.object('Part', { a: t.int(), b: t.nullable(t.int()) })),
    owner: t.string({ default: 'ann', policy: { private: true } }),
    revision: t.revision(),
  },
});

const fields = {
  docId: t.nullable(t.ref('Doc', { id: t.string(), as: 'doc' })),
  docIds: t.array(t.ref('Doc', { id: t.string(), as: 'docs' })),
};
const Limited = defineModel('Limited', {
  collection: 'limited',
  maxTimeMS: 3_000,
  fields: { id: t.string({ policy: { insert: true } }), ...fields },
});

const database = useDatabase({ monitorCommands: true, readPreference: 'secondaryPreferred' });
const commands = useCommands(database);
const ops = ['list', 'get', 'create', 'patch', 'put', 'delete'] as const;
const hook = [() => undefined];
const api = useApi(database, (shop) => [
  shop.resource({ model: Doc, ops, scope: () => ({ owner: 'ann' }), guards: [() => true], paging: cursorPaging({ total: true }) }),
  shop.resource({ model: Doc, path: 'hooked', ops, after: { list: hook, get: hook, create: hook, patch: hook, put: hook, delete: hook } }),
]);
const countDocs: Guard<RequestContext<never>> = async (ctx) => (await ctx.store(Doc, { scope: everything }).count({})) > 0;
const limited = useApi(
  database,
  (shop) => [
    shop.resource({ model: Doc, ops }),
    shop.resource({ model: Limited, guardsFor: { get: [countDocs], list: [] }, links: ['docs'] }),
  ],
  { idempotency: { principal: () => 'ann' } },
);
const docs = () => database.db.collection<{ _id: string; [key: string]: unknown }>('docs');

beforeEach(async () => {
  await docs().deleteMany({});
  await docs().insertMany([
    { _id: 'a', owner: 'ann', revision: 1, part: { a: 1 } },
    { _id: 'b', owner: 'ann', revision: 1 },
    { _id: 'c', owner: 'ben', revision: 1 },
  ]);
  await docs().createIndex({ text: 1 }, { unique: true, sparse: true });
  commands.clear();
});

type Case = readonly [
  name: string,
  method: string,
  path: string,
  body: object | undefined,
  ifMatch: string | undefined,
  status: number,
  commands: readonly string[],
];

const good: Case[] = [
  ['list', 'GET', '', undefined, undefined, 200, ['find']],
  ['a page of a list', 'GET', '?limit=1', undefined, undefined, 200, ['find']],
  ['get', 'GET', '/a', undefined, undefined, 200, ['find']],
  ['create', 'POST', '', { id: 'n' }, undefined, 201, ['insert']],
  ['patch', 'PATCH', '/a', { text: 'x' }, undefined, 200, ['findAndModify']],
  ['patch with If-Match', 'PATCH', '/a', { text: 'x' }, '"1"', 200, ['findAndModify']],
  ['a merge into an embedded object', 'PATCH', '/a', { part: { b: 2 } }, undefined, 200, ['findAndModify']],
  ['a merge that creates an embedded object', 'PATCH', '/b', { part: { a: 2 } }, undefined, 200, ['findAndModify']],
  ['patch of nothing', 'PATCH', '/a', {}, '"1"', 200, ['find']],
  ['put', 'PUT', '/a', { text: 'x' }, '"1"', 200, ['findAndModify']],
  ['delete', 'DELETE', '/a', undefined, undefined, 204, ['findAndModify']],
  ['delete with If-Match', 'DELETE', '/a', undefined, '"1"', 204, ['findAndModify']],
];

const misses: Case[] = [
  ['get of a missing record', 'GET', '/x', undefined, undefined, 404, ['find']],
  ['patch of a missing record', 'PATCH', '/x', { text: 'x' }, undefined, 404, ['findAndModify', 'find']],
  ['a stale patch', 'PATCH', '/a', { text: 'x' }, '"0"', 412, ['findAndModify', 'find']],
  ['an incomplete merge', 'PATCH', '/b', { part: { b: 2 } }, undefined, 422, ['findAndModify', 'find']],
  ['put of a missing record', 'PUT', '/x', { text: 'x' }, undefined, 404, ['findAndModify', 'find']],
  ['delete of a missing record', 'DELETE', '/x', undefined, undefined, 404, ['findAndModify', 'find']],
  ['a stale delete', 'DELETE', '/a', undefined, '"0"', 412, ['findAndModify', 'find']],
];

const refusals: Case[] = [
  ['a bad filter', 'GET', '?x=1', undefined, undefined, 400, []],
  ['a malformed id', 'GET', '/%00', undefined, undefined, 404, []],
  ['an invalid create', 'POST', '', { x: 1 }, undefined, 422, []],
  ['an invalid patch', 'PATCH', '/a', { x: 1 }, undefined, 422, []],
  ['a malformed If-Match', 'DELETE', '/a', undefined, 'x', 400, []],
];

async function run([, method, path, body, ifMatch, status]: Case, resource: string): Promise<readonly string[]> {
  const answer = await api.request(method, `/api/${resource}${path}`, {
    ...(body && { body }),
    ...(ifMatch && { headers: { 'if-match': ifMatch } }),
  });
  expect(answer.status).toBe(status);
  return commands.names;
}

describe('the commands that an operation sends', () => {
  it.each(good)('are one on the good path: %s', async (...given) => {
    expect(await run(given, 'docs')).toEqual(given[6]);
  });

  it.each(good)('are one with hooks as well: %s', async (...given) => {
    expect(await run(given, 'hooked')).toEqual(given[6]);
  });

  it.each(misses)('are two where a miss has to be explained, and a miss only: %s', async (...given) => {
    expect(await run(given, 'docs')).toEqual(given[6]);
  });

  it.each(refusals)('are none when the request is refused before: %s', async (...given) => {
    expect(await run(given, 'docs')).toEqual([]);
  });

  it('are two for a list only when a total is asked for', async () => {
    await api.request('GET', '/api/docs?total=true');
    expect([...commands.names].sort()).toEqual(['aggregate', 'find']);
  });

  it('are one for every page of a walk', async () => {
    const first = await api.request('GET', '/api/docs?limit=1');
    await api.request('GET', `/api/docs?limit=1&after=${first.body.page.next_cursor}`);
    expect(commands.names).toEqual(['find', 'find']);
  });
});

describe('what stands in the commands', () => {
  it('is the time limit of 10 s, unless the api says otherwise', async () => {
    await api.request('GET', '/api/docs?total=true');
    await api.request('GET', '/api/docs/a');
    await api.request('PATCH', '/api/docs/a', { body: { text: 'y' } });
    await api.request('DELETE', '/api/docs/a');
    const limits = commands.events.map(({ command }) => Number(command.maxTimeMS));
    expect(limits).toHaveLength(5);
    for (const limit of limits) expect(Math.ceil(limit / 5_000)).toBe(2); // up to 10 s: what the request has taken by then is gone
  });

  it.each<[what: string, method: string, path: string, sent: object, commands: number]>([
    ['a guard', 'GET', '/a', {}, 2],
    ['the other record of a link', 'PUT', '/a/docs/b', {}, 2],
    ['an Idempotency-Key', 'POST', '', { body: { docIds: [], id: 'k' }, headers: { 'idempotency-key': 'k' } }, 4],
  ])(
    'is the time limit of the model of the operation, whatever the first command is about: %s',
    async (_what, method, path, sent, count) => {
      await database.db.collection<{ _id: string }>('limited').insertOne({ _id: 'a' });
      commands.clear();
      expect((await limited.request(method, `/api/limited${path}`, sent)).status).toBeLessThan(300);
      const limits = commands.events
        .filter(({ commandName }) => commandName !== 'commitTransaction')
        .map(({ command }) => Number(command.maxTimeMS));
      expect(limits).toHaveLength(count);
      for (const limit of limits) expect(Math.ceil(limit / 3_000)).toBe(1);
      await database.db.collection<{ _id: string }>('limited').deleteMany({});
    },
  );

  it('is the scope, the id and the precondition in one filter', async () => {
    for (const [method, body] of [
      ['PATCH', { text: 'z' }],
      ['DELETE', undefined],
    ] as const) {
      await api.request(method, '/api/docs/a', { headers: { 'if-match': method === 'PATCH' ? '"1"' : '"2"' }, ...(body && { body }) });
    }
    const filters = commands.events.map(({ command }) =>
      JSON.parse(JSON.stringify(command.query, (_key, value) => (typeof value === 'bigint' ? Number(value) : value))),
    );
    expect(filters).toEqual([
      { _id: 'a', owner: { $eq: 'ann' }, revision: { $in: [1] } },
      { _id: 'a', owner: { $eq: 'ann' }, revision: { $in: [2] } },
    ]);
  });

  it('is a projection that leaves private fields in the database, where no hook may want them', async () => {
    await api.request('GET', '/api/docs/a');
    await api.request('GET', '/api/docs');
    await api.request('GET', '/api/hooked/a');
    expect(commands.events.map(({ command }) => command.projection)).toEqual([{ secret: 0, owner: 0 }, { secret: 0, owner: 0 }, undefined]);
  });

  it('asks the primary why a write has missed: a secondary may lag behind', async () => {
    await api.request('DELETE', '/api/docs/x');
    await api.request('GET', '/api/docs/a');
    const modes = commands.events.filter(({ commandName }) => commandName === 'find').map(({ command }) => command.$readPreference?.mode);
    // A direct connection says primaryPreferred for primary.
    expect(modes[0]).not.toBe('secondaryPreferred');
    expect(modes[1]).toBe('secondaryPreferred');
  });
});
