import { defineModel, everything, guards, t } from '../../src/index.ts';
import type { Any } from '../support/any.ts';
import { useCommands } from '../support/database/commands.ts';
import { useDatabase } from '../support/database/database.ts';
import { useApi } from '../support/http/api.ts';

const Doc = defineModel('Doc', {
  collection: 'docs',
  fields: {
    id: t.string({ policy: { insert: true } }),
    text: t.string({ default: 'd', policy: { filter: true } }),
    owner: t.string({ default: 'ann' }),
    revision: t.revision(),
    deletedAt: t.deletedAt(),
  },
});

/** What the caller may do and see by now. */
let isOpen = true;
let isOpenInUse = true;
let owner: string | undefined;
let runs = 0;
const database = useDatabase({ monitorCommands: true });
const commands = useCommands(database);
const api = useApi<string>(
  database,
  (shop) => [
    shop.resource({
      model: Doc,
      ops: ['create', 'patch', 'put', 'delete', 'restore', 'patchMany'],
      guards: [() => isOpen],
      scope: () => (owner === undefined ? everything : { owner }),
      scopeWrites: false,
      before: { write: [() => void runs++] },
      operations: {
        save: {
          use: [guards(() => isOpenInUse)],
          handler: async (ctx) => {
            const doc = await ctx.load();
            doc.text = 'saved';
            return { inside: [await ctx.save(doc)] };
          },
        },
        count: { path: '/count', handler: () => ({ count: ++runs }) },
        handOver: {
          handler: async (ctx) => {
            const doc = await ctx.load();
            doc.owner = 'bob';
            return ctx.save(doc);
          },
        },
      },
    }),
  ],
  {
    authenticate: (ctx) => ctx.get('authorization') || undefined,
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

/** Operations whose answers show a record, and others. */
const showing: Readonly<Record<string, Operation>> = {
  create: { method: 'POST', path: '/docs', body: { id: 'n' } },
  patch: { method: 'PATCH', path: '/docs/a', body: { text: 'y' } },
  restore: { method: 'POST', path: '/docs/d/restore' },
  'a custom operation': { method: 'POST', path: '/docs/a/save', body: {} },
};
const others: Readonly<Record<string, Operation>> = {
  patchMany: { method: 'PATCH', path: '/docs?text=x', body: { text: 'z' } },
  'a custom operation without a record': { method: 'POST', path: '/docs/count', body: {} },
};

const sendAlone = ({ method, path, body }: Operation, headers: object = {}) =>
  api.request(method, `/api${path}`, { ...(body && { body }), headers: { authorization: 'ann', 'idempotency-key': 'k', ...headers } });
const sendInBatch = (operation: Operation, headers: object = {}) =>
  sendAlone({ method: 'POST', path: '/batch', body: { operations: [operation] } }, headers);

beforeEach(async () => {
  [isOpen, isOpenInUse, owner, runs] = [true, true, undefined, 0];
  await database.db.collection('idempotency_keys').deleteMany({});
  await docs().deleteMany({});
  await docs().insertMany([
    { _id: 'a', text: 'x', owner: 'ann', revision: 1 },
    { _id: 'd', text: 'x', owner: 'ann', revision: 1, deletedAt: new Date() },
  ]);
  commands.clear();
});

const writes = () => commands.names.filter((name) => !['find', 'aggregate'].includes(name));
const both = Object.entries(showing).flatMap(([name, operation]) => [
  [`${name}, alone`, operation, sendAlone] as const,
  [`${name}, in a batch`, operation, sendInBatch] as const,
]);

describe.each(both)('a repeated request: %s', (_name, operation, send) => {
  async function sendFirst(): Promise<Any> {
    const first = await send(operation);
    expect(first.status).toBeLessThan(300);
    commands.clear();
    runs = 0;
    return first;
  }
  const shown = () => (operation.path.includes('/d/') ? 'd' : operation.path === '/docs' ? 'n' : 'a');

  it('is answered with the same bytes, and runs and writes nothing', async () => {
    const first = await sendFirst();
    const again = await send(operation);
    expect([again.status, again.text, again.headers.etag]).toEqual([first.status, first.text, first.headers.etag]);
    expect([runs, writes()]).toEqual([0, []]);
  });

  it('is 403 if a guard refuses the caller by now', async () => {
    await sendFirst();
    isOpen = false;
    expect((await send(operation)).status).toBe(403);
    expect(writes()).toEqual([]);
  });

  it('is no answer for a caller without a name', async () => {
    await sendFirst();
    const again = await send(operation, { authorization: '' });
    expect(again.status).toBe(401);
  });

  it('is 404 if the record is out of the scope by now', async () => {
    await sendFirst();
    owner = 'bob';
    const again = await send(operation);
    expect([again.status, again.body.code]).toEqual([404, 'not_found']);
    expect(again.text).not.toContain('revision');
    expect(writes()).toEqual([]);
  });

  it('is 404 if the record was deleted since', async () => {
    await sendFirst();
    await docs().updateOne({ _id: shown() }, { $set: { deletedAt: new Date() } });
    expect((await send(operation)).status).toBe(404);
    await docs().deleteOne({ _id: shown() });
    expect((await send(operation)).status).toBe(404);
  });

  it('names the operation of a batch that may not be seen', async () => {
    await sendFirst();
    owner = 'bob';
    expect((await send(operation)).body.operation).toBe(send === sendInBatch ? 0 : undefined);
  });
});

describe.each(Object.entries(others))('a repeated request whose answer shows no record: %s', (_name, operation) => {
  it('passes the guards only', async () => {
    const first = await sendAlone(operation);
    expect(first.status).toBe(200);
    owner = 'bob';
    expect((await sendAlone(operation)).text).toBe(first.text);
    isOpen = false;
    expect((await sendAlone(operation)).status).toBe(403);
  });
});

describe('a repeated request', () => {
  it.each([
    ['alone', sendAlone],
    ['in a batch', sendInBatch],
  ])('is 204 if the write itself took the record out of the scope: %s', async (_how, send) => {
    owner = 'ann';
    const operation = { method: 'POST', path: '/docs/a/handOver', body: {} };
    const first = await send(operation);
    expect([first.status, first.text.includes('bob')]).toEqual([200, true]);
    const again = await send(operation);
    expect([again.status, again.text, again.headers['idempotency-replayed']]).toEqual([204, '', 'true']);
    isOpen = false;
    expect((await send(operation)).status).toBe(403);
  });

  it.each([
    ['alone', sendAlone],
    ['in a batch', sendInBatch],
  ])('passes the guards in `use` of its operation: %s', async (_how, send) => {
    const operation = showing['a custom operation'] as Operation;
    expect((await send(operation)).status).toBe(200);
    isOpenInUse = false;
    expect((await send(operation)).status).toBe(403);
  });

  it('of a batch is shown if each of its records may be seen, also those that refer to created ones', async () => {
    const operations = [
      { method: 'POST', path: '/docs', body: { id: 'n' } },
      { method: 'PATCH', path: '/docs/{0}', body: { text: 'p' } },
      { method: 'DELETE', path: '/docs/a' },
    ];
    const batch = { method: 'POST', path: '/batch', body: { operations } };
    const first = await sendAlone(batch);
    expect(first.body.data.map(({ status }: Any) => status)).toEqual([201, 200, 204]);
    expect((await sendAlone(batch)).text).toBe(first.text);
    await docs().updateOne({ _id: 'n' }, { $set: { owner: 'bob' } });
    owner = 'ann';
    expect((await sendAlone(batch)).body).toMatchObject({ status: 404, operation: 0 });
  });
});
