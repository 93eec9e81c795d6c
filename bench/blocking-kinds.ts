import { defineModel, t } from '../src/index.ts';

const Line = t.object('Line', { n: t.int({ default: 0 }), price: t.nullable(t.decimal()) });
/** A field of every type. */
export const Thing = defineModel('Thing', {
  collection: 'things',
  fields: {
    name: t.string({ default: '', policy: { filter: true, sort: true, group: true } }),
    title: t.string({ default: '', caseless: true }),
    data: t.nullable(t.any()),
    more: t.map(t.any(), { default: {} }),
    texts: t.array(t.string(), { default: [] }),
    patterns: t.array(t.string({ pattern: '^[a-z]+[0-9]$' }), { default: [] }),
    ints: t.array(t.int(), { default: [] }),
    longs: t.array(t.int64(), { default: [] }),
    floats: t.array(t.float(), { default: [] }),
    decimals: t.array(t.decimal(), { default: [] }),
    bounded: t.array(t.decimal({ minimum: '0', maximum: '99999999999999999999999999' }), { default: [] }),
    dates: t.array(t.date(), { default: [] }),
    ids: t.array(t.objectId(), { default: [] }),
    uuids: t.array(t.uuid(), { default: [] }),
    bytes: t.array(t.binary(), { default: [] }),
    enums: t.array(t.enum(['red', 'green', 'blue']), { default: [] }),
    set: t.array(t.string(), { default: [], uniqueItems: true }),
    lines: t.array(Line, { default: [] }),
    map: t.map(t.int(), { default: {} }),
    refs: t.array(t.ref('Thing', { onDelete: 'pull' }), { default: [] }),
    loose: t.array(t.ref('Thing'), { default: [] }),
    longId: t.nullable(t.int64({ policy: { filter: true } })),
    price: t.nullable(t.decimal({ policy: { filter: true } })),
    at: t.nullable(t.date({ policy: { filter: true } })),
    revision: t.revision(),
  },
});

/** A model with a history. */
export const Note = defineModel('Note', {
  collection: 'notes',
  fields: {
    kind: t.string({ policy: { filter: true } }),
    ints: t.array(t.int(), { default: [] }),
    revision: t.revision(),
  },
  history: true,
});

/** A model with related records, by which its lists are filtered. */
export const Board = defineModel('Board', {
  collection: 'boards',
  fields: { id: t.int(), cards: t.hasMany('Card', { via: 'board' }) },
});

/** A model of which lists and records are live. No index has the keys of its sorts. */
export const Card = defineModel('Card', {
  collection: 'cards',
  fields: {
    id: t.int(),
    board: t.ref('Board', { id: t.int(), policy: { filter: true } }),
    rank: t.int({ policy: { filter: true } }),
    column: t.int({ policy: { sort: true } }),
    line: t.int({ policy: { sort: true } }),
    depth: t.int({ policy: { sort: true } }),
  },
});

/** A request of the benchmark. */
export interface Request {
  readonly method: string;
  readonly path: string;
  readonly body?: string;
  readonly type?: string;
  /** Asks for the page behind that of the path. */
  readonly isNext?: boolean;
}

const many = 24_900; // the default of `maxValues` is 25,000
const list = (item: string | ((n: number) => string), amount = many) =>
  `[${Array.from({ length: amount }, (_, n) => (typeof item === 'string' ? item : item(n)))}]`;
const hex = (n: number, digits: number) => n.toString(16).padStart(digits, '0');
const uuid = (n: number) => `"123e4567-e89b-42d3-a456-${hex(n, 12)}"`;
const megabyte = 1_048_000;

