import { Binary, BSON, BSONRegExp, Decimal128, Double, Long, ObjectId, Timestamp, UUID } from 'mongodb';
import { t } from '../../../src/model/define/t.ts';
import { compileRootBytesWriter } from '../../../src/model/read/write-bytes.ts';
import type { Choice, Selection } from '../../../src/model/read/write-json.ts';
import { bson, declined } from '../../../src/model/value/bson-bytes.ts';
import { JsonOutput } from '../../../src/model/value/json-output.ts';
import type { WriteBson } from '../../../src/model/value/write-bson.ts';
import { modelOf } from '../subject.ts';

const id = new ObjectId('65f1a0b2c3d4e5f60718293a');
const Part = t.object('Part', { a: t.string(), secret: t.optional(t.string({ policy: { private: true } })) });
const model = modelOf({
  text: t.string({ default: 'none' }),
  int: t.optional(t.int()),
  int64: t.optional(t.int64()),
  float: t.optional(t.float()),
  decimal: t.optional(t.decimal()),
  flag: t.optional(t.boolean()),
  date: t.optional(t.date()),
  uuid: t.optional(t.uuid()),
  bytes: t.optional(t.binary()),
  point: t.optional(t.point()),
  any: t.optional(t.any()),
  part: t.optional(Part),
  parts: t.optional(t.array(Part)),
  map: t.optional(t.map(Part)),
  tags: t.optional(t.array(t.string())),
  counts: t.optional(t.map(t.int())),
  none: t.nullable(t.string()),
  secret: t.optional(t.string({ policy: { private: true } })),
});
const { write, select } = compileRootBytesWriter(model.root);

/** The JSON of the record with these bytes, without its id; throws `declined`. */
function writeBytes(bytes: Uint8Array, by: WriteBson = write): unknown {
  const output = new JsonOutput();
  by(bytes, bson.object, 0, bytes.length, output);
  return output.take().toString().replace('"id":"65f1a0b2c3d4e5f60718293a",', '');
}

const writeStored = (stored: object) => writeBytes(BSON.serialize({ _id: id, ...stored }));

describe('the JSON of a record is written from its bytes', () => {
  it.each<[string, object, string]>([
    [
      'every single value',
      { text: 'a', int: 5, int64: Long.fromString('9007199254740993'), flag: true },
      '"text":"a","int":5,"int64":9007199254740993,"flag":true',
    ],
    ['a double', { float: new Double(0.1) }, '"text":"none","float":0.1'],
    ['a decimal', { decimal: Decimal128.fromString('-12.50') }, '"text":"none","decimal":"-12.50"'],
    ['a decimal of many digits', { decimal: Decimal128.fromString('1E+30') }, '"text":"none","decimal":"1E+30"'],
    ['a number in a decimal field', { decimal: 3 }, '"text":"none","decimal":"3"'],
    ['a date', { date: new Date('2024-02-29T23:59:59.999Z') }, '"text":"none","date":"2024-02-29T23:59:59.999Z"'],
    ['a date of long ago', { date: new Date('-000001-01-01T00:00:00Z') }, '"text":"none","date":"-000001-01-01T00:00:00.000Z"'],
    ['a UUID', { uuid: new UUID('123e4567-e89b-42d3-a456-426614174000') }, '"text":"none","uuid":"123e4567-e89b-42d3-a456-426614174000"'],
    ['bytes', { bytes: new Binary(Buffer.from('x')) }, '"text":"none","bytes":"eA=="'],
    [
      'a point, also one of integers',
      { point: { type: 'Point', coordinates: [new Double(8), 47] } },
      '"text":"none","point":{"type":"Point","coordinates":[8,47]}',
    ],
    ['text with escapes', { text: 'é"\\\n😀' }, '"text":"é\\"\\\\\\n😀"'],
    ['a value of another type', { int: 'five', text: 5 }, '"text":5,"int":"five"'],
    ['an untyped object', { any: { b: [1, null, { a: 'x' }] } }, '"text":"none","any":{"b":[1,null,{"a":"x"}]}'],
    [
      'embedded objects, without what is private',
      { part: { secret: 's', a: 'x' }, parts: [{ a: 'y', secret: 's' }] },
      '"text":"none","part":{"a":"x"},"parts":[{"a":"y"}]',
    ],
    ['a map', { map: { k: { a: 'x', secret: 's' } } }, '"text":"none","map":{"k":{"a":"x"}}'],
    ['a list where an object is declared, which could hold something private', { part: [{ secret: 's' }] }, '"text":"none","part":null'],
    ['a text where a list is declared, which could hold something private', { parts: 'secret text' }, '"text":"none","parts":null'],
    ['a text where a map is declared, which could hold something private', { map: 'secret text' }, '"text":"none","map":null'],
    ['a text where a list is declared', { tags: 'text of a list' }, '"text":"none","tags":"text of a list"'],
    ['an object where a list is declared', { tags: { a: 1 } }, '"text":"none","tags":{"a":1}'],
    ['a list where a map is declared', { counts: [1, 2] }, '"text":"none","counts":[1,2]'],
    ['null in a field that is not nullable', { text: null, int: null }, '"text":"none"'],
    ['fields in another order, and fields that are not declared', { int: 1, other: 's', text: 'a', secret: 's' }, '"text":"a","int":1'],
  ])('%s', (_name, stored, members) => {
    expect(writeStored(stored)).toBe(`{${members},"none":null}`);
  });

  it('of two members with one key the last one counts, as for the driver', () => {
    const [first, second] = [BSON.serialize({ text: 'first' }), BSON.serialize({ text: 'last' })];
    const members = Buffer.concat([first.subarray(4, -1), second.subarray(4, -1)]);
    const size = Buffer.alloc(4);
    size.writeInt32LE(members.length + 5);
    expect(writeBytes(Buffer.concat([size, members, Buffer.of(0)]))).toContain('"text":"last"');
  });
});

