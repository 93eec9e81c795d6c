import { type Document as BsonDocument, Decimal128 } from 'mongodb';
import { type BeforeHook, type Context, defineModel, Problem, type Service, t } from '../../src/index.ts';
import type { Any } from '../support/any.ts';
import { useDatabase } from '../support/database/database.ts';
import { useApi } from '../support/http/api.ts';

const Place = t.object('Place', { city: t.string(), verifiedBy: t.string({ policy: { private: true } }) });
const Doc = defineModel('Doc', {
  collection: 'docs',
  fields: {
    id: t.string({ policy: { insert: true } }),
    title: t.string({ maxLength: 9 }),
    slug: t.string({ policy: { insert: false, update: false } }),
    price: t.nullable(t.decimal()),
    hash: t.optional(t.string({ maxLength: 9, policy: { private: true } })),
    owner: t.string({ default: 'ann' }),
    place: t.nullable(Place),
    from: t.int({ default: 0 }),
    to: t.int({ default: 9 }),
    revision: t.revision(),
  },
  check: ({ from, to, slug }) => {
    if (slug === undefined) throw new Error('the check saw an incomplete record');
    return from > to ? [{ field: 'to', message: 'must not be before from' }] : undefined;
  },
});

const calls: unknown[][] = [];
/** What the first hook does in the test at hand, apart from making the slug of a create. */
let act: ((ctx: Context, draft: Any) => unknown) | undefined;
const first: BeforeHook<Context, Any> = async (ctx, draft) => {
  await new Promise((resolve) => setImmediate(resolve));
  calls.push(['first', ctx.method, structuredCloneOf(draft)]);
  if (ctx.method === 'POST') draft.slug = draft.title.toLowerCase();
  await act?.(ctx, draft);
};
const second: BeforeHook<Context, Any> = (_ctx, draft) => {
  calls.push(['second', draft?.title, draft?.slug]);
};
const structuredCloneOf = (draft: object | undefined) => draft && { ...draft };
const hooks = [first, second] as never[];
const ops = ['list', 'get', 'create', 'patch', 'put', 'delete'] as const;

const database = useDatabase();
const serveDocs = (shop: Service<never>) => [
  shop.resource({ model: Doc, ops, before: { create: hooks, patch: hooks, put: hooks, delete: hooks } }),
  shop.resource({
    model: Doc,
    path: 'mine',
    ops,
    scope: () => ({ owner: 'ann' }),
    before: { create: hooks, patch: hooks, put: hooks, delete: hooks },
    after: { create: [() => void calls.push(['after'])], patch: [() => void calls.push(['after'])] },
  }),
  shop.resource({ model: Doc, path: 'late', ops, before: { patch: hooks } }),
];
const undescribed = ['sold_out', 'im_a_teapot'];
const api = useApi(database, serveDocs, { undescribed });
const hasty = useApi(database, serveDocs, { undescribed, requestTimeout: 500 });
const docs = () => database.db.collection<{ _id: string; [key: string]: unknown }>('docs');
const stored = (): Promise<BsonDocument | null> => docs().findOne({ _id: 'a' });
const before = { _id: 'a', title: 'Old', slug: 'old', owner: 'ann', from: 0, to: 9, revision: 1 };
const requests = [
  ['POST', '', { id: 'new', title: 'New' }],
  ['PATCH', '/a', { title: 'New' }],
  ['PUT', '/a', { title: 'New' }],
  ['DELETE', '/a', undefined],
] as const;
const send = (method: string, path: string, body: object | undefined, headers = {}) =>
  api.request(method, path, { headers, ...(body && { body }) });

beforeEach(async () => {
  calls.length = 0;
  api.errors.length = 0;
  act = undefined;
  await docs().deleteMany({});
  await docs().insertOne({ ...before });
});

