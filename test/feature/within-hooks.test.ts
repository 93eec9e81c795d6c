import { defineModel, everything, Problem, t, type WithinHook } from '../../src/index.ts';
import { useCommands } from '../support/database/commands.ts';
import { useDatabase } from '../support/database/database.ts';
import { useApi } from '../support/http/api.ts';

const Doc = defineModel('Doc', {
  collection: 'docs',
  fields: {
    id: t.string({ policy: { insert: true } }),
    text: t.string({ default: 'd' }),
    owner: t.string({ default: 'ann' }),
    secret: t.string({ default: 'hidden', policy: { private: true } }),
    revision: t.revision(),
  },
});

const Entry = defineModel('Entry', { collection: 'entries', fields: { what: t.string(), doc: t.string() } });
const Counter = defineModel('Counter', { collection: 'counters', fields: { id: t.string(), count: t.int(), revision: t.revision() } });

const calls: unknown[][] = [];
/** What the second hook does in the test at hand. */
let second: WithinHook | undefined;
const audit: WithinHook = async (ctx, { before, after, tx }) => {
  calls.push([before, after]);
  const { id } = (after ?? before) as { id: string };
  await tx.store(Entry, { scope: everything }).create({ what: ctx.method, doc: id });
};
const next: WithinHook = (ctx, written) => second?.(ctx, written);
const hooks = [audit, next] as never[];

const database = useDatabase({ monitorCommands: true, readPreference: 'secondaryPreferred' });
const commands = useCommands(database);
const api = useApi(
  database,
  (shop) => [
    shop.resource({
      model: Doc,
      ops: ['list', 'get', 'create', 'patch', 'put', 'delete'],
      scope: () => ({ owner: 'ann' }),
      within: { create: hooks, patch: hooks, put: hooks, delete: hooks },
      after: { create: [(_ctx, record) => calls.push(['after', record.id])] },
    }),
    shop.resource({ model: Doc, path: 'plain', ops: ['create', 'patch'], within: { patch: [] } }),
  ],
  { undescribed: ['quota_used_up'] },
);
const docs = () => database.db.collection<{ _id: string; [key: string]: unknown }>('docs');
const entries = () =>
  database.db
    .collection('entries')
    .find({}, { projection: { _id: 0 } })
    .toArray();

beforeEach(async () => {
  calls.length = 0;
  api.errors.length = 0;
  second = undefined;
  for (const name of ['docs', 'entries', 'counters']) await database.db.collection(name).deleteMany({});
  await docs().insertOne({ _id: 'a', text: 'x', owner: 'ann', secret: 's', revision: 1 });
  await docs().insertOne({ _id: 'b', text: 'x', owner: 'bob', secret: 's', revision: 1 });
  await database.db.collection<{ _id: string; count: number }>('counters').insertOne({ _id: 'c', count: 0 });
  commands.clear();
});

const before = { id: 'a', text: 'x', owner: 'ann', secret: 's', revision: 1 };
const requests = [
  ['POST', '', { id: 'new', text: 'y' }, 201, [null, { id: 'new', text: 'y', owner: 'ann', secret: 'hidden', revision: 0 }]],
  ['PATCH', '/a', { text: 'y' }, 200, [before, { ...before, text: 'y', revision: 2 }]],
  ['PUT', '/a', { text: 'y' }, 200, [before, { ...before, text: 'y', revision: 2 }]],
  ['DELETE', '/a', undefined, 204, [before, null]],
] as const;
const send = (method: string, path: string, body: object | undefined) => api.request(method, `/api/docs${path}`, body ? { body } : {});

