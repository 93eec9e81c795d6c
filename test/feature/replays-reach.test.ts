import { defineModel, everything, guards, jsonBody, t } from '../../src/index.ts';
import type { Any } from '../support/any.ts';
import { useDatabase } from '../support/database/database.ts';
import { useApi } from '../support/http/api.ts';

const fields = () => ({
  id: t.string({ policy: { insert: true } }),
  text: t.string({ default: 'd' }),
  owner: t.string({ default: 'ann' }),
  revision: t.revision(),
});
const Doc = defineModel('Doc', { collection: 'docs', fields: { ...fields(), deletedAt: t.deletedAt() } });
const Tag = defineModel('Tag', { collection: 'tags', fields: fields() });

/** Whose records the caller sees by now; undefined for all. */
let owner: string | undefined;
let tagOwner: string | undefined;
const scopeOf = (name: string | undefined) => (name === undefined ? everything : { owner: name });
let isOpen = true;

const database = useDatabase();
const api = useApi<string>(
  database,
  (shop) => [
    shop.resource({ model: Tag, ops: ['create', 'patch', 'delete'], scope: () => scopeOf(tagOwner) }),
    shop.resource({
      model: Doc,
      ops: ['create', 'patch', 'delete'],
      scope: () => scopeOf(owner),
      scopeWrites: false,
      guardsFor: { patch: [() => isOpen] },
      operations: {
        copy: { handler: async (ctx) => ({ copied: (await ctx.load()).text }) },
        wrap: {
          handler: async (ctx) => {
            const doc = await ctx.load();
            return { toJSON: () => ({ doc }) };
          },
        },
        setBody: {
          handler: async (ctx) => {
            ctx.body = await ctx.store(Doc).get('b');
          },
        },
        replace: {
          method: 'PUT',
          handler: async (ctx) => {
            const doc = await ctx.load();
            doc.text = 'secret';
            return ctx.save(doc);
          },
        },
        handOver: {
          handler: async (ctx) => {
            const doc = await ctx.load();
            doc.owner = 'bob';
            return ctx.save(doc);
          },
        },
        tag: { path: '/tag', handler: async (ctx) => ({ list: [await ctx.store(Tag).get('b')] }) },
        guardedByBody: { use: [jsonBody(), guards((ctx) => (ctx.request.body as Any).n === 1)], handler: () => ({ ok: true }) },
        guardedByRecord: { use: [guards(async (ctx) => ((await (ctx as Any).load()) as Any).text === 'x')], handler: () => ({ ok: true }) },
      },
    }),
  ],
  {
    authenticate: (ctx) => ctx.get('authorization') || undefined,
    idempotency: { principal: (ctx) => String(ctx.requirePrincipal()) },
    batch: true,
  },
);
const collectionOf = (name: string) => database.db.collection<{ _id: string; [key: string]: unknown }>(name);

interface Operation {
  readonly method: string;
  readonly path: string;
  readonly body?: object;
}

const send = ({ method, path, body }: Operation, principal = 'ann') =>
  api.request(method, `/api${path}`, { ...(body && { body }), headers: { authorization: principal, 'idempotency-key': 'k' } });
const sendBatch = (...operations: readonly Operation[]) => send({ method: 'POST', path: '/batch', body: { operations } });
const call = (name: string, body: object = {}): Operation => ({ method: 'POST', path: `/docs/a/${name}`, body });
const patch = (path: string): Operation => ({ method: 'PATCH', path, body: { text: 'secret' } });
const ways = [
  ['alone', send],
  ['in a batch', (operation: Operation) => sendBatch(operation)],
] as const;

beforeEach(async () => {
  [owner, tagOwner] = [undefined, undefined];
  await collectionOf('idempotency_keys').deleteMany({});
  for (const name of ['docs', 'tags']) {
    await collectionOf(name).deleteMany({});
    await collectionOf(name).insertMany(['a', 'b', 'c'].map((_id) => ({ _id, text: 'x', owner: 'ann', revision: 1 })));
  }
});

