import { Decimal128, Double } from 'mongodb';
import { defineModel, service, t } from '../../src/index.ts';
import type { Any } from '../support/any.ts';
import { useCommands } from '../support/database/commands.ts';
import { useDatabase } from '../support/database/database.ts';
import { randomFrom } from '../support/fuzzing/random-from.ts';
import { type TestServer, useServer } from '../support/http/serve.ts';

const both = { filter: true, group: true, aggregate: true } as const;
const Sale = defineModel('Sale', {
  collection: 'sales',
  fields: {
    id: t.string(),
    tenant: t.string(),
    kind: t.enum(['a', 'b', 'c'], { policy: { filter: true, group: true } }),
    city: t.nullable(t.string({ caseless: true, policy: { filter: true, group: true, aggregate: ['countDistinct'] } })),
    isGift: t.optional(t.boolean({ policy: { group: true, aggregate: ['countDistinct'] } })),
    ref: t.nullable(t.uuid({ policy: { group: true } })),
    at: t.nullable(t.date({ policy: both })),
    pieces: t.nullable(t.int({ policy: both })),
    cents: t.nullable(t.int64({ policy: both })),
    price: t.nullable(t.decimal({ policy: { ...both, aggregate: ['sum', 'avg', 'min', 'max', 'countDistinct'] } })),
    weight: t.nullable(t.float({ policy: both })),
    margin: t.nullable(t.int({ policy: { read: 'staff', aggregate: true, group: true } })),
    secret: t.nullable(t.int({ policy: { private: true } })),
    deletedAt: t.deletedAt(),
  },
});

const database = useDatabase({ monitorCommands: true });
const commands = useCommands(database);
const serve = useServer();
let api: TestServer;

const build = () => {
  const shop = service<string, 'staff'>({
    authenticate: (ctx: { get(name: string): string }) => ctx.get('authorization') || undefined,
    rules: { staff: (principal: string) => principal.endsWith('+staff') },
  });
  const sales = (path: string, aggregate: true | object) =>
    shop.resource({
      model: Sale,
      path,
      ops: ['list'],
      scope: (ctx) => ({ tenant: ctx.requirePrincipal().split('+')[0] as string }),
      deleted: { guards: [() => true] },
      aggregate,
    });
  return shop.api({
    db: database.db,
    prefix: '/api',
    resources: [sales('sales', { maxMatches: 400, maxGroups: 300 }), sales('others', true), sales('few', { maxMatches: 20, maxGroups: 5 })],
  });
};

const next = randomFrom(11);
const integer = (from: number, to: number) => from + Math.floor(next() * (to - from + 1));
const pick = <Value>(values: readonly Value[]): Value => values[integer(0, values.length - 1)] as Value;
const mayBe = <Value>(make: () => Value): Value | null => (next() < 0.3 ? null : make());

const tenants = ['ann', 'ben'];
const sales = Array.from({ length: 500 }, (_, index) => ({
  _id: `s${index}`,
  tenant: pick(tenants),
  kind: pick(['a', 'b', 'c']),
  city: mayBe(() => pick(['Ulm', 'Rom', 'ulm', ''])),
  ...(next() < 0.5 && { isGift: next() < 0.5 }),
  ref: null,
  at: mayBe(() => new Date(Date.UTC(2025, integer(0, 5), integer(1, 28)))),
  pieces: mayBe(() => integer(-3, 3)),
  cents: mayBe(() => BigInt(integer(-9, 9)) * 10n ** BigInt(integer(0, 17))),
  price: mayBe(() => Decimal128.fromString(`${integer(-99, 99)}.${String(integer(0, 99)).padStart(2, '0')}`)),
  weight: mayBe(() => new Double(integer(-8, 8) / 4)),
  margin: mayBe(() => integer(0, 9)),
}));
type Sold = (typeof sales)[number];

beforeAll(async () => {
  await database.db.collection<{ _id: string }>('sales').insertMany(sales as never);
  api = await serve(build().routes());
});
beforeEach(() => commands.clear());

const send = (query: string, principal = 'ann', path = 'sales') =>
  api.request('GET', `/api/${path}/aggregate?${query}`, { headers: { authorization: principal } });

