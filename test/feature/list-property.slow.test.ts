import fc from 'fast-check';
import { Binary, Decimal128, type Document, Double, Int32, Long, ObjectId } from 'mongodb';
import { cursorPaging, offsetPaging } from '../../src/index.ts';
import { useCommands } from '../support/database/commands.ts';
import { useDatabase } from '../support/database/database.ts';
import { cases } from '../support/fuzzing/fuzz.ts';
import { useApi } from '../support/http/api.ts';
import { digestOf, forgeCursor } from '../support/http/forge-cursor.ts';
import { Item, items } from '../support/models/item.ts';

const database = useDatabase({ monitorCommands: true });
const commands = useCommands(database);
const paging = cursorPaging({ total: true });
const api = useApi(database, (shop) => [
  shop.resource({ model: Item, fields: true, paging }),
  shop.resource({ model: Item, path: 'numbered', fields: true, paging: offsetPaging({ total: true, maxOffset: 50 }) }),
  shop.resource({ model: Item, path: 'scoped', paging, scope: () => ({ name: { ne: 'zeta' }, 'place.zone': { in: ['z1', 'z2'] } }) }),
]);

beforeAll(() => database.db.collection('items').insertMany(items as never));
beforeEach(() => {
  api.errors.length = 0;
});

/** What of a stored item any query may name; `place.zone` and `secret` are private, the former stands in a scope. */
const readable = ['_id', 'name', 'note', 'count', 'big', 'price', 'ratio', 'on', 'at', 'kind', 'ref', 'key', 'tags'];
const paths = new Set([...readable, 'place', 'place.city', 'parts', 'parts.sku', 'only', 'shut', 'revision']);
const operators = new Set(['$eq', '$ne', '$in', '$nin', '$gt', '$gte', '$lt', '$lte', '$exists', '$regex', '$not']);

function isValue(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return true;
  return [Binary, Decimal128, Double, Int32, Long, ObjectId, Date].some((type) => value instanceof type);
}

/** Where the policy has a list of operators. */
const listed = new Map([
  ['only', ['$eq']],
  ['parts.sku', ['$eq', '$in']],
  ['place.zone', ['$in']], // by the scope
]);
let isScoped = false;

/** Throws at whatever no table of the library has built. */
function checkFilter(filter: object): void {
  for (const [key, value] of Object.entries(filter)) {
    if (key === '$and' || key === '$nor') {
      for (const one of value as object[]) checkFilter(one);
    } else {
      expect(isScoped ? [...paths, 'place.zone'] : paths).toContain(key);
      if (!isValue(value)) checkOperators(key, value as object);
    }
  }
}