describe.each(ways)('the kept answer of a custom operation, sent %s', (_how, sendOne) => {
  it.each(['copy', 'wrap', 'setBody'])('shows what it has loaded or answered only within the scope: %s', async (name) => {
    const first = await sendOne(call(name));
    expect([first.status, first.text]).toEqual([200, expect.stringContaining('x')]);
    expect((await sendOne(call(name))).text).toBe(first.text);
    owner = 'bob';
    expect((await sendOne(call(name))).status).toBe(404);
  });

  it('shows a record of another model only within the scope of its resource', async () => {
    const operation = { method: 'POST', path: '/docs/tag', body: {} };
    const first = await sendOne(operation);
    expect(first.status).toBe(200);
    expect((await sendOne(operation)).text).toBe(first.text);
    tagOwner = 'bob';
    expect((await sendOne(operation)).status).toBe(404);
    tagOwner = undefined;
    await collectionOf('tags').deleteOne({ _id: 'b' });
    expect((await sendOne(operation)).status).toBe(404);
  });

  it.each([
    ['the body', call('guardedByBody', { n: 1 })],
    ['the record', call('guardedByRecord')],
  ])('is given to guards in `use` that read %s', async (_what, operation) => {
    const first = await sendOne(operation);
    expect(first.status).toBe(200);
    expect((await sendOne(operation)).text).toBe(first.text);
  });
});

describe('the kept answer of a batch', () => {
  it('is checked operation by operation, also behind one that answers no record', async () => {
    const operations = [{ method: 'DELETE', path: '/tags/c' }, patch('/docs/a')];
    const first = await sendBatch(...operations);
    expect((await sendBatch(...operations)).text).toBe(first.text);
    owner = 'bob'; // the tag `a` is still within its scope
    const again = await sendBatch(...operations);
    expect([again.status, again.body.operation, again.text.includes('secret')]).toEqual([404, 1, false]);
  });

  it('shows the record of a custom PUT only within the scope', async () => {
    const operation = { method: 'PUT', path: '/docs/a/replace', body: {} };
    expect((await sendBatch(operation)).status).toBe(200);
    owner = 'bob';
    expect((await sendBatch(operation)).status).toBe(404);
  });

  it.each([
    ['deletes', { method: 'DELETE', path: '/docs/a' }],
    ['hands over', call('handOver')],
  ])('is 204 if a later operation %s what an earlier one has shown', async (_what, operation) => {
    owner = 'ann';
    expect((await sendBatch(patch('/docs/a'), operation)).status).toBe(200);
    const again = await sendBatch(patch('/docs/a'), operation);
    expect([again.status, again.text, again.headers['idempotency-replayed']]).toEqual([204, '', 'true']);
  });

  it('is refused by the guards of an operation on a record that an earlier one has created', async () => {
    const operations = [{ method: 'POST', path: '/docs', body: { id: 'n' } }, patch('/docs/{0}')];
    expect((await sendBatch(...operations)).status).toBe(200);
    isOpen = false;
    const refused = await sendBatch(...operations).finally(() => {
      isOpen = true;
    });
    expect([refused.status, refused.body.operation]).toEqual([403, 1]);
  });
});

describe('a key', () => {
  it('is applied once, however many requests bring it at a time', async () => {
    const all = await Promise.all(Array.from({ length: 12 }, () => send(patch('/docs/a'))));
    expect(all.filter(({ status }) => status !== 200 && status !== 409)).toEqual([]);
    expect(await collectionOf('docs').findOne({ _id: 'a' })).toMatchObject({ revision: 2 });
  });

  it('of one caller is not known to another, and not with another body', async () => {
    await send(patch('/docs/a'));
    expect((await send({ ...patch('/docs/a'), body: { text: 'other' } })).status).toBe(422);
    expect((await send(patch('/docs/a'), 'eve')).status).toBe(200); // a key of its own, which had not been used
    expect(await collectionOf('idempotency_keys').countDocuments()).toBe(2);
  });
});