async function ask(query: string, principal = 'ann', path = 'sales'): Promise<Any> {
  const { status, body } = await send(query, principal, path);
  expect([query, status, body.errors ?? body.detail]).toEqual([query, 200, undefined]);
  return body;
}

/** All groups, page by page, with one command for each page. */
async function walk(query: string, principal: string): Promise<{ readonly groups: Any[]; readonly pages: number }> {
  const groups: Any[] = [];
  let after: string | null = '';
  let pages = 0;
  do {
    commands.clear();
    const { data, page }: Any = await ask(`${query}${after === '' ? '' : `&after=${after}`}`, principal);
    expect(commands.events.map(({ commandName }) => commandName)).toEqual(['aggregate']);
    expect(page.has_next).toBe(page.next_cursor !== null);
    groups.push(...data);
    after = page.next_cursor;
    pages++;
  } while (after !== null);
  return { groups, pages };
}

/** Numbers about records, made of plain documents: a sum of nothing is null. Decimals are counted in hundredths. */
const numbers: Readonly<Record<string, (found: readonly Sold[]) => bigint | number | null>> = {
  count: (found) => found.length,
  'sum(pieces)': (found) => sumOf(found.map(({ pieces }) => pieces)),
  'sum(cents)': (found) => {
    const cents = found.flatMap(({ cents }) => (cents === null ? [] : [cents]));
    return cents.length === 0 ? null : cents.reduce((sum, one) => sum + one, 0n);
  },
  'sum(price)': (found) => sumOf(found.map(({ price }) => (price === null ? null : Math.round(Number(String(price)) * 100)))),
  'avg(weight)': (found) => {
    const sum = sumOf(found.map(({ weight }) => (weight === null ? null : weight.value)));
    return sum === null ? null : sum / found.filter(({ weight }) => weight !== null).length;
  },
  'min(pieces)': (found) =>
    edgeOf(
      found.map(({ pieces }) => pieces),
      Math.min,
    ),
  'countDistinct(city)': (found) => distinct(found.map(({ city }) => city)),
  'countDistinct(isGift)': (found) => distinct(found.map(({ isGift }) => isGift)),
  'countDistinct(price)': (found) => distinct(found.map(({ price }) => price?.toString())),
  'max(at)': (found) =>
    edgeOf(
      found.map(({ at }) => at?.getTime() ?? null),
      Math.max,
    ),
};

function sumOf(values: readonly (number | null)[]): number | null {
  const own = values.flatMap((value) => value ?? []);
  return own.length === 0 ? null : own.reduce((sum, one) => sum + one, 0);
}

function distinct(values: readonly unknown[]): number {
  return new Set(values.filter((value) => value !== null && value !== undefined)).size;
}

function edgeOf(values: readonly (number | null)[], edge: (...values: number[]) => number): number | null {
  const own = values.flatMap((value) => value ?? []);
  return own.length === 0 ? null : edge(...own);
}

const keys: Readonly<Record<string, (one: Sold) => string | number | boolean | null>> = {
  kind: ({ kind }) => kind,
  city: ({ city }) => city,
  isGift: ({ isGift }) => isGift ?? null,
  pieces: ({ pieces }) => pieces,
  'at[month]': ({ at }) => at?.toISOString().slice(0, 7) ?? null,
};

/** The order of the database: null first. */
function compareValues(a: unknown, b: unknown): number {
  if (a === b) return 0;
  if (a === null || b === null) return a === null ? -1 : 1;
  return (a as number) < (b as number) ? -1 : 1;
}

const havings: readonly (readonly [text: string, fulfils: (of: (name: string) => number | bigint | null) => boolean])[] = [
  ['', () => true],
  ['count > 2', (of) => Number(of('count')) > 2],
  ['sum(pieces) >= 1', (of) => of('sum(pieces)') !== null && Number(of('sum(pieces)')) >= 1],
  ['NOT sum(cents) > 0', (of) => of('sum(cents)') === null || (of('sum(cents)') as bigint) <= 0n],
  ['sum(price) = null OR sum(price) < 12.5', (of) => of('sum(price)') === null || Number(of('sum(price)')) < 1250],
  ['count IN (1, 2) AND min(pieces) != 0', (of) => [1, 2].includes(Number(of('count'))) && of('min(pieces)') !== 0],
  ['avg(weight) <= -0.25', (of) => of('avg(weight)') !== null && Number(of('avg(weight)')) <= -0.25],
  [
    'countDistinct(city) >= 2 AND NOT countDistinct(isGift) = 0',
    (of) => Number(of('countDistinct(city)')) >= 2 && of('countDistinct(isGift)') !== 0,
  ],
  ['count > 1000', () => false],
];

