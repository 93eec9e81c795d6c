import { defineModel, t } from '../../src/index.ts';
import { useDatabase } from '../support/database/database.ts';
import { useApi } from '../support/http/api.ts';

const policy = { filter: true } as const;
const forms = ['at', 'text', 'ms', 's', 'dates'] as const;
const Row = defineModel('Row', {
  collection: 'rows',
  fields: {
    id: t.string({ policy: { insert: true } }),
    at: t.nullable(t.date({ policy })),
    text: t.nullable(t.date({ storedAs: 'string', policy })),
    ms: t.nullable(t.date({ storedAs: 'epoch-ms', policy })),
    s: t.nullable(t.date({ storedAs: 'epoch-s', policy })),
    dates: t.array(t.date(), { policy }),
    link: t.nullable(t.ref('Row', { id: t.string(), as: 'linked' })),
  },
});

const database = useDatabase();
const api = useApi(database, (shop) => [shop.resource({ model: Row, through: ['linked'] })]);

/** What the records have, in microseconds after noon: whole seconds, which every form can hold. */
const stored: Readonly<Record<string, number | null>> = { a: 0, b: 1_000_000, c: 2_000_000, n: null };
const dateOf = (after: number) => new Date(Date.UTC(2026, 0, 31, 12) + after / 1_000);
const noon = '2026-01-31T12:00:0';
/** Texts of dates, and the microseconds that they mean. */
const texts: readonly (readonly [text: string, after: number])[] = [
  [`${noon}1Z`, 1_000_000],
  [`${noon}1.000000Z`, 1_000_000],
  [`${noon}1.0005Z`, 1_000_500],
  [`${noon}0.9999Z`, 999_900],
  [`${noon}0.999999`, 999_999],
  ['2026-01-31t13:00:01.000001+01:00', 1_000_001],
  [`${noon}2.0000000000Z`, 2_000_000],
];
const compare = {
  eq: (one: number | null, other: number) => one === other,
  ne: (one: number | null, other: number) => one !== other,
  gt: (one: number | null, other: number) => one !== null && one > other,
  gte: (one: number | null, other: number) => one !== null && one >= other,
  lt: (one: number | null, other: number) => one !== null && one < other,
  lte: (one: number | null, other: number) => one !== null && one <= other,
  in: (one: number | null, other: number) => one === other || one === 0,
  nin: (one: number | null, other: number) => one !== other && one !== 0,
};
const signs = { eq: '=', ne: '!=', gt: '>', gte: '>=', lt: '<', lte: '<=' };

beforeAll(async () => {
  const rows = Object.entries(stored).map(([id, after]) => {
    const at = after === null ? null : dateOf(after);
    const [text, ms, s] = [at?.toISOString() ?? null, at?.getTime() ?? null, at ? at.getTime() / 1_000 : null];
    return { _id: id, at, text, ms, s, dates: at ? [at] : [], link: id };
  });
  await database.db.collection('rows').insertMany(rows as never);
});

const idsOf = ({ status, body }: { status: number; body: { data: { id: string }[] } }) => [status, body.data?.map(({ id }) => id)];
const get = async (query: string) => idsOf(await api.request('GET', `/api/rows?${query}`));
const post = async (body: object) => idsOf(await api.request('POST', '/api/rows/query', { body }));

describe.each(texts)('%s, which may be finer than what is stored,', (text, after) => {
  it.each(Object.keys(compare) as (keyof typeof compare)[])('is compared exactly by %s', async (operator) => {
    const right = [200, Object.keys(stored).filter((id) => compare[operator](stored[id] ?? null, after))];
    const isList = operator === 'in' || operator === 'nin';
    const [value, json] = isList ? [`${text},${noon}0Z`, [text, `${noon}0Z`]] : [text, text];
    const literal = operator === 'in' ? `IN ("${text}", "${noon}0Z")` : `${signs[operator as keyof typeof signs]} "${text}"`;
    for (const form of forms) {
      for (const field of form === 'at' ? [form, 'linked.at'] : [form]) {
        expect([field, await get(`${field}[${operator}]=${encodeURIComponent(value)}`)]).toEqual([field, right]);
        expect([field, await post({ [`${field}[${operator}]`]: json })]).toEqual([field, right]);
        if (operator !== 'nin') expect([field, await post({ filter: `${field} ${literal}` })]).toEqual([field, right]);
      }
    }
  });
});
