import { Binary, DBRef, Decimal128, Double, Int32, Long, ObjectId } from 'mongodb';
import type { CompiledModel } from '../../../src/model/compile/compile-model.ts';
import { t } from '../../../src/model/define/t.ts';
import type { CompiledField } from '../../../src/model/node.ts';
import { compileValueWriter } from '../../../src/model/read/write-json.ts';
import { create, modelOf, modelWith, readBack } from '../subject.ts';

const json = (model: CompiledModel, stored: unknown) => JSON.parse(model.writeJson(stored)) as Record<string, unknown>;
const id = new ObjectId('65f1a0b2c3d4e5f60718293a');

const Person = t.object('Person', { name: t.string(), secret: t.optional(t.string({ policy: { private: true } })) });

describe('a record shows its readable fields', () => {
  const model = modelOf({
    name: t.string(),
    secret: t.string({ policy: { private: true } }),
    pin: t.string({ policy: { private: true, insert: true, update: true } }),
    person: Person,
    people: t.array(Person),
    matrix: t.array(t.array(Person)),
    byKey: t.map(Person),
    hidden: t.object('Hidden', { a: t.string() }, { policy: { private: true } }),
    revision: t.revision(),
  });
  const person = { name: 'a', secret: 's' };
  const stored = {
    _id: id,
    name: 'n',
    secret: 's',
    pin: 's',
    person,
    people: [person],
    matrix: [[person]],
    byKey: { _bsontype: person, $ref: person, __proto__: null },
    hidden: { a: 's' },
    revision: 3,
    undeclared: 's',
  };

  it('with the id first, in declared order, and nothing private at any depth', () => {
    expect(model.writeJson(stored)).toBe(
      '{"id":"65f1a0b2c3d4e5f60718293a","name":"n","person":{"name":"a"},"people":[{"name":"a"}],"matrix":[[{"name":"a"}]],"byKey":{"_bsontype":{"name":"a"},"$ref":{"name":"a"}},"revision":3}',
    );
  });

  it('under a key that a client chose to look like a BSON type, too', () => {
    const back = readBack({ byKey: new Map([['_bsontype', person]]) });
    expect(json(model, back).byKey).toEqual({ _bsontype: { name: 'a' } });
  });

  it.each<[string, unknown]>([
    ['an object where a list is declared', person],
    ['a list where an object is declared', [person]],
    ['a list of lists', [[[person]]]],
    ['a DBRef', new DBRef('people', id, undefined, person)],
    ['a Map', new Map([['name', person]])],
  ])('%s of an old document does not show private values', (_name, odd) => {
    const text = model.writeJson({ _id: id, person: odd, people: odd, matrix: odd, byKey: { a: odd } });
    expect(() => JSON.parse(text)).not.toThrow();
    expect(text).not.toContain('"s"');
    expect(text).not.toContain('secret');
  });

  it('names the stored paths that need not be read', () => {
    expect(model.privatePaths).toEqual(['secret', 'pin', 'person.secret', 'people.secret', 'matrix.secret', 'hidden']);
  });
});

describe('a field that the stored document lacks', () => {
  const model = modelOf({
    required: t.string(),
    optional: t.optional(t.string()),
    optionalDefault: t.optional(t.string({ default: 'd' })),
    withDefault: t.string({ default: 'd' }),
    listDefault: t.array(t.decimal(), { default: [Decimal128.fromString('1.0')] }),
    made: t.int({ default: () => 5 }),
    nullable: t.nullable(t.string()),
    nullableDefault: t.nullable(t.string({ default: 'd' })),
    kept: t.nullable(t.string(), { storeNone: true }),
    keptDefault: t.nullable(t.string({ default: 'd' }), { storeNone: true }),
    both: t.optional(t.nullable(t.string())),
    bothKept: t.optional(t.nullable(t.string(), { storeNone: true })),
    revision: t.revision(),
  });
  const lacking = {
    id: null,
    withDefault: 'd',
    listDefault: ['1.0'],
    made: 5,
    nullable: null,
    nullableDefault: null,
    kept: null,
    keptDefault: 'd',
    both: null,
    revision: 0,
  };

  it('reads as its default, a nullable one as null, only an optional one is absent', () => {
    const { id: _, ...shown } = lacking;
    expect(json(model, {})).toEqual(shown);
    expect(model.hydrate({})).toEqual({ ...shown, listDefault: [Decimal128.fromString('1.0')] });
  });

  it('a stored null is null where it may be, and a missing value elsewhere', () => {
    const nulls = Object.fromEntries(model.root.fields.map(({ key }) => [key, null]));
    const { id: _, ...shown } = lacking;
    expect(json(model, nulls)).toEqual({ ...shown, keptDefault: null, bothKept: null });
    expect(model.hydrate(nulls)).toEqual({ ...shown, keptDefault: null, bothKept: null, listDefault: [Decimal128.fromString('1.0')] });
  });

  it('what a client cleared reads as cleared', () => {
    const { nullableDefault, keptDefault } = create(model, { required: 'a', nullableDefault: null, keptDefault: null });
    expect(json(model, { nullableDefault, keptDefault })).toMatchObject({ nullableDefault: null, keptDefault: null });
  });

  it('is made anew for every reader', () => {
    const [one, two] = [{}, {}].map((stored) => model.hydrate(stored) as { listDefault: unknown[] });
    expect(one?.listDefault).not.toBe(two?.listDefault);
  });
});

