import { Binary, Decimal128, Double, Int32, Long, ObjectId } from 'mongodb';
import { keyOf, keysAt } from '../../../src/mongo/predicate/equality.ts';
import { useDatabase } from '../../support/database/database.ts';

const database = useDatabase();
const id = new ObjectId();
const at = new Date(5);
const binary = (...bytes: number[]) => new Binary(Uint8Array.from(bytes));

/** What a filter may compare with. */
const operands: readonly unknown[] = [
  ...[null, '', 'a', 'A', '1', true, false, 0, -0, 1, 1.5, 2 ** 53 - 1, 2 ** 60, Number.NaN, Number.POSITIVE_INFINITY, 1n, 2n ** 60n],
  ...[new Int32(1), new Double(1), Long.fromNumber(1), Decimal128.fromString('1.0'), id, at, new Date(0), binary(1), binary()],
];

const stored: readonly unknown[] = [
  ...operands,
  Decimal128.fromString('1.5'),
  Long.fromString('1152921504606846976'),
  ['a', 1],
  [],
  [null],
  [[1]],
  ['a', ['b']],
  { $ref: 'x', $id: 1, of: 'a' },
  { of: 'a' },
  [{ of: 'a' }, { of: 1 }, 5, [{ of: true }]],
  [{ of: ['a', null] }],
  [{}],
  { of: { of: 'a' } },
  /a/,
];

it.each(['v', 'v.of'])('every record that equals a value at `%s` has the key of it, or is not known to have no other', async (path) => {
  const records = database.db.collection<{ _id: number; v?: unknown }>('records');
  await records.deleteMany({});
  await records.insertMany([...stored.map((v, _id) => ({ _id, v })), { _id: -1 }]);
  const read = await records.find({}, { useBigInt64: true, promoteBuffers: false, bsonRegExp: true }).toArray();
  const known = operands.filter((one) => keyOf(one) !== undefined);
  for (const operand of known) {
    const matching = await records.find({ [path]: { $eq: operand } } as object).toArray();
    const found = read.filter((one) => keysAt(one, path)?.has(keyOf(operand) as string) ?? true).map(({ _id }) => _id);
    expect(found).toEqual(expect.arrayContaining(matching.map(({ _id }) => _id)));
  }
  const surely = read.filter((one) => keysAt(one, path) !== undefined);
  expect([known.length, surely.length > read.length / 2]).toEqual([21, true]);
});

it('two values of different kinds have different keys', () => {
  const keys = [null, 'n', '1', 1, true, 'true', id, String(id), at, 5, binary(1)].map(keyOf);
  expect(new Set(keys).size).toBe(keys.length);
});
