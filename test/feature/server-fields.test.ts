import { defineModel, t } from '../../src/index.ts';
import { useDatabase } from '../support/database/database.ts';
import { useApi } from '../support/http/api.ts';

interface User {
  readonly name: string;
}

const Doc = defineModel('Doc', {
  collection: 'docs',
  fields: {
    id: t.string({ policy: { insert: true } }),
    text: t.string(),
    part: t.nullable(t.object('Part', { a: t.int() })),
    owner: t.optional(t.string()),
    updatedBy: t.optional(t.string({ policy: { private: true } })),
    closedBy: t.optional(t.string({ policy: { insert: false, update: false } })),
    max: t.int({ default: 9, policy: { update: false } }),
    revision: t.revision(),
  },
  check: ({ text, max }) => (text.length > max ? [{ field: 'text', message: 'is too long' }] : undefined),
});

const seen: unknown[] = [];
let values: unknown = {};
const update = async ({ request, params, requirePrincipal }: never) => {
  const { id } = params as { readonly id: string };
  seen.push([(request as { readonly body: unknown }).body, id, (requirePrincipal as () => User)().name]);
  return values as object;
};
const ops = ['get', 'create', 'patch', 'put'] as const;
const database = useDatabase();
const api = useApi<User>(
  database,
  (shop) => [
    shop.resource({ model: Doc, ops, serverFields: { create: () => ({ owner: 'ann' }), update: update as never } }),
    shop.resource({ model: Doc, path: 'mine', ops, scope: () => ({ owner: 'ann' }), serverFields: { update: update as never } }),
  ],
  { authenticate: (ctx) => (ctx.get('x-user') ? { name: ctx.get('x-user') } : undefined) },
);
const docs = () => database.db.collection<{ _id: string; [key: string]: unknown }>('docs');
const before = { _id: 'a', text: 'x', owner: 'ann', max: 9, revision: 1 };
const send = (method: string, path: string, body: unknown, headers: object = { 'x-user': 'ann' }) =>
  api.request(method, path, { headers: { ...headers }, body: body as object });
const stored = () => docs().findOne({ _id: 'a' });

beforeEach(async () => {
  seen.length = 0;
  api.errors.length = 0;
  values = { updatedBy: 'ann', closedBy: 'x' };
  await docs().deleteMany({});
  await docs().insertOne({ ...before });
});

describe.each(['PATCH', 'PUT'])('serverFields.update on %s', (method) => {
  it('set fields that the client may not write, and may be async', async () => {
    expect((await send(method, '/api/docs/a', { text: 'y' })).body).toMatchObject({ data: { text: 'y', closedBy: 'x' } });
    expect(await stored()).toMatchObject({ text: 'y', updatedBy: 'ann', closedBy: 'x', revision: 2 });
  });

  it('leave a field closed that the policy closes', async () => {
    const answer = await send(method, '/api/docs/a', { text: 'y', closedBy: 'me' });
    expect([answer.status, answer.body.errors]).toMatchObject([422, [{ field: 'closedBy', rule: 'not_writable' }]]);
  });

  it('see the principal, the id, and the body before it is validated', async () => {
    expect((await send(method, '/api/docs/a', { text: 5 })).status).toBe(422);
    expect(seen).toEqual([[{ text: 5 }, 'a', 'ann']]);
  });

  it('replace what the client sends, which is then not read', async () => {
    values = { owner: 'ben' };
    expect((await send(method, '/api/docs/a', { text: 'y', owner: 5 })).body).toMatchObject({ data: { owner: 'ben' } });
    values = { owner: undefined };
    await send(method, '/api/docs/a', { text: 'z', owner: 'eve' });
    expect(await stored()).toMatchObject({ text: 'z', owner: 'ben' });
  });

  it('take part in the check of the record', async () => {
    values = { max: 2 };
    const answer = await send(method, '/api/docs/a', { text: 'long', part: null, owner: null });
    if (method === 'PUT') expect(answer.body).toMatchObject({ status: 422, errors: [{ field: 'text', message: 'is too long' }] });
    else expect(answer.status).toBe(200); // the patch does not say `updatedBy` and `closedBy`, so its check depends on what is stored
  });

  it.each<[string, unknown, RegExp]>([
    ['a value that does not fit', { updatedBy: 5 }, /Fields that only the server sets on update: `updatedBy` must be a string/],
    ['a field that does not exist', { bogus: 1 }, /serverFields set `bogus`, which is not a field of Doc/],
    ['the id', { id: 'b' }, /serverFields set `id`, which is set by the service itself/],
    ['the revision', { revision: 5 }, /serverFields set `revision`, which is set by the service itself/],
    ['nothing', undefined, /`serverFields` returned undefined/],
  ])('are 500 for %s, and nothing is written', async (_name, wrong, message) => {
    values = wrong;
    expect((await send(method, '/api/docs/a', { text: 'y' })).status).toBe(500);
    expect(api.errors[0]?.message).toMatch(message);
    expect(await stored()).toEqual(before);
  });

  it('may refuse an anonymous request: 401', async () => {
    expect((await api.request(method, '/api/docs/a', { body: { text: 'y' } })).status).toBe(401);
  });

  it('are bound by the scope, whose error is 500 because no request could be right', async () => {
    values = { owner: 'ben' };
    expect((await send(method, '/api/mine/a', { text: 'y' })).status).toBe(500);
    expect(await stored()).toEqual(before);
  });
});

describe('serverFields.update', () => {
  it.each<[string, object]>([
    ['{}', {}],
    ['only what they replace', { owner: 'eve' }],
  ])('write nothing if the body of a patch has %s', async (_name, body) => {
    values = { owner: 'ben' };
    expect((await send('PATCH', '/api/docs/a', body)).headers.etag).toBe('"1"');
    expect(await stored()).toEqual(before);
  });

  it('do not run on create, nor `create` on update', async () => {
    expect((await send('POST', '/api/docs', { id: 'b', text: 'y' })).body).toMatchObject({ data: { owner: 'ann' } });
    expect(seen).toEqual([]);
  });
});
