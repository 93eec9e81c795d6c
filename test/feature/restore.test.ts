import { applyIndexes, ConfigurationError, defineModel, openStore, Problem, service, t } from '../../src/index.ts';
import type { Any } from '../support/any.ts';
import { useCommands } from '../support/database/commands.ts';
import { useDatabase } from '../support/database/database.ts';
import { useApi } from '../support/http/api.ts';
import { Parcel } from '../support/models/parcel.ts';

const database = useDatabase({ monitorCommands: true });
const commands = useCommands(database);
const told: unknown[] = [];
const api = useApi(
  database,
  (shop) => [
    shop.resource({
      model: Parcel,
      ops: ['get', 'delete', 'restore'],
      scope: () => ({ owner: 'ann' }),
      guardsFor: { restore: [(ctx) => ctx.get('x-may') !== 'no'] },
      after: { restore: [(_ctx, parcel) => void told.push(['after', parcel.id, parcel.revision, parcel.deletedAt])] },
    }),
    shop.resource({
      model: Parcel,
      path: 'hooked',
      ops: ['get', 'delete', 'restore'],
      before: { restore: [(ctx, draft) => void told.push(['before', ctx.params.id, draft])] },
      within: {
        delete: [(_ctx, { before, after }) => void told.push(['deleted', before.revision, before.deletedAt, after])],
        restore: [
          (ctx, { before, after }) => {
            told.push(['within', before.revision, before.deletedAt, after.revision, after.deletedAt]);
            if (ctx.get('x-hook') === 'no') throw new Problem({ status: 409, code: 'not_now', title: 'Not now' });
          },
        ],
      },
    }),
    shop.resource({ model: Parcel, path: 'strict', ops: ['restore'], preconditionRequired: true }),
  ],
  { batch: true, idempotency: { principal: () => 'one' }, undescribed: ['not_now'] },
);
const parcels = () => database.db.collection<Any>('parcels');
const stored = (id: string) => parcels().findOne({ _id: id });
const restore = (id: string, headers = {}) => api.request('POST', `/api/parcels/${id}/restore`, { headers });

const deletedAt = new Date('2026-01-02T03:04:05.678Z');
const life = { place: 'here', owner: 'ann', revision: 3, createdAt: deletedAt, updatedAt: deletedAt };

beforeAll(async () => {
  const shop = service();
  await applyIndexes(shop.api({ db: database.db, resources: [shop.resource({ model: Parcel })] }));
});
beforeEach(async () => {
  told.length = 0;
  await parcels().deleteMany({});
  await parcels().insertMany([
    { _id: 'live', code: 'L', ...life },
    { _id: 'gone', code: 'G', ...life, deletedAt, _deletion: 'x' },
    { _id: 'foreign', ...life, owner: 'ben', deletedAt },
  ]);
  commands.clear();
});

