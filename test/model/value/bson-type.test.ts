import type * as Mongodb from 'mongodb';
import { Binary, BSON, Long, ObjectId, Timestamp, UUID } from 'mongodb';
import { binaryLeaf } from '../../../src/model/value/binary-leaf.ts';
import { bsonVersionOf, isBinary, isBsonValue, isLong, isObjectId, isUuid, tagOf } from '../../../src/model/value/bson-type.ts';
import { copyValue } from '../../../src/model/value/copy-value.ts';
import { objectIdLeaf, uuidLeaf } from '../../../src/model/value/leaves.ts';
import { decimalLeaf, floatLeaf } from '../../../src/model/value/number-leaves.ts';
import { isSameValue } from '../../../src/model/value/same-value.ts';
import { bracketOf, bsonTypeOf, readSortValue, writeSortValue } from '../../../src/model/value/sort-value.ts';
import { isStoredObject } from '../../../src/model/value/stored-shape.ts';
import { writeUntyped } from '../../../src/model/value/untyped.ts';

const modules = new URL('../../../node_modules/', import.meta.url);
const load = async (path: string) => (await import(new URL(path, modules).href)) as typeof Mongodb.BSON;

/**
 * The driver has loaded the CommonJS build: these are other classes of the same version, as a handler's own
 * `import 'bson'` gives them.
 */
const other = await load('bson/lib/bson.node.mjs');
const old = await load('mongodb-oldest/node_modules/bson/lib/bson.node.mjs');

const hex = '0123456789abcdef01234567';
const uuid = '6f9619ff-8b86-4d01-b42d-00cf4fc964ff';
const pairs: readonly (readonly [tag: string, theirs: unknown, ours: unknown])[] = [
  ['ObjectId', new other.ObjectId(hex), new ObjectId(hex)],
  ['Decimal128', other.Decimal128.fromString('1.50'), BSON.Decimal128.fromString('1.50')],
  ['Double', new other.Double(1.5), new BSON.Double(1.5)],
  ['Int32', new other.Int32(5), new BSON.Int32(5)],
  ['Long', other.Long.fromNumber(5), Long.fromNumber(5)],
  ['Timestamp', new other.Timestamp({ t: 5, i: 1 }), new Timestamp({ t: 5, i: 1 })],
  ['Binary', new other.Binary(Buffer.from('x')), new Binary(Buffer.from('x'))],
  ['Binary', new other.UUID(uuid), new UUID(uuid)],
  ['BSONRegExp', new other.BSONRegExp('a+', 'i'), new BSON.BSONRegExp('a+', 'i')],
  ['BSONSymbol', new other.BSONSymbol('s'), new BSON.BSONSymbol('s')],
  ['Code', new other.Code('f()'), new BSON.Code('f()')],
  ['DBRef', new other.DBRef('a', new other.ObjectId(hex)), new BSON.DBRef('a', new ObjectId(hex))],
  ['MinKey', new other.MinKey(), new BSON.MinKey()],
  ['MaxKey', new other.MaxKey(), new BSON.MaxKey()],
];

describe('a value of another copy of bson', () => {
  it.each(pairs)('is known as %s', (tag, theirs, ours) => {
    expect(Object.getPrototypeOf(theirs)).not.toBe(Object.getPrototypeOf(ours));
    expect([tagOf(theirs), tagOf(ours)]).toEqual([tag, tag]);
    expect([isStoredObject(theirs), isStoredObject(ours)]).toEqual([false, false]);
  });

  it.each(pairs)('has the same JSON and the same place in a sort, and is no change: %s', (_tag, theirs, ours) => {
    expect(writeUntyped(theirs)).toBe(writeUntyped(ours));
    expect([bsonTypeOf(theirs), bracketOf(theirs)]).toEqual([bsonTypeOf(ours), bracketOf(ours)]);
    expect([isSameValue(theirs, ours), isSameValue(copyValue(theirs), copyValue(ours))]).toEqual([true, true]);
    if (bsonTypeOf(theirs) === undefined) return;
    expect(writeSortValue(theirs)).toBe(writeSortValue(ours));
    expect(isSameValue(readSortValue(writeSortValue(theirs)), readSortValue(writeSortValue(ours)))).toBe(true);
  });

  it('is read from handlers, and stored', () => {
    const id = objectIdLeaf.fromDocument(new other.ObjectId(hex));
    const stored = {
      id,
      uuid: uuidLeaf.fromDocument(new other.UUID(uuid)),
      binary: binaryLeaf.fromDocument(new other.Binary(Buffer.from('x'))),
      decimal: decimalLeaf.fromDocument(other.Decimal128.fromString('1.50')),
      float: floatLeaf.toDocument(new other.Double(1.5)),
    };
    expect(stored.uuid).toBeInstanceOf(UUID);
    expect(stored.binary).toBeInstanceOf(Binary);
    expect(BSON.deserialize(BSON.serialize(stored))).toMatchObject({
      id: new ObjectId(hex),
      uuid: new UUID(uuid),
      decimal: BSON.Decimal128.fromString('1.50'),
      float: 1.5,
    });
  });

  it('of another major version is none: the driver could not store it', () => {
    const id = new old.ObjectId(hex);
    expect([isObjectId(id), isBsonValue(id), isStoredObject(id)]).toEqual([false, false, false]);
    expect(bsonVersionOf(id)).not.toBe(bsonVersionOf(new ObjectId()));
  });
});

describe('what is no BSON value', () => {
  const own = JSON.parse('{"_bsontype":"ObjectId","id":"x"}');
  const inherited = Object.assign({}, JSON.parse('{"__proto__":{"_bsontype":"ObjectId"}}'));
  it.each([[own], [inherited], [null], [undefined], ['ObjectId'], [{}], [[]], [new Date(0)], [new Map()]])('%o', (value) => {
    expect([tagOf(value), isBsonValue(value), isObjectId(value)]).toEqual([undefined, false, false]);
  });

  it('is data', () => {
    expect([isStoredObject(own), writeUntyped(own)]).toEqual([true, '{"_bsontype":"ObjectId","id":"x"}']);
  });
});

describe('the types that have others below them', () => {
  it('a Timestamp is no Long', () => {
    expect(isLong(new Timestamp({ t: 5, i: 1 }))).toBe(false);
  });

  it('a UUID is a Binary, of 16 bytes', () => {
    expect([isBinary(new UUID()), isUuid(new UUID())]).toEqual([true, true]);
    expect(isUuid(new Binary(Buffer.alloc(16), 4))).toBe(true);
    expect(isUuid(new Binary(Buffer.alloc(15), 4))).toBe(false);
    expect(isUuid(new Binary(Buffer.alloc(16), 3))).toBe(false);
  });
});
