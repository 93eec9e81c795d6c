import { beforeEach, describe, expect, it } from '@jest/globals';
import { defineModel, everything, t, type WithinHook } from '../../src/index.ts';
import { useDatabase } from '../support/database/database.ts';
import { useApi } from '../support/http/api.ts';

const Doc = defineModel('Doc', {
  collection: 'docs',
  fields: { id: t.string({ policy: { insert: true } }), text: t.string({ default: 'd' }), owner: t.string({ default: 'ann' }) },
});

/** What the hooks in the transaction do to the record that was written. */
let then: 'keep' | 'remove' | 'move' = 'keep';
let runs = 0;
/** The group whose guard is closed. */
let closed: 'write' | 'change' | undefined;
const hook: WithinHook = async (_ctx, { after, tx }) => {
  runs++;
  const { id } = after as { id: string };
  const docs = tx.store(Doc, { scope: everything });
  if (then === 'remove') await docs.remove(id);
  if (then === 'move') await docs.update(id, { owner: 'bob' });
};
const hooks = [hook] as never[];
const database = useDatabase();
const api = useApi<string>(
  database,
  (shop) => {
    return [
      shop.resource({
        model: Doc,
        ops: ['get', 'create', 'patch'],
        scope: (ctx) => ({ owner: String(ctx.principal) }),
        guardsFor: { write: [() => closed !== 'write'], change: [() => closed !== 'change'] },
        within: { write: hooks },
      }),
    ];
  },
  {
    authenticate: () => 'ann',
    idempotency: { principal: (ctx) => String(ctx.requirePrincipal()) },
    batch: true,
  },
);
const docs = () => database.db.collection<{ _id: string; [key: string]: unknown }>('docs');

interface Operation {
  readonly method: string;
  readonly path: string;
  readonly body: object;
}
const send = ({ method, path, body }: Operation) => api.request(method, `/api${path}`, { body, headers: { 'idempotency-key': 'k' } });
const operations: readonly Operation[] = [
  { method: 'POST', path: '/docs', body: { id: 'n', text: 'new' } },
  { method: 'PATCH', path: '/docs/a', body: { text: 'new' } },
];
const ways: readonly (readonly [string, (operation: Operation) => Operation])[] = [
  ['alone', (operation) => operation],
  ['in a batch', (operation) => ({ method: 'POST', path: '/batch', body: { operations: [operation] } })],
];

beforeEach(async () => {
  then = 'keep';
  runs = 0;
  closed = undefined;
  for (const name of ['docs', 'idempotency_keys']) await database.db.collection(name).deleteMany({});
  await docs().insertOne({ _id: 'a', text: 'old', owner: 'ann' });
});

describe.each(ways)('a repeated request, %s, with functions for groups,', (_how, wrap) => {
  it.each(operations)('whose hook of `within` changed nothing: $method is answered as before', async (operation) => {
    const first = await send(wrap(operation));
    const again = await send(wrap(operation));
    expect(first.status).toBeLessThan(300);
    expect([again.status, again.body, runs]).toEqual([first.status, first.body, 1]);
  });

  it.each(operations.flatMap((operation) => (['remove', 'move'] as const).map((what) => ({ ...operation, what }))))(
    'whose hook took the record out of reach: after $what of $method it is 204, and nothing runs again',
    async ({ what, ...operation }) => {
      then = what;
      const first = await send(wrap(operation));
      expect(first.status).toBeLessThan(300);
      const again = await send(wrap(operation));
      expect([again.status, again.text, again.headers['idempotency-replayed']]).toEqual([204, '', 'true']);
      expect([runs, api.errors]).toEqual([1, []]);
    },
  );

  it.each(operations)('passes the guards of its groups first: $method', async (operation) => {
    const first = await send(wrap(operation));
    for (const group of operation.method === 'PATCH' ? (['write', 'change'] as const) : (['write'] as const)) {
      closed = group;
      expect((await send(wrap(operation))).status).toBe(403);
    }
    closed = undefined;
    expect((await send(wrap(operation))).text).toBe(first.text);
  });
});
