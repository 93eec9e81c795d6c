import { cursorPaging, offsetPaging } from '../../src/index.ts';
import { useCommands } from '../support/database/commands.ts';
import { useDatabase } from '../support/database/database.ts';
import { useApi } from '../support/http/api.ts';
import { idsOf, walkList } from '../support/http/walk-list.ts';
import { Item, items, key, ref } from '../support/models/item.ts';

const database = useDatabase({ monitorCommands: true });
const commands = useCommands(database);
const paging = cursorPaging({ total: true });
const api = useApi(database, (shop) => [
  shop.resource({ model: Item, paging }),
  shop.resource({ model: Item, path: 'numbered', paging: offsetPaging({ total: true }) }),
  shop.resource({ model: Item, path: 'scoped', paging, scope: () => ({ name: { ne: 'zeta' } }) }),
]);

beforeAll(() => database.db.collection('items').insertMany(items as never));

async function ask(filter: string, path = 'items'): Promise<string> {
  const { status, body } = await api.request('GET', `/api/${path}?total=true&filter=${encodeURIComponent(filter)}`);
  expect([filter, status, body.errors]).toEqual([filter, 200, undefined]);
  expect(body.page.total).toBe(body.data.length);
  return body.data.map(({ id }: { id: string }) => id).join(' ');
}

describe('filter', () => {
  it.each(['1', '-3', '+1', '01', '1.', '.5', '-.5', '1.0', '5e-1', '1E+0', '1e', '1.2.3', '.', '+', '--1', '0x1', '1_0', '1e1234567'])(
    'takes %s for a number where a parameter does, with the same records',
    async (number) => {
      const written = encodeURIComponent(number);
      for (const field of ['count', 'big', 'price', 'ratio']) {
        const asked = await api.request('GET', `/api/items?${field}=${written}`);
        const filtered = await api.request('GET', `/api/items?filter=${field}%20=%20${written}`);
        expect([field, filtered.status, filtered.body.data]).toEqual([field, asked.status, asked.body.data]);
      }
    },
  );

  it.each([
    ['id = "a"', 'a'],
    ['name != "alpha"', 'b c n z'],
    ['count > 1', 'b'],
    ['count >= -3', 'a b c'],
    ['count < "2"', 'a c'],
    ['big = 9007199254740993', 'a'],
    ['price <= 12.5', 'a c'],
    ['price = "12.500"', 'a'],
    ['ratio = 5e-1', 'a'],
    ['on = true', 'a'],
    ['on != true', 'b c n z'],
    ['at > "2026-06-01T00:00:00Z"', 'b'],
    [`ref = "${ref}"`, 'a'],
    [`key = "${key}"`, 'a'],
    ['note = null', 'n z'],
    ['note = "null"', ''],
    ['kind = "null"', 'c'],
    ['count = null', 'n z'],
    ['count = "null"', 'n z'],
    ['count IN (1, null)', 'a n z'],
    ['name IN ()', ''],
    ['tags = "red"', 'a b'],
    ['prefix(name, "B")', 'b'],
    ['prefix(note, "x.")', 'a'],
    ['exists(price)', 'a c'],
    ['NOT exists(price)', 'b n z'],
    ['NOT count = 1', 'b c n z'],
    ['NOT count > 0', 'c n z'],
    ['NOT (on = true OR on = false)', 'c n z'],
    ['place.city = "Ulm"', 'a'],
    ['parts.sku = "s1" AND parts.sku = "s2"', 'a'],
    ['any(parts, sku = "s1")', 'a'],
    ['any(parts, sku = "s1" AND sku = "s2")', ''],
    ['any(parts, sku = "s1" OR sku = "s2")', 'a'],
    ['any(parts, NOT sku = "s1")', 'a'],
    ['none(parts, sku = "s1")', 'b c n z'],
    ['NOT none(parts, sku = "s1")', 'a'],
    ['(name = "alpha" OR count >= 2) AND NOT exists(price)', 'b'],
    ['name = "alpha" OR (count = 2 AND on = false) OR name = "zeta"', 'a b z'],
  ])('%s finds %s', async (filter, ids) => expect(await ask(filter)).toBe(ids));

  it('is one condition beside the scope, and lets nobody out of it', async () => {
    expect(await ask('name = "zeta" OR name = "alpha"', 'scoped')).toBe('a');
    expect(await ask('NOT name = "alpha"', 'scoped')).toBe('b c n');
    commands.clear();
    await ask('name = "zeta" OR name = "alpha"', 'scoped');
    const [find] = commands.events.filter(({ commandName }) => commandName === 'find');
    expect(find?.command.filter).toEqual({
      $and: [{ name: { $ne: 'zeta' } }, { $or: [{ name: { $eq: 'zeta' } }, { name: { $eq: 'alpha' } }] }],
    });
  });

  it('stands beside the other parameters', async () => {
    const { body } = await api.request('GET', `/api/items?count[gte]=1&sort=-count&filter=${encodeURIComponent('count < 9')}`);
    expect(body.data.map(({ id }: { id: string }) => id)).toEqual(['b', 'a']);
    const paged = await api.request('GET', `/api/numbered?page=2&limit=1&filter=${encodeURIComponent('exists(count) AND count > -9')}`);
    expect(paged.body.data.map(({ id }: { id: string }) => id)).toEqual(['b']);
  });

  it('is one list with the same cursors in all spellings, and another one in no other', async () => {
    const first = await api.request('GET', `/api/items?limit=1&filter=${encodeURIComponent('count IN (2, 1) OR name = "zeta"')}`);
    const after = first.body.page.next_cursor;
    const next = (filter: string) => api.request('GET', `/api/items?limit=1&after=${after}&filter=${encodeURIComponent(filter)}`);
    for (const same of ['(name="zeta")OR count IN(1,2)', 'NOT (NOT (name = "zeta" OR (count IN ("1", 2, 2) OR name = "zeta")))'])
      expect([same, (await next(same)).body.data?.[0].id]).toEqual([same, 'b']);
    for (const other of ['count IN (2, 1) AND name = "zeta"', 'count IN (2) OR name = "zeta"', 'name = "zeta"'])
      expect([other, (await next(other)).body.code]).toEqual([other, 'invalid_cursor']);
  });

  it('walks in both directions through the ranges of a sort', async () => {
    const path = `/api/items?limit=1&sort=-count&filter=${encodeURIComponent('NOT name = "alpha"')}`;
    const { there, back } = await walkList(api, path);
    expect(idsOf(there)).toEqual(['b', 'c', 'z', 'n']);
    expect(idsOf(back)).toEqual(['b', 'c', 'z', 'n']);
    const { headers } = await api.request('GET', path);
    expect(headers.link).toContain(`filter=${encodeURIComponent('NOT name = "alpha"')}`);
  });
});

