import { defineModel, t } from '../../src/index.ts';
import { useDatabase } from '../support/database/database.ts';
import { useApi } from '../support/http/api.ts';

const Third = t.object('Third', {
  x: t.int(),
  y: t.nullable(t.int()),
  z: t.nullable(t.int(), { storeNone: true }),
  w: t.int({ default: 7 }),
  o: t.optional(t.int()),
});
const Second = t.object('Second', {
  a: t.string(),
  b: t.string({ default: 'b' }),
  third: t.optional(Third),
  list: t.optional(t.array(t.int())),
});
const First = t.object('First', { s: t.string(), q: t.string(), second: t.nullable(Second), kept: t.nullable(Third, { storeNone: true }) });
const Loose = t.object('Loose', { m: t.optional(t.int()), n: t.nullable(t.int()) });
const Tree = defineModel('Tree', {
  collection: 'trees',
  fields: {
    id: t.string(),
    first: t.nullable(First),
    loose: t.optional(Loose),
    must: t.object('Must', { k: t.int() }),
    other: t.int({ default: 0 }),
    revision: t.revision(),
  },
});

const database = useDatabase();
const api = useApi(database, (shop) => [shop.resource({ model: Tree, ops: ['create', 'get', 'patch', 'put'] })]);
const trees = () => database.db.collection<{ _id: string; [key: string]: unknown }>('trees');

async function patchStored(stored: object, body: unknown) {
  await trees().deleteMany({});
  await trees().insertOne({ _id: 't', must: { k: 1 }, ...structuredClone(stored) });
  const answer = await api.request('PATCH', '/api/trees/t', { body });
  const { _id, must, ...after } = { must: undefined, ...(await trees().findOne({ _id: 't' })) };
  expect(_id).toBe('t');
  return { answer, after, must };
}

beforeEach(() => {
  api.errors.length = 0;
});

const third = { x: 1, y: 2, z: 3, w: 4, o: 5 };
const second = { a: 'a', b: 'B', third, list: [1], unknown: 'kept' };
const first = { s: 's', q: 'q', second, kept: third };

describe('a merge into an embedded object that exists', () => {
  it.each<[rule: string, body: object, after: object]>([
    ['writes one key and leaves the rest', { first: { s: 'S' } }, { first: { ...first, s: 'S' } }],
    ['writes two levels down', { first: { second: { a: 'A' } } }, { first: { ...first, second: { ...second, a: 'A' } } }],
    [
      'writes three levels down',
      { first: { second: { third: { x: 9 } } } },
      { first: { ...first, second: { ...second, third: { ...third, x: 9 } } } },
    ],
    [
      'writes on all levels at once',
      { first: { s: 'S', second: { a: 'A', third: { w: 9 } } } },
      { first: { ...first, s: 'S', second: { ...second, a: 'A', third: { ...third, w: 9 } } } },
    ],
    [
      'clears a nullable key by removing it',
      { first: { second: { third: { y: null } } } },
      { first: { ...first, second: { ...second, third: { x: 1, z: 3, w: 4, o: 5 } } } },
    ],
    [
      'clears a StoreNone key by storing null',
      { first: { second: { third: { z: null } } } },
      { first: { ...first, second: { ...second, third: { ...third, z: null } } } },
    ],
    [
      'clears an optional key by removing it',
      { first: { second: { third: { o: null } } } },
      { first: { ...first, second: { ...second, third: { x: 1, y: 2, z: 3, w: 4 } } } },
    ],
    [
      'clears a nested object by removing it',
      { first: { second: { third: null } } },
      { first: { ...first, second: { a: 'a', b: 'B', list: [1], unknown: 'kept' } } },
    ],
    ['clears a nested StoreNone object by storing null', { first: { kept: null } }, { first: { ...first, kept: null } }],
    ['clears the embedded object itself', { first: null }, {}],
    ['replaces a list whole', { first: { second: { list: [] } } }, { first: { ...first, second: { ...second, list: [] } } }],
    [
      'clears and writes at once',
      { first: { kept: null, second: { list: null, third: { y: null, x: 8 } } } },
      { first: { s: 's', q: 'q', kept: null, second: { a: 'a', b: 'B', unknown: 'kept', third: { x: 8, z: 3, w: 4, o: 5 } } } },
    ],
    ['writes beside a top-level field', { first: { s: 'S' }, other: 3 }, { first: { ...first, s: 'S' }, other: 3 }],
  ])('%s', async (_rule, body, after) => {
    const result = await patchStored({ first, revision: 5 }, body);
    expect(result.answer.status).toBe(200);
    expect(result.answer.headers.etag).toBe('"6"');
    expect(result.after).toEqual({ ...after, revision: 6 });
    expect(result.must).toEqual({ k: 1 });
    const read = await api.request('GET', '/api/trees/t');
    expect(read.text).toBe(result.answer.text);
  });
});

