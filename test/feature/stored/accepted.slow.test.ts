import fc from 'fast-check';
import { parse, stringify } from 'lossless-json';
import { Binary, BSON, BSONRegExp, Decimal128, Double, Int32, Long, ObjectId, UUID } from 'mongodb';
import { collectionValidator, defineModel, type FieldSchema, service, t } from '../../../src/index.ts';
import { auditCollection } from '../../../src/products/audit/audit-collection.ts';
import type { Any } from '../../support/any.ts';
import { useDatabase } from '../../support/database/database.ts';
import { expectWith } from '../../support/expect.ts';
import { seed } from '../../support/fuzzing/fuzz.ts';
import { rounds } from '../../support/fuzzing/rounds.ts';

const database = useDatabase();

const decimal = (text: string) => Decimal128.fromString(text);
const date = (text: string) => new Date(text);

/** Whole and broken numbers about the bounds of fields and types, in every type of BSON that has them. */
const edges = [0, -0, 1, 2, 3, 5, 10, 0.1, 0.3, 1.5, -1, -7.25, 100, 1e3, 2 ** 31 - 1, 2 ** 31, 2 ** 53 - 1, 2 ** 53, 8.64e12, 8.64e12 + 1];
const whole = [...edges, 1e15, 8.64e15, 8.64e15 + 2].filter(Number.isInteger);
const numbers: readonly unknown[] = [
  ...[...edges, 1e300, 1e16, 2 ** 63, 2 ** 63 - 1_024, 8.64e15, 8.64e15 + 2, 5e-324, Number.NaN, Number.POSITIVE_INFINITY, -1e308].flatMap(
    (one) => [new Double(one), new Double(-one)],
  ),
  ...whole.flatMap((one) => [Long.fromNumber(one), Long.fromNumber(-one)]),
  ...whole.filter((one) => one < 2 ** 31).map((one) => new Int32(one)),
  ...[Long.MAX_VALUE, Long.MIN_VALUE],
  ...['0', '5', '0.1', '0.10', '0.2', '9.99', '-1', '1E+6144', '9.999E-6143', 'NaN', 'Infinity', '-Infinity'].map(decimal),
];
const texts: readonly unknown[] = ['', 'a', 'ab', 'AB1', 'AB1\n', '🙂🙂', 'open', 'x'.repeat(600), '.', '..', 'a\0'];
const dates = ['2026-01-31T12:00:00.000Z', '2024-02-29T00:00:00.000Z', '0000-02-29T23:59:59.999Z', '2000-12-31T00:00:00.000Z'];
const noDates = [
  ...['2026-02-29T00:00:00.000Z', '1900-02-29T00:00:00.000Z', '2026-04-31T00:00:00.000Z', '2026-01-31T24:00:00.000Z'],
  ...['2026-01-31T12:00:00.000Z\n', '2026-01-31T12:00:00Z', '2026-00-10T12:00:00.000Z', '+010000-01-01T00:00:00.000Z'],
];
const pointOf = (...coordinates: unknown[]) => ({ type: 'Point', coordinates });
const others: readonly unknown[] = [
  ...[null, true, false, date('2026-01-31'), date('-000200-01-01T00:00:00Z'), new ObjectId(), new UUID(), new BSONRegExp('x')],
  ...[[], [null], [new Int32(1), new Double(1)], [Long.fromNumber(1), new Int32(2)], ['a', 'a'], ['a', null], [[]]],
  ...[{}, { a: null }, { a: new Double(5) }, { a: new Int32(5), b: null }, { a: 'x' }, { a: new Double(1.5), more: 1 }],
  ...[pointOf(new Int32(8), Long.fromNumber(47)), pointOf(new Double(8.5), new Int32(91)), pointOf(new Int32(1)), pointOf(decimal('8'), 4)],
  ...[pointOf(new Double(Number.NaN), 4), { ...pointOf(new Int32(1), new Int32(1)), more: 1 }],
];

const bytes = [0, 2, 3, 4, 5, 128].flatMap((subtype) => [0, 3, 16].map((size) => new Binary(Buffer.alloc(size, 7), subtype)));
/** The validator of a collection cannot know the subtype and the length of binary data. */
const isBytes = (at: number) => pool[at] instanceof Binary;