function checkOperators(path: string, condition: object): void {
  expect(Object.keys(condition).length).toBeGreaterThan(0);
  for (const [operator, operand] of Object.entries(condition)) {
    expect(listed.get(path) ?? operators).toContain(operator);
    if (operator === '$not') {
      checkOperators(path, operand);
      continue;
    }
    const operands: unknown[] = operator === '$in' || operator === '$nin' ? operand : [operand];
    expect(operands.every(isValue)).toBe(true);
    if (operator === '$regex') expect(operand).toMatch(/^\^(?:[^\\^$.|?*+()[\]{}#/-]|\\[\\^$.|?*+()[\]{}#/-])*$/s);
    if (operator === '$exists') expect(typeof operand).toBe('boolean');
  }
}

function checkNames(named: Iterable<readonly [string, unknown]>, legal: readonly unknown[]): void {
  for (const [path, value] of named) {
    expect(paths).toContain(path);
    expect(legal).toContain(value);
  }
}

function checkStage(stage: Document): void {
  expect(Object.keys(stage)).toHaveLength(1);
  const { $match, $sort, $project, $unionWith, $limit } = stage;
  if ($match) checkFilter($match);
  else if ($sort) checkNames($sort, [1, -1]);
  else if ($project) checkProjection($project);
  else if ($unionWith) {
    expect({ ...$unionWith, pipeline: [] }).toEqual({ coll: 'items', pipeline: [] });
    for (const one of $unionWith.pipeline) checkStage(one);
  } else if ($limit) expect($limit).toBeLessThanOrEqual(101);
  else expect(stage).toEqual({ $count: 'count' });
}

function checkProjection(projection: object): void {
  const hidden = ['secret', 'place.zone'];
  const isExclusion = Object.values(projection).includes(0);
  if (isExclusion) expect(projection).toEqual(Object.fromEntries(hidden.map((path) => [path, 0])));
  else checkNames(Object.entries(projection), [1]);
}

let checked = 0;

/** Checks every command that the database was sent, and forgets them. */
function checkCommands(): void {
  for (const { commandName, command } of commands.events) {
    checked++;
    if (commandName === 'listIndexes') {
      expect(command.listIndexes).toBe('items');
      continue;
    }
    expect(['find', 'aggregate', 'count']).toContain(commandName);
    if (commandName === 'find') {
      checkFilter(command.filter ?? {});
      checkNames(command.sort, [1, -1]);
      if (command.projection) checkProjection(command.projection);
      expect(command.limit).toBeLessThanOrEqual(101);
      expect(command.skip ?? 0).toBeLessThanOrEqual(50);
    } else if (commandName === 'aggregate') {
      for (const stage of command.pipeline) checkStage(stage);
    } else expect(command).not.toHaveProperty('query');
    expect(command.maxTimeMS).toBe(10_000);
    expect(command).not.toHaveProperty('let');
    expect(command).not.toHaveProperty('hint');
  }
  commands.clear();
}

async function request(path: string, query: string): Promise<number> {
  isScoped = path === 'scoped';
  const { status, body } = await api.request('GET', `/api/${path}?${query}`);
  expect([query, [200, 400, 422].includes(status), api.errors]).toEqual([query, true, []]);
  expect(status === 200).toBe('data' in body);
  checkCommands();
  return status;
}

const legal = ['id', ...readable.slice(1), 'place.city', 'parts.sku', 'only'];
const weird = [
  'secret',
  'place.zone',
  '_id',
  '$where',
  '$or',
  '__proto__',
  'constructor',
  'place',
  'parts',
  'shut',
  'x',
  '',
  'name.$gt',
  'tags.0',
  'NAME',
];
const parameters = ['limit', 'sort', 'after', 'before', 'page', 'include', 'total', 'fields'];
const words = ['eq', 'ne', 'in', 'nin', 'gt', 'gte', 'lt', 'lte', 'exists', 'prefix', '$gt', '$where', 'regex', '__proto__', 'EQ', ''];
const texts = [
  ...[
    '',
    'a',
    'alpha',
    'null',
    'true',
    'false',
    '0',
    '1',
    '-3',
    '1.0',
    '0.5',
    '1e999',
    'NaN',
    '9223372036854775807',
    '9223372036854775808',
  ],
  ...['2026-01-31T12:00:00Z', '2026-02-30', '0123456789abcdef01234567', '6f9619ff-8b86-4d01-b42d-00cf4fc964ff', 'small', '12.50'],
  ...['{"$gt":""}', '$name', '.*', '^a', '(a+)+$', '\\Q', '[', 'a,b', ',', 'null,1', 'ä', '😀', '\ud800', 'estimate', '5', '99', '100000'],
  ...['name', '-count', 'name,-at', 'id,name', '-price,ratio', 'place.city', 'name,name', 'secret'],
];

const name = fc.oneof({ weight: 6, arbitrary: fc.constantFrom(...legal) }, { weight: 1, arbitrary: fc.constantFrom(...weird) });
const text = fc.oneof(
  { weight: 8, arbitrary: fc.constantFrom(...texts) },
  { weight: 1, arbitrary: fc.string({ unit: 'binary', maxLength: 12 }) },
);
const encode = (part: string) => encodeURIComponent(part.toWellFormed());
const bracketed = (key: string, operator: string | undefined) =>
  operator === undefined ? encode(key) : `${encode(key)}[${encode(operator)}]`;
const filter = fc
  .tuple(name, fc.option(fc.constantFrom(...words), { nil: undefined }), text)
  .map(([key, word, value]) => `${bracketed(key, word)}=${encode(value)}`);
const names = fc.array(name, { minLength: 1, maxLength: 4 }).map((list) => list.join());
const own = fc.oneof(
  fc.tuple(fc.constantFrom(...parameters), text).map(([key, value]) => `${key}=${encode(value)}`),
  fc.tuple(fc.constantFrom('sort', 'fields'), names).map(([key, value]) => `${key}=${encode(value)}`),
  fc.constantFrom('limit=1', 'limit=2', 'page=2', 'total=true', 'total=estimate'),
);
const garbage = fc.string({ unit: 'grapheme-ascii', maxLength: 20 }).map((raw) => raw.replaceAll(/[^!-~]|#/g, ''));
const query = fc
  .array(fc.oneof({ weight: 5, arbitrary: filter }, { weight: 5, arbitrary: own }, { weight: 1, arbitrary: garbage }), { maxLength: 5 })
  .map((parts) => parts.join('&'));
const path = fc.constantFrom('items', 'numbered', 'scoped');

describe('any query string', () => {
  it('is 200, 400 or 422, and reaches the database with nothing but what a table built', async () => {
    const seen = new Map<number, number>();
    await fc.assert(
      fc.asyncProperty(path, query, async (at, raw) => {
        const status = await request(at, raw);
        seen.set(status, (seen.get(status) ?? 0) + 1);
      }),
      cases(400),
    );
    // The generator is worth its time: many are right, many are wrong.
    expect(seen.get(200)).toBeGreaterThan(60);
    expect(checked).toBeGreaterThan(60);
    expect(seen.get(400)).toBeGreaterThan(60);
  }, 120_000);

  it('that is right may be walked both ways under every filter, sort and choice of fields', async () => {
    const right = fc.tuple(
      fc.constantFrom('', 'count[ne]=1', 'name[nin]=x', 'tags[exists]=true', 'count[ne]=1&count[lte]=2'),
      fc.shuffledSubarray(['name', '-note', 'count', '-price', 'ratio', '-on', 'at', '-kind', 'ref', '-key', '-place.city', 'id'], {
        minLength: 1,
        maxLength: 4,
      }),
      fc.option(fc.subarray(['name', 'place', 'place.city', 'parts.sku', 'tags'], { minLength: 1 }), { nil: undefined }),
      fc.constantFrom('items', 'scoped'),
    );
    await fc.assert(
      fc.asyncProperty(right, async ([filters, sort, fields, at]) => {
        const choice = fields && at === 'items' ? `&fields=${fields.join()}` : '';
        const base = `${filters}&sort=${sort.join()}${choice}&limit=2`;
        let cursor = '';
        for (let pages = 0; pages < 9; pages++) {
          isScoped = at === 'scoped';
          const { status, body } = await api.request('GET', `/api/${at}?${base}${cursor}`);
          expect([base, status]).toEqual([base, 200]);
          const { next_cursor: next, prev_cursor: prev } = body.page;
          if (prev !== null) expect(await request(at, `${base}&before=${prev}`)).toBe(200);
          if (next === null) break;
          cursor = `&after=${next}`;
        }
        checkCommands();
      }),
      cases(60),
    );
  }, 120_000);
});

describe('any forged cursor', () => {
  const sorts = ['', 'sort=name', 'sort=-count', 'sort=price,-at', 'sort=-ref,key,on', 'sort=-id', 'sort=ratio,place.city'];
  const text = fc.oneof(
    fc.constantFrom('', '0', '-1', '5', '0.5', '1e3', 'NaN', 'Infinity', '9223372036854775807', '99999999999999999999', '8.64e15'),
    fc.constantFrom('a', 'alpha', 'true', '{"$gt":""}', '$name', 'ASNFZ4mrze8BI0Vn', '04AAAA', '02AAAA', '09JwEBAgM=', '06'),
    fc.string({ unit: 'binary', maxLength: 5 }),
  );
  const part = fc.oneof(
    { weight: 9, arbitrary: fc.tuple(fc.constantFrom(...'nbilfmsdox'), text).map(([tag, value]) => tag + value) },
    { weight: 1, arbitrary: fc.constantFrom<unknown>(null, true, 5, '', [], {}, ['sa'], { $gt: '' }, 'z', '__proto__') },
  );

  it('is 400, or says no more than a filter could', async () => {
    const digests = new Map(sorts.map((sort) => [sort, digestOf(Item, 'items', sort.replace('sort=', ''))]));
    const accepted = new Set<string>();
    const side = fc.oneof({ weight: 9, arbitrary: fc.constantFrom<unknown>(1, -1) }, { weight: 1, arbitrary: part });
    const sort = fc.constantFrom(...digests.keys());
    // Behind one value for each key stands the id, which is text.
    const values = fc.oneof(
      { weight: 6, arbitrary: fc.constant<unknown[]>(['sa']) },
      { weight: 1, arbitrary: fc.array(part, { maxLength: 2 }) },
    );
    const parameter = fc.constantFrom('after', 'before');
    const forged = fc.tuple(sort, side, fc.array(part, { minLength: 3, maxLength: 3 }), values, parameter);
    await fc.assert(
      fc.asyncProperty(forged, async ([by, first, parts, rest, name]) => {
        const keys = by.replace(/^$|sort=-id/, '').split(/[=,]/).length - 1;
        const cursor = forgeCursor(digests.get(by) ?? '', [first, ...parts.slice(0, keys), ...rest]);
        if ((await request('items', `${by}&${name}=${cursor}`)) === 200) accepted.add(by);
      }),
      cases(500),
    );
    expect(accepted.size).toBeGreaterThan(3);
  }, 120_000);
});
