import { cursorPaging, defineModel, service, t } from '../../src/index.ts';
import { useDatabase } from '../support/database/database.ts';
import { type Asked, type Doc, fulfils, type Random, type Related, spell } from '../support/fuzzing/filter-oracle.ts';
import { randomFrom } from '../support/fuzzing/random-from.ts';
import { rounds } from '../support/fuzzing/rounds.ts';
import { type TestServer, useServer } from '../support/http/serve.ts';
import { idsOf, walkList } from '../support/http/walk-list.ts';

const all = { filter: true, sort: true } as const;
const texts = { filter: ['eq', 'ne', 'in', 'gt', 'gte', 'lt', 'lte', 'exists', 'prefix', 'contains'], sort: true } as const;
const staff = { read: 'staff', ...all } as const;
const id = t.string({ policy: { insert: true, ...all } });
const ref = { id: t.string() };

const Customer = defineModel('Customer', {
  collection: 'customers',
  fields: {
    id,
    tenant: t.string(),
    name: t.string({ policy: all }),
    rating: t.nullable(t.int({ policy: all })),
    debt: t.optional(t.int({ policy: staff })),
  },
});
const Order = defineModel('Order', {
  collection: 'orders',
  fields: {
    id,
    tenant: t.string(),
    status: t.string({ policy: texts }),
    sum: t.nullable(t.int({ policy: all })),
    paid: t.optional(t.boolean({ policy: { filter: ['eq', 'ne', 'in', 'exists'], sort: true } })),
    cost: t.optional(t.int({ policy: staff })),
    place: t.optional(t.object('Place', { city: t.optional(t.string({ policy: texts })) })),
    tags: t.array(t.string(), {
      default: [],
      policy: { filter: ['eq', 'ne', 'in', 'gt', 'gte', 'lt', 'lte', 'exists', 'prefix', 'contains'] },
    }),
    lines: t.array(
      t.object('Line', {
        sku: t.string({ policy: texts }),
        count: t.optional(t.int({ policy: { filter: true } })),
        margin: t.optional(t.int({ policy: { read: 'staff', filter: true } })),
      }),
      { default: [], policy: { filter: ['exists'] } },
    ),
    customer: t.optional(t.ref('Customer', ref)),
    notes: t.hasMany('Note', { via: 'order' }),
  },
});
const Note = defineModel('Note', {
  collection: 'notes',
  fields: {
    id,
    tenant: t.string(),
    order: t.ref('Order', ref),
    by: t.optional(t.ref('Customer', ref)),
    text: t.string({ policy: all }),
    stars: t.optional(t.int({ policy: all })),
  },
});

const words = ['a', 'ab', 'b', 'B', 'ä', 'cab.', ''];
const numbers = [-1, 0, 1, 2, 3];
type Caller = { readonly tenant: string; readonly isStaff: boolean };

/** The fields of one place: their values, and who may name them. */
interface Known {
  readonly path: string;
  readonly values: readonly unknown[];
  readonly isNullable?: boolean;
  readonly isStaffOnly?: boolean;
  readonly operators: readonly ('compare' | '=' | 'in' | 'prefix' | 'contains' | 'exists')[];
}
const text = ['compare', '=', 'in', 'prefix', 'exists'] as const;
const ownText = [...text, 'contains'] as const;
const number = ['compare', '=', 'in', 'exists'] as const;
const ofCustomer: readonly Known[] = [
  { path: 'name', values: words, operators: text },
  { path: 'rating', values: numbers, isNullable: true, operators: number },
  { path: 'debt', values: numbers, isNullable: true, isStaffOnly: true, operators: number },
];
const ofNote: readonly Known[] = [
  { path: 'text', values: words, operators: text },
  { path: 'stars', values: numbers, isNullable: true, operators: number },
  ...ofCustomer.map((one) => ({ ...one, path: `by.${one.path}` })),
];
const ofLine: readonly Known[] = [
  { path: 'sku', values: words, operators: ownText },
  { path: 'count', values: numbers, isNullable: true, operators: number },
  { path: 'margin', values: numbers, isNullable: true, isStaffOnly: true, operators: number },
];
const ofOrder: readonly Known[] = [
  { path: 'status', values: words, operators: ownText },
  { path: 'sum', values: numbers, isNullable: true, operators: number },
  { path: 'paid', values: [true, false], isNullable: true, operators: ['=', 'in', 'exists'] },
  { path: 'cost', values: numbers, isNullable: true, isStaffOnly: true, operators: number },
  { path: 'place.city', values: words, isNullable: true, operators: ownText },
  { path: 'tags', values: words, operators: ['=', 'in', 'prefix', 'contains'] },
  ...ofLine.map((one) => ({ ...one, path: `lines.${one.path}`, isNullable: false })),
  ...ofCustomer.map((one) => ({ ...one, path: `customer.${one.path}` })),
];
const lists: Readonly<Record<string, readonly Known[]>> = { lines: ofLine, notes: ofNote, customer: ofCustomer };