describe('random questions about groups, and groups that are made of plain documents', () => {
  it('have the same groups in the same order, and each of them once on all pages', async () => {
    let seen = 0;
    let all = 0;
    for (let run = 0; run < 120; run++) {
      const tenant = pick(tenants);
      const group = [...new Set(Array.from({ length: integer(1, 3) }, () => pick(Object.keys(keys))))];
      const order = [...new Set(Array.from({ length: integer(0, 3) }, () => pick([...Object.keys(numbers), ...group])))].map(
        (name) => [name, pick([1, -1])] as const,
      );
      const [having, fulfils] = pick(havings);
      const byGroup = new Map<string, Sold[]>();
      for (const one of sales.filter((sale) => sale.tenant === tenant)) {
        const key = JSON.stringify(group.map((name) => keys[name]?.(one)));
        byGroup.set(key, [...(byGroup.get(key) ?? []), one]);
      }
      const expected = [...byGroup]
        .map(([text, found]) => {
          const own: unknown[] = JSON.parse(text);
          const of = (name: string): Any => (name in numbers ? numbers[name]?.(found) : own[group.indexOf(name)]);
          return { own, of, found };
        })
        .filter(({ of }) => fulfils(of))
        .sort((a, b) => {
          const all = [...order, ...group.map((name) => [name, 1] as const)];
          for (const [name, direction] of all) {
            const result = compareValues(a.of(name), b.of(name));
            if (result !== 0) return result * direction;
          }
          return 0;
        })
        .map(({ own, of, found }) => [
          Object.fromEntries(group.map((name, index) => [name, own[index]])),
          found.length,
          { city: of('countDistinct(city)'), price: of('countDistinct(price)') },
        ]);
      const sort = order.length > 0 ? `&sort=${order.map(([name, direction]) => `${direction === 1 ? '' : '-'}${name}`).join(',')}` : '';
      const query = `group=${group.join(',')}&count=true&countDistinct=city,price${sort}${having && `&having=${encodeURIComponent(having)}`}`;
      const whole = await ask(query, tenant);
      const shown = (groups: readonly Any[]) => groups.map(({ group, count, countDistinct }) => [group, count, countDistinct]);
      expect([query, shown(whole.data)]).toEqual([query, expected]);
      expect(whole.page).toBeUndefined();
      const limit = integer(1, 12);
      const { groups, pages } = await walk(`${query}&limit=${limit}`, tenant);
      expect([query, shown(groups)]).toEqual([query, expected]);
      expect(pages).toBe(Math.max(1, Math.ceil(expected.length / limit)));
      seen += pages;
      all += expected.length;
    }
    expect([seen > 300, all > 1_000]).toEqual([true, true]);
  });

  it.each(['kind', 'city', 'isGift', 'ref', 'at[day]', 'at[hour]', 'pieces', 'cents', 'price', 'weight'])(
    'are walked by pages of one group where they are made by %s, both ways',
    async (name) => {
      const { data } = await ask(`group=${name}`);
      expect((await walk(`group=${name}&limit=1`, 'ann')).groups).toEqual(data);
      expect((await walk(`group=${name}&sort=-${name}&limit=2`, 'ann')).groups).toEqual(data.toReversed());
    },
  );

  it.each(['sum', 'avg', 'min', 'max'].flatMap((kind) => ['pieces', 'cents', 'price', 'weight'].map((field) => `${kind}(${field})`)))(
    'are walked in the order of %s, from the least to the greatest',
    async (name) => {
      const [, kind, field] = /(\w+)\((\w+)\)/.exec(name) as unknown as [string, string, string];
      const { groups } = await walk(`group=city,kind&${kind}=${field}&sort=${name}&limit=3`, 'ben');
      const { data } = await ask('group=city,kind', 'ben');
      expect(groups).toHaveLength(data.length);
      const values = groups.map((one) => one[kind][field]).map((value) => (value === null ? null : Number(value)));
      expect(values).toEqual([...values].sort(compareValues));
    },
  );
});