const Part = t.object('Part', { a: t.int({ default: 1 }), b: t.optional(t.string()) });
const fields: Readonly<Record<string, () => FieldSchema>> = {
  string: () => t.string(),
  'string of a length': () => t.string({ minLength: 1, maxLength: 2 }),
  'string with a pattern': () => t.string({ pattern: '^[A-Z]+[0-9]$' }),
  enum: () => t.enum(['open', 'ab']),
  int: () => t.int(),
  'int within bounds': () => t.int({ minimum: -2, exclusiveMaximum: 10, multipleOf: 5 }),
  'int with a broken bound': () => t.int({ exclusiveMinimum: 0.5, maximum: 2 ** 60 }),
  int64: () => t.int64(),
  'int64 within bounds': () => t.int64({ minimum: 1n, maximum: 2n ** 53n }),
  float: () => t.float(),
  'float within bounds': () => t.float({ exclusiveMinimum: 0.1, maximum: 1000 }),
  decimal: () => t.decimal(),
  'decimal within bounds': () => t.decimal({ minimum: '0.1', maximum: '2147483648' }),
  'decimal within fine bounds': () => t.decimal({ minimum: '0.1000000000000000000001', maximum: '0.2999999999999999999999' }),
  'decimal within bounds beyond doubles': () => t.decimal({ minimum: '-1E+6000', maximum: '1E+6000' }),
  cents: () => t.decimal({ storedAs: 'int', scale: 2 }),
  'cents within bounds': () => t.decimal({ storedAs: 'int', scale: 1, minimum: '0.01', maximum: '0.3' }),
  boolean: () => t.boolean(),
  'boolean as int': () => t.boolean({ storedAs: 'int' }),
  date: () => t.date(),
  'date as text': () => t.date({ storedAs: 'string' }),
  'date as milliseconds': () => t.date({ storedAs: 'epoch-ms' }),
  'date as seconds': () => t.date({ storedAs: 'epoch-s' }),
  objectId: () => t.objectId(),
  binary: () => t.binary(),
  'binary of a subtype': () => t.binary({ subtype: 5 }),
  'binary of the old subtype': () => t.binary({ subtype: 2 }),
  uuid: () => t.uuid(),
  'uuid of an old driver': () => t.uuid({ storedAs: 'legacy-java' }),
  point: () => t.point(),
  any: () => t.any(),
  array: () => t.array(t.int(), { maxItems: 2, uniqueItems: true }),
  'array of what may be null': () => t.array(t.nullable(t.string()), { uniqueItems: true }),
  'array of anything': () => t.array(t.any(), { minItems: 1 }),
  map: () => t.map(t.float()),
  'map of what may be null': () => t.map(t.nullable(t.float()), { minProperties: 1 }),
  object: () => Part,
  'array of objects': () => t.array(Part),
};
const wrapped: Readonly<Record<string, (field: () => FieldSchema) => FieldSchema>> = {
  required: (field) => field(),
  optional: (field) => t.optional(field() as Any),
  nullable: (field) => t.nullable(field() as Any),
  'nullable and stored as null': (field) => t.nullable(field() as Any, { storeNone: true }),
  'optional and nullable': (field) => t.optional(t.nullable(field() as Any)),
};

/** More numbers, which differ from those of the pool by little. Of fractions, MongoDB compares 15 digits. */
const near = fc.tuple(fc.constantFrom(...edges), fc.integer({ min: -3, max: 3 }), fc.boolean()).map(([edge, steps, isLong]) => {
  if (isLong) return Long.fromNumber(Math.trunc(edge) + steps);
  return new Double(edge + steps * Math.max(Math.abs(edge), 1e-3) * 1e-13);
});
const pool: readonly unknown[] = [
  ...numbers,
  ...texts,
  ...dates,
  ...noDates,
  ...others,
  ...bytes,
  ...fc.sample(near, { seed, numRuns: Math.ceil(50 * rounds) }),
];

const names = Object.keys(fields);

/** A model that has a field of each type. */
function modelOf(wrap: (field: () => FieldSchema) => FieldSchema) {
  const wrappedFields = Object.fromEntries(Object.entries(fields).map(([name, field]) => [keyOf(name), wrap(field)]));
  return defineModel('Thing', {
    collection: 'things',
    fields: { ...wrappedFields, id: t.int({ policy: { insert: true } }), note: t.optional(t.string()), revision: t.revision() },
  });
}