describe('old documents', () => {
  const model = modelOf({
    text: t.string(),
    int: t.int(),
    int64: t.int64(),
    float: t.float(),
    decimal: t.decimal(),
    bool: t.boolean(),
    date: t.date(),
    id2: t.objectId(),
    uuid: t.uuid(),
    bin: t.binary(),
    colour: t.enum(['red']),
    list: t.array(t.int()),
    map: t.map(t.int()),
    object: t.object('O', { a: t.int() }),
    any: t.any(),
  });
  const odd: [string, unknown][] = [
    ['text', 'x'],
    ['number', 1.5],
    ['NaN', Number.NaN],
    ['bigint', 2n ** 63n - 1n],
    ['boolean', false],
    ['date', new Date(0)],
    ['invalid date', new Date(Number.NaN)],
    ['object', { a: { b: 1 } }],
    ['list', [[1, null, undefined]]],
    ['Map', new Map([['a', 1]])],
    ['ObjectId', id],
    ['short UUID', new Binary(Buffer.from('abc'), 4)],
    ['binary', new Binary(Buffer.from('abc'))],
    ['bytes', Buffer.from('abc')],
    ['Long', Long.fromNumber(5)],
    ['Int32', new Int32(5)],
    ['Double', new Double(5.5)],
    ['decimal', Decimal128.fromString('NaN')],
    ['regular expression', /a/],
    ['DBRef', new DBRef('a', id)],
    ['undefined', undefined],
    ['symbol', Symbol('a')],
    ['function', () => 1],
  ];

  it.each(odd)('%s in every field is served as JSON, and given to handlers', (_name, value) => {
    const stored = Object.fromEntries(model.root.fields.map(({ key }) => [key, value]));
    expect(() => JSON.parse(model.writeJson(stored))).not.toThrow();
    expect(() => model.hydrate(stored)).not.toThrow();
  });

  it.each(odd)('%s instead of a record is served as JSON', (_name, value) => {
    expect(() => JSON.parse(model.writeJson(value))).not.toThrow();
    expect(() => model.hydrate(value)).not.toThrow();
  });

  it('null among items and members is null', () => {
    expect(json(model, { list: [1, null], map: { a: null } })).toMatchObject({ list: [1, null], map: { a: null } });
  });
});

describe('numbers beyond the safe range', () => {
  it.each([
    [9007199254740993n, '9007199254740993'],
    [Long.fromString('-9223372036854775808'), '-9223372036854775808'],
    [new Int32(7), '7'],
    [new Double(1e21), '1e+21'],
  ])('%o is written with all its digits', (value, text) => {
    for (const field of [t.int64(), t.int(), t.float(), t.any()]) expect(modelWith(field).writeJson({ value })).toBe(`{"value":${text}}`);
  });
});

describe('a value by itself', () => {
  const [field] = modelWith(t.nullable(Person)).root.fields.filter(({ name }) => name === 'value');
  const write = compileValueWriter(field as CompiledField);

  it('is written as in a record, without what is private', () => {
    expect(write({ name: 'a', secret: 's' })).toBe('{"name":"a"}');
  });

  it.each([null, undefined])('is null where there is none: %s', (nothing) => {
    expect(write(nothing)).toBe('null');
  });
});