describe('a filter that is refused', () => {
  async function refuse(filter: string): Promise<unknown> {
    const { status, body } = await api.request('GET', `/api/items?filter=${encodeURIComponent(filter)}`);
    expect([filter, status]).toEqual([filter, body.code === 'invalid_query' ? 400 : 422]);
    return body.errors.map(({ field, rule, message, params }: { field: string; rule: string; message: string; params: object }) => [
      field,
      rule,
      message,
      params,
    ]);
  }

  it.each([
    [
      'nmae = 1',
      'unknown_parameter',
      '`nmae` at character 1 is not a field of this list; did you mean `name`?',
      { suggestion: 'name', position: 1 },
    ],
    ['name = "x" AND secret = 1', 'unknown_parameter', '`secret` at character 16 is not a field of this list', { position: 16 }],
    ['name = "x" AND nonono = 1', 'unknown_parameter', '`nonono` at character 16 is not a field of this list', { position: 16 }],
    [
      'shut = "s"',
      'not_filterable',
      expect.stringContaining('`shut` at character 1 cannot be filtered. Allowed: id, name'),
      expect.anything(),
    ],
    [
      'only != "s"',
      'unknown_operator',
      '`only` at character 1 does not have the operator `ne`. Allowed: eq',
      { operators: ['eq'], position: 1 },
    ],
    ['count = 1.5', 'type', '`count` at character 1 must be an integer', expect.anything()],
    ['name = null', 'not_null', '`name` at character 1 cannot be null', { position: 1 }],
    ['count > null', 'not_null', '`count` at character 1 cannot be null', { position: 1 }],
    [
      'any(place, city = "x")',
      'not_comparable',
      '`place` at character 5 is neither an array of objects or of values nor a relation that a filter may name',
      { position: 5 },
    ],
    [
      'any(parts)',
      'not_comparable',
      '`parts` at character 5 needs a condition: its policy does not open whether it has items, by `exists`',
      { position: 5 },
    ],
    [
      'any(parts, suk = "x")',
      'unknown_parameter',
      '`suk` at character 12 is not a field of an item of `parts`; did you mean `sku`?',
      { suggestion: 'sku', position: 12 },
    ],
    [
      'any(parts, sku > "x")',
      'unknown_operator',
      '`sku` at character 12 does not have the operator `gt`. Allowed: eq, in',
      { operators: ['eq', 'in'], position: 12 },
    ],
    ['any(secret, x = 1)', 'unknown_parameter', '`secret` at character 5 is not a field of this list', { position: 5 }],
    [
      'name = "x" AND on = true OR on = false',
      'ambiguous',
      'is ambiguous: OR at character 26 stands beside AND; put one of them in parentheses',
      { position: 26 },
    ],
    [
      'name : x',
      'syntax',
      'is not a filter: the unexpected ":" at character 6',
      { position: 6, expected: 'a field, a value or an operator' },
    ],
    ['__proto__ = 1', 'unknown_parameter', '`__proto__` at character 1 is not a field of this list', { position: 1 }],
    ['constructor.prototype = 1', 'unknown_parameter', expect.any(String), { position: 1 }],
    ['big = 99999999999999999999', 'out_of_range', expect.any(String), expect.objectContaining({ position: 1 })],
  ])('%s: %s', async (filter, rule, message, params) => {
    expect(await refuse(filter)).toEqual([['filter', rule, message, params]]);
  });

  it('names all its mistakes at once', async () => {
    expect(await refuse('x = 1 AND (count = "a" OR only > 1)')).toHaveLength(3);
  });

  it('is refused twice, and in brackets', async () => {
    for (const query of ['filter=on%3Dtrue&filter=on%3Dtrue', 'filter[eq]=on%3Dtrue', 'filter[]=on%3Dtrue']) {
      const { status, body } = await api.request('GET', `/api/items?${query}`);
      expect([query, status, body.code]).toEqual([query, 400, 'invalid_query']);
    }
  });

  it('is refused before anything is asked of the database, however large', async () => {
    commands.clear();
    const huge = ['('.repeat(4096), 'a=1 OR '.repeat(580), `name = "${'\u{1f600}'.repeat(1025)}"`, `name IN (${'1,'.repeat(600)}1)`];
    for (const filter of huge) expect([filter.length, (await refuse(filter)) !== undefined]).toEqual([filter.length, true]);
    expect(commands.events).toEqual([]);
  });
});