describe('a merge into an embedded object that is missing, null or no object', () => {
  const created = { s: 's', q: 'q', kept: null };
  it.each<[rule: string, stored: object, body: object, after: object]>([
    ['creates it from a complete body with its defaults', {}, { first: { s: 's', q: 'q' } }, { first: created }],
    ['does so for a stored null', { first: null }, { first: { s: 's', q: 'q' } }, { first: created }],
    ['does so for something else than an object', { first: 'text' }, { first: { s: 's', q: 'q' } }, { first: created }],
    ['does so for a list of objects', { first: [first] }, { first: { s: 's', q: 'q' } }, { first: created }],
    ['creates two levels', {}, { first: { s: 's', q: 'q', second: { a: 'a' } } }, { first: { ...created, second: { a: 'a', b: 'b' } } }],
    [
      'creates three levels',
      {},
      { first: { s: 's', q: 'q', second: { a: 'a', third: { x: 1 } } } },
      { first: { ...created, second: { a: 'a', b: 'b', third: { x: 1, z: null, w: 7 } } } },
    ],
    [
      'creates the second level below a first that exists',
      { first: { s: 'S', q: 'Q', old: 1 } },
      { first: { second: { a: 'a' } } },
      { first: { s: 'S', q: 'Q', old: 1, second: { a: 'a', b: 'b' } } },
    ],
    [
      'creates the third level where the second is null',
      { first: { s: 'S', q: 'Q', second: null } },
      { first: { second: { a: 'a', third: { x: 1 } } } },
      { first: { s: 'S', q: 'Q', second: { a: 'a', b: 'b', third: { x: 1, z: null, w: 7 } } } },
    ],
    [
      'creates the third level where the second is there',
      { first: { s: 'S', q: 'Q', second: { a: 'A', b: 'B' } } },
      { first: { second: { third: { x: 1 } } } },
      { first: { s: 'S', q: 'Q', second: { a: 'A', b: 'B', third: { x: 1, z: null, w: 7 } } } },
    ],
    [
      'keeps what is there when the body is complete',
      { first: { s: 'S', q: 'Q', second } },
      { first: { second: { a: 'x', third: { x: 0 } } } },
      { first: { s: 'S', q: 'Q', second: { ...second, a: 'x', third: { ...third, x: 0 } } } },
    ],
    ['leaves out a key that is cleared in the same body', {}, { first: { s: 's', q: 'q', second: null } }, { first: created }],
    [
      'leaves out keys cleared below',
      {},
      { first: { s: 's', q: 'q', second: { a: 'a', third: { x: 1, y: null, z: null, o: null } } } },
      { first: { ...created, second: { a: 'a', b: 'b', third: { x: 1, z: null, w: 7 } } } },
    ],
    ['creates one without required keys from nothing', {}, { loose: { m: null } }, { loose: {} }],
    ['creates one without required keys from {}', {}, { loose: {} }, { loose: {} }],
    ['clears one that is not there', {}, { first: null, loose: null }, {}],
  ])('%s', async (_rule, stored, body, after) => {
    const result = await patchStored({ ...stored, revision: 0 }, body);
    expect(result.answer.status).toBe(200);
    expect(result.after).toEqual({ ...after, revision: 1 });
    const read = await api.request('GET', '/api/trees/t');
    expect(read.text).toBe(result.answer.text);
  });

  it.each<[rule: string, stored: object, body: object, errors: [field: string, ...missing: string[]][]]>([
    ['missing', {}, { first: { s: 's' } }, [['first', 'q']]],
    ['null', { first: null }, { first: { second: { a: 'a' } } }, [['first', 's, q']]],
    ['no object', { first: 5 }, { first: { q: 'q' } }, [['first', 's']]],
    ['a list of objects', { first: [first] }, { first: { s: 's' } }, [['first', 'q']]],
    ['missing on the second level', { first: { s: 's', q: 'q' } }, { first: { second: { b: 'x' } } }, [['first.second', 'a']]],
    [
      'null on the second level',
      { first: { s: 's', q: 'q', second: null } },
      { first: { second: { third: { x: 1 } } } },
      [['first.second', 'a']],
    ],
    [
      'missing on the third level',
      { first: { s: 's', q: 'q', second: { a: 'a' } } },
      { first: { second: { third: { w: 1 } } } },
      [['first.second.third', 'x']],
    ],
    [
      'missing on the third level of a complete second',
      { first: { s: 's', q: 'q' } },
      { first: { second: { a: 'a', third: { w: 1 } } } },
      [['first.second.third', 'x']],
    ],
    [
      'missing on two levels',
      {},
      { first: { s: 's', second: { b: 'x' } } },
      [
        ['first', 'q'],
        ['first.second', 'a'],
      ],
    ],
    [
      'missing on three levels',
      {},
      { first: { second: { third: {} } } },
      [
        ['first', 's, q'],
        ['first.second', 'a'],
        ['first.second.third', 'x'],
      ],
    ],
    [
      'missing in two places',
      { first: { s: 's', q: 'q', kept: null } },
      { first: { kept: { w: 1 }, second: {} } },
      [
        ['first.second', 'a'],
        ['first.kept', 'x'],
      ],
    ],
  ])(
    'answers 422 with one error for each object, listing the missing keys in declared order, when it is %s and not complete',
    async (_rule, stored, body, errors) => {
      const { answer, after } = await patchStored({ ...stored, revision: 2 }, { ...body, other: 9 });
      expect([answer.status, answer.body.code]).toEqual([422, 'validation_failed']);
      expect(answer.body.errors.map(({ field }: { field: string }) => field).sort()).toEqual(errors.map(([field]) => field).sort());
      for (const [field, missing] of errors) {
        const { message } = answer.body.errors.find((error: { field: string }) => error.field === field);
        expect(message).toMatch(new RegExp(` ${missing}$`));
      }
      expect(after).toEqual({ ...stored, revision: 2 });
    },
  );
});

