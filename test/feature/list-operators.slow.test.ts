import { Binary, Decimal128, Double, Int32, Long, ObjectId, UUID } from 'mongodb';
import { defineModel, type Field, t } from '../../src/index.ts';
import { useDatabase } from '../support/database/database.ts';
import { useApi } from '../support/http/api.ts';

/**
 * A type, three of its values in the order of the database, as they are stored and as a query string has them, and
 * texts that are none.
 */
interface TypeCase {
  readonly make: (policy: object) => Field;
  readonly stored: readonly [unknown, unknown, unknown];
  readonly texts: readonly [string, string, string];
  readonly wrong: readonly string[];
}

const uuids = [
  '00000000-0000-4000-8000-000000000001',
  '6f9619ff-8b86-4d01-b42d-00cf4fc964ff',
  'ffffffff-ffff-4fff-bfff-ffffffffffff',
] as const;
const oids = ['0123456789abcdef01234567', '66b0c0ffee66b0c0ffee66b0', 'ffffffffffffffffffffffff'] as const;
const times = ['1969-12-31T23:59:59.999Z', '2026-01-31T12:00:00Z', '9999-12-31T23:59:59Z'] as const;
const bytes = ['AA==', '/w==', 'AAA='] as const; // the shorter come first

const types: Readonly<Record<string, TypeCase>> = {
  string: { make: (policy) => t.string(policy), stored: ['', 'Z', 'ab'], texts: ['', 'Z', 'ab'], wrong: [] },
  int: {
    make: (policy) => t.int(policy),
    stored: [new Int32(-5), new Int32(0), Long.fromNumber(2 ** 40)],
    texts: ['-5', '0.0', '1099511627776'],
    wrong: ['x', '', '1.5', '0x1', '1e3', 'Null'],
  },
  int64: {
    make: (policy) => t.int64(policy),
    stored: [Long.MIN_VALUE, Long.fromString('9007199254740993'), Long.MAX_VALUE],
    texts: ['-9223372036854775808', '9007199254740993', '9223372036854775807'],
    wrong: ['x', '', '0.5'],
  },
  float: {
    make: (policy) => t.float(policy),
    stored: [new Double(-1e300), new Double(0.1), new Int32(7)],
    texts: ['-1e300', '0.1', '7'],
    wrong: ['x', '', 'NaN', 'Infinity', '-Infinity', '1e999'],
  },
  decimal: {
    make: (policy) => t.decimal(policy),
    stored: [Decimal128.fromString('-1.50'), Decimal128.fromString('0.1'), Decimal128.fromString('9E+30')],
    texts: ['-1.5', '0.100', '9e30'],
    wrong: ['x', '', 'NaN', 'Infinity', '1,5', '1'.repeat(35)],
  },
  boolean: {
    make: (policy) => t.boolean(policy),
    stored: [false, undefined, true],
    texts: ['0', '', 'TRUE'],
    wrong: ['x', '', 'yes', '2'],
  },
  date: {
    make: (policy) => t.date(policy),
    stored: [new Date(times[0]), new Date(times[1]), new Date(times[2])],
    texts: [times[0], '2026-01-31T13:00:00%2B01:00', times[2]],
    wrong: ['x', '', '2026-01-31', '2026-02-30T00:00:00Z', '0'],
  },
  enum: {
    make: (policy) => t.enum(['large', 'medium', 'small'], policy),
    stored: ['large', 'medium', 'small'],
    texts: ['large', 'medium', 'small'],
    wrong: ['x', '', 'Large'],
  },
  objectId: {
    make: (policy) => t.objectId(policy),
    stored: [new ObjectId(oids[0]), new ObjectId(oids[1]), new ObjectId(oids[2])],
    texts: [oids[0], oids[1].toUpperCase(), oids[2]],
    wrong: ['x', '', '0123', 'twelve%20bytes'],
  },
  ref: {
    make: (policy) => t.ref('Other', policy),
    stored: [new ObjectId(oids[0]), new ObjectId(oids[1]), new ObjectId(oids[2])],
    texts: oids,
    wrong: ['x', ''],
  },
  uuid: {
    make: (policy) => t.uuid(policy),
    stored: [new UUID(uuids[0]), new UUID(uuids[1]), new UUID(uuids[2])],
    texts: [uuids[0], uuids[1].toUpperCase(), uuids[2]],
    wrong: ['x', '', uuids[1].replaceAll('-', '')],
  },
  binary: {
    make: (policy) => t.binary(policy),
    stored: [
      new Binary(Buffer.from(bytes[0], 'base64')),
      new Binary(Buffer.from(bytes[1], 'base64')),
      new Binary(Buffer.from(bytes[2], 'base64')),
    ],
    texts: [bytes[0], bytes[1], bytes[2]],
    wrong: ['x', 'AA', '*'],
  },
};
const names = Object.keys(types);
const allOperators = ['eq', 'ne', 'in', 'nin', 'gt', 'gte', 'lt', 'lte', 'exists', 'prefix', 'contains'] as const;
type Operator = (typeof allOperators)[number];