describe('POST {id}/restore', () => {
  it('answers 200 with the record, in one step of its revision and one command', async () => {
    const { status, body, headers } = await restore('gone');
    expect([status, headers.etag, commands.names]).toEqual([200, '"4"', ['findAndModify']]);
    const { updatedAt, ...record } = body.data;
    expect(record).toEqual({
      id: 'gone',
      code: 'G',
      place: 'here',
      owner: 'ann',
      uses: 0,
      revision: 4,
      createdAt: deletedAt.toISOString(),
    });
    expect(Date.parse(updatedAt)).toBeGreaterThan(deletedAt.getTime());
    expect(await stored('gone')).toEqual({ _id: 'gone', code: 'G', ...life, revision: 4, updatedAt: new Date(updatedAt) });
    expect((await api.request('GET', '/api/parcels/gone')).status).toBe(200);
    expect(told).toEqual([['after', 'gone', 4, undefined]]);
  });

  it('is 404 for a record that lives, is out of scope, or never was: in the same words, whatever the preconditions', async () => {
    for (const headers of [{}, { 'if-match': '"3"' }, { 'if-match': '"9"' }, { 'if-none-match': '*' }]) {
      const [first, ...others] = [await restore('never', headers), await restore('live', headers), await restore('foreign', headers)];
      expect([first?.status, first?.body.code]).toEqual([404, 'not_found']);
      for (const { status, body } of others) expect([status, body]).toEqual([404, first?.body]);
    }
    expect(told).toEqual([]);
    expect(await stored('foreign')).toHaveProperty('deletedAt');
  });

  it('is 404 the second time', async () => {
    await restore('gone');
    expect((await restore('gone')).status).toBe(404);
  });

  it('honours If-Match and If-None-Match, and asks for the former under preconditionRequired', async () => {
    expect((await restore('gone', { 'if-match': '"2"' })).status).toBe(412);
    expect((await restore('gone', { 'if-none-match': '"3"' })).status).toBe(412);
    expect((await restore('gone', { 'if-none-match': '*' })).status).toBe(412);
    expect((await restore('gone', { 'if-match': 'x' })).status).toBe(400);
    expect((await api.request('POST', '/api/strict/gone/restore')).status).toBe(428);
    expect(await stored('gone')).toMatchObject({ revision: 3, deletedAt });
    expect((await restore('gone', { 'if-match': '"3"' })).status).toBe(200);
  });

  it('has guards of its own', async () => {
    expect((await restore('gone', { 'x-may': 'no' })).status).toBe(403);
    expect((await api.request('DELETE', '/api/parcels/live', { headers: { 'x-may': 'no' } })).status).toBe(204);
  });

  it('is 409 if another record has taken a unique value, and names the field', async () => {
    await parcels().insertOne({ _id: 'thief', code: 'G', ...life });
    const { status, body } = await restore('gone');
    expect([status, body.code, body.errors[0].field]).toEqual([409, 'duplicate_key', 'code']);
    expect(await stored('gone')).toMatchObject({ revision: 3, deletedAt });
  });

  it('reads no body, and ignores one', async () => {
    const { status } = await api.request('POST', '/api/parcels/gone/restore', {
      body: 'no JSON',
      headers: { 'content-type': 'text/plain' },
    });
    expect(status).toBe(200);
  });

  it('shows hooks of `before` no draft, and those of `within` the record before and after', async () => {
    expect((await api.request('POST', '/api/hooked/gone/restore')).status).toBe(200);
    expect(told).toEqual([
      ['before', 'gone', undefined],
      ['within', 3, deletedAt, 4, undefined],
    ]);
  });

  it('leaves the record deleted if a hook of `within` throws', async () => {
    expect((await api.request('POST', '/api/hooked/gone/restore', { headers: { 'x-hook': 'no' } })).status).toBe(409);
    expect(await stored('gone')).toMatchObject({ revision: 3, deletedAt });
  });

  it('finds nothing to hook into if the record lives', async () => {
    expect((await api.request('POST', '/api/hooked/live/restore')).status).toBe(404);
    expect(told).toEqual([['before', 'live', undefined]]);
  });

  it('can be a member of a batch, and be repeated with an Idempotency-Key', async () => {
    const operations = [
      { method: 'POST', path: '/parcels/gone/restore', if_match: '"3"' },
      { method: 'DELETE', path: '/parcels/live' },
    ];
    const { status, body } = await api.request('POST', '/api/batch', { body: { operations } });
    expect([status, body.data.map((one: Any) => one.status)]).toEqual([200, [200, 204]]);
    const again = { 'idempotency-key': '"k1"' };
    const [first, second] = [await restore('live', again), await restore('live', again)];
    expect([first.status, second.status, second.body]).toEqual([200, 200, first.body]);
    expect(await stored('live')).toMatchObject({ revision: 5 });
  });
});

describe('hooks of a delete', () => {
  it('get the record as it was', async () => {
    expect((await api.request('DELETE', '/api/hooked/live')).status).toBe(204);
    expect(told).toEqual([['deleted', 3, undefined, null]]);
    expect(await stored('live')).toMatchObject({ revision: 4, deletedAt: expect.any(Date) });
  });
});

describe('the restore of a store', () => {
  it('brings the record back, and returns it', async () => {
    const store = openStore(Parcel, { db: database.db, scope: { owner: 'ann' } });
    expect(await store.remove('live')).toMatchObject({ revision: 3 });
    await expect(store.restore('live', { ifMatch: 3 })).rejects.toMatchObject({ code: 'precondition_failed' });
    expect(await store.restore('live', { ifMatch: 4 })).toMatchObject({ id: 'live', revision: 5 });
    await expect(store.restore('foreign')).rejects.toMatchObject({ code: 'not_found' });
    await expect(store.restore('live')).rejects.toMatchObject({ code: 'not_found' });
  });

  it('is 409 if another record has taken a unique value', async () => {
    const store = openStore(Parcel, { db: database.db });
    await store.create({ id: 'thief', code: 'G' });
    await expect(store.restore('gone')).rejects.toMatchObject({ code: 'duplicate_key' });
  });
});

describe('a model without t.deletedAt()', () => {
  const Plain = defineModel('Plain', { collection: 'plains', fields: { text: t.string() } });
  const shop = service();
  const make = (options: object) => () => shop.api({ db: database.db, resources: [shop.resource({ model: Plain, ...options } as Any)] });

  it.each([
    ['restore in ops', { ops: ['restore'] }, '`restore` in `ops` of resource `plains` needs a model with `t.deletedAt()`'],
    ['deleted', { deleted: { guards: [() => true] } }, '`deleted` of resource `plains` needs a model with `t.deletedAt()`'],
  ])('cannot have %s', (_what, options, message) => {
    expect(make(options)).toThrow(ConfigurationError);
    expect(make(options)).toThrow(message);
  });

  it('has a store that says so', async () => {
    const store = openStore(Plain, { db: database.db });
    const needed = 'needs a model with `t.deletedAt()`: a delete removes the records of Plain.';
    await expect(store.restore('x')).rejects.toThrow(needed);
    await expect(store.purge({ olderThan: 0 })).rejects.toThrow(needed);
    await expect(store.find({}, { deleted: 'only' })).rejects.toThrow(needed);
    await expect(store.get('x', { deleted: 'with' })).rejects.toThrow(needed);
    await expect(store.count({}, { deleted: 'with' })).rejects.toThrow(needed);
  });
});