describe('within hooks', () => {
  it.each(requests)(
    'of %s %s get the record before and after, and write in its transaction',
    async (...[method, path, body, status, given]) => {
      const answer = await send(method, path, body);
      expect(answer.status).toBe(status);
      expect(calls[0]).toEqual(given);
      expect(await entries()).toEqual([{ what: method, doc: path.slice(1) || 'new' }]);
      expect(answer.text).not.toContain('secret');
    },
  );

  it.each(requests)('of %s %s that throw an Error make it a bare 500, and nothing is written', async (...[method, path, body]) => {
    second = () => {
      throw Object.assign(new Error('the secret of the hook'), { status: 409, expose: true });
    };
    const stored = await docs().find().toArray();
    const answer = await send(method, path, body);
    expect(answer.status).toBe(500);
    expect(answer.body).toEqual({ type: 'about:blank', title: 'Internal Server Error', status: 500 });
    expect(answer.headers.etag).toBeUndefined();
    expect(answer.headers.location).toBeUndefined();
    expect(api.errors).toHaveLength(1);
    expect(await docs().find().toArray()).toEqual(stored);
    expect(await entries()).toEqual([]);
  });

  it.each(requests)('of %s %s that throw a Problem make it the answer, and nothing is written', async (...[method, path, body]) => {
    second = async () => Promise.reject(new Problem({ status: 409, code: 'quota_used_up', detail: 'No more today.' }));
    const stored = await docs().find().toArray();
    const answer = await send(method, path, body);
    expect(answer.body).toMatchObject({ status: 409, code: 'quota_used_up', detail: 'No more today.' });
    expect(await docs().find().toArray()).toEqual(stored);
    expect(await entries()).toEqual([]);
    expect(calls).toHaveLength(1); // and the hooks after it do not run
  });

  it('are not called for a write that is refused: 404 outside of the scope, 412, 409, 422', async () => {
    const refusals = [
      ['PATCH', '/b', { text: 'y' }, {}, 404],
      ['DELETE', '/b', undefined, {}, 404],
      ['PATCH', '/a', { text: 'y' }, { 'if-match': '"7"' }, 412],
      ['DELETE', '/a', undefined, { 'if-match': '"7"' }, 412],
      ['POST', '', { id: 'a' }, {}, 409],
      ['PATCH', '/a', { owner: 'bob' }, {}, 422],
    ] as const;
    for (const [method, path, body, headers, status] of refusals) {
      const answer = await api.request(method, `/api/docs${path}`, { headers, ...(body && { body }) });
      expect([method, path, answer.status]).toEqual([method, path, status]);
    }
    expect(calls).toEqual([]);
    expect(await docs().countDocuments()).toBe(2);
  });

  it.each(['PATCH', 'PUT'])(
    'change nothing about the order of checks: a %s out of the scope is 422 before it is 404 or 412',
    async (method) => {
      const sent = { body: { owner: 'ben' }, headers: { 'if-match': '"9"' } };
      for (const id of ['a', 'none']) expect((await api.request(method, `/api/docs/${id}`, sent)).status).toBe(422);
    },
  );

  it('run again with the write if their transaction is tried again, and what the lost attempt left is gone', async () => {
    let attempts = 0;
    second = async (ctx, { after, tx }) => {
      attempts++;
      ctx.set('X-Attempt', String(attempts));
      if (attempts === 1) {
        ctx.set('X-Lost', 'yes');
        (ctx as { lost?: boolean }).lost = true;
        ctx.body = 'lost';
        await database.db.collection<{ _id: string }>('counters').updateOne({ _id: 'c' }, { $inc: { count: 10 } }); // in the way
      } else expect((ctx as { lost?: boolean }).lost).toBeUndefined();
      const counter = await tx.store(Counter, { scope: everything }).get('c');
      await tx.store(Counter, { scope: everything }).update('c', { count: counter.count + 1 });
      expect((after as { id: string }).id).toBe('new');
    };
    const answer = await send('POST', '', { id: 'new', text: 'y' });
    expect(answer.status).toBe(201);
    expect(attempts).toBe(2);
    expect(answer.headers['x-attempt']).toBe('2');
    expect(answer.headers['x-lost']).toBeUndefined();
    expect(answer.body.data).toMatchObject({ id: 'new', text: 'y' });
    expect(await database.db.collection('counters').findOne()).toMatchObject({ count: 11 });
    expect(await entries()).toEqual([{ what: 'POST', doc: 'new' }]);
    expect(calls.at(-1)).toEqual(['after', 'new']);
    expect(calls).toHaveLength(3);
  });

  it('count twenty writers of one counter exactly, or say honestly that nothing was written', async () => {
    second = async (_ctx, { tx }) => {
      const counter = await tx.store(Counter, { scope: everything }).get('c');
      await tx.store(Counter, { scope: everything }).update('c', { count: counter.count + 1 });
    };
    const answers = await Promise.all(Array.from({ length: 20 }, (_, index) => send('POST', '', { id: `n${index}` })));
    const created = answers.filter(({ status }) => status === 201).length;
    expect(answers.filter(({ status }) => ![201, 409, 503].includes(status))).toEqual([]);
    expect(created).toBeGreaterThan(0);
    expect(await docs().countDocuments()).toBe(2 + created);
    expect(await database.db.collection('counters').findOne()).toMatchObject({ count: created });
    expect(await entries()).toHaveLength(created);
  });

  it('cost a read of the record of before, and the commit', async () => {
    second = undefined;
    await send('PATCH', '/a', { text: 'y' });
    expect(commands.names).toEqual(['find', 'findAndModify', 'insert', 'commitTransaction']);
    commands.clear();
    await send('DELETE', '/a', undefined);
    expect(commands.names).toEqual(['findAndModify', 'insert', 'commitTransaction']);
  });

  it('cost nothing where there are none', async () => {
    await api.request('PATCH', '/api/plain/a', { body: { text: 'y' } });
    await api.request('POST', '/api/plain', { body: { id: 'p' } });
    expect(commands.names).toEqual(['findAndModify', 'insert']);
    expect(commands.events.map(({ command }) => command.txnNumber === undefined || command.startTransaction === undefined)).toEqual([
      true,
      true,
    ]);
  });
});
