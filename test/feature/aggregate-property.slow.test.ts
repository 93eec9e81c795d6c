import { Decimal128 } from 'mongodb';
import { cursorPaging, defineModel, service, t } from '../../src/index.ts';
import { connect } from '../products/mcp/connect.ts';
import type { Any } from '../support/any.ts';
import { useDatabase } from '../support/database/database.ts';
import { randomFrom } from '../support/fuzzing/random-from.ts';
import { type TestServer, useServer } from '../support/http/serve.ts';

const Sale = defineModel('Sale', {
  collection: 'sales',
  fields: {
    id: t.string({ policy: { filter: true } }),
    kind: t.enum(['a', 'b', 'c'], { policy: { filter: true, group: true } }),
    shop: t.nullable(t.string({ policy: { filter: true, group: true } })),
    at: t.nullable(t.date({ policy: { filter: true, group: true, aggregate: true } })),
    cents: t.nullable(t.int64({ policy: { filter: true, aggregate: true } })),
    price: t.nullable(t.decimal({ policy: { filter: true, aggregate: true } })),
  },
});

interface Sold {
  readonly _id: string;
  readonly kind: string;
  readonly shop: string | null;
  readonly at: Date | null;
  readonly cents: bigint | null;
  readonly price: Decimal128 | null;
}

const next = randomFrom(7);
const integer = (from: number, to: number) => from + Math.floor(next() * (to - from + 1));
const pick = <Value>(values: readonly Value[]): Value => values[integer(0, values.length - 1)] as Value;
const mayBe = <Value>(make: () => Value): Value | null => (next() < 0.2 ? null : make());

const sales = Array.from(
  { length: 300 },
  (_, index): Sold => ({
    _id: `s${index}`,
    kind: pick(['a', 'b', 'c']),
    shop: mayBe(() => pick(['Ulm', 'Rom', 'ulm'])),
    at: mayBe(() => new Date(Date.UTC(2025, integer(0, 23), integer(1, 31), integer(0, 23), integer(0, 59)))),
    cents: mayBe(() => BigInt(integer(-9, 9)) * 10n ** BigInt(integer(0, 18))),
    price: mayBe(() => Decimal128.fromString(`${integer(-999, 999)}.${String(integer(0, 99)).padStart(2, '0')}`)),
  }),
);

/** The local date of a time, by the calendar of Node, which the database does not know. */
function localDay(at: Date, timeZone: string): string {
  return new Intl.DateTimeFormat('en-CA', { timeZone, year: 'numeric', month: '2-digit', day: '2-digit' }).format(at);
}

/** The ISO week of a day: the one that has its Thursday. */
function weekOf(day: string): string {
  const date = new Date(`${day}T00:00:00Z`);
  date.setUTCDate(date.getUTCDate() + 4 - (date.getUTCDay() || 7));
  const first = Date.UTC(date.getUTCFullYear(), 0, 1);
  const week = Math.floor((date.getTime() - first) / 86_400_000 / 7) + 1;
  return `${date.getUTCFullYear()}-W${String(week).padStart(2, '0')}`;
}

function spanOf(at: Date | null, unit: string, timeZone: string): string | null {
  if (at === null) return null;
  const day = localDay(at, timeZone);
  const [year, month] = day.split('-');
  const spans: Readonly<Record<string, string>> = {
    year: year as string,
    quarter: `${year}-Q${Math.ceil(Number(month) / 3)}`,
    month: `${year}-${month}`,
    week: weekOf(day),
    day,
    hour: new Date(Math.floor(at.getTime() / 3_600_000) * 3_600_000).toISOString(), // the offsets here are whole hours
  };
  return spans[unit] as string;
}

const hundredths = (price: Decimal128) => BigInt(price.toString().replace('.', ''));
const sumOf = (values: readonly bigint[]) => (values.length === 0 ? null : values.reduce((sum, one) => sum + one, 0n));

const database = useDatabase();
const serve = useServer();
let server: TestServer;
const shop = service();
const resource = shop.resource({ model: Sale, ops: ['list'], paging: cursorPaging({ max: 1_000, total: true }), aggregate: true });
const api = () => shop.api({ db: database.db, prefix: '/api', resources: [resource] });

beforeAll(async () => {
  await database.db.collection<Sold>('sales').insertMany(sales as never);
  server = await serve(api().routes());
});

