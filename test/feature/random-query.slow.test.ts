import fc from 'fast-check';
import { cursorPaging } from '../../src/index.ts';
import { useDatabase } from '../support/database/database.ts';
import { cases } from '../support/fuzzing/fuzz.ts';
import { useApi } from '../support/http/api.ts';
import { Item, items } from '../support/models/item.ts';

const database = useDatabase();
const api = useApi(database, (shop) => [shop.resource({ model: Item, paging: cursorPaging({ total: true }) })]);

beforeAll(async () => {
  await database.db.collection('items').insertMany(items as never);
});

const names = [
  'id',
  'name',
  'note',
  'count',
  'big',
  'price',
  'ratio',
  'on',
  'at',
  'kind',
  'ref',
  'key',
  'tags',
  'place',
  'place.city',
  'parts.sku',
  'only',
  'shut',
  'secret',
  '_id',
  'x',
  '',
];
const parameters = ['limit', 'sort', 'after', 'before', 'page', 'include', 'total', 'fields'];
const operators = ['eq', 'ne', 'in', 'nin', 'gt', 'gte', 'lt', 'lte', 'exists', 'prefix', '$gt', '$where', 'regex', ''];
const values = [
  'null',
  'true',
  '1',
  '-0',
  '9.0',
  '1e308',
  '1e-400',
  '9223372036854775808',
  'NaN',
  'a,b',
  ',',
  '',
  '*',
  '\\',
  '[',
  '(',
  '.*',
  '$',
  '2026-01-31T12:00:00Z',
  '0000-01-01T00:00:00Z',
  '9999-12-31T23:59:60Z',
  '0123456789abcdef01234567',
  '-name,count',
  '\0',
  '\u{1f600}',
  '\ud800',
  '{"$gt":""}',
];
const anyText = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom(...values) },
  { weight: 2, arbitrary: fc.string({ unit: 'binary', maxLength: 20 }) },
  { weight: 1, arbitrary: fc.string({ unit: 'grapheme', maxLength: 5 }) },
);
const encode = (text: string) => encodeURIComponent(text.toWellFormed());
const filter = fc
  .tuple(fc.constantFrom(...names), fc.option(fc.constantFrom(...operators)), anyText)
  .map(([name, operator, value]) => `${name}${operator === null ? '' : `[${operator}]`}=${encode(value)}`);
const setting = fc.tuple(fc.constantFrom(...parameters), anyText).map(([name, value]) => `${name}=${encode(value)}`);
const cursor = fc.json({ maxDepth: 2 }).map((json) => `after=${Buffer.from(json).toString('base64url')}`);
const rubbish = fc.string({ unit: fc.constantFrom(...'abc%&=[]+,.;$\'"0fF?/:@!*()_-~'), maxLength: 20 });
const query = fc
  .array(
    fc.oneof(
      { weight: 5, arbitrary: filter },
      { weight: 2, arbitrary: setting },
      { weight: 1, arbitrary: cursor },
      { weight: 1, arbitrary: rubbish },
    ),
    { maxLength: 4 },
  )
  .map((parts) => parts.join('&'));

describe('a query string, whatever it holds', () => {
  it('never gives 500: a list, or a problem of the client', async () => {
    await fc.assert(
      fc.asyncProperty(query, async (text) => {
        const { status, headers, body } = await api.request('GET', `/api/items?${text.replaceAll('?', '%3F')}`);
        expect([200, 400, 422]).toContain(status);
        expect(api.errors).toEqual([]);
        if (status === 200) expect(Object.keys(body)).toEqual(['data', 'page']);
        else expect([headers['content-type'], typeof body.code]).toEqual(['application/problem+json', 'string']);
        expect(JSON.stringify(body)).not.toMatch(/\btop\b|\bz1\b|Mongo|stack/);
      }),
      cases(200),
    );
  }, 120_000);

  it('is no matter for Get, which ignores what it does not know: only an include can be refused', async () => {
    await fc.assert(
      fc.asyncProperty(query, async (text) => {
        const { status, body } = await api.request('GET', `/api/items/a?${text.replaceAll('?', '%3F')}`);
        if (status === 400) expect(body.errors).toMatchObject([{ field: 'include', message: expect.any(String) }]);
        else expect(status).toBe(200);
      }),
      cases(50),
    );
  }, 120_000);
});
