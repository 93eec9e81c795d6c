import type { ObjectId } from 'mongodb';
import { defineModel, everything, t } from '../../src/index.ts';
import { useCommands } from '../support/database/commands.ts';
import { useDatabase } from '../support/database/database.ts';
import { useApi } from '../support/http/api.ts';

const Place = t.object('Place', { room: t.string(), seat: t.optional(t.string()) });
const Task = defineModel('Task', {
  collection: 'tasks',
  fields: {
    title: t.string({ unique: true, maxLength: 20, policy: { filter: ['eq', 'prefix', 'in', 'nin'] } }),
    status: t.enum(['open', 'done'], { default: 'open', policy: { filter: true, sort: true } }),
    rank: t.int64({ default: 0n, policy: { filter: ['gte', 'lt'] } }),
    owner: t.string({ policy: { filter: true } }),
    place: t.nullable(Place),
    fixed: t.string({ default: 'f', policy: { update: false } }),
    plain: t.string({ default: 'p' }),
    secret: t.nullable(t.string({ policy: { private: true } })),
    revision: t.revision(),
    updatedAt: t.updatedAt(),
  },
});
const seen: (readonly [string, readonly ObjectId[]])[] = [];
const database = useDatabase({ monitorCommands: true });
const commands = useCommands(database);
const api = useApi<{ name: string }>(
  database,
  (shop) => [
    shop.resource({
      model: Task,
      ops: ['list', 'get', 'patch', 'patchMany', 'deleteMany'],
      guardsFor: { patch: [() => false], patchMany: [(ctx) => ctx.get('x-closed') === ''] },
      scope: (ctx) => (ctx.principal?.name === 'root' ? everything : { owner: ctx.requirePrincipal().name }),
      preconditionRequired: true,
      maxAffected: 4,
      after: {
        patchMany: [(_ctx, ids) => void seen.push(['patchMany', ids])],
        deleteMany: [
          (ctx, ids) => {
            seen.push(['deleteMany', ids]);
            if (ctx.get('x-fail')) throw new Error('the hook fails');
          },
        ],
      },
    }),
    shop.resource({ model: Task, path: 'strict', ops: ['patchMany'], explicitWrites: true, mergePatch: false }),
  ],
  { authenticate: (ctx) => (ctx.get('x-user') ? { name: ctx.get('x-user') } : undefined) },
);
const tasks = () => database.db.collection('tasks');
const ann = { 'x-user': 'ann' };
const patch = (query: string, body: unknown, headers: object = ann) =>
  api.request('PATCH', `/api/tasks${query}`, { body, headers: { ...headers } });
const remove = (query: string, headers: object = ann) => api.request('DELETE', `/api/tasks${query}`, { headers: { ...headers } });
const revisions = async () => Object.fromEntries((await tasks().find().toArray()).map(({ title, revision }) => [title, revision]));
const unchanged = { a: 1, b: 1, c: 1, d: 1 };

beforeEach(async () => {
  await database.db.dropDatabase();
  await tasks().createIndex({ title: 1 }, { unique: true });
  const one = (title: string, owner: string, status = 'open') => ({
    title,
    owner,
    status,
    rank: 5,
    plain: 'p',
    revision: 1,
    updatedAt: new Date(0),
  });
  await tasks().insertMany([one('a', 'ann'), one('b', 'ann'), one('c', 'ann', 'done'), one('d', 'ben')]);
  seen.length = 0;
  api.errors.length = 0;
  commands.clear();
});

