import fc from 'fast-check';
import { applyIndexes, openStore, Problem, service } from '../../src/index.ts';
import { operations } from '../../src/resource/define/standard-operations.ts';
import type { Any } from '../support/any.ts';
import { useDatabase } from '../support/database/database.ts';
import { cases } from '../support/fuzzing/fuzz.ts';
import { useApi } from '../support/http/api.ts';
import { Parcel } from '../support/models/parcel.ts';

const database = useDatabase();
const api = useApi(database, (shop) => [
  shop.resource({ model: Parcel, ops: operations, scope: () => ({ owner: 'ann' }), deleted: { guards: [() => true] } }),
]);
const store = () => openStore(Parcel, { db: database.db });
const parcels = () => database.db.collection<Any>('parcels');

beforeAll(async () => {
  const shop = service();
  await applyIndexes(shop.api({ db: database.db, resources: [shop.resource({ model: Parcel })] }));
});

interface Kept {
  code: string | null;
  place: string;
  revision: number;
  isDeleted: boolean;
}

interface Step {
  readonly op: 'create' | 'patch' | 'delete' | 'restore' | 'deleteMany' | 'purge';
  readonly by: 'http' | 'store';
  readonly id: string;
  readonly code: string | null;
  readonly place: string;
  /** Added to the current revision for `If-Match`: 0 matches. */
  readonly off: number | undefined;
}

const step: fc.Arbitrary<Step> = fc.record({
  op: fc.constantFrom('create', 'create', 'patch', 'delete', 'delete', 'restore', 'restore', 'deleteMany', 'purge'),
  by: fc.constantFrom('http', 'store'),
  id: fc.constantFrom('a', 'b', 'c'),
  code: fc.constantFrom(null, 'x', 'y'),
  place: fc.constantFrom('p', 'q'),
  off: fc.constantFrom(undefined, undefined, 0, 1),
});

/** The rules once more, without a database. Returns the status. */
function play(records: Map<string, Kept>, { op, id, code, place, off }: Step): number {
  const one = records.get(id);
  const isTaken = (wanted: string | null) =>
    wanted !== null && [...records].some(([other, { code, isDeleted }]) => other !== id && !isDeleted && code === wanted);
  const change = (isDeleted: boolean, apply: (found: Kept) => void, wanted: string | null, status: number): number => {
    if (!one || one.isDeleted !== isDeleted) return 404;
    if (off !== undefined && off !== 0) return 412;
    if (isTaken(wanted)) return 409;
    apply(one);
    one.revision++;
    return status;
  };
  switch (op) {
    case 'create':
      if (one || isTaken(code)) return 409;
      records.set(id, { code, place, revision: 0, isDeleted: false });
      return 201;
    case 'patch':
      return change(false, (found) => Object.assign(found, { code, place }), code, 200);
    case 'delete':
      return change(false, (found) => Object.assign(found, { isDeleted: true }), null, 204);
    case 'restore':
      return change(true, (found) => Object.assign(found, { isDeleted: false }), one?.code ?? null, 200);
    case 'deleteMany':
      for (const found of records.values()) {
        if (found.isDeleted || found.place !== place) continue;
        found.isDeleted = true;
        found.revision++;
      }
      return 200;
    case 'purge':
      for (const [key, { isDeleted }] of records) if (isDeleted) records.delete(key);
      return 200;
  }
}

/** The same by HTTP. There is no purge. */
async function request(current: Kept | undefined, { op, id, code, place, off }: Step): Promise<number> {
  const headers = off === undefined ? {} : { 'if-match': `"${(current?.revision ?? 0) + off}"` };
  const path = `/api/parcels/${id}`;
  const sent: Record<Exclude<Step['op'], 'purge'>, [method: string, path: string, more: object]> = {
    create: ['POST', '/api/parcels', { body: { id, code, place } }],
    patch: ['PATCH', path, { body: { code, place }, headers }],
    delete: ['DELETE', path, { headers }],
    restore: ['POST', `${path}/restore`, { headers }],
    deleteMany: ['DELETE', `/api/parcels?place=${place}`, {}],
  };
  return (await api.request(...sent[op as 'create'])).status;
}

async function byStore(current: Kept | undefined, { op, id, code, place, off }: Step): Promise<number> {
  const ifMatch = off === undefined ? {} : { ifMatch: (current?.revision ?? 0) + off };
  const done: Record<Step['op'], () => Promise<unknown>> = {
    create: () => store().create({ id, code, place }),
    patch: () => store().update(id, { code, place }, ifMatch),
    delete: () => store().remove(id, ifMatch),
    restore: () => store().restore(id, ifMatch),
    deleteMany: () => store().removeMany({ place }),
    purge: () => store().purge({ olderThan: 0 }),
  };
  const statuses: Record<Step['op'], number> = { create: 201, patch: 200, delete: 204, restore: 200, deleteMany: 200, purge: 200 };
  try {
    await done[op]();
    return statuses[op];
  } catch (error) {
    if (error instanceof Problem) return error.status;
    throw error;
  }
}