describe('countDistinct', () => {
  const numbers = ['1.50', '1.5', '2', '-0', '0'].map((text) => Decimal128.fromString(text));

  it('counts equal numbers once, and neither null nor what is of another type', async () => {
    const values = [...numbers, 2, new Double(1.5), null, undefined, 'x', [2], Decimal128.fromString('NaN')];
    await database.db
      .collection<{ _id: string }>('sales')
      .insertMany(
        values.map((price, index) => ({ _id: `v${index}`, tenant: 'val', kind: 'a', ...(price !== undefined && { price }) })) as never,
      );
    expect((await ask('countDistinct=price', 'val')).data).toEqual([{ countDistinct: { price: 3 } }]);
  });

  it('of no record is 0', async () => {
    expect((await ask('countDistinct=city,price', 'nobody')).data).toEqual([{ countDistinct: { city: 0, price: 0 } }]);
  });

  it('is told with the other numbers, in one command', async () => {
    const { data } = await ask('group=kind&countDistinct=isGift&count=true&sum=pieces&limit=1');
    expect(Object.keys(data[0])).toEqual(['group', 'count', 'sum', 'countDistinct']);
    expect(commands.events).toHaveLength(1);
  });
});

describe('a page of groups', () => {
  it('tells its size and the next one, also by a Link', async () => {
    const { body, headers } = await send('group=kind&sort=-kind&limit=2');
    expect(body.data.map(({ group }: Any) => group.kind)).toEqual(['c', 'b']);
    expect(body.page).toEqual({ size: 2, has_next: true, next_cursor: expect.any(String) });
    expect(headers.link).toBe(`</api/sales/aggregate?group=kind&sort=-kind&limit=2&after=${body.page.next_cursor}>; rel="next"`);
    const last = await send(`group=kind&sort=-kind&limit=2&after=${body.page.next_cursor}`);
    expect([last.body.data.length, last.body.page, last.headers.link]).toEqual([
      1,
      { size: 2, has_next: false, next_cursor: null },
      undefined,
    ]);
  });

  it('may have another size than the one before it, and shows other numbers', async () => {
    const { page } = await ask('group=city&limit=1');
    const { data } = await ask(`group=city&max=pieces&after=${page.next_cursor}`);
    expect(data).toHaveLength(4);
    expect(Object.keys(data[0])).toEqual(['group', 'max']);
  });

  it('has no more groups than an answer may have, whatever `limit` says, and there may be more of them', async () => {
    await database.db
      .collection<{ _id: string }>('sales')
      .insertMany(Array.from({ length: 20 }, (_, index) => ({ _id: `f${index}`, tenant: 'few', kind: 'a', city: `c${index}` })) as never);
    const { data, page } = await ask('group=city&limit=1000', 'few', 'few');
    expect([data.length, page.size, page.has_next]).toEqual([5, 5, true]);
    expect((await send('group=city', 'few', 'few')).body.code).toBe('too_many_matches');
    expect((await ask('group=city&having=count%3D5', 'few', 'few')).data).toEqual([]);
  });

  it('is 422 if too many records match, also where no group is left to tell it', async () => {
    for (const query of ['group=kind&limit=1', 'group=kind&having=count%3E100000', 'group=kind&limit=1&having=count%3C0&sort=-count']) {
      const { status, body } = await send(query, 'ann', 'few');
      expect([query, status, body.detail]).toEqual([query, 422, 'More than 20 records match: narrow the list by filters.']);
    }
  });

  it('ends early where its groups would have too many bytes, and the next one goes on', async () => {
    const groups: Any[] = [];
    let after = '';
    do {
      const request = new Request(`http://in-process/api/sales/aggregate?group=cents&limit=100${after}`, {
        headers: { authorization: 'ann' },
      });
      const answer = (await (await build().fetch(request, { maxPageBytes: 300 })).json()) as Any;
      expect(answer.data.length).toBeLessThan(10);
      groups.push(...answer.data);
      after = answer.page.next_cursor === null ? '' : `&after=${answer.page.next_cursor}`;
    } while (after !== '');
    expect(groups).toEqual((await ask('group=cents')).data);
  });

  it('knows living and deleted records, and the view of its caller', async () => {
    await database.db.collection<{ _id: string }>('sales').insertMany([
      { _id: 'd1', tenant: 'del', kind: 'a', margin: 5 },
      { _id: 'd2', tenant: 'del', kind: 'b', margin: 7, deletedAt: new Date() },
    ] as never);
    expect((await ask('group=kind&limit=5', 'del')).data).toHaveLength(1);
    expect((await ask('group=kind&limit=5&deleted=with', 'del')).data).toHaveLength(2);
    const { data, page } = await ask('group=kind&sort=-sum(margin)&limit=1&deleted=with', 'del+staff');
    expect(data).toEqual([{ group: { kind: 'b' }, count: 1 }]);
    expect((await send(`group=kind&sort=-sum(margin)&limit=1&deleted=with&after=${page.next_cursor}`, 'del')).status).toBe(400);
  });
});

