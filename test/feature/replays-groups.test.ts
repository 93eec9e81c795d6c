import { defineModel, everything, t, type WithinHook } from '../../src/index.ts';
import { useDatabase } from '../support/database/database.ts';
import { useApi } from '../support/http/api.ts';

const Doc = defineModel('Doc', {
  collection: 'docs',
  fields: {
    id: t.string({ policy: { insert: true } }),
    text: t.string({ default: 'd', policy: { filter: true } }),
    owner: t.string({ default: 'ann' }),
    tagIds: t.array(t.ref('Tag', { id: t.string(), as: 'tags' }), { default: [] }),
    deletedAt: t.deletedAt(),
  },
});
const Tag = defineModel('Tag', { collection: 'tags', fields: { id: t.string({ policy: { insert: true } }) } });

type Group = 'write' | 'change' | 'remove';

/** What the hooks in the transaction do to the record that was written. */
let then: 'keep' | 'remove' | 'move' = 'keep';
let runs = 0;
/** The group whose guard is closed. */
let closed: Group | undefined;
const hook: WithinHook = async (_ctx, { before, after, tx }) => {
  runs++;
  const { id } = (after ?? before) as { id: string };
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
        ops: ['get', 'create', 'patch', 'put', 'delete', 'restore', 'patchMany', 'deleteMany'],
        links: ['tags'],
        scope: (ctx) => ({ owner: String(ctx.principal) }),
        guardsFor: { write: [() => closed !== 'write'], change: [() => closed !== 'change'], remove: [() => closed !== 'remove'] },
        within: { write: hooks },
      }),
      shop.resource({ model: Tag }),
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
  readonly body?: object;
}
interface Case extends Operation {
  readonly name: string;
  readonly groups: readonly Group[];
  /** Whether its answer shows a record, which a hook can take out of reach. */
  readonly isShowing: boolean;
  /** Whether a key counts for it alone, or in a batch only. */
  readonly isAlone: boolean;
  readonly isInBatch: boolean;
}
const send = ({ method, path, body }: Operation) =>
  api.request(method, `/api${path}`, { ...(body && { body }), headers: { 'idempotency-key': 'k' } });
const inBatch = ({ method, path, body }: Operation): Operation => ({
  method: 'POST',
  path: '/batch',
  body: { operations: [{ method, path, ...(body && { body }) }] },
});
const text = { text: 'new' };
const operation = (name: string, method: string, path: string, body: object | undefined, more: Partial<Case> = {}): Case => ({
  ...{ name, method, path, ...(body && { body }) },
  ...{ groups: ['write', 'change'], isShowing: true, isAlone: false, isInBatch: true, ...more },
});
const operations: readonly Case[] = [
  operation('create', 'POST', '/docs', { id: 'n', ...text }, { groups: ['write'], isAlone: true }),
  operation('patch', 'PATCH', '/docs/a', text, { isAlone: true }),
  operation('put', 'PUT', '/docs/a', text),
  operation('restore', 'POST', '/docs/gone/restore', undefined, { isAlone: true }),
  operation('delete', 'DELETE', '/docs/a', undefined, { groups: ['write', 'remove'], isShowing: false }),
  operation('patchMany', 'PATCH', '/docs?text=old', text, { isShowing: false, isAlone: true, isInBatch: false }),
];
const cases = operations.flatMap(({ isAlone, isInBatch, ...one }) => [
  ...(isAlone ? [{ ...one, how: 'alone', sent: one as Operation }] : []),
  ...(isInBatch ? [{ ...one, how: 'in a batch', sent: inBatch(one) }] : []),
]);

beforeEach(async () => {
  then = 'keep';
  runs = 0;
  closed = undefined;
  for (const name of ['docs', 'tags', 'idempotency_keys']) await database.db.collection(name).deleteMany({});
  await database.db.collection<{ _id: string }>('tags').insertMany([{ _id: 'red' }, { _id: 'blue' }]);
  await docs().insertMany([
    { _id: 'a', text: 'old', owner: 'ann', tagIds: ['blue'] },
    { _id: 'gone', text: 'gone', owner: 'ann', tagIds: [], deletedAt: new Date(0) },
  ]);
});

describe('a repeated request, with functions for groups,', () => {
  it.each(cases)('whose hook of `within` changed nothing is answered as before: $name, $how', async ({ sent }) => {
    const first = await send(sent);
    const again = await send(sent);
    expect(first.status).toBeLessThan(300);
    expect([again.status, again.text, runs, api.errors]).toEqual([first.status, first.text, 1, []]);
  });

  it.each(cases.filter(({ isShowing }) => isShowing).flatMap((one) => (['remove', 'move'] as const).map((what) => ({ ...one, what }))))(
    'whose hook took the record out of reach is 204, and nothing runs again: $what after $name, $how',
    async ({ what, sent }) => {
      then = what;
      const first = await send(sent);
      expect(first.status).toBeLessThan(300);
      const again = await send(sent);
      expect([again.status, again.text, again.headers['idempotency-replayed']]).toEqual([204, '', 'true']);
      expect([runs, api.errors]).toEqual([1, []]);
    },
  );

  it.each(cases)('passes the guards of its groups, and of no other, first: $name, $how', async ({ sent, groups }) => {
    const first = await send(sent);
    for (const group of ['write', 'change', 'remove'] as const) {
      closed = group;
      const again = await send(sent);
      const isOwn = groups.includes(group);
      expect([group, again.status, isOwn || again.text]).toEqual([group, isOwn ? 403 : first.status, isOwn || first.text]);
    }
    expect(runs).toBe(1);
  });
});

// They have the same effect when they are carried out again, and are: their guards and hooks run as for any request.
it.each([
  ['PUT', '/docs/a', text, 'change'],
  ['PUT', '/docs/a/tags/red', undefined, 'change'],
  ['DELETE', '/docs/a/tags/blue', undefined, 'change'],
  ['DELETE', '/docs?text=old', undefined, 'remove'],
  ['DELETE', '/docs/a', undefined, 'remove'],
] as const)('a key keeps no answer of %s %s', async (method, path, body, group) => {
  const sent = { method, path, ...(body && { body }) };
  expect((await send(sent)).status).toBeLessThan(300);
  expect([runs, await database.db.collection('idempotency_keys').countDocuments()]).toEqual([1, 0]);
  closed = group;
  expect((await send(sent)).status).toBe(403);
});
