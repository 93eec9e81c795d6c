import { ConfigurationError } from '../../../src/errors.ts';
import type { QueryFields } from '../../../src/model/compile/query-fields.ts';
import { t } from '../../../src/model/define/t.ts';
import { modelOf } from '../subject.ts';

const City = t.object('City', {
  name: t.string({ policy: { filter: ['eq', 'prefix'], sort: true } }),
  hidden: t.optional(t.string({ policy: { private: true } })),
});

// Compiled in each test: what runs while tests are collected is not seen by the mutation of the code.
const compile = () =>
  modelOf({
    flag: t.boolean({ policy: { filter: true } }),
    status: t.enum(['a', 'b'], { policy: { filter: true } }),
    total: t.nullable(t.decimal({ policy: { filter: ['gte'], sort: true } })),
    tags: t.array(t.string({}), { policy: { filter: true } }),
    gaps: t.array(t.nullable(t.string())),
    matrix: t.array(t.array(t.string()), { policy: { filter: true } }),
    meta: t.any({ policy: { filter: true } }),
    city: City,
    stops: t.array(City),
    places: t.map(City),
    vault: t.object('Vault', { code: t.string() }, { policy: { private: true } }),
    plain: t.optional(t.int()),
  });

const operatorsOf = (fields: QueryFields, name: string) => [...(fields.get(name)?.operators ?? [])];
const every = ['eq', 'ne', 'in', 'nin', 'gt', 'gte', 'lt', 'lte', 'exists'];

describe('what a client may name in a list query', () => {
  it.each<[string, string[]]>([
    ['flag', ['eq', 'ne', 'in', 'nin', 'exists']],
    ['status', [...every, 'prefix']],
    ['total', ['gte']],
    ['tags', [...every, 'prefix']],
    ['matrix', ['exists']],
    ['meta', ['exists']],
    ['city.name', ['eq', 'prefix']],
    ['stops.name', ['eq', 'prefix']],
    ['city', []],
    ['plain', []],
    ['id', []],
  ])('%s: the operators that its policy allows and its type has', (name, expected) => {
    expect(operatorsOf(compile().clientFields, name)).toEqual(expected);
  });

  it('knows which of them are arrays of objects', () => {
    expect([...compile().clientFields.values()].filter(({ array }) => array?.items === 'objects').map(({ name }) => name)).toEqual([
      'stops',
    ]);
  });

  it.each(['city.hidden', 'stops.hidden', 'vault', 'vault.code', 'places.name', '_id', '__proto__', 'constructor'])(
    '%s is not there',
    (name) => {
      expect(compile().clientFields.has(name)).toBe(false);
    },
  );

  it('a field of an embedded object may be sorted by, but not where the object stands in a list', () => {
    const fields = compile().clientFields;
    expect(fields.get('city.name')).toMatchObject({ sortable: true, inList: false });
    expect(fields.get('stops.name')).toMatchObject({ sortable: false, inList: true });
  });

  it('tells paths as they are stored, and where null is a value', () => {
    const fields = compile().clientFields;
    expect(fields.get('id')).toMatchObject({ name: 'id', path: '_id', nullable: false });
    expect(fields.get('total')).toMatchObject({ path: 'total', nullable: true, sortable: true });
    expect(fields.get('plain')).toMatchObject({ nullable: true, sortable: false });
    expect(fields.get('gaps')).toMatchObject({ nullable: true });
    expect(fields.get('tags')).toMatchObject({ nullable: false });
  });
});

describe('what a scope may name', () => {
  it('every field with every operator of its type, the private ones included', () => {
    expect(operatorsOf(compile().scopeFields, 'vault.code')).toEqual([...every, 'prefix', 'contains']);
    expect(operatorsOf(compile().scopeFields, 'city.hidden')).toEqual([...every, 'prefix', 'contains']);
    expect(operatorsOf(compile().scopeFields, 'id')).toEqual(every);
  });
});

describe('a policy that its type cannot keep', () => {
  it.each([
    ['sort by a list', () => modelOf({ a: t.array(t.int(), { policy: { sort: true } }) })],
    ['sort by an object', () => modelOf({ a: t.object('A', {}, { policy: { sort: true } }) })],
    ['sort by a map', () => modelOf({ a: t.map(t.int(), { policy: { sort: true } }) })],
    ['sort by an untyped value', () => modelOf({ a: t.any({ policy: { sort: true } }) })],
    ['order of booleans', () => modelOf({ a: t.boolean({ policy: { filter: ['gt'] } }) })],
    ['a prefix of numbers', () => modelOf({ a: t.decimal({ policy: { filter: ['prefix'] } }) })],
    ['equality of objects', () => modelOf({ a: t.object('A', {}, { policy: { filter: ['eq'] } }) })],
  ])('%s is a configuration error', (_name, build) => {
    expect(build).toThrow(ConfigurationError);
  });

  it('names the field, and what is legal', () => {
    expect(() => modelOf({ a: t.array(t.int(), { policy: { sort: true } }) })).toThrow(/`policy\.sort` of field `a` needs a single value/);
    expect(() => modelOf({ a: t.boolean({ policy: { filter: ['gt'] } }) })).toThrow(
      /`policy\.filter` of field `a` names `gt`, .* Allowed: eq, ne, in, nin, exists\./,
    );
  });
});