const isText = (name: string) => name === 'string' || name === 'enum';
/** `filter: true` is all operators but `contains`. */
const filterOf = (name: string) => (isText(name) ? allOperators : (true as const));
const fieldsOf = (policyOf: (name: string) => object) =>
  Object.fromEntries(Object.entries(types).map(([name, { make }]) => [name, t.optional(t.nullable(make({}), { policy: policyOf(name) }))]));
const filtered = (name: string) => ({ filter: filterOf(name) });
const sorted = (name: string) => ({ filter: filterOf(name), sort: true });
const id = t.string({ policy: { sort: true } });
const All = defineModel('All', {
  collection: 'all',
  fields: {
    id,
    ...fieldsOf(sorted),
    nested: t.optional(t.nullable(t.object('Nested', fieldsOf(sorted)))),
    lists: t.optional(
      t.nullable(
        t.object(
          'Lists',
          Object.fromEntries(
            Object.entries(types).map(([name, { make }]) => [name, t.optional(t.nullable(t.array(make({})), { policy: filtered(name) }))]),
          ),
        ),
      ),
    ),
    parts: t.optional(t.nullable(t.array(t.object('Part', fieldsOf(filtered))))),
  },
});
const None = defineModel('None', { collection: 'all', fields: { id, ...fieldsOf(() => ({})) } });

const database = useDatabase();
const api = useApi(database, (shop) => [shop.resource({ model: All }), shop.resource({ model: None, path: 'none' })]);

const at = (index: number) => Object.fromEntries(names.map((name) => [name, types[name]?.stored[index]]));
const places = (index: number) => {
  const values = at(index);
  const lists = Object.fromEntries(Object.entries(values).map(([name, value]) => [name, [value]]));
  return { ...values, nested: values, lists, parts: [values] };
};
const nulls = Object.fromEntries(names.map((name) => [name, null]));

beforeAll(async () => {
  const rows = [
    { _id: 'low', ...places(0) },
    { _id: 'mid', ...places(1) },
    { _id: 'high', ...places(2) },
    { _id: 'nil', ...nulls, nested: nulls, lists: nulls, parts: [nulls] },
    { _id: 'none' },
  ];
  await database.db.collection<{ _id: string }>('all').insertMany(rows, { ignoreUndefined: true });
});

async function find(query: string, path = 'all'): Promise<string> {
  const { status, body } = await api.request('GET', `/api/${path}?${query}`);
  return status === 200 ? body.data.map((one: { id: string }) => one.id).join(' ') : `${status} ${body.code}`;
}

/**
 * What each operator matches, said without a database: of the three values, a null and a missing one, in the order of
 * the ids.
 */
function expected(name: string, operator: Operator): readonly [value: string, matches: string][] {
  const [low, mid, high] = types[name]?.texts ?? [];
  const isBoolean = name === 'boolean';
  const matchesOf: Readonly<Record<Operator, readonly [string, string][]>> = {
    eq: [
      [`${high}`, 'high'],
      [`${low}`, 'low'],
    ],
    ne: [[`${high}`, 'low mid nil none']],
    in: [[`${low},${high}`, 'high low'], [`${high}`, 'high'], ...(name === 'string' ? [] : [['', ''] as [string, string]])],
    nin: [[`${low},${high}`, 'mid nil none'], ...(name === 'string' ? [] : [['', 'high low mid nil none'] as [string, string]])],
    gt: [
      [`${mid}`, 'high'],
      [`${high}`, ''],
    ],
    gte: [
      [`${mid}`, 'high mid'],
      [`${low}`, 'high low mid'],
    ],
    lt: [
      [`${mid}`, 'low'],
      [`${low}`, ''],
    ],
    lte: [
      [`${mid}`, 'low mid'],
      [`${high}`, 'high low mid'],
    ],
    exists: isBoolean
      ? [
          ['true', 'high low nil'],
          ['false', 'mid none'],
        ]
      : [
          ['true', 'high low mid nil'],
          ['false', 'none'],
        ],
    prefix: [
      [`${high}`.slice(0, 2), 'high'],
      ['nothing', ''],
    ],
    contains: [
      [`${high}`.slice(-2), 'high'],
      ['nothing', ''],
    ],
  };
  return matchesOf[operator];
}

