import { createCipheriv, createDecipheriv } from 'node:crypto';
import { Binary } from 'mongodb';
import { defineModel, service, t, toJsonSchema } from '../../src/index.ts';
import { connect } from '../products/mcp/connect.ts';
import type { Any } from '../support/any.ts';
import { useDatabase } from '../support/database/database.ts';
import { type TestServer, useServer } from '../support/http/serve.ts';

const key = Buffer.alloc(32, 7);
const iv = Buffer.alloc(16, 1);
const seal = (text: string) => Buffer.concat([createCipheriv('aes-256-ctr', key, iv).update(text)]);
const unseal = (bytes: Uint8Array) => createDecipheriv('aes-256-ctr', key, iv).update(bytes).toString();

let isBroken = false;
const Line = t.object('Line', {
  count: t.int(),
  cost: t.int({ policy: { private: true } }),
  total: t.computed(t.int({ policy: { read: true } }), {
    from: ['count', 'cost'],
    get: ({ count, cost }: { count: number; cost: number }) => count * cost,
  }),
});
const Card = t.object('Card', { digits: t.string(), pin: t.string({ policy: { private: true } }) }, { policy: { read: true } });
const Doc = defineModel('Doc', {
  collection: 'docs',
  fields: {
    id: t.string(),
    a: t.int(),
    at: t.date(),
    number: t.string({ policy: { private: true } }),
    sealed: t.binary({ policy: { private: true } }),
    lines: t.array(Line),
    byName: t.map(Line),
    note: t.string({ policy: { read: 'staff', update: 'staff' } }),
    b: t.computed(t.int(), { from: ['a'], get: ({ a }: { a: number }) => a + 1 }),
    price: t.computed(t.decimal(), { from: ['a'], get: ({ a }: { a: number }) => `${a}.50` as Any }),
    day: t.computed(t.date(), { from: ['at'], get: ({ at }: { at: Date }) => at }),
    none: t.computed(t.nullable(t.int()), { from: ['a'], get: () => null }),
    left: t.computed(t.optional(t.int()), { from: ['a'], get: () => undefined }),
    any: t.computed(t.any(), { from: ['a'], get: () => null }),
    digits: t.computed(t.string({ policy: { read: true } }), {
      from: ['number'],
      get: ({ number }: { number: string }) => number.slice(-2),
    }),
    card: t.computed(Card, {
      from: ['number'],
      get: ({ number }: { number: string }) => ({ digits: number.slice(-2), pin: 'zqcanary' }),
    }),
    ssn: t.computed(t.string({ policy: { read: 'staff' } }), {
      from: ['sealed'],
      get: ({ sealed }: { sealed: Binary }) => unseal(sealed.buffer),
    }),
    shout: t.computed(t.string(), {
      from: ['note'],
      get: ({ note }: { note: string }) => {
        if (isBroken) throw new Error('zqcanary');
        return note.toUpperCase();
      },
    }),
  },
});
const one = toJsonSchema(Doc, 'read');
const line = { count: 2, total: 6 };
const open = {
  id: 'd1',
  a: 1,
  at: '1970-01-01T00:00:00.000Z',
  lines: [line],
  byName: { x: line },
  b: 2,
  price: '1.50',
  day: '1970-01-01T00:00:00.000Z',
  none: null,
  any: null,
  digits: '42',
  card: { digits: '42' },
};
const ofStaff = { ...open, note: 'hi', ssn: '123-45', shout: 'HI' };

const database = useDatabase();
const serve = useServer();
const shop = service({ authenticate: (ctx) => ctx.get('authorization') || 'ann', rules: { staff: (user: string) => user === 'staff' } });
const makeApi = () =>
  shop.api({
    db: database.db,
    prefix: '/api',
    batch: true,
    idempotency: { principal: () => 'one of them' },
    resources: [
      shop.resource({
        model: Doc,
        ops: ['get'],
        operations: {
          all: { summary: 'All', method: 'GET', path: '/all', answer: t.array(t.from(one)), handler: (ctx) => ctx.store(Doc).find({}) },
          one: { summary: 'One', method: 'GET', path: '/:id/one', answer: one, handler: (ctx) => ctx.load() },
          touch: {
            summary: 'Touch',
            answer: one,
            async handler(ctx) {
              const doc = await ctx.load();
              doc.a += 1;
              return ctx.save(doc);
            },
          },
          report: {
            summary: 'Report',
            method: 'GET',
            path: '/report',
            answer: t.object('Report', { count: t.int(), byId: t.map(t.nullable(t.from(one))) }),
            async handler(ctx) {
              const doc = await ctx.store(Doc).get('d1');
              return { count: 1, byId: { d1: doc, d2: null } };
            },
          },
          untyped: {
            summary: 'Any',
            method: 'GET',
            path: '/untyped',
            answer: t.object('Untyped', { found: t.array(t.any()) }),
            handler: async (ctx) => ({ found: await ctx.store(Doc).find({}) }),
          },
          some: {
            summary: 'Some',
            method: 'GET',
            path: '/some',
            answer: t.object('Some', {
              id: t.string(),
              a: t.int(),
              at: t.any(),
              lines: t.array(t.object('Counted', { count: t.int() })),
              byName: t.map(t.any()),
              note: t.optional(t.string()),
              b: t.int(),
              double: t.computed(t.int(), { from: ['a'], get: ({ a }: { a: number }) => a * 2 }),
            }),
            handler: (ctx) => ctx.store(Doc).get('d1'),
          },
          copy: {
            summary: 'Copy',
            method: 'GET',
            path: '/copy',
            answer: one,
            handler: () => ({ ...open, byName: {}, lines: [], b: 7, card: { digits: '0' } }),
          },
        },
      }),
    ],
  });