/** Bodies of creates of up to 1 MiB and of the most values, by their names. */
export function bodies(): Record<string, string> {
  const whole = (n: number) => 40 - String(n).length;
  return {
    nothing: '{}',
    'any: zeros': `{"data":${list('0')}}`,
    'any: texts of 38 bytes': `{"data":${list(`"${'x'.repeat(38)}"`)}}`,
    'any: empty objects': `{"data":${list('{}', 12_000)}}`,
    'any: keys': `{"data":{${Array.from({ length: many }, (_, n) => `"${n}${'k'.repeat(whole(n) - 10)}":0`)}}}`,
    'any: levels': `{"data":${list(`${'['.repeat(58)}${']'.repeat(58)}`, 400)}}`,
    'any: integers of 19 digits': `{"data":${list('9223372036854775807')}}`,
    'any: fractions of 20 digits': `{"data":${list('0.12345678901234567890')}}`,
    'any: doubles of 17 digits': `{"data":${list('0.14285714285714285')}}`,
    'any: exponents': `{"data":${list('1e300')}}`,
    'any: a long number': `{"data":0.${'7'.repeat(megabyte)}}`,
    'any: a long integer': `{"data":${'7'.repeat(megabyte)}}`,
    'any: a long text': `{"data":"${'é'.repeat(megabyte / 2)}"}`,
    'any: escapes': `{"data":"${'\\u00e9'.repeat(megabyte / 6)}"}`,
    spaces: `{"data":${' '.repeat(megabyte)}0}`,
    'a mistake at the end': `{"data":${list('0', 24_000)}`,
    'a mistake behind many': `{"data":${list('0.12345678901234567890', 24_000)}`,
    strings: `{"texts":${list(`"${'x'.repeat(38)}"`)}}`,
    patterns: `{"patterns":${list(`"${'x'.repeat(36)}1"`)}}`,
    int: `{"ints":${list('1234567890')}}`,
    'int64: numbers': `{"longs":${list('9223372036854775807')}}`,
    'int64: small': `{"longs":${list('7')}}`,
    float: `{"floats":${list('0.14285714285714285')}}`,
    'decimal: texts of 34 digits': `{"decimals":${list('"1234567890123456789012345678901.234"')}}`,
    'decimal: texts of 4 digits': `{"decimals":${list('"12.50"')}}`,
    'decimal: numbers of 20 digits': `{"decimals":${list('12345678901234567.890')}}`,
    'decimal: exponents': `{"decimals":${list('"1234567890123456789012345678901.23e100"', 24_000)}}`,
    'decimal: zeros before': `{"decimals":${list('"0000000000000000000000000000000000012"', 24_000)}}`,
    'decimal: a long one': `{"decimals":["0.${'7'.repeat(megabyte)}"]}`,
    'decimal between bounds': `{"bounded":${list('"12345678901234567890123.50"')}}`,
    'decimal below its bounds': `{"bounded":${list('"-12345678901234567890123.50"')}}`,
    date: `{"dates":${list('"2026-01-31T12:00:00.123+01:00"')}}`,
    objectId: `{"ids":${list((n) => `"${hex(n, 24)}"`)}}`,
    uuid: `{"uuids":${list(uuid, 24_000)}}`,
    binary: `{"bytes":${list('"AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"')}}`,
    enum: `{"enums":${list('"green"')}}`,
    'unique items': `{"set":${list((n) => `"${n}${'x'.repeat(whole(n) - 3)}"`)}}`,
    lines: `{"lines":${list('{}', 12_000)}}`,
    'caseless: a letter with an accent': `{"title":"${'é'.repeat(megabyte / 2)}"}`,
    'caseless: marks of their own': `{"title":"${'e\u0301\u0323'.repeat(megabyte / 5)}"}`,
    'caseless: different marks': `{"title":"${differentMarks(megabyte / 5)}"}`,
    'caseless: syllables': `{"title":"${'각'.repeat(megabyte / 3)}"}`,
    map: `{"map":{${Array.from({ length: many }, (_, n) => `"${n}${'k'.repeat(whole(n) - 10)}":0`)}}}`,
    'map of any': `{"more":{${Array.from({ length: many }, (_, n) => `"${n}${'k'.repeat(whole(n) - 10)}":0`)}}}`,
    'references that hold: 2,000, missing': `{"refs":${list((n) => `"${hex(n, 24)}"`, 2_000)}}`,
    'references that hold: too many': `{"refs":${list((n) => `"${hex(n, 24)}"`)}}`,
    references: `{"loose":${list((n) => `"${hex(n, 24)}"`)}}`,
    'mistakes: unknown fields': `{${Array.from({ length: 24_000 }, (_, n) => `"nam${n}":0`)}}`,
    'mistakes: names like another': `{${Array.from({ length: 12_000 }, (_, n) => `"decimals${hex(n, 6)}${'s'.repeat(60)}":0`)}}`,
    'mistakes: strings': `{"texts":${list('0')}}`,
    'mistakes: decimals': `{"decimals":${list('"12,50"')}}`,
    'mistakes: dates': `{"dates":${list('"2026-01-32T12:00:00.123+01:00"')}}`,
    'mistakes: enums': `{"enums":${list('"gren"')}}`,
    'mistakes: objectIds': `{"ids":${list('"nothing"')}}`,
    'mistakes: lines': `{"lines":${list('{"m":0}', 12_000)}}`,
    'mistakes: keys of a map': `{"map":{${Array.from({ length: many }, (_, n) => `"${n}":"x"`)}}}`,
  };
}

function differentMarks(count: number): string {
  const mark = (n: number) => String.fromCharCode(0x300 + (n % 110));
  return Array.from({ length: Math.floor(count) }, (_, n) => String.fromCharCode(97 + (n % 26)) + mark(n) + mark(Math.floor(n / 110))).join(
    '',
  );
}

/** Requests about records with a history. The record `note` has changed 125 times. */
export function histories(note: string): Record<string, Request> {
  return {
    'history: at=0 behind 125 patches of 18 KB': { method: 'GET', path: `/notes/${note}?at=0` },
    'history: patchMany of 500 records of 27 KB': { method: 'PATCH', path: '/notes?kind=large', body: '{"kind":"large","ints":[]}' },
    'history: deleteMany of 500 records of 27 KB': { method: 'DELETE', path: '/notes?kind=large' },
  };
}