describe('before hooks', () => {
  it.each(requests)('of %s%s run in order, each awaited, before the write', async (method, path, body) => {
    let seen: unknown;
    act = async () => {
      seen = await docs().find().toArray();
    };
    const answer = await send(method, `/api/docs${path}`, body);
    expect(answer.status).toBe(method === 'POST' ? 201 : method === 'DELETE' ? 204 : 200);
    expect(calls.map(([name]) => name)).toEqual(['first', 'second']);
    expect(seen).toEqual([before]);
  });

  it('get the new record with its defaults, the changes in document form, or nothing', async () => {
    for (const [method, path, body] of requests) await send(method, `/api/docs${path}`, body && { ...body, price: '1.5' });
    const price = Decimal128.fromString('1.5');
    expect(calls.filter(([name]) => name === 'first').map(([, , draft]) => draft)).toEqual([
      { id: 'new', title: 'New', price, owner: 'ann', place: null, from: 0, to: 9, revision: 0 },
      { title: 'New', price },
      { title: 'New', price, owner: 'ann', from: 0, to: 9 },
      undefined,
    ]);
    expect(calls[1]).toEqual(['second', 'New', 'new']); // the second sees what the first has changed
  });

  it('fill what clients may not send, and the check of the record waits for that', async () => {
    const answer = await send('POST', '/api/docs', { id: 'new', title: 'New' });
    expect(answer.body).toMatchObject({ data: { slug: 'new' } });
    const refused = await send('POST', '/api/docs', { id: 'c', title: 'C', from: 10 });
    expect(refused.body).toMatchObject({ status: 422, errors: [{ field: 'to', message: 'must not be before from' }] });
  });

  it('of a create that leave a required field out are 500, and nothing is written', async () => {
    act = (_ctx, draft) => Reflect.deleteProperty(draft, 'slug');
    expect((await send('POST', '/api/docs', { id: 'new', title: 'New' })).status).toBe(500);
    expect(api.errors.map(({ message }) => message)).toEqual(['Fields that only the server sets on create: `slug` is required']);
    expect(await docs().countDocuments()).toBe(1);
  });

  it.each(requests.slice(0, 3))('of %s%s change values and write private and closed fields', async (method, path, body) => {
    act = (_ctx, draft) => Object.assign(draft, { title: 'changed', hash: 'secret', slug: 's', price: null });
    const answer = await send(method, `/api/docs${path}`, { ...body, price: 5 });
    expect(answer.body).toMatchObject({ data: { title: 'changed', slug: 's', price: null } });
    expect(answer.text).not.toContain('secret');
    const written = await docs().findOne({ _id: method === 'POST' ? 'new' : 'a' });
    expect(written).toMatchObject({ title: 'changed', slug: 's', hash: 'secret' });
  });

  it.each(requests.slice(0, 3))(
    'of %s%s that leave invalid values are 422 with those of fields that clients know, and 500 if there are no such',
    async (method, path, body) => {
      act = (_ctx, draft) => Object.assign(draft, { title: 'much too long' });
      const refused = await send(method, `/api/docs${path}`, body);
      expect(refused.body).toMatchObject({ status: 422, errors: [{ field: 'title', rule: 'maxLength' }] });
      act = (_ctx, draft) => Object.assign(draft, { title: 'much too long', hash: 5 });
      const both = await send(method, `/api/docs${path}`, body);
      expect([both.body, both.text.includes('hash'), api.errors]).toEqual([refused.body, false, []]);
      act = (_ctx, draft) => Object.assign(draft, { hash: 5 });
      expect((await send(method, `/api/docs${path}`, body)).body).toEqual({
        type: 'about:blank',
        title: 'Internal Server Error',
        status: 500,
      });
      expect(api.errors[0]?.message).toMatch(/^A hook in `before` left a draft of Doc that cannot be written: .*`hash` must be a string/);
      expect(await docs().find().toArray()).toEqual([before]);
    },
  );

  it.each(requests.slice(0, 3))('of %s%s may set neither the id, the revision, nor an unknown key', async (method, path, body) => {
    for (const values of [{ id: 'x' }, { revision: 7 }, { bogus: 1 }]) {
      act = (_ctx, draft) => Object.assign(draft, values);
      expect((await send(method, `/api/docs${path}`, body)).status).toBe(500);
    }
    expect(api.errors).toHaveLength(3);
    expect(await docs().find().toArray()).toEqual([before]);
  });

  it.each(requests)(
    'of %s%s that throw a problem answer it; nothing is written, and what follows does not run',
    async (method, path, body) => {
      act = () => {
        throw new Problem({ status: 409, code: 'sold_out', title: 'Sold out', detail: 'There is none left.' });
      };
      const answer = await send(method, `/api/docs${path}`, body);
      expect(answer.body).toMatchObject({ status: 409, code: 'sold_out', detail: 'There is none left.' });
      expect(calls).toHaveLength(1);
      expect([api.errors, await docs().find().toArray()]).toEqual([[], [before]]);
    },
  );

  it.each<[string, () => unknown]>([
    ['an Error', () => new Error('the hash service is down')],
    ['undefined', () => undefined],
    [
      'a Proxy that throws',
      () =>
        new Proxy(
          {},
          {
            get: () => {
              throw new Error('no');
            },
            getPrototypeOf: () => {
              throw new Error('no');
            },
          },
        ),
    ],
  ])('that throw %s make the answer a bare 500, and app.on(error) is told', async (_name, make) => {
    act = () => {
      throw make();
    };
    for (const [method, path, body] of requests)
      expect((await send(method, `/api/docs${path}`, body)).body).toEqual({
        type: 'about:blank',
        title: 'Internal Server Error',
        status: 500,
      });
    expect(api.errors).toHaveLength(4);
    expect(await docs().find().toArray()).toEqual([before]);
  });

  it('may answer by `ctx.throw`', async () => {
    act = (ctx) => ctx.throw(418, 'tea only');
    expect((await send('PATCH', '/api/docs/a', { title: 'x' })).body).toMatchObject({ status: 418, detail: 'tea only' });
  });

  it('run after validation, and before it is known whether the record exists and matches `If-Match`', async () => {
    expect((await send('PATCH', '/api/docs/a', { bogus: 1 })).status).toBe(422);
    expect((await send('PATCH', '/api/docs/a', { title: 'x' }, { 'if-match': 'x' })).status).toBe(400);
    expect(calls).toEqual([]);
    expect((await send('PATCH', '/api/docs/none', { title: 'x' })).status).toBe(404);
    expect((await send('DELETE', '/api/docs/a', undefined, { 'if-match': '"9"' })).status).toBe(412);
    expect(calls.filter(([name]) => name === 'first')).toHaveLength(2);
  });

  it('see nothing in `PATCH {}`, which is no write unless they add something', async () => {
    expect((await send('PATCH', '/api/docs/a', {})).headers.etag).toBe('"1"');
    expect(await stored()).toEqual(before);
    act = (_ctx, draft) => Object.assign(draft, { hash: 'h' });
    expect((await send('PATCH', '/api/docs/a', {})).headers.etag).toBe('"2"');
    expect(await stored()).toEqual({ ...before, hash: 'h', revision: 2 });
  });

  it('can complete an object that only the server can create, and a client learns no private name if they do not', async () => {
    const incomplete = await send('PATCH', '/api/docs/a', { place: { city: 'A' } });
    expect(incomplete.body).toMatchObject({ status: 422, errors: [{ field: 'place', rule: 'server_only' }] });
    expect(incomplete.text).not.toContain('verifiedBy');
    act = (_ctx, draft) => Object.assign(draft, { place: { verifiedBy: 'me' } });
    const mistaken = await send('PATCH', '/api/docs/a', {});
    expect([mistaken.status, api.errors[0]?.message]).toEqual([500, expect.stringMatching(/the record has no `place`/)]);
    act = (_ctx, draft) => Object.assign(draft.place, { verifiedBy: 'me' });
    expect((await send('PATCH', '/api/docs/a', { place: { city: 'A' } })).body).toMatchObject({ data: { place: { city: 'A' } } });
    expect(await stored()).toMatchObject({ place: { city: 'A', verifiedBy: 'me' } });
  });

  it('of a put keep the values that the client may not write', async () => {
    await docs().updateOne({ _id: 'a' }, { $set: { place: { city: 'A', verifiedBy: 'me' }, hash: 'h' } });
    act = (_ctx, draft) => Object.assign(draft, { title: 'T' });
    expect((await send('PUT', '/api/docs/a', { title: 'New', place: { city: 'B' } })).status).toBe(200);
    expect(await stored()).toMatchObject({ title: 'T', place: { city: 'B', verifiedBy: 'me' }, hash: 'h', slug: 'old' });
    act = (_ctx, draft) => Object.assign(draft, { from: 10 });
    expect((await send('PUT', '/api/docs/a', { title: 'New' })).body).toMatchObject({ errors: [{ field: 'to' }] });
  });

  it('are bound by the scope, and after hooks follow the write', async () => {
    expect((await send('POST', '/api/mine', { id: 'new', title: 'New' })).status).toBe(201);
    expect(calls.map(([name]) => name)).toEqual(['first', 'second', 'after']);
    act = (_ctx, draft) => Object.assign(draft, { owner: 'bob' });
    for (const [method, path, body] of requests.slice(0, 3))
      expect((await send(method, `/api/mine${path}`, body)).body).toMatchObject({
        status: 422,
        errors: [{ field: 'owner', rule: 'scope' }],
      });
    expect(await stored()).toEqual(before);
  });

  it('that keep their draft and change it later change nothing', async () => {
    let kept: Any = {};
    act = (_ctx, draft) => {
      kept = draft;
      setImmediate(() => Object.assign(draft, { title: 'late', hash: 'late' }));
    };
    await send('PATCH', '/api/docs/a', { title: 'New' });
    expect(kept.title).toBe('late');
    expect(await stored()).toEqual({ ...before, title: 'New', revision: 2 });
  });

  it('that never end are given up: 503, and neither the next one nor the write begins', async () => {
    act = () => new Promise(() => undefined);
    for (const [method, path, body] of requests) {
      const answer = await hasty.request(method, `/api/docs${path}`, { ...(body && { body }) });
      expect(answer.body).toMatchObject({ status: 503, code: 'request_given_up' });
    }
    expect(calls.map(([name]) => name)).toEqual(['first', 'first', 'first', 'first']);
    expect(await docs().find().toArray()).toEqual([before]);
  });

  it('that end after the request was given up write nothing', async () => {
    let goOn = (): void => undefined;
    const waits = new Promise<void>((resolve) => {
      goOn = resolve;
    });
    act = async () => waits;
    expect((await hasty.request('PATCH', '/api/late/a', { body: { title: 'x' } })).status).toBe(503);
    goOn();
    await new Promise((resolve) => setImmediate(resolve));
    expect(calls.map(([name]) => name)).toEqual(['first']);
    expect(await stored()).toEqual(before);
  });
});
