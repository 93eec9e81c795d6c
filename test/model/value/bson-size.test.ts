import fc from 'fast-check';
import { BSON } from 'mongodb';
import { bsonSize, mostPerUnit, roughSize } from '../../../src/model/value/bson-size.ts';
import { cases } from '../../support/fuzzing/fuzz.ts';

describe('bsonSize', () => {
  it.each<[string, object]>([
    ['a map', { map: new Map([['a', 'text']]) }],
    ['maps in arrays, objects and maps', { list: [new Map([['a', { b: new Map([['c', [1, 2]]]) }]])] }],
    [
      'keys of an object that are not its own elsewhere',
      {
        map: new Map<string, unknown>([
          ['__proto__', 'text'],
          ['$set', 1],
          ['a.b', null],
        ]),
      },
    ],
    [
      'values that are no objects with members',
      { at: new Date(), id: new BSON.ObjectId(), bytes: Buffer.alloc(9), price: BSON.Decimal128.fromString('1') },
    ],
    ['members that are undefined', { a: undefined, b: 1 }],
  ])('is the size of what is stored: %s', (_what, document) => {
    expect(bsonSize(document)).toBe(BSON.serialize(document, { ignoreUndefined: true }).length);
  });
});

describe('roughSize', () => {
  it('is a bound of what is stored, whatever the texts, keys and types are', () => {
    const leaf = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.double(),
      fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }),
      fc.boolean(),
      fc.date({ noInvalidDate: true }),
      fc.constantFrom(null, undefined, new BSON.ObjectId(), new BSON.Decimal128('1.5'), BSON.Long.fromNumber(7), new BSON.MinKey()),
      fc.uint8Array().map((bytes) => new BSON.Binary(bytes)),
      fc.dictionary(fc.string(), fc.string()).map((members) => new Map(Object.entries(members))),
      fc.array(fc.integer(), { minLength: 90, maxLength: 120 }),
    );
    const { tree } = fc.letrec((tie) => ({
      tree: fc.oneof({ depthSize: 'small' }, leaf, fc.array(tie('tree')), fc.dictionary(fc.string({ unit: 'grapheme' }), tie('tree'))),
    }));
    fc.assert(
      fc.property(tree, (value) => {
        expect(bsonSize({ value })).toBeLessThanOrEqual(mostPerUnit * roughSize({ value }));
      }),
      cases(500),
    );
  });
});