/** Makes a condition. `named` collects the names that only staff may know. */
function make(random: Random, known: readonly Known[], depth: number, named: Set<string>, isTop: boolean): Asked {
  const kind = depth === 0 ? 'leaf' : random.pick(['leaf', 'leaf', 'and', 'or', 'not', 'any', 'count', 'item']);
  if (kind === 'and' || kind === 'or')
    return { is: kind, of: Array.from({ length: random.pick([2, 3]) }, () => make(random, known, depth - 1, named, isTop)) };
  if (kind === 'not') return { is: 'not', of: make(random, known, depth - 1, named, isTop) };
  if (kind === 'any' && isTop) {
    const path = random.pick(Object.keys(lists));
    const isBare = random.pick([true, false, false]);
    return {
      is: random.pick(['any', 'none'] as const),
      path,
      of: isBare ? undefined : make(random, lists[path] as Known[], depth - 1, named, false),
    };
  }
  if (kind === 'count' && isTop) {
    const path = random.pick(['lines', 'tags', 'notes', 'notes']);
    const number = random.pick([1, 2, 3]);
    const of = path === 'notes' && random.pick([true, false]) ? make(random, ofNote, depth - 1, named, false) : undefined;
    return { is: 'count', path, of, sign: random.pick(['=', '!=', '<', '<=', '>', '>=']), number };
  }
  if (kind === 'item' && isTop) {
    const [low, high] = [random.pick(words), random.pick(words)];
    const of: Asked[] = [
      { is: 'compare', path: 'item', operator: random.pick(['>', '>=', '!=']), value: low },
      random.pick<Asked>([
        { is: 'contains', path: 'item', text: 'ab' },
        { is: 'prefix', path: 'item', text: random.pick(['', 'c']) },
        { is: 'compare', path: 'item', operator: '<', value: high },
      ]),
    ];
    return { is: random.pick(['any', 'none'] as const), path: 'tags', of: { is: 'and', of } };
  }
  const { path, values, operators, isNullable = false, isStaffOnly } = random.pick(known);
  if (isStaffOnly) named.add(path);
  const operator = random.pick(operators);
  const some = isNullable ? [...values, null] : values;
  if (operator === 'in') return { is: 'in', path, values: Array.from({ length: random.pick([0, 1, 2]) }, () => random.pick(some)) };
  if (operator === 'prefix') return { is: 'prefix', path, text: random.pick(['a', 'b', 'ä', '']) };
  if (operator === 'contains') return { is: 'contains', path, text: random.pick(['ab', 'b.', 'aä']) };
  if (operator === 'exists') return { is: 'exists', path };
  if (operator === '=') return { is: 'compare', path, operator: random.pick(['=', '!=']), value: random.pick(some) };
  return { is: 'compare', path, operator: random.pick(['<', '<=', '>', '>=']), value: random.pick(values) };
}

const database = useDatabase();
const serve = useServer();
let byIds: TestServer;
let byLookup: TestServer;
const world = { customers: [] as Doc[], orders: [] as Doc[], notes: [] as Doc[] };

function randomly(seed: number): Random & { maybe(make: () => unknown, key: string): object } {
  const next = randomFrom(seed);
  const pick = <Value>(from: readonly Value[]) => from[Math.floor(next() * from.length)] as Value;
  return { pick, maybe: (make, key) => (next() < 0.6 ? { [key]: make() } : {}) };
}

beforeAll(async () => {
  const { pick, maybe } = randomly(7);
  const tenant = () => pick(['x', 'x', 'y']);
  const numbered = (prefix: string, count: number, one: () => object) =>
    Array.from({ length: count }, (_, index) => ({ _id: `${prefix}${String(index).padStart(2, '0')}`, ...one() }));
  const refTo = (prefix: string, count: number) =>
    `${prefix}${String(pick(Array.from({ length: count + 2 }, (_, index) => index))).padStart(2, '0')}`;
  world.customers = numbered('c', 8, () => ({
    tenant: tenant(),
    name: pick(words),
    ...maybe(() => pick(numbers), 'rating'),
    ...maybe(() => pick(numbers), 'debt'),
  }));
  world.orders = numbered('o', 60, () => ({
    tenant: tenant(),
    status: pick(words),
    ...maybe(() => pick([...numbers, null]), 'sum'),
    ...maybe(() => pick([true, false]), 'paid'),
    ...maybe(() => pick(numbers), 'cost'),
    ...maybe(() => maybe(() => pick(words), 'city'), 'place'),
    tags: Array.from({ length: pick([0, 1, 2]) }, () => pick(words)),
    lines: Array.from({ length: pick([0, 1, 2]) }, () => ({
      sku: pick(words),
      ...maybe(() => pick(numbers), 'count'),
      ...maybe(() => pick(numbers), 'margin'),
    })),
    ...maybe(() => refTo('c', 8), 'customer'),
  }));
  world.notes = numbered('n', 50, () => ({
    tenant: tenant(),
    order: refTo('o', 60),
    text: pick(words),
    ...maybe(() => refTo('c', 8), 'by'),
    ...maybe(() => pick(numbers), 'stars'),
  }));
  for (const [name, docs] of Object.entries(world)) await database.db.collection<{ _id: string }>(name).insertMany(docs as never);
  const serveWith = (maxIdsThrough: number) => {
    const shop = service<Caller, 'staff'>({
      authenticate: (ctx) => ({ tenant: ctx.get('x-tenant'), isStaff: ctx.get('x-staff') === 'yes' }),
      rules: { staff: (caller) => caller.isStaff },
    });
    const scope = (ctx: { requirePrincipal(): Caller }) => ({ tenant: ctx.requirePrincipal().tenant });
    const paging = cursorPaging({ total: true, max: 100 });
    const through = ['customer', 'notes', 'notes.by'] as const;
    const resources = [
      shop.resource({ model: Order, scope, paging, through, export: {} }),
      shop.resource({ model: Customer, scope }),
      shop.resource({ model: Note, scope }),
    ];
    return serve(shop.api({ db: database.db, prefix: '/api', resources, maxIdsThrough }).routes());
  };
  byIds = await serveWith(1000);
  byLookup = await serveWith(1);
});