describe('PATCH /?filter', () => {
  it('changes every record that matches within the scope, with one step of its revision each', async () => {
    const answer = await patch('?status=open', { status: 'done', plain: 'new' });
    expect([answer.status, answer.text]).toEqual([200, '{"data":{"matched":2,"modified":2}}']);
    expect(answer.headers['content-type']).toContain('application/json');
    expect(answer.headers).not.toHaveProperty('etag');
    expect(await revisions()).toEqual({ a: 2, b: 2, c: 1, d: 1 });
    expect(await tasks().countDocuments({ plain: 'new', status: 'done', updatedAt: { $gt: new Date(0) } })).toBe(2);
  });

  it('costs one find, one update and the commit', async () => {
    await patch('?status=open', { plain: 'new' });
    expect(commands.names).toEqual(['find', 'update', 'commitTransaction']);
  });

  it('answers 200 if nothing matches, and does not tell records of others from none', async () => {
    expect((await patch('?owner=ben', { plain: 'x' })).body).toEqual({ data: { matched: 0, modified: 0 } });
    expect((await patch('?title=d', { plain: 'x' })).body).toEqual({ data: { matched: 0, modified: 0 } });
    expect(await revisions()).toEqual(unchanged);
  });

  it('counts what matches, and writes nothing, for an empty patch', async () => {
    expect((await patch('?status=open', {})).body).toEqual({ data: { matched: 2, modified: 0 } });
    expect(await revisions()).toEqual(unchanged);
  });

  it('gives the ids to hooks of its own, when all is durable; guards and hooks of patch do not cover it', async () => {
    await patch('?status=open', { plain: 'x' });
    const ids = (await tasks().find({ plain: 'x' }).toArray()).map(({ _id }) => _id);
    expect(seen).toEqual([['patchMany', ids]]);
    expect((await patch('?status=open', { plain: 'x' }, { ...ann, 'x-closed': '1' })).status).toBe(403);
    expect((await patch('?status=open', { plain: 'x' }, {})).status).toBe(401);
  });

  it.each([
    ['no query', '', 'required'],
    ['max_affected alone', '?max_affected=3', 'required'],
    ['a filter that every record matches', '?title[nin]=', 'required'],
    ['another one', '?title[prefix]=', 'required'],
    ['an unknown field', '?nothing=1', 'unknown_parameter'],
    ['a private field', '?secret=s', 'unknown_parameter'],
    ['a field without filters', '?plain=p', 'not_filterable'],
    ['an operator that the policy does not allow', '?rank=5', 'unknown_operator'],
    ['an operator of the database', '?title[$ne]=a', 'unknown_operator'],
    ['a key of the database', '?$where=1', 'unknown_parameter'],
    ['__proto__', '?__proto__=1', 'unknown_parameter'],
    ['constructor', '?constructor[prototype]=1', 'unknown_parameter'],
    ['a value that cannot be cast', '?rank[gte]=x', 'type'],
    ['an empty value for an enum', '?status=', 'enum'],
    ['a sort', '?status=open&sort=status', 'not_available'],
    ['a limit', '?status=open&limit=1', 'not_available'],
    ['a cursor', '?status=open&after=x', 'not_available'],
    ['fields', '?status=open&fields=title', 'not_available'],
    ['include', '?status=open&include=x', 'not_available'],
    ['a filter given twice', '?status=open&status=done', 'repeated_parameter'],
    ['max_affected=0', '?status=open&max_affected=0', 'positive_integer'],
    ['max_affected=-1', '?status=open&max_affected=-1', 'positive_integer'],
    ['max_affected=abc', '?status=open&max_affected=abc', 'positive_integer'],
    ['max_affected=1.5', '?status=open&max_affected=1.5', 'positive_integer'],
    ['an empty max_affected', '?status=open&max_affected=', 'positive_integer'],
    ['max_affected=1e9', '?status=open&max_affected=1e9', 'positive_integer'],
    ['max_affected above that of the resource', '?status=open&max_affected=5', 'maximum'],
    ['max_affected twice', '?status=open&max_affected=1&max_affected=2', 'repeated_parameter'],
    ['max_affected with an operator', '?status=open&max_affected[gte]=1', 'unknown_parameter'],
    ['max_affected[]', '?status=open&max_affected[]=1', 'unknown_parameter'],
  ])('answers 400 for %s, and sends nothing', async (_name, query, rule) => {
    for (const answer of [await patch(query, { plain: 'x' }), await remove(query)]) {
      expect([answer.status, answer.body.code, answer.body.errors[0].rule]).toEqual([400, 'invalid_query', rule]);
    }
    expect(commands.names).toEqual([]);
  });

  it('answers 422 for an integer beyond 64 bits, as a list does', async () => {
    expect((await patch('?rank[gte]=99999999999999999999', {})).body.errors[0].rule).toBe('out_of_range');
  });

  it('answers 400 with a sentence for If-Match and If-None-Match, and needs none where a patch does', async () => {
    for (const name of ['If-Match', 'If-None-Match']) {
      const answer = await patch('?status=open', { plain: 'x' }, { ...ann, [name]: '"1"' });
      expect([answer.status, answer.body.code]).toEqual([400, 'precondition_not_supported']);
      expect(answer.body.detail).toContain(`${name} names a revision of one record`);
    }
    expect(await revisions()).toEqual(unchanged);
  });

  it('answers 422 if more records match than max_affected or the resource allows, and writes nothing', async () => {
    const tooMany = await patch('?status=open&max_affected=1', { plain: 'x' });
    expect([tooMany.status, tooMany.body.code]).toEqual([422, 'too_many_matches']);
    expect(tooMany.body.detail).toContain('one record');
    expect((await patch('?status=open&max_affected=2', { plain: 'x' })).status).toBe(200);
    await tasks().insertMany(['e', 'f', 'g'].map((title) => ({ title, owner: 'ann', status: 'open', revision: 1 })));
    expect((await patch('?status=open', { plain: 'y' })).body.code).toBe('too_many_matches');
    expect(await tasks().countDocuments({ plain: 'y' })).toBe(0);
  });

  it('answers 422 for a body that is not acceptable, and sends nothing', async () => {
    const answer = await patch('?status=open', { fixed: 'x', revision: 9, $set: { a: 1 }, 'place.room': 'x', title: 'x'.repeat(21) });
    expect(answer.body.errors.map(({ field, rule }: { field: string; rule: string }) => [field, rule])).toEqual(
      expect.arrayContaining([
        ['fixed', 'not_writable'],
        ['revision', 'not_writable'],
        ['$set', 'unknown_field'],
        ['place.room', 'unknown_field'],
        ['title', 'maxLength'],
      ]),
    );
    expect((await patch('?status=open', { secret: 'x' })).status).toBe(422);
    expect((await patch('?status=open', undefined)).status).toBe(422);
    expect((await patch('?status=open', 'x'.repeat(2_000_000))).status).toBe(413);
    expect(commands.names).toEqual([]);
  });

  it('answers 422 for a change that would leave the scope: no client gives its records away', async () => {
    const answer = await patch('?status=open', { owner: 'ben' });
    expect([answer.status, answer.body.errors[0]]).toMatchObject([422, { field: 'owner', rule: 'scope' }]);
    expect((await patch('?status=open', { owner: 'cid' }, { 'x-user': 'root' })).body.data.matched).toBe(3);
  });

  it('answers 422 and names each record that lacks the embedded object, and writes nothing', async () => {
    await tasks().updateOne({ title: 'a' }, { $set: { place: { room: '1' } } });
    const { _id } = (await tasks().findOne({ title: 'b' })) ?? {};
    const answer = await patch('?status=open', { place: { seat: '2' } });
    expect(answer.body.errors).toMatchObject([{ field: `${String(_id)}.place`, rule: 'incomplete', params: { missing: ['room'] } }]);
    expect(await revisions()).toEqual(unchanged);
    expect((await patch('?status=open', { place: { room: '3' } })).status).toBe(200);
    expect(await tasks().findOne({ title: 'b' })).toMatchObject({ place: { room: '3' } });
  });

  it('answers 409 if a value must be unique, and writes nothing', async () => {
    const answer = await patch('?status=open', { title: 'same' });
    expect([answer.status, answer.body.errors]).toMatchObject([409, [{ field: 'title', rule: 'unique' }]]);
    expect(await revisions()).toEqual(unchanged);
    expect((await patch('?title=a', { title: 'same' })).status).toBe(200);
  });

  it('keeps to explicitWrites and mergePatch of its resource', async () => {
    expect((await api.request('PATCH', '/api/strict?status=open', { body: { plain: 'x' } })).body.errors[0].rule).toBe('not_writable');
  });

  it('is one of the methods of the path, and reads JSON', async () => {
    const options = await api.request('GET', '/api/strict');
    expect([options.status, options.headers.allow]).toEqual([405, 'PATCH']);
    const { status, headers } = await api.request('PATCH', '/api/strict?status=open', {
      body: 'x',
      headers: { 'content-type': 'text/plain' },
    });
    expect([status, headers['accept-patch']]).toEqual([415, 'application/merge-patch+json, application/json']);
  });
});