/** What is stored, and what lists say of it. */
async function compare(records: ReadonlyMap<string, Kept>): Promise<void> {
  const stored = await parcels().find().sort({ _id: 1 }).toArray();
  const expected = [...records].sort(([a], [b]) => (a < b ? -1 : 1));
  expect(
    stored.map(({ _id, code = null, place, revision, deletedAt, _deletion }) => [_id, code, place, revision, !!deletedAt, !!_deletion]),
  ).toEqual(expected.map(([id, { code, place, revision, isDeleted }]) => [id, code, place, revision, isDeleted, isDeleted]));
  const ids = async (query: string) => (await api.request('GET', `/api/parcels${query}`)).body.data.map(({ id }: Any) => id);
  const of = (isDeleted: boolean) => expected.filter(([, one]) => one.isDeleted === isDeleted).map(([id]) => id);
  expect(await ids('')).toEqual(of(false));
  expect(await ids('?deleted=only')).toEqual(of(true));
  expect(await ids('?deleted=with')).toEqual(expected.map(([id]) => id));
}

describe('creates, patches, deletes, restores and purges', () => {
  it('end in the same answers, revisions and stored records as the rules say, in any order, by HTTP and by the store', async () => {
    const seen = new Set<string>();
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 10, maxLength: 50 }), async (steps) => {
        await parcels().deleteMany({});
        const records = new Map<string, Kept>();
        for (const one of steps) {
          const current = records.get(one.id);
          const isHttp = one.by === 'http' && one.op !== 'purge';
          const status = await (isHttp ? request : byStore)(current && { ...current }, one);
          expect([one, status]).toEqual([one, play(records, one)]);
          seen.add(`${one.op} ${status}`);
        }
        await compare(records);
      }),
      cases(80),
    );
    const usual = [
      'create 201',
      'create 409',
      'patch 200',
      'patch 404',
      'patch 409',
      'patch 412',
      'delete 204',
      'delete 404',
      'delete 412',
    ];
    expect([...seen]).toEqual(expect.arrayContaining([...usual, 'restore 200', 'restore 404', 'restore 409', 'restore 412', 'purge 200']));
  }, 300_000);
});

describe('at the same time', () => {
  const rounds = Array.from({ length: 30 }, (_, round) => `r${round}`);
  const tally = (answers: readonly { status: number }[]) => answers.map(({ status }) => status).sort();
  const send = (method: string, path: string, body?: object) => api.request(method, `/api/parcels${path}`, body ? { body } : {});

  it('one of several deletes succeeds, with one step of the revision', async () => {
    for (const id of rounds) {
      await send('POST', '', { id });
      expect(tally(await Promise.all([1, 2, 3, 4].map(() => send('DELETE', `/${id}`))))).toEqual([204, 404, 404, 404]);
      expect((await parcels().findOne({ _id: id })).revision).toBe(1);
      expect(tally(await Promise.all([1, 2, 3].map(() => send('POST', `/${id}/restore`))))).toEqual([200, 404, 404]);
    }
  });

  it('a patch and a delete leave a deleted record, with or without the change, and never a living one', async () => {
    for (const id of rounds) {
      await send('POST', '', { id: `${id}p` });
      const [patched, deleted] = await Promise.all([send('PATCH', `/${id}p`, { place: 'there' }), send('DELETE', `/${id}p`)]);
      const { place, revision, deletedAt } = await parcels().findOne({ _id: `${id}p` });
      expect([deleted?.status, !!deletedAt]).toEqual([204, true]);
      expect([place, revision]).toEqual(patched?.status === 200 ? ['there', 2] : ['here', 1]);
    }
  });

  it('a restore and a create of the same unique value: one of them is 409', async () => {
    for (const id of rounds) {
      const code = `unique ${id}`;
      await send('POST', '', { id: `${id}u`, code });
      await send('DELETE', `/${id}u`);
      const [restored, created] = await Promise.all([send('POST', `/${id}u/restore`), send('POST', '', { id: `${id}n`, code })]);
      expect([
        [200, 409],
        [409, 201],
      ]).toContainEqual([restored?.status, created?.status]);
      expect(await parcels().countDocuments({ code, deletedAt: null })).toBe(1);
    }
  });

  it('a restore and a purge: the record lives, or is gone for good', async () => {
    for (const id of rounds) {
      await send('POST', '', { id: `${id}x` });
      await send('DELETE', `/${id}x`);
      const [restored] = await Promise.all([send('POST', `/${id}x/restore`), store().purge({ olderThan: 0 })]);
      const left = await parcels().findOne({ _id: `${id}x` });
      expect([restored?.status, left && !left.deletedAt]).toEqual(restored?.status === 200 ? [200, true] : [404, null]);
    }
  });
});