describe('a cursor of groups', () => {
  const question = 'group=city&limit=1&sort=-count&having=count%3E1&kind=a&timezone=UTC&filter=exists(at)';

  it('leads on in the same question, however it is spelt', async () => {
    const { page } = await ask(question);
    await ask(`having=count%20%3E%20%201&filter=exists(at)&sort=-count&group=city&kind[eq]=a&after=${page.next_cursor}`);
  });

  it.each<[what: string, query: string, path?: string]>([
    ['other groups', question.replace('group=city', 'group=isGift')],
    ['further groups', question.replace('group=city', 'group=city,isGift')],
    ['another order', question.replace('sort=-count', 'sort=count')],
    ['another `having`', question.replace('count%3E1', 'count%3E2')],
    ['no `having`', question.replace('&having=count%3E1', '')],
    ['another filter', question.replace('kind=a', 'kind=b')],
    ['another `filter`', question.replace('exists(at)', 'exists(pieces)')],
    ['another time zone', question.replace('timezone=UTC', 'timezone=Europe/Berlin')],
    ['other records', `${question}&deleted=with`],
    ['another resource', question, 'others'],
  ])('is 400 with %s', async (_what, query, path) => {
    const { page } = await ask(question);
    const { status, body } = await send(`${query}&after=${page.next_cursor}`, 'ann', path);
    expect([status, body.code]).toEqual([400, 'invalid_cursor']);
  });

  it('is 400 if it is forged or of a list, and one of groups is none of a list', async () => {
    const { page } = await ask('group=kind&limit=1');
    const list = await api.request('GET', '/api/sales?limit=1', { headers: { authorization: 'ann' } });
    for (const cursor of ['', 'x', `${page.next_cursor}x`, list.body.page.next_cursor, 'a'.repeat(5_000)])
      expect([cursor, (await send(`group=kind&limit=1&after=${cursor}`)).body.code]).toEqual([cursor, 'invalid_cursor']);
    const other = await api.request('GET', `/api/sales?after=${page.next_cursor}`, { headers: { authorization: 'ann' } });
    expect(other.body.code).toBe('invalid_cursor');
  });
});