describe('a chosen part of a record', () => {
  const stored = {
    _id: id,
    text: 'a',
    int: 1,
    part: { a: 'x', secret: 's' },
    parts: [{ a: 'y', secret: 's' }, { secret: 's' }],
    secret: 's',
  };
  it.each<[string, Selection, string]>([
    ['a field', new Map([['int', 'whole']]), '{"int":1}'],
    [
      'nothing of what is only fetched',
      new Map<string, Choice>([
        ['int', 'fetched'],
        ['text', 'whole'],
      ]),
      '{"text":"a"}',
    ],
    ['an object as a whole', new Map([['part', 'whole']]), '{"part":{"a":"x"}}'],
    ['a part of an object', new Map([['part', new Map([['a', 'whole']])]]), '{"part":{"a":"x"}}'],
    ['nothing of an object', new Map([['part', new Map()]]), '{"part":{}}'],
    ['a part of each object of a list', new Map([['parts', new Map([['a', 'whole']])]]), '{"parts":[{"a":"y"},{}]}'],
    [
      'what is private neither',
      new Map<string, Choice>([
        ['secret', 'whole'],
        ['part', new Map([['secret', 'whole']])],
      ]),
      '{"part":{}}',
    ],
    ['a default of what is missing', new Map([['none', 'whole']]), '{"none":null}'],
  ])('is %s', (_what, selection, json) => {
    expect(writeBytes(BSON.serialize(stored), select(selection))).toBe(json);
  });
});

describe('a key of the bytes', () => {
  it('is known by all of its bytes: a private one of the same hash and length is not shown as another', () => {
    const { root } = modelOf({
      Aa: t.optional(t.string()),
      BB: t.optional(t.string({ policy: { private: true } })),
      CC: t.optional(t.int()),
    });
    const writer = compileRootBytesWriter(root).write;
    const shown = (record: object) => writeBytes(BSON.serialize({ _id: id, ...record }), writer);
    expect(shown({ BB: 'secret' })).toBe('{"id":"65f1a0b2c3d4e5f60718293a"}');
    expect(shown({ BB: 'secret', CC: 1, Aa: 'a' })).toBe('{"Aa":"a","CC":1}');
    expect(shown({ CC: 1, BB: 'secret', C: 2, CCC: 3 })).toBe('{"CC":1}');
  });
});

describe('a record is decoded instead', () => {
  it.each<[string, object]>([
    ['for a timestamp', { any: new Timestamp({ t: 1, i: 1 }) }],
    ['for a regular expression', { any: new BSONRegExp('a') }],
    ['for a binary of a rare subtype', { any: new Binary(Buffer.from('x'), 128) }],
    ['for keys that JavaScript sorts', { any: { b: 1, 10: 2, 2: 3 } }],
    ['for what the driver makes a DBRef of', { any: { $ref: 'a', $id: 1 } }],
    ['for the same in an embedded object', { part: { $ref: 'a', $id: 1 } }],
  ])('%s', (_name, stored) => {
    expect(() => writeStored(stored)).toThrow(declined);
  });

  it('for text that is not UTF-8', () => {
    const bytes = BSON.serialize({ text: 'éé' });
    bytes[bytes.length - 3] = 0xff;
    expect(() => writeBytes(bytes)).toThrow(declined);
  });
});
