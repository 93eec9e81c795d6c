import { defineModel, everything, t } from '../../src/index.ts';
import type { Any } from '../support/any.ts';
import { useDatabase } from '../support/database/database.ts';
import { useApi } from '../support/http/api.ts';

const Doc = defineModel('Doc', { collection: 'docs', fields: { id: t.string({ policy: { insert: true } }), revision: t.revision() } });
const Line = defineModel('Line', { collection: 'lines', fields: { doc: t.ref('Doc', { id: t.string(), onDelete: 'cascade' }) } });
const Secret = defineModel('Secret', {
  collection: 'secrets',
  fields: { id: t.string(), hidden: t.string({ policy: { private: true } }) },
});

/** What an attempt has found of an earlier one. */
let found: unknown[] = [];
let losses = 0;
/** What is lost: it may pass, or it does not. */
let error: Error;

/** What runs in an attempt: a handler or a hook. */
async function attempt(ctx: Any): Promise<unknown> {
  const { state, lost, status } = ctx;
  found.push({ state: { ...state, list: [...state.list] }, lost, status, header: ctx.res.getHeader('x-lost') });
  if (losses-- <= 0) return { found: 'nothing' };
  await ctx.store(Secret, { scope: everything }).get('s'); // as a handler does that answers a part of it
  Object.assign(state, { by: 'lost', told: 'changed' });
  state.list.push('lost');
  ctx.lost = true;
  ctx.status = 202;
  ctx.set('X-Lost', 'yes');
  ctx.body = 'lost';
  throw error;
}
const hook: Any = attempt;

const database = useDatabase();
const api = useApi<string>(
  database,
  (shop) => [
    shop.resource({
      model: Doc,
      guards: [(ctx) => Object.assign(ctx.state, { told: 'before', list: [] }) !== undefined],
      ops: ['create', 'patch', 'delete'],
      within: { create: [hook], patch: [hook], act: [() => undefined], hooked: [hook] },
      operations: {
        act: { handler: attempt },
        alone: { handler: attempt },
        hooked: { handler: () => undefined },
        self: { handler: (ctx: Any) => ctx.transaction(() => attempt(ctx)) },
        cached: {
          async handler(ctx: Any) {
            ctx.state.secret ??= await ctx.store(Secret, { scope: everything }).get('s');
            if (losses-- > 0) throw error;
            return { hidden: ctx.state.secret.hidden };
          },
        },
        own: {
          handler(ctx: Any) {
            ctx.respond = false;
            ctx.res.write('partial');
          },
        },
      },
    }),
    shop.resource({ model: Line, ops: ['delete'], within: { delete: [hook] } }),
    shop.resource({ model: Secret, ops: ['get'] }),
  ],
  { idempotency: { principal: () => 'ann', ttl: 60 }, batch: true },
);

beforeEach(async () => {
  api.errors.length = 0;
  found = [];
  for (const name of ['docs', 'lines', 'secrets', 'idempotency_keys']) await database.db.collection(name).deleteMany({});
  await database.db.collection<{ _id: string; revision: number }>('docs').insertOne({ _id: 'a', revision: 1 });
  await database.db.collection<{ doc: string }>('lines').insertOne({ doc: 'a' });
  await database.db.collection<{ _id: string; hidden: string }>('secrets').insertOne({ _id: 's', hidden: 'x' });
});

const lost = () => Object.assign(new Error('lost'), { hasErrorLabel: (label: string) => label === 'TransientTransactionError' });
let keys = 0;
const keyed = (method: string, path: string, body?: object) =>
  api.request(method, path, { ...(body && { body }), headers: { 'idempotency-key': `k${keys++}` } });
const batched = (method: string, path: string) => api.request('POST', '/api/batch', { body: { operations: [{ method, path }] } });

const ways: readonly [string, () => Promise<Any>][] = [
  ['a hook of a create', () => api.request('POST', '/api/docs', { body: { id: 'n' } })],
  ['a hook of a create with a key', () => keyed('POST', '/api/docs', { id: 'n' })],
  ['a hook of a delete by a cascade', () => api.request('DELETE', '/api/docs/a')],
  ['a handler with a hook', () => api.request('POST', '/api/docs/a/act')],
  ['a handler with a hook, with a key', () => keyed('POST', '/api/docs/a/act')],
  ['a handler with a key', () => keyed('POST', '/api/docs/a/alone')],
  ['a handler in a batch', () => batched('POST', '/docs/a/alone')],
  ['a hook of a handler', () => api.request('POST', '/api/docs/a/hooked')],
];

