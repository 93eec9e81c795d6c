import fc from 'fast-check';
import { Binary, BSON, Decimal128, Double, Int32, Long, ObjectId, Timestamp } from 'mongodb';
import { t } from '../../src/index.ts';
import { compileModel } from '../../src/model/compile/compile-model.ts';
import { defineModel } from '../../src/model/define/define-model.ts';
import { decode } from '../../src/mongo/driver/bson-options.ts';
import { StoredRecord } from '../../src/mongo/stored-record.ts';

const model = compileModel(defineModel('Row', { collection: 'rows', fields: { id: t.string() } }));

const value = fc.oneof(
  fc.constantFrom(null, true, false, new ObjectId('0123456789abcdef01234567'), Decimal128.fromString('1.50'), new Timestamp(5n)),
  fc.string(),
  fc.integer().map((number) => new Int32(number)),
  fc.double().map((number) => new Double(number)),
  fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }).map((number) => Long.fromBigInt(number)),
  fc.date({ noInvalidDate: true }),
  fc.uint8Array({ maxLength: 5 }).map((bytes) => new Binary(bytes)),
  fc.constantFrom({ b: 1 }, [1, 'x'], /a/),
);
const key = fc.constantFrom('_id', 'a', 'b', 'ab', 'ä');

it('picks the members that the driver would decode, of every type', () => {
  fc.assert(
    fc.property(fc.dictionary(key, value), fc.uniqueArray(key), (stored, keys) => {
      const bytes = BSON.serialize(stored);
      const picked = new StoredRecord(model, bytes).pick(keys);
      const whole = decode(bytes);
      for (const one of keys) expect(picked[one]).toStrictEqual(whole[one]);
    }),
  );
});
