import fc from 'fast-check';
import { BSON, Decimal128, Long, ObjectId } from 'mongodb';
import { declined, pickMembers } from '../../../src/model/value/bson-bytes.ts';

const value = fc.constantFrom<unknown>(
  1,
  1.5,
  Long.MAX_VALUE,
  'text',
  null,
  true,
  new Date(0),
  new ObjectId('0123456789abcdef01234567'),
  Decimal128.fromString('1.50'),
  Buffer.from('bytes'),
  { b: { a: 1 } },
  [1, [2]],
);
const key = fc.constantFrom('a', 'aa', 'b', 'ab', 'Z', '0');

describe('pickMembers()', () => {
  it('keeps exactly the members that have one of the keys, in their order', () => {
    fc.assert(
      fc.property(fc.dictionary(key, value), fc.array(key, { maxLength: 3 }), (document, keys) => {
        const expected = Object.fromEntries(Object.entries(document).filter(([one]) => (keys as string[]).includes(one)));
        expect(BSON.deserialize(pickMembers(BSON.serialize(document), keys))).toEqual(BSON.deserialize(BSON.serialize(expected)));
      }),
    );
  });

  it('keeps all members with the same key, of which the last counts', () => {
    const [one, two] = [1, 2].map((a) => BSON.serialize({ a }).subarray(4, -1)) as [Uint8Array, Uint8Array];
    const twice = Buffer.concat([Buffer.alloc(4), one, two, Buffer.alloc(1)]);
    twice.writeInt32LE(twice.length);
    expect(BSON.deserialize(pickMembers(twice, ['a']))).toEqual({ a: 2 });
  });

  it.each([
    ['a type that is rarely stored', BSON.serialize({ a: 1, b: /x/ })],
    ['bytes that end early', BSON.serialize({ a: 'text' }).subarray(0, -2)],
  ])('declines %s', (_what, bytes) => {
    expect(() => pickMembers(bytes, ['a'])).toThrow(declined);
  });
});