const has = (name: string, operator: Operator) =>
  operator === 'prefix' || operator === 'contains' ? isText(name) : name !== 'boolean' || !['gt', 'gte', 'lt', 'lte'].includes(operator);

const positive = names.flatMap((name) =>
  allOperators
    .filter((operator) => has(name, operator))
    .flatMap((operator) => expected(name, operator).map(([value, ids]) => [name, operator, value, ids] as const)),
);

describe('an operator matches by the type of its field', () => {
  it.each(positive)('%s[%s]=%s matches "%s", at the top and in an embedded object', async (name, operator, value, ids) => {
    expect(await find(`${name}[${operator}]=${value}`)).toBe(ids);
    expect(await find(`nested.${name}[${operator}]=${value}`)).toBe(ids);
  });

  // `exists` asks for the list, and no order is asked of a missing one.
  it.each(positive)(
    '%s[%s]=%s matches "%s" where an element does, in a list and in a list of objects',
    async (name, operator, value, ids) => {
      const isUnset = name === 'boolean' && operator === 'exists'; // a list is there though it holds nothing
      expect(await find(`lists.${name}[${operator}]=${value}`)).toBe(isUnset ? (value === 'true' ? 'high low mid nil' : 'none') : ids);
      expect(await find(`parts.${name}[${operator}]=${value}`)).toBe(ids);
    },
  );

  it.each(names)('%s=<value> is %s[eq]=<value>', async (name) => {
    for (const text of types[name]?.texts ?? []) {
      if (text !== '' || isText(name)) expect(await find(`${name}=${text}`)).toBe(await find(`${name}[eq]=${text}`));
    }
  });

  it.each(names.filter((name) => name !== 'string'))('null means null on a %s, and only where values are equal or not', async (name) => {
    const high = types[name]?.texts[2];
    const boolean = name === 'boolean'; // its middle value is missing
    expect(await find(`${name}=null`)).toBe(boolean ? 'mid nil none' : 'nil none');
    expect(await find(`${name}[ne]=null`)).toBe(boolean ? 'high low' : 'high low mid');
    expect(await find(`${name}[in]=${high},null`)).toBe(boolean ? 'high mid nil none' : 'high nil none');
    expect(await find(`${name}[nin]=${high},null`)).toBe(boolean ? 'low' : 'low mid');
    for (const operator of ['gt', 'gte', 'lt', 'lte']) expect(await find(`${name}[${operator}]=null`)).toBe('400 invalid_query');
  });
});

describe('an operator answers 400', () => {
  const casting = ['eq', 'ne', 'in', 'nin', 'gt', 'gte', 'lt', 'lte'] as const;
  const refusing = names.filter((name) => types[name]?.wrong.length !== 0);
  it.each(refusing.flatMap((name) => casting.filter((operator) => has(name, operator)).map((operator) => [name, operator] as const)))(
    'to what is no value of its type: %s[%s]',
    async (name, operator) => {
      const isList = operator === 'in' || operator === 'nin';
      for (const text of types[name]?.wrong ?? []) {
        if (isList && /^$|,/.test(text)) continue; // the empty list, and two values
        const value = isList ? `${types[name]?.texts[0]},${text}` : text;
        expect([text, await find(`${name}[${operator}]=${value}`)]).toEqual([text, '400 invalid_query']);
      }
    },
  );

  it.each(names.flatMap((name) => allOperators.filter((operator) => !has(name, operator)).map((operator) => [name, operator] as const)))(
    'where its type has none of it: %s[%s]',
    async (name, operator) => {
      expect(await find(`${name}[${operator}]=${types[name]?.texts[0]}`)).toBe('400 invalid_query');
    },
  );

  it.each(names.flatMap((name) => allOperators.map((operator) => [name, operator] as const)))(
    'where the policy does not allow it: %s[%s]',
    async (name, operator) => {
      const value = operator === 'exists' ? 'true' : types[name]?.texts[0];
      expect(await find(`${name}[${operator}]=${value}`, 'none')).toBe('400 invalid_query');
    },
  );
});

describe('sort', () => {
  it.each(names)('puts values of type %s in order, null and missing first ascending and last descending', async (name) => {
    const [up, down] =
      name === 'boolean' ? ['mid nil none low high', 'high low none nil mid'] : ['nil none low mid high', 'high mid low none nil'];
    for (const path of [name, `nested.${name}`]) {
      expect(await find(`sort=${path}`)).toBe(up);
      expect(await find(`sort=-${path}`)).toBe(down);
    }
  });

  it.each(names)('by a field of type %s that the policy does not allow is 400', async (name) => {
    expect(await find(`sort=${name}`, 'none')).toBe('400 invalid_query');
  });
});
