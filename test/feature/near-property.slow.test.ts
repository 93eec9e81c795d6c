import fc from 'fast-check';
import { Double } from 'mongodb';
import { applyIndexes, cursorPaging, defineModel, type Service, service, t } from '../../src/index.ts';
import type { Any } from '../support/any.ts';
import { useDatabase } from '../support/database/database.ts';
import { cases } from '../support/fuzzing/fuzz.ts';
import { useApi } from '../support/http/api.ts';

const Spot = defineModel('Spot', {
  collection: 'spots',
  fields: {
    id: t.string(),
    tenant: t.string(),
    size: t.int({ policy: { filter: true } }),
    at: t.nullable(t.point({ policy: { near: { maxMetres: 20_000_000 } } })),
    deletedAt: t.deletedAt(),
  },
});

const database = useDatabase();
const define = (shop: Service<never>) => [
  shop.resource({
    model: Spot,
    ops: ['list', 'delete'],
    scope: () => ({ tenant: 'ann' }),
    scopeFields: ['tenant'],
    deleted: { guards: [() => true] },
    aggregate: {},
    paging: cursorPaging({ max: 1000, total: true }),
  }),
];
const api = useApi(database, define);

interface Stored {
  readonly _id: string;
  readonly tenant: string;
  readonly size: number;
  readonly at: readonly [longitude: number, latitude: number] | null;
  readonly deletedAt: Date | null;
}

type Place = readonly [longitude: number, latitude: number];

const radius = 6_378_100;
const toRadians = (degrees: number) => (degrees * Math.PI) / 180;

/** The haversine formula, which knows nothing of MongoDB. */
function distance([longitude, latitude]: Place, [otherLongitude, otherLatitude]: Place): number {
  const half = (a: number, b: number) => Math.sin(toRadians(a - b) / 2) ** 2;
  const square =
    half(latitude, otherLatitude) + Math.cos(toRadians(latitude)) * Math.cos(toRadians(otherLatitude)) * half(longitude, otherLongitude);
  return 2 * radius * Math.asin(Math.min(1, Math.sqrt(square)));
}

const special = [-180, 180, 0, 179.9999, -179.9999];
const longitude = fc.oneof(fc.double({ min: -180, max: 180, noNaN: true }), fc.constantFrom(...special));
const latitude = fc.oneof(fc.double({ min: -90, max: 90, noNaN: true }), fc.constantFrom(-90, 90, 0, 89.9999, -89.9999));
const place: fc.Arbitrary<Place> = fc.tuple(longitude, latitude);
const spot = fc.record({
  tenant: fc.constantFrom('ann', 'ann', 'bob'),
  size: fc.integer({ min: 0, max: 3 }),
  at: fc.option(place, { freq: 8 }),
  deletedAt: fc.option(fc.constant(new Date(0)), { freq: 1 }),
});
const query = fc.record({
  centre: place,
  metres: fc.oneof(fc.double({ min: 1, max: 20_000_000, noNaN: true }), fc.constantFrom(1, 1000, 20_000_000)),
  size: fc.option(fc.integer({ min: 0, max: 3 })),
  deleted: fc.constantFrom(undefined, 'only', 'with'),
  limit: fc.integer({ min: 1, max: 40 }),
});

beforeAll(async () => {
  await applyIndexes(service().api({ db: database.db, resources: define(service()) }));
});

async function store(spots: readonly Stored[]): Promise<void> {
  const collection = database.db.collection<Any>('spots');
  await collection.deleteMany({});
  const toStored = ({ at, deletedAt, ...others }: Stored) => ({
    ...others,
    at: at && { type: 'Point', coordinates: at.map((degrees) => new Double(degrees)) },
    ...(deletedAt && { deletedAt }),
  });
  if (spots.length > 0) await collection.insertMany(spots.map(toStored));
}

const ask = (parameters: readonly (readonly [string, unknown])[], path = '/api/spots') => {
  const given = parameters.flatMap(([name, value]) => (value === undefined || value === null ? [] : [`${name}=${value}`]));
  return api.request('GET', `${path}?${given.join('&')}`);
};

describe('near', () => {
  it('finds what the haversine formula finds, in its order, wherever the points lie', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(spot, { maxLength: 40, size: 'max' }),
        fc.array(query, { minLength: 4, maxLength: 4 }),
        async (spots, queries) => {
          const stored = spots.map((one, index): Stored => ({ _id: `s${String(index).padStart(2, '0')}`, ...one }));
          await store(stored);
          for (const { centre, metres, size, deleted, limit } of queries) {
            const isSeen = ({ deletedAt }: Stored) => deleted === 'with' || (deletedAt !== null) === (deleted === 'only');
            const inside = stored
              .filter((one) => one.tenant === 'ann' && isSeen(one) && (size === null || one.size === size))
              .flatMap(({ _id, at }) => (at ? [{ _id, metres: distance(centre, at) }] : []))
              .filter((one) => one.metres <= metres);
            // What lies within a micrometre of the edge may count or not, by either formula.
            fc.pre(inside.every((one) => Math.abs(one.metres - metres) > 1e-6) || metres === 20_000_000);
            const asked = [
              ['near', [...centre, metres].join()],
              ['size', size],
              ['deleted', deleted],
            ] as const;
            const { status, body } = await ask([...asked, ['limit', limit], ['total', true], ['distances', true]]);
            expect(status).toBe(200);
            expect(body.page.total).toBe(inside.length);
            expect([body.data.length, body.page.has_next]).toEqual([Math.min(limit, inside.length), inside.length > limit]);
            const expected = inside.map((one) => one.metres).sort((a, b) => a - b);
            for (const [index, { id }] of body.data.entries()) {
              const shown: number = body.page.distances[index];
              const own = inside.find(({ _id }) => _id === id)?.metres ?? Number.NaN;
              expect(Math.abs(shown - own)).toBeLessThan(0.06 + own * 1e-7); // near the antipode, the formula itself rounds
              expect(Math.abs(own - (expected[index] as number))).toBeLessThan(0.01 + own * 1e-7);
            }
            const counted = await ask(asked, '/api/spots/aggregate');
            expect(counted.body.data).toEqual([{ count: inside.length }]);
          }
        },
      ),
      cases(20),
    );
  });

  it('has what lies exactly on the edge in the page, the total and the aggregate, or in none of them', async () => {
    const [north, beside] = [
      [0, 90],
      [0, 8.983214172531007e-9],
    ] as [Place, Place]; // a millimetre from the edge
    await fc.assert(
      fc.asyncProperty(place, fc.array(place, { minLength: 1, maxLength: 8 }), async (centre, places) => {
        await store(places.map((at, index) => ({ _id: `s${index}`, tenant: 'ann', size: 0, at, deletedAt: null })));
        for (const at of places) {
          const metres = Math.min(Math.max(distance(centre, at), 1), 20_000_000);
          const near = ['near', [...centre, metres].join()] as const;
          const [list, counted] = await Promise.all([ask([near, ['limit', 100], ['total', true]]), ask([near], '/api/spots/aggregate')]);
          expect([list.body.page.total, counted.body.data]).toEqual([list.body.data.length, [{ count: list.body.data.length }]]);
        }
      }),
      { ...cases(20), examples: [[north, [[0, 0], beside, [-180, -90]]]] },
    );
  });
});
