import fc from 'fast-check';
import { Decimal128, ObjectId } from 'mongodb';
import { parseJson, stringifyJson } from '../../src/http/json.ts';
import { isOptional } from '../../src/model/define/optional.ts';
import type { Field, RawSchema } from '../../src/model/define/schema.ts';
import { t } from '../../src/model/define/t.ts';
import { compileCreate } from '../../src/model/write/compile-writes.ts';
import { anyCharacter } from '../support/fuzzing/any-character.ts';
import { cases } from '../support/fuzzing/fuzz.ts';
import { modelOf, readBack } from './subject.ts';

/** A field, the JSON text that a client sends for it, and the JSON text that it reads. */
interface Sample {
  readonly field: Field | RawSchema;
  readonly sent: string;
  readonly shown: string;
}

const text = fc.string({ unit: anyCharacter, maxLength: 8 }).map((value) => value.toWellFormed());
const same = (field: Field | RawSchema, json: string): Sample => ({ field, sent: json, shown: json });
const quoted = (field: Field | RawSchema, value: string): Sample => same(field, JSON.stringify(value));
const bytes = (length: number) =>
  fc.uint8Array({ minLength: length, maxLength: length }).map((array) => Buffer.from(array).toString('hex'));
const int64 = fc.oneof(fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }), fc.bigInt({ min: -(2n ** 33n), max: 2n ** 33n }));
const double = fc.double({ noNaN: true, noDefaultInfinity: true });
const withoutMinusZero = (value: number) => (Object.is(value, -0) ? 0 : value);

const leaf: fc.Arbitrary<Sample> = fc.oneof(
  text.map((value) => quoted(t.string(), value)),
  fc.maxSafeInteger().map((value) => same(t.int(), String(value + 0))),
  int64.map((value) => same(t.int64(), String(value))),
  double.map((value) => ({ field: t.float(), sent: JSON.stringify(value), shown: String(withoutMinusZero(value)) })),
  fc
    .tuple(fc.bigInt({ min: -(10n ** 34n) + 1n, max: 10n ** 34n - 1n }), fc.integer({ min: -40, max: 40 }), fc.boolean())
    .map(([digits, exponent, isText]) => {
      const value = `${digits}e${exponent}`;
      return { field: t.decimal(), sent: isText ? `"${value}"` : value, shown: `"${shownDecimal(value, isText)}"` };
    }),
  fc.boolean().map((value) => same(t.boolean(), String(value))),
  fc
    .date({ min: new Date('0000-01-01T00:00:00Z'), max: new Date('9999-12-31T23:59:59.999Z'), noInvalidDate: true })
    .map((value) => quoted(t.date(), value.toISOString())),
  bytes(12).map((hex) => ({ field: t.objectId(), sent: `"${hex.toUpperCase()}"`, shown: `"${hex}"` })),
  bytes(12).map((hex) => quoted(t.ref('Other'), hex)),
  fc.uuid().map((value) => quoted(t.uuid(), value)),
  fc.uint8Array({ maxLength: 9 }).map((array) => quoted(t.binary(), Buffer.from(array).toString('base64'))),
  fc
    .tuple(fc.double({ min: -180, max: 180, noNaN: true }), fc.double({ min: -90, max: 90, noNaN: true }))
    .map((coordinates) => same(t.point(), `{"type":"Point","coordinates":[${coordinates.map(withoutMinusZero).join()}]}`)),
  fc.constantFrom('red', 'green').map((value) => quoted(t.enum(['red', 'green']), value)),
);

// A number in JSON has the value of a decimal, not its spelling: `1e2` is 100.
function shownDecimal(value: string, isText: boolean): string {
  return Decimal128.fromString(isText ? value : stringifyJson(parseJson(value))).toString();
}

