import { useDatabase } from '../support/database/database.ts';
import { useApi } from '../support/http/api.ts';
import { Vault, vault } from '../support/models/vault.ts';

const calls: string[] = [];
const note = (name: string) => () => {
  calls.push(name);
  return true;
};

const database = useDatabase();
const api = useApi(database, (shop) => [
  shop.resource({
    model: Vault,
    ops: ['get', 'put', 'patch'],
    guardsFor: { put: [note('guard put')], patch: [note('guard patch')] },
    after: { put: [note('after put')], patch: [note('after patch')] },
  }),
  shop.resource({ model: Vault, path: 'without-put' }),
]);
const vaults = () => database.db.collection<{ _id: string; [key: string]: unknown }>('vaults');
const stored = () => vaults().findOne({ _id: 'v' });
const put = (body: unknown, headers = {}) => api.request('PUT', '/api/vaults/v', { body, headers });

beforeEach(async () => {
  await vaults().deleteMany({});
  await vaults().insertOne(structuredClone(vault));
  calls.length = 0;
});

describe('PUT /:id', () => {
  it('is there only where it is listed in ops', async () => {
    const { status, headers } = await api.request('PUT', '/api/without-put/v', { body: { name: 'x' } });
    expect([status, headers.allow]).toEqual([405, 'GET, HEAD, PATCH, DELETE']);
  });

  it('takes the values of the body, returns a writable field left out to its default, and keeps what the client may not write', async () => {
    const { status, headers, body } = await put({ name: 'new' });
    expect([status, headers.etag]).toEqual([200, '"5"']);
    expect(headers).not.toHaveProperty('location');
    expect(await stored()).toEqual({
      _id: 'v',
      name: 'new',
      hint: 'none',
      label: null,
      owner: 'ann',
      safe: vault.safe,
      fixed: vault.fixed,
      locks: vault.locks,
      lockMap: vault.lockMap,
      boxes: [],
      revision: 5,
      updatedAt: expect.any(Date),
    });
    expect(body.data).toMatchObject({ id: 'v', name: 'new', hint: 'none', label: null, open: null, owner: 'ann', boxes: [], revision: 5 });
    expect(body.data).not.toHaveProperty('remark');
    expect((await api.request('GET', '/api/vaults/v')).body).toEqual(body);
  });

  it('replaces an embedded object without protected values whole, and validates it whole', async () => {
    const { body } = await put({ name: 'n', open: { a: 7 }, boxes: [{ a: 2 }] });
    expect(body.data).toMatchObject({ open: { a: 7, b: 2, c: null }, boxes: [{ a: 2 }] });
    expect((await stored())?.open).toEqual({ a: 7, b: 2 });
    expect((await put({ name: 'n', open: null })).body.data.open).toBeNull();
    expect(await stored()).not.toHaveProperty('open');
  });

  it('replaces an embedded object with protected values key by key: an open key left out returns to its default', async () => {
    const { status } = await put({ name: 'n', safe: { pin: 2 }, fixed: {} });
    expect(status).toBe(200);
    const document = await stored();
    expect(document?.safe).toEqual({ pin: 2, note: 'empty', secret: 'top', lock: { code: '9', seal: 'wax' } });
    expect(document?.fixed).toEqual({ size: 5, colour: 'red' });
  });

  it('does so on the next level too', async () => {
    await put({ name: 'n', safe: { pin: 2, note: 'x', lock: {} } });
    expect((await stored())?.safe).toEqual({ pin: 2, note: 'x', secret: 'top', lock: { code: '0', seal: 'wax' } });
  });

  it('creates an embedded object with protected values where there is none', async () => {
    for (const safe of [undefined, null]) {
      await vaults().replaceOne({ _id: 'v' }, { name: 'n', ...(safe === null && { safe }) });
      expect((await put({ name: 'n', safe: { pin: 2, lock: { code: '1' } } })).status).toBe(200);
      expect((await stored())?.safe).toEqual({ pin: 2, note: 'empty', secret: 's', lock: { code: '1', seal: 'seal' } });
    }
  });

  it.each<[rule: string, body: unknown, errors: [field: string, message: RegExp][]]>([
    ['a required field that is left out', {}, [['name', /^is required$/]]],
    ['a required key that is left out of an embedded object', { name: 'n', open: {} }, [['open.a', /^is required$/]]],
    ['a required key that is left out beside protected values', { name: 'n', safe: { note: 'x' } }, [['safe.pin', /^is required$/]]],
    ['a field closed by update: false', { name: 'n', owner: 'eve' }, [['owner', /^cannot be set on update$/]]],
    [
      'the id, the revision and the timestamp',
      { name: 'n', id: 'v', revision: 4, updatedAt: '2026-01-01T00:00:00Z' },
      [
        ['id', /update/],
        ['revision', /update/],
        ['updatedAt', /update/],
      ],
    ],
    ['an unknown field', { name: 'n', x: 1 }, [['x', /known/]]],
    [
      'null for a field that cannot be none',
      { name: null, hint: null },
      [
        ['name', /null/],
        ['hint', /null/],
      ],
    ],
    ['an operator', { name: 'n', $set: { hint: 'x' } }, [['$set', /known/]]],
    [
      'everything at once',
      { name: 1, owner: 'x', open: { a: 'x', z: 1 } },
      [
        ['name', /string/],
        ['owner', /update/],
        ['open.a', /integer/],
        ['open.z', /known/],
      ],
    ],
  ])('answers 422 to %s', async (_rule, body, errors) => {
    const answer = await put(body);
    expect(answer.status).toBe(422);
    const found = new Map(answer.body.errors.map((error: { field: string; message: string }) => [error.field, error.message]));
    expect([...found.keys()].sort()).toEqual(errors.map(([field]) => field).sort());
    for (const [field, message] of errors) expect(found.get(field)).toMatch(message);
    expect(await stored()).toEqual(vault);
  });

  it('does not accept a body read by GET unchanged, but does without its read-only fields', async () => {
    const { data } = (await api.request('GET', '/api/vaults/v')).body;
    expect((await put(data)).status).toBe(422);
    const { id, revision, updatedAt, owner, locks, lockMap, fixed, safe, ...rest } = data;
    const { lock, ...openSafe } = safe;
    const answer = await put({ ...rest, safe: { ...openSafe, lock: { code: lock.code } }, fixed: { colour: fixed.colour } });
    expect(answer.status).toBe(200);
    expect({ ...answer.body.data, revision, updatedAt }).toEqual(data);
    expect([id, owner, locks, lockMap]).toEqual(['v', 'ann', vault.locks, vault.lockMap]);
  });

  it('answers 404 to a missing record, and never creates', async () => {
    const { status } = await api.request('PUT', '/api/vaults/none', { body: { name: 'n' } });
    expect([status, await vaults().countDocuments()]).toEqual([404, 1]);
  });

  it('is covered by its own guards and hooks, not by those of PATCH', async () => {
    await put({ name: 'n' });
    expect(calls).toEqual(['guard put', 'after put']);
    calls.length = 0;
    await api.request('PATCH', '/api/vaults/v', { body: { name: 'n' } });
    expect(calls).toEqual(['guard patch', 'after patch']);
  });
});