describe('DELETE /?filter', () => {
  it('deletes every record that matches within the scope, and gives the ids to its hooks', async () => {
    const ids = (await tasks().find({ owner: 'ann', status: 'open' }).toArray()).map(({ _id }) => _id);
    commands.clear();
    const answer = await remove('?status=open');
    expect([answer.status, answer.body]).toEqual([200, { data: { matched: 2, modified: 2 } }]);
    expect(commands.names).toEqual(['find', 'delete', 'commitTransaction']);
    expect(await revisions()).toEqual({ c: 1, d: 1 });
    expect(seen).toEqual([['deleteMany', ids]]);
  });

  it('deletes nothing of others, and nothing if too many match', async () => {
    expect((await remove('?owner=ben')).body.data.matched).toBe(0);
    expect((await remove('?title[in]=a,b,c&max_affected=2')).body.code).toBe('too_many_matches');
    expect(await revisions()).toEqual(unchanged);
  });

  it('answers 400 for If-Match', async () => {
    expect((await remove('?status=open', { ...ann, 'If-Match': '*' })).body.code).toBe('precondition_not_supported');
  });

  it('stays if a hook fails: the answer is 500', async () => {
    expect((await remove('?status=open', { ...ann, 'x-fail': '1' })).status).toBe(500);
    expect(await revisions()).toEqual({ c: 1, d: 1 });
  });
});

describe('20 clients that patch the same records at once', () => {
  it('each succeed or are told that they did not, and the revisions add up', async () => {
    const answers = await Promise.all(Array.from({ length: 20 }, (_, index) => patch('?status=open', { plain: `n${index}` })));
    const succeeded = answers.filter(({ status }) => status === 200).length;
    for (const { status, body } of answers) if (status !== 200) expect([status, body.code]).toEqual([503, 'write_conflict']);
    expect(succeeded).toBeGreaterThan(0);
    expect(await revisions()).toEqual({ a: 1 + succeeded, b: 1 + succeeded, c: 1, d: 1 });
    expect(seen).toHaveLength(succeeded);
  });
});