let server: TestServer;

beforeAll(async () => {
  server = await serve(makeApi().routes());
});

beforeEach(async () => {
  isBroken = false;
  const docs = database.db.collection<{ _id: string }>('docs');
  await docs.deleteMany({});
  const stored = { count: 2, cost: 3 };
  const sealed = new Binary(seal('123-45'));
  const rest = { a: 1, at: new Date(0), number: 'zqcanary42', sealed, lines: [stored], byName: { x: stored }, note: 'hi' };
  await docs.insertOne({ _id: 'd1', ...rest } as never);
});

const ask = (method: string, path: string, user: string, more: { body?: unknown; headers?: object } = {}) =>
  server.request(method, `/api/${path}`, { body: more.body, headers: { authorization: user, ...more.headers } });

describe('a record in an answer whose schema is what clients read of its model', () => {
  const callers: [string, Any][] = [
    ['ann', open],
    ['staff', ofStaff],
  ];

  it.each(callers)('has its computed fields as they are shown to %s everywhere, wherever it stands', async (user, shown) => {
    const answers = await Promise.all(['docs/d1', 'docs/d1/one', 'docs/all', 'docs/report'].map((path) => ask('GET', path, user)));
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    expect(answers.map(({ body }) => body.data)).toEqual([shown, shown, [shown], { count: 1, byId: { d1: shown, d2: null } }]);
    for (const { text } of answers) expect(text).not.toContain('zqcanary');
    expect(Object.keys(answers[1]?.body.data)).toEqual(Object.keys(answers[0]?.body.data));
  });

  it.each(callers)('has those of what %s has just written, in a batch, and again when a key is replayed', async (user, shown) => {
    const touch = (caller = user) => ask('POST', 'docs/d1/touch', caller, { headers: { 'idempotency-key': `k-${user}` } });
    const touched = { ...shown, a: 2, b: 3, price: '2.50' };
    const [first, again, ofOther] = [await touch(), await touch(), await touch(user === 'staff' ? 'ann' : 'staff')];
    expect([first.status, first.body.data]).toEqual([200, touched]);
    expect([again.status, again.text]).toEqual([200, first.text]); // the handler has not run again
    expect([ofOther.status, ofOther.text]).toEqual([204, '']); // made in another view
    const body = { operations: [{ method: 'POST', path: '/docs/d1/touch' }] };
    const { data } = (await ask('POST', 'batch', user, { body })).body;
    expect(data[0].body.data).toEqual({ ...shown, a: 3, b: 4, price: '3.50' });
  });

  it('has them in the tools of an agent', async () => {
    const agent = await connect(makeApi());
    const called = await agent.call('docs_all');
    expect([called.isError, called.json.data]).toEqual([false, [open]]);
  });

  it('has none that cannot be made: the error names the field and the record', async () => {
    isBroken = true;
    const { status, text } = await ask('GET', 'docs/all', 'staff');
    expect([status, text.includes('zqcanary')]).toEqual([500, false]);
    expect(server.errors[0]?.message).toBe(
      'The computed field `shout` of the record `"d1"` of `Doc` could not be computed: its `get` has thrown.',
    );
    server.errors.length = 0;
    expect((await ask('GET', 'docs/all', 'ann')).status).toBe(200); // not made for whoever does not see it
  });
});

describe('a record in an answer of another schema', () => {
  it('has all that clients read of it in an untyped value', async () => {
    const [plain, staff] = [await ask('GET', 'docs/untyped', 'ann'), await ask('GET', 'docs/untyped', 'staff')];
    expect([plain.body.data, staff.body.data]).toEqual([{ found: [open] }, { found: [ofStaff] }]);
    expect(staff.text).not.toContain('zqcanary');
  });

  it('has the computed fields that the schema names: no other is made', async () => {
    isBroken = true; // `shout`, which is not among them
    const { status, body } = await ask('GET', 'docs/some', 'staff');
    const { id, a, at, note, b } = ofStaff;
    expect([status, body.data]).toEqual([200, { id, a, at, lines: [{ count: 2 }], byName: { x: line }, note, b, double: 2 }]);
  });

  it('leaves values that are no records as the handler made them', async () => {
    expect((await ask('GET', 'docs/copy', 'ann')).body.data).toMatchObject({ b: 7, card: { digits: '0' }, lines: [] });
  });
});
