import { BSON } from 'mongodb';
import { bsonSize } from '../../../src/model/value/bson-size.ts';

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