/** How many streams are open while others write. The first of them shows the only record that is written last. */
export const streamCount = 1_000;

/** Paths of streams that show other records than those that are written, by the names of their kinds. */
export const streams: Readonly<Record<string, (n: number) => string>> = {
  'live: updateMany of 20,000 records beside 1,000 lists': (n) => `/cards?board=${n + 1}&rank[lt]=${10 + n}`,
  'live: updateMany of 20,000 records beside 1,000 records': (n) => `/cards/${n + 1}`,
};

/** Lists by which a client can ask for more than it seems. */
export function lists(): Record<string, Request> {
  const conditions = (count: number, word: string) => Array.from({ length: count }, (_, n) => `${word}(cards, rank = ${n})`).join(' AND ');
  const query = (filter: string): Request => ({ method: 'POST', path: '/boards/query', body: JSON.stringify({ filter }) });
  return {
    'filter: 200 conditions on related records, which are one question': query(conditions(200, 'none')),
    'filter: 16 conditions on related records': query(conditions(16, 'any')),
    'cursor: the end of a list by three keys without an index': {
      method: 'GET',
      path: '/cards?rank[lt]=101&sort=column,line,depth&limit=100',
      isNext: true,
    },
  };
}

/** Requests that read a record or a list. */
export function reads(large: string, stored: string): Record<string, Request> {
  const values = (item: (n: number) => string, amount: number) => Array.from({ length: amount }, (_, n) => item(n));
  const filters = ['name', 'longId', 'price'].flatMap((name) => [`${name}[in]`, `${name}[nin]`]);
  const accepted = filters.map((key) => `${key}=${values((n) => String(n), 500)}`).join('&'); // by `maxFilterValues`
  return {
    'list: in, all that is accepted': { method: 'GET', path: `/things?${accepted}` },
    'list: in, a parameter for each value': { method: 'GET', path: `/things?${values((n) => `name[in]=${n}`, 500).join('&')}` },
    'list: in, dates that are accepted': { method: 'GET', path: `/things?at[in]=${values(() => '2026-01-31T12:00:00Z', 500)}` },
    'list: in, texts': { method: 'GET', path: `/things?name[in]=${values((n) => `n${n}`, 2_000)}` },
    'list: in, ids': { method: 'GET', path: `/things?id[in]=${values((n) => hex(n, 24), 600)}` },
    'list: in, int64': { method: 'GET', path: `/things?longId[in]=${values((n) => String(n), 2_000)}` },
    'list: in, decimals': { method: 'GET', path: `/things?price[in]=${values((n) => `${n}.5`, 2_000)}` },
    'list: in, dates': { method: 'GET', path: `/things?at[in]=${values(() => '2026-01-31T12:00:00Z', 700)}` },
    'list: fields': { method: 'GET', path: `/things?limit=1&fields=${values((n) => `nam${n}`, 1_800)}` },
    'list: parameters': { method: 'GET', path: `/things?${values((n) => `nam${n}=1`, 1_500).join('&')}` },
    'get: a record of 15 MB of numbers': { method: 'GET', path: `/things/${large}` },
    'get: a record of 15 MB of texts': { method: 'GET', path: `/things/${stored}` },
    'list: a page of 16 MB of numbers': { method: 'GET', path: '/things?name=numbers&limit=100' },
    'list: a page of 16 MB of texts': { method: 'GET', path: '/things?name=texts&limit=100' },
    'aggregate: 1,000 groups by a text of 12 KB': { method: 'GET', path: '/things/aggregate?group=name&name[prefix]=group' },
    'patch: nothing of a record of 15 MB': { method: 'PATCH', path: `/things/${large}`, body: '{}' },
    'patch: a field of a record of 15 MB': { method: 'PATCH', path: `/things/${large}`, body: '{"name":"large"}' },
    'patch: a field of a record of 15 MB of texts': { method: 'PATCH', path: `/things/${stored}`, body: '{"name":"large"}' },
  };
}

/** Batches of up to 1 MiB. */
export function batches(): Record<string, Request> {
  const batch = (operations: object[]): Request => ({ method: 'POST', path: '/batch', body: JSON.stringify({ operations }) });
  const create = (body: object, more: object = {}) => ({ method: 'POST', path: '/things', body, ...more });
  const numbers = (n: number) => Array(n).fill('12345678901234567890123.50');
  return {
    'batch: 999 creates': batch(Array.from({ length: 999 }, () => create({}))),
    'batch: 20,000 refs': batch([
      create({}),
      create({ data: {} }, { refs: Object.fromEntries(Array.from({ length: 20_000 }, (_, n) => [`/data/${n}`, 0])) }),
    ]),
    'batch: decimals in 20 creates': batch(Array.from({ length: 20 }, () => create({ decimals: numbers(1_200) }))),
    'batch: decimals in one create': batch([create({ decimals: numbers(24_000) })]),
  };
}