describe('what is wrong in a merge', () => {
  it.each<[rule: string, body: object, fields: string[]]>([
    [
      'null for a key that cannot be none',
      { first: { s: null, second: { a: null, third: { x: null, w: null } } } },
      ['first.s', 'first.second.a', 'first.second.third.w', 'first.second.third.x'],
    ],
    ['null for an object that cannot be none', { must: null }, ['must']],
    [
      'an unknown key at any depth',
      { first: { u: 1, second: { u: 1, third: { u: 1 } } } },
      ['first.second.third.u', 'first.second.u', 'first.u'],
    ],
    [
      'a value of the wrong type',
      { first: { s: 1, second: { third: { x: 'x' }, list: [1, 'x'] } } },
      ['first.s', 'first.second.list.1', 'first.second.third.x'],
    ],
    ['something that is no object', { first: 5, must: [], loose: 'x' }, ['first', 'loose', 'must']],
    ['an operator-like object for a scalar', { first: { s: { $set: 'x' } } }, ['first.s']],
    ['operators as keys', { first: { $set: { s: 'x' } }, must: { $unset: 1 } }, ['first.$set', 'must.$unset']],
    ['a dotted key', { 'first.s': 'x', first: { 'second.a': 'x' } }, ['first.s', 'first.second.a']],
    ['__proto__', JSON.parse('{"first":{"__proto__":{"s":"x"}},"must":{"constructor":1}}'), ['first.__proto__', 'must.constructor']],
  ])('is 422 naming every dotted path, and changes nothing: %s', async (_rule, body, fields) => {
    for (const stored of [{ first }, {}]) {
      const { answer, after, must } = await patchStored(stored, body);
      expect(answer.status).toBe(422);
      expect(answer.body.errors.map(({ field }: { field: string }) => field).sort()).toEqual(fields);
      expect([after, must]).toEqual([stored, { k: 1 }]);
    }
  });
});