describe('what a lost attempt of a transaction has set on ctx', () => {
  it.each(ways)('is taken back before the next one, and is not answered: by %s', async (_way, send) => {
    [losses, error] = [2, lost()];
    const answer = await send();
    expect(answer.status).toBeLessThan(300);
    expect(answer.headers['x-lost']).toBeUndefined();
    expect(found).toHaveLength(3);
    const first = { state: { told: 'before', list: [] }, lost: undefined, status: 404, header: undefined };
    const changed = (list: string[]) => ({ ...first, state: { told: 'changed', by: 'lost', list } }); // in place: it stays so
    expect(found).toEqual([first, changed(['lost']), changed(['lost', 'lost'])]);
    expect(JSON.stringify(answer.body ?? '')).not.toContain('lost');
  });

  it.each(ways)('is taken back before its error is answered: by %s', async (_way, send) => {
    [losses, error] = [1, new Error('no')];
    const answer = await send();
    expect([answer.status, answer.headers['x-lost'], api.errors.length]).toEqual([500, undefined, 1]);
    expect(found).toHaveLength(1);
  });

  it('lets no private field out that a lost attempt has read', async () => {
    for (const lostBefore of [0, 1]) {
      [losses, error] = [lostBefore, lost()];
      expect((await keyed('POST', '/api/docs/a/cached')).status).toBe(500);
      expect(losses).toBe(-1);
    }
  });

  it('completes no answer that a handler has begun by itself', async () => {
    await expect(keyed('POST', '/api/docs/a/own')).rejects.toThrow();
    expect(api.errors).toHaveLength(1);
  });

  it('stays after `ctx.transaction`: what runs beside its function may have set it', async () => {
    [losses, error] = [1, lost()];
    const answer = await api.request('POST', '/api/docs/a/self');
    expect(found[1]).toMatchObject({ state: { by: 'lost' }, lost: true, header: 'yes' });
    expect(answer.headers['x-lost']).toBe('yes');
  });
});

describe('a lost attempt of a transaction', () => {
  const Tenant = defineModel('Tenant', { collection: 'tenants', fields: { id: t.string(), of: t.string({ policy: { private: true } }) } });
  const Task = defineModel('Task', {
    collection: 'tasks',
    fields: {
      id: t.string({ policy: { insert: true } }),
      tenant: t.ref('Tenant', { id: t.string(), exists: true, policy: { insert: true } }),
    },
  });
  let guarded = 0;
  let tries = 0;
  const tasks = useApi<string>(database, (shop) => [
    shop.resource({
      model: Tenant,
      ops: ['get'],
      guards: [
        (ctx) => {
          guarded++;
          ctx.state.of = 'ann';
          return true;
        },
      ],
      scope: (ctx) => ({ of: ctx.state.of }),
    }),
    shop.resource({
      model: Task,
      ops: ['create'],
      within: {
        create: [
          (ctx) => {
            ctx.cookies.set('attempt', String(tries++));
            if (tries === 1) throw lost();
          },
        ],
      },
    }),
  ]);

  it('leaves what guards have set for scopes, which ask again, and has no cookie in the answer', async () => {
    [guarded, tries] = [0, 0];
    await database.db.collection<Any>('tenants').deleteMany({});
    await database.db.collection<Any>('tasks').deleteMany({});
    await database.db.collection<Any>('tenants').insertMany([
      { _id: 'a', of: 'ann' },
      { _id: 'b', of: 'bob' },
    ]);
    const { status, headers } = await tasks.request('POST', '/api/tasks', { body: { id: '1', tenant: 'a' } });
    expect([status, tries, guarded]).toEqual([201, 2, 1]);
    expect(headers['set-cookie']).toEqual(['attempt=1; path=/; httponly']);
    expect((await tasks.request('POST', '/api/tasks', { body: { id: '2', tenant: 'b' } })).status).toBe(422);
  });
});
