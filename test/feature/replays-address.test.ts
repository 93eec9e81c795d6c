import { defineModel, everything, t } from '../../src/index.ts';
import { useCommands } from '../support/database/commands.ts';
import { useDatabase } from '../support/database/database.ts';
import { useApi } from '../support/http/api.ts';

const Doc = defineModel('Doc', {
  collection: 'docs',
  fields: {
    id: t.string({ policy: { insert: true } }),
    text: t.string({ default: 'd' }),
    owner: t.string({ default: 'ann' }),
    deletedAt: t.deletedAt(),
  },
});

let owner: string | undefined;
let runs = 0;
const database = useDatabase({ monitorCommands: true });
const commands = useCommands(database);
const api = useApi<string>(
  database,
  (shop) => [
    shop.resource({
      model: Doc,
      ops: ['patch'],
      scope: () => (owner === undefined ? everything : { owner }),
      scopeWrites: false,
      operations: {
        count: { handler: () => ({ count: ++runs }) },
        copyFromStore: { handler: async (ctx) => ({ copied: (await ctx.store(Doc).get(String(ctx.params.id)))?.text }) },
        loaded: { handler: async (ctx) => ({ copied: (await ctx.load()).text }) },
        moveByStore: {
          handler: async (ctx) => {
            const store = ctx.store(Doc, { scope: everything });
            const { text } = await store.update(String(ctx.params.id), { owner: 'bob' });
            return { copied: text };
          },
        },
        deleteByStore: {
          handler: async (ctx) => {
            await ctx.store(Doc).remove(String(ctx.params.id));
            return { deleted: true };
          },
        },
        moveLoaded: {
          handler: async (ctx) => {
            const doc = await ctx.load();
            await ctx.store(Doc, { scope: everything }).update(doc.id, { owner: 'bob' });
            return { copied: doc.text };
          },
        },
        deleteLoaded: {
          handler: async (ctx) => {
            const doc = await ctx.load();
            await ctx.transaction((tx) => tx.store(Doc).remove(doc.id));
            return doc;
          },
        },
        deleteAll: {
          handler: async (ctx) => {
            const doc = await ctx.load();
            await ctx.store(Doc).removeMany({ text: 'x' });
            return { doc };
          },
        },
        deleteWhole: { path: '/whole/:other', handler: (ctx) => ctx.store(Doc).remove(String(ctx.params.other)) },
        deleteUnseen: {
          path: '/unseen/:other',
          handler: async (ctx) => {
            await ctx.store(Doc).remove(String(ctx.params.other));
          },
        },
        quiet: { handler: () => undefined },
        note: { path: '/:id/notes/:note', handler: () => ({ ok: ++runs }) },
      },
    }),
  ],
  { authenticate: () => 'ann', idempotency: { principal: (ctx) => String(ctx.requirePrincipal()) }, batch: true },
);
const docs = () => database.db.collection<{ _id: string; [key: string]: unknown }>('docs');

const headers = { 'idempotency-key': 'k' };
const sendAlone = (path: string) => api.request('POST', `/api${path}`, { body: {}, headers });
const sendInBatch = (path: string) =>
  api.request('POST', '/api/batch', { body: { operations: [{ method: 'POST', path, body: {} }] }, headers });
const finds = () =>
  commands.events.filter(({ commandName, command }) => commandName === 'find' && command.find === 'docs' && !('txnNumber' in command));

beforeEach(async () => {
  [owner, runs] = [undefined, 0];
  await database.db.collection('idempotency_keys').deleteMany({});
  await docs().deleteMany({});
  await docs().insertMany([
    { _id: 'a', text: 'x', owner: 'ann' },
    { _id: 'b', text: 'x', owner: 'bob' },
  ]);
});

describe.each([
  ['alone', sendAlone],
  ['in a batch', sendInBatch],
])('the kept answer of a custom operation on a record, sent %s', (_how, send) => {
  it.each(['/docs/a/count', '/docs/a/copyFromStore', '/docs/a/notes/n'])(
    'shows the record of the path, also if the handler has not loaded it: %s',
    async (path) => {
      owner = 'ann';
      const first = await send(path);
      expect(first.status).toBe(200);
      const again = await send(path);
      expect([again.status, again.text]).toEqual([200, first.text]);
      await docs().updateOne({ _id: 'a' }, { $set: { owner: 'bob' } });
      expect((await send(path)).status).toBe(404);
      await docs().updateOne({ _id: 'a' }, { $set: { owner: 'ann', deletedAt: new Date() } });
      expect((await send(path)).status).toBe(404);
      await docs().updateOne({ _id: 'a' }, { $unset: { deletedAt: 1 } });
      expect((await send(path)).text).toBe(first.text);
    },
  );

  const takingAway = ['a/moveByStore', 'a/deleteByStore', 'a/moveLoaded', 'a/deleteLoaded', 'a/deleteAll', 'whole/a'];
  it.each(takingAway)('is 204 if the handler has taken the record out of the scope: %s', async (path) => {
    owner = 'ann';
    expect((await send(`/docs/${path}`)).status).toBe(200);
    const again = await send(`/docs/${path}`);
    expect([again.status, again.text, again.headers['idempotency-replayed']]).toEqual([204, '', 'true']);
  });

  it.each(['b', 'none', '%00'])('passes the guards only if the caller could see no such record: %s', async (id) => {
    owner = 'ann';
    const first = await send(`/docs/${id}/count`);
    expect(first.status).toBe(200);
    expect((await send(`/docs/${id}/count`)).text).toBe(first.text);
    expect(runs).toBe(1);
  });

  it('costs no read if there is no body', async () => {
    expect((await send('/docs/a/quiet')).status).toBe(send === sendAlone ? 204 : 200);
    expect(commands.names.includes('find') && finds()).toEqual([]);
  });
});

it('a handler that loads its record costs no other read of it', async () => {
  expect((await sendAlone('/docs/a/loaded')).status).toBe(200);
  expect(commands.events.filter(({ command }) => command.find === 'docs')).toHaveLength(1);
});

it('a batch is 404 if a later operation has removed by a store, without showing it, what an earlier one shows', async () => {
  owner = 'ann';
  const operations = ['/docs/a/loaded', '/docs/unseen/a'].map((path) => ({ method: 'POST', path, body: {} }));
  const send = () => api.request('POST', '/api/batch', { body: { operations }, headers });
  expect((await send()).status).toBe(200);
  const { status, body } = await send();
  expect([status, body.operation]).toEqual([404, 0]);
});