const key = fc
  .oneof(text, fc.constantFrom('__proto__', 'constructor', 'toString', '_bsontype', '$oid', '$set', 'a.b', '', '_id', 'toJSON', 'toBSON'))
  .filter(
    // The driver reads `$ref` with `$id` as a DBRef.
    (name) => !name.includes('\0') && name !== '$ref',
  );

/** Untyped JSON within what BSON can hold, as text. */
const untyped = fc.letrec<{ value: string }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4, depthSize: 'small' },
    fc.constantFrom('null', 'true', 'false'),
    text.map((value) => JSON.stringify(value)),
    int64.map(String),
    double.filter((value) => !Number.isInteger(value)).map((value) => JSON.stringify(value)),
    fc.array(tie('value'), { maxLength: 3 }).map((items) => `[${items.join()}]`),
    fc.uniqueArray(fc.tuple(key, tie('value')), { maxLength: 3, selector: ([name]) => name }).map(asObject),
  ),
})).value;

function asObject(entries: readonly (readonly [string, string])[]): string {
  return `{${entries.map(([name, value]) => `${JSON.stringify(name)}:${value}`).join()}}`;
}

const fieldName = fc.stringMatching(/^[a-z]{1,5}$/).filter((name) => name !== 'id');

const sample = fc.letrec<{ value: Sample }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3, depthSize: 'medium' },
    leaf,
    untyped.filter((value) => value !== 'null').map((value) => same(t.any(), value)),
    fc.constant(same(t.nullable(t.string(), { storeNone: true }), 'null')),
    fc.constant(same(t.nullable(t.decimal()), 'null')),
    tie('value').map(({ field, ...json }) => ({ field: t.nullable(field), ...json })),
    tie('value').map(({ field, ...json }) => ({ field: t.optional(field), ...json })),
    tie('value')
      .filter(({ field }) => isItem(field))
      .map(({ field, sent, shown }) => ({ field: t.array(field), sent: `[${sent},${sent}]`, shown: `[${shown},${shown}]` })),
    fc
      .tuple(tie('value'), fc.uniqueArray(key, { maxLength: 3 }))
      .filter(([{ field }]) => isItem(field))
      .map(([{ field, sent, shown }, keys]) => ({
        field: t.map(field),
        sent: asObject(keys.map((name) => [name, sent])),
        shown: asObject(keys.map((name) => [name, shown])),
      })),
    fc.uniqueArray(fc.tuple(fieldName, tie('value')), { maxLength: 3, selector: ([name]) => name }).map((members) => ({
      field: t.object('O', Object.fromEntries(members.map(([name, { field }]) => [name, field]))),
      sent: asObject(members.map(([name, { sent }]) => [name, sent])),
      shown: asObject(members.map(([name, { shown }]) => [name, shown])),
    })),
  ),
})).value;

/** Neither optional nor marked by `storeNone`, at any depth of wrapping: a list or a map refuses such items. */
function isItem(field: Field | RawSchema): boolean {
  const inner = (field as { readonly anyOf?: readonly Field[] }).anyOf?.[0];
  return !isOptional(field) && !('storeNone' in field) && (!inner || isItem(inner));
}

describe('a record that was just inserted reads as it does after BSON', () => {
  const id = new ObjectId();

  it('for random values of every builder', () => {
    fc.assert(
      fc.property(sample, ({ field, sent, shown }) => {
        const model = modelOf({ value: field });
        const stored = { ...compileCreate(model)(parseJson(`{"value":${sent}}`)), _id: id };
        const inserted = model.writeJson(stored);
        const expected = stringifyJson(parseJson(`{"id":"${id}","value":${shown}}`));
        expect(stringifyJson(parseJson(inserted))).toBe(expected);
        // Integer-like keys come first in an object, so texts are compared after parsing.
        expect(stringifyJson(parseJson(model.writeJson(readBack(stored))))).toBe(expected);
        expect(model.hydrate(readBack(stored))).toEqual(model.hydrate(stored));
      }),
      cases(400),
    );
  });
});