const units = ['year', 'quarter', 'month', 'week', 'day', 'hour'];
const filters: readonly (readonly [query: string, (one: Sold) => boolean])[] = [
  ['', () => true],
  ['kind=a', ({ kind }) => kind === 'a'],
  ['filter=kind%3D%22b%22%20OR%20shop%3D%22Ulm%22', ({ kind, shop }) => kind === 'b' || shop === 'Ulm'],
  ['shop[exists]=true&cents[gt]=0', ({ cents }) => cents !== null && cents > 0n], // a stored null is present
  ['at[gte]=2026-01-01T00:00:00Z', ({ at }) => at !== null && at.getTime() >= Date.UTC(2026, 0, 1)],
  ['kind=a&shop=none', () => false],
];

describe('random aggregates, and numbers that are made of plain documents', () => {
  it('are equal', async () => {
    let groups = 0;
    for (let run = 0; run < 150; run++) {
      const [filter, matches] = pick(filters);
      const timeZone = pick(['UTC', 'Europe/Berlin', 'America/Los_Angeles', 'Pacific/Auckland']);
      const keys = [...new Set(Array.from({ length: integer(0, 3) }, () => pick(['kind', 'shop', `at[${pick(units)}]`])))];
      const group = keys.length > 0 ? `group=${keys.join(',')}&` : '';
      const query = `${group}count=true&sum=cents,price&min=at,cents&max=price&timezone=${timeZone}${filter && `&${filter}`}`;
      const answer = await server.request('GET', `/api/sales/aggregate?${query}`);
      expect([query, answer.status, answer.body.errors]).toEqual([query, 200, undefined]);
      const keyOf = (one: Sold, key: string) => (key === 'kind' || key === 'shop' ? one[key] : spanOf(one.at, key.slice(3, -1), timeZone));
      const byGroup = new Map<string, Sold[]>();
      for (const one of sales.filter(matches)) {
        const key = JSON.stringify(Object.fromEntries(keys.map((name) => [name, keyOf(one, name)])));
        byGroup.set(key, [...(byGroup.get(key) ?? []), one]);
      }
      if (keys.length === 0 && byGroup.size === 0) byGroup.set('{}', []);
      const expected = [...byGroup].map(([key, found]) => {
        const cents = found.flatMap(({ cents }) => (cents === null ? [] : [cents]));
        const prices = found.flatMap(({ price }) => (price === null ? [] : [hundredths(price)]));
        const times = found.flatMap(({ at }) => (at === null ? [] : [at.getTime()]));
        return {
          group: key,
          count: found.length,
          cents: String(sumOf(cents)),
          price: sumOf(prices),
          least: times.length === 0 ? null : new Date(Math.min(...times)).toISOString(),
          leastCents: cents.length === 0 ? 'null' : String(cents.reduce((a, b) => (a < b ? a : b))),
          most: prices.length === 0 ? null : prices.reduce((a, b) => (a > b ? a : b)),
        };
      });
      const exact = exactIntegers(answer.text);
      const found = exact.data.map(({ group, count, sum, min, max }: Any) => ({
        group: JSON.stringify(group ?? {}),
        count: Number(count),
        cents: String(sum.cents),
        price: sum.price === null ? null : hundredths(Decimal128.fromString(sum.price)),
        least: min.at,
        leastCents: String(min.cents),
        most: max.price === null ? null : hundredths(Decimal128.fromString(max.price)),
      }));
      const inOrder = (rows: readonly { readonly group: string }[]) => [...rows].sort((a, b) => (a.group < b.group ? -1 : 1));
      expect([query, inOrder(found)]).toEqual([query, inOrder(expected)]);
      groups += found.length;
      const list = await server.request('GET', `/api/sales?total=true&limit=1${filter && `&${filter}`}`);
      expect(found.reduce((sum: number, { count }: { count: number }) => sum + count, 0)).toBe(list.body.page.total);
    }
    expect(groups).toBeGreaterThan(1_000);
  });

  it('are equal in a tool', async () => {
    const agent = await connect(api());
    const { isError, text } = await agent.call('sales_aggregate', { group: ['kind'], sum: ['price'], count: true });
    const { body } = await server.request('GET', '/api/sales/aggregate?group=kind&sum=price&count=true');
    expect([isError, JSON.parse(text)]).toEqual([false, body]);
  });
});

/** Reads integers as texts, because a double would round them. */
function exactIntegers(text: string): Any {
  return JSON.parse(text.replaceAll(/("cents":)(-?\d+)/g, '$1"$2"'));
}