describe('what is refused of groups', () => {
  it.each<[query: string, field: string, rule: string, message?: string]>([
    ['sort=count', 'sort', 'not_available', 'is not available without group'],
    ['having=count%3E1', 'having', 'not_available'],
    ['limit=5', 'limit', 'not_available'],
    ['after=x', 'after', 'not_available'],
    ['group=kind&sort=city', 'sort', 'not_sortable'],
    ['group=kind&sort=sum(kind)', 'sort', 'not_sortable'],
    ['group=kind&sort=sum(secret)', 'sort', 'not_sortable'],
    ['group=kind&sort=sum(margin)', 'sort', 'not_sortable'],
    ['group=kind&sort=-sum(peices)', 'sort', 'not_sortable', 'cannot sort by `sum(peices)`; did you mean `sum(pieces)`?'],
    ['group=kind&sort=kind:desc', 'sort', 'not_sortable', 'cannot sort by `kind:desc`; did you mean `-kind`?'],
    ['group=kind&sort=$count', 'sort', 'not_sortable'],
    ['group=kind&sort=__proto__', 'sort', 'not_sortable'],
    ['group=kind&sort=', 'sort', 'not_sortable'],
    ['group=kind&sort=count,-count', 'sort', 'repeated_sort_key'],
    [
      `group=kind&sort=${['sum', 'avg', 'min'].flatMap((kind) => ['pieces', 'cents', 'price'].map((name) => `${kind}(${name})`))}`,
      'sort',
      'maxItems',
    ],
    ['group=kind&limit=0', 'limit', 'positive_integer'],
    ['group=kind&limit=x', 'limit', 'positive_integer'],
    ['group=kind&limit=1&limit=2', 'limit', 'repeated_parameter'],
    ['group=kind&after=x&after=y', 'after', 'repeated_parameter'],
    ['group=kind&having=', 'having', 'syntax'],
    ['group=kind&having=sum(pieces)', 'having', 'syntax'],
    ['group=kind&having=sum(pieces', 'having', 'syntax'],
    ['group=kind&having=sum(pieces,%201)%3E1', 'having', 'syntax'],
    ['group=kind&having=sum(sum(pieces))%3E1', 'having', 'syntax'],
    ['group=kind&having=exists(pieces)', 'having', 'syntax'],
    ['group=kind&having=count%3E1%20AND%20count%3C9%20OR%20count%3D1', 'having', 'ambiguous'],
    ['group=kind&having=kind%3D%22a%22', 'having', 'unknown_parameter'],
    ['group=kind&having=sum(secret)%3E1', 'having', 'unknown_parameter'],
    ['group=kind&having=sum(margin)%3E1', 'having', 'unknown_parameter'],
    ['group=kind&having=$where%3E1', 'having', 'syntax'],
    ['group=kind&having=`$where`%3E1', 'having', 'unknown_parameter'],
    ['group=kind&having=`__proto__`%3E1', 'having', 'unknown_parameter'],
    ['group=kind&having=count(pieces)%3E1', 'having', 'unknown_parameter'],
    ['group=kind&having=any(pieces)', 'having', 'unknown_parameter'],
    ['group=kind&having=count%3E%22x%22', 'having', 'type'],
    ['group=kind&having=count%3Dnull', 'having', 'not_null'],
    ['group=kind&having=sum(pieces)%3E1e9999', 'having', 'precision'],
    [`group=kind&having=${'NOT%20('.repeat(9)}count%3E1${')'.repeat(9)}`, 'having', 'too_complex'],
    [`group=kind&having=${Array.from({ length: 33 }, () => 'count%3E1').join('%20AND%20')}`, 'having', 'too_complex'],
  ])('%s is 400', async (query, field, rule, message) => {
    const { status, body } = await send(query);
    expect([query, status, body.code]).toEqual([query, 400, 'invalid_query']);
    expect(body.errors[0]).toMatchObject({ field, rule, ...(message && { message }) });
    expect(commands.events).toEqual([]);
  });

  it.each([
    'countDistinct=pieces',
    'countDistinct=secret',
    'countDistinct=margin',
    'countDistinct=kind',
    'group=kind&sort=countDistinct(cents)',
  ])('%s, which no policy names, is 400', async (query) => expect((await send(query)).status).toBe(400));

  it('is 422 for an integer of more than 64 bits', async () => {
    const { body } = await send('group=kind&having=count%3E9223372036854775808');
    expect(body).toMatchObject({ code: 'validation_failed', errors: [{ field: 'having', rule: 'out_of_range' }] });
  });

  it('tells a hidden field from an unknown one by nothing', async () => {
    for (const query of ['group=kind&sort=sum(margin)', 'group=kind&having=sum(margin)%3E1', 'group=kind&having=max(secret)%3E1']) {
      const [hidden, unknown] = [await send(query), await send(query.replace(/margin|secret/, 'nought'))];
      const text = (answer: typeof hidden) => answer.text.replaceAll(/"request_id":"[^"]*"/g, '');
      expect(text(hidden)).toBe(text(unknown).replaceAll('nought', /margin|secret/.exec(query)?.[0] as string));
    }
  });

  it('is 422 where a number that orders the groups is beyond its range', async () => {
    await database.db
      .collection<{ _id: string }>('sales')
      .insertMany([1, 2].map((index) => ({ _id: `w${index}`, tenant: 'wide', kind: 'a', weight: new Double(1e308) })) as never);
    const { status, body } = await send('group=kind&sort=sum(weight)&limit=1', 'wide');
    expect([status, body.errors]).toEqual([422, [{ field: 'sum', rule: 'out_of_range', message: expect.any(String) }]]);
  });
});