const seenBy =
  ({ tenant }: Caller) =>
  (docs: readonly Doc[]) =>
    docs.filter((doc) => doc.tenant === tenant);

function relatedTo(caller: Caller): Related {
  const seen = seenBy(caller);
  return (path, doc) => {
    if (path === 'customer' || path === 'by')
      return 'lines' in doc || 'text' in doc ? seen(world.customers).filter(({ _id }) => _id === doc[path]) : undefined;
    return path === 'notes' ? seen(world.notes).filter(({ order }) => order === doc._id) : undefined;
  };
}

const runs = 150 * rounds;

describe('random filters, random spellings, and an evaluator of its own', () => {
  it(`find the same records ${runs} times, in every channel`, async () => {
    let found = 0;
    for (let seed = 0; seed < runs; seed++) {
      const random = randomly(seed);
      const caller: Caller = { tenant: random.pick(['x', 'y', 'z']), isStaff: random.pick([true, false]) };
      const named = new Set<string>();
      const asked = make(random, ofOrder, 4, named, true);
      const filter = spell(asked, random);
      const server = random.pick([byIds, byLookup]);
      const sort = random.pick(['id', '-id', 'sum', '-status', 'place.city,-sum']);
      const headers = { 'x-tenant': caller.tenant, 'x-staff': caller.isStaff ? 'yes' : 'no' };
      const path = `/api/orders?total=true&limit=100&sort=${sort}&filter=${encodeURIComponent(filter)}`;
      const answer = await server.request('GET', path, { headers });
      const posted = await server.request('POST', '/api/orders/query', {
        headers,
        body: { filter, sort: sort.split(','), limit: 100, total: true },
      });
      const tooLong = answer.body.errors?.every(({ rule }: { rule: string }) => rule === 'too_complex');
      if (!tooLong) expect([filter, posted.body.data ?? posted.body.errors]).toEqual([filter, answer.body.data ?? answer.body.errors]);
      const whole = { headers: { ...headers, accept: 'application/x-ndjson' } };
      const { page, exported } = await random.pick([
        async () => ({ page: answer, exported: await server.request('GET', path.replace('total=true&limit=100&', ''), whole) }),
        async () => ({
          page: posted,
          exported: await server.request('POST', '/api/orders/query', { ...whole, body: { filter, sort: sort.split(',') } }),
        }),
      ])();
      const { data, errors } = page.body;
      const lines = () =>
        exported.text
          .trim()
          .split('\n')
          .map((line) => JSON.parse(line));
      const all = errors ?? [...data, { end: true, count: data.length }];
      expect([filter, exported.status, exported.body?.errors ?? lines()]).toEqual([filter, page.status, all]);
      if (named.size > 0 && !caller.isStaff) {
        expect([filter, answer.status]).toEqual([filter, 400]);
        continue;
      }
      if (tooLong) continue;
      const matching = seenBy(caller)(world.orders).filter((doc) => fulfils(doc, asked, relatedTo(caller)));
      const ids = answer.body.data?.map((one: { id: string }) => one.id);
      expect([filter, answer.status, [...(ids ?? [])].sort()]).toEqual([filter, 200, matching.map(({ _id }) => _id)]);
      expect(answer.body.page.total).toBe(matching.length);
      found += matching.length;
      if (seed % 10 !== 0) continue;
      const as: TestServer = { ...server, request: (method, at, sent) => server.request(method, at, { ...sent, headers }) };
      const { there, back } = await walkList(as, path.replace('limit=100', 'limit=3'));
      expect([filter, idsOf(there), idsOf(back)]).toEqual([filter, ids, ids]);
    }
    expect(byIds.errors).toEqual([]);
    expect(byLookup.errors).toEqual([]);
    expect(found).toBeGreaterThan(runs);
  });
});