const keyOf = (name: string) => `f${names.indexOf(name)}`;
const things = () => database.db.collection<{ _id: number; [key: string]: unknown }>('things');
const show = (value: unknown) => BSON.EJSON.stringify({ value }, { relaxed: false });
/** By the names of the types, what the audit accepts of the pool. The last one is a missing value. */
const accepted = new Map<string, ReadonlyMap<string, readonly number[]>>();

async function audit(model: Any): Promise<ReadonlyMap<string, readonly number[]>> {
  let last: Any;
  for await (last of auditCollection(model, { db: database.db, samples: 1_000 }));
  const refused = new Set(last.misfits.flatMap(({ path, ids }: Any) => ids.map((id: string) => `${path.split('.')[0]} ${id}`)));
  return new Map(names.map((name) => [name, [...pool.keys(), pool.length].filter((at) => !refused.has(`${keyOf(name)} ${at}`))]));
}

describe.each(Object.entries(wrapped))('what an audit accepts in a field that is %s', (how, wrap) => {
  const model = modelOf(wrap);
  const { $jsonSchema: schema } = collectionValidator(model) as Any;

  beforeAll(async () => {
    await things().drop();
    await things().insertMany(pool.map((value, at) => ({ _id: at, ...Object.fromEntries(names.map((name) => [keyOf(name), value])) })));
    await things().insertOne({ _id: pool.length });
    accepted.set(how, await audit(model));
  });

  it.each(names)('is what the validator of the collection accepts: %s', async (name) => {
    const key = keyOf(name);
    const required = schema.required.filter((one: string) => one === key);
    const ofField = { properties: { [key]: schema.properties[key] }, ...(required.length > 0 && { required }) };
    const found = await things()
      .find({ $jsonSchema: ofField }, { projection: { _id: 1 } })
      .sort({ _id: 1 })
      .toArray();
    const ofAudit = accepted.get(how)?.get(name) ?? [];
    const ofValidator = found.map(({ _id }) => _id);
    const ofBytes = ofValidator.filter((at) => isBytes(at) && !ofAudit.includes(at));
    expect(ofBytes.length === 0 || /^(?:binary|uuid)/.test(name)).toBe(true);
    expect(ofValidator.filter((at) => !ofBytes.includes(at)).map((at) => [at, show(pool[at])])).toEqual(
      ofAudit.map((at) => [at, show(pool[at])]),
    );
  });

  it('can be read, patched and put under a strict validator, and stays as it is until it is written', async () => {
    await things().drop();
    await database.db.createCollection('things', { validator: { $jsonSchema: schema }, validationLevel: 'strict' });
    const recordOf = (at: number) => {
      const values = names.map((name) => {
        const fitting = accepted.get(how)?.get(name) ?? [];
        return [keyOf(name), pool[fitting.includes(at) ? at : (fitting[0] as number)]];
      });
      return { _id: at, ...Object.fromEntries(values) };
    };
    await things().insertMany([...pool.keys(), pool.length].map(recordOf), { ignoreUndefined: true });
    const errors: unknown[] = [];
    const shop = service<never>();
    const resource = shop.resource({ model, ops: ['get', 'patch', 'put'] } as never);
    const api = shop.api({ db: database.db, openapi: false, resources: [resource], onError: (error) => errors.push(error) });
    const send = async (method: string, id: number, body?: string) => {
      const headers = { 'content-type': 'application/json' };
      const answer = await api.fetch(new Request(`http://in-process/things/${id}`, { method, headers, ...(body && { body }) }));
      const text = await answer.text();
      expectWith(answer.status, `${method} ${body} ${text} ${errors}`).toBe(200);
      return text;
    };
    const storedOf = async (id: number) => {
      const {
        note: _note,
        revision: _revision,
        ...record
      } = (await things().findOne({ _id: id }, { promoteValues: false, bsonRegExp: true })) as Any;
      return show(record);
    };
    for (const id of [...pool.keys(), pool.length]) {
      await send('GET', id);
      const before = await storedOf(id);
      const text = await send('PATCH', id, '{"note":"x"}');
      expect(await storedOf(id)).toBe(before);
      const data = parse(text) as Any;
      const { id: _id, revision: _revision, ...shown } = data.data;
      const any = String(stringify(shown[keyOf('any')]));
      if (any === 'null' || /^-?\d{19,}$/.test(any)) shown[keyOf('any')] = 'x'; // JSON has no NaN, and its integers have 64 bits
      await send('PUT', id, stringify(shown) as string);
    }
  });
});
