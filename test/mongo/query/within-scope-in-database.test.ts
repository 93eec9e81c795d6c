import fc from 'fast-check';
import { Binary, Decimal128, Double, Int32, Long, ObjectId, UUID } from 'mongodb';
import { defineModel, type Field, type Operator, t } from '../../../src/index.ts';
import { compileModel } from '../../../src/model/compile/compile-model.ts';
import type { QueryField } from '../../../src/model/compile/query-fields.ts';
import { operators } from '../../../src/model/operators/operators.ts';
import { buildFilter } from '../../../src/mongo/predicate/filter-of.ts';
import { isWithin } from '../../../src/mongo/predicate/is-within.ts';
import type { Condition } from '../../../src/mongo/predicate/predicate.ts';
import { useDatabase } from '../../support/database/database.ts';
import { cases } from '../../support/fuzzing/fuzz.ts';

const decimals = (...texts: string[]) => texts.map((text) => Decimal128.fromString(text));

/**
 * Values of every type that a field can have, in all the forms in which the driver is given them: few, so that they
 * meet.
 */
const pools: Readonly<Record<string, readonly unknown[]>> = {
  string: ['', 'a', 'ab', 'b', 'A', 'null', 'a.*', 'a\0b', '\uffff', '\u{1f600}', 'Z\u00fcrich'],
  int: [0, 1, -1, 5, new Int32(5), 2 ** 31, 2 ** 53],
  int64: [0n, 5n, 2n ** 53n, 2n ** 53n + 1n, 2n ** 63n - 1n, -(2n ** 63n), Long.fromNumber(1)],
  float: [0.1, 5, -0, new Double(5), new Double(0.1), new Double(2 ** 53), 1e300, Number.POSITIVE_INFINITY, Number.NaN],
  decimal: decimals(
    '0',
    '-0',
    '5',
    '5.00',
    '0.1',
    '0.1000000000000000055511151231257827',
    '9007199254740993',
    '1E+300',
    '9E+6000',
    'Infinity',
    'NaN',
  ),
  boolean: [true, false],
  date: [new Date(0), new Date(1), new Date(-1)],
  objectId: [new ObjectId('0'.repeat(24)), new ObjectId('f'.repeat(24)), new ObjectId('1'.padStart(24, '0'))],
  uuid: [new UUID('00000000-0000-4000-8000-000000000001'), new UUID('ffffffff-ffff-4fff-bfff-ffffffffffff')],
  binary: [
    new Binary(Buffer.from([])),
    new Binary(Buffer.from([255])),
    new Binary(Buffer.from([0, 0])),
    new Binary(Buffer.from([255]), 128),
  ],
};
const anyValue = fc.oneof(...Object.values(pools).map((pool) => fc.constantFrom(...pool)));

const leaf = t.string();
const Inner = t.object('Inner', { a: t.nullable(leaf), deep: t.nullable(t.object('Deep', { a: t.nullable(leaf) })) });
const fields: Record<string, Field> = {
  a: t.nullable(leaf),
  list: t.array(leaf),
  inner: t.nullable(Inner),
  inners: t.array(Inner),
  lists: t.array(t.array(leaf)),
  nested: t.array(t.array(Inner)),
  map: t.nullable(t.map(leaf)),
};
const { scopeFields } = compileModel(defineModel('Doc', { collection: 'docs', fields }));
const paths = ['a', 'list', 'inner', 'inner.a', 'inner.deep', 'inner.deep.a', 'inners', 'inners.a', 'inners.deep.a', 'lists', 'map'];

/** What stands at a place, whatever the model says of it: that is how the database sees it too. */
const place: fc.Memo<unknown> = fc.memo((depth) => {
  const single = fc.oneof({ weight: 4, arbitrary: anyValue }, { weight: 1, arbitrary: fc.constant(null) });
  if (depth <= 1) return single;
  const inside = place(depth - 1);
  return fc.oneof(
    { weight: 4, arbitrary: single },
    { weight: 2, arbitrary: fc.array(inside, { maxLength: 3 }) },
    { weight: 3, arbitrary: fc.record({ a: inside, deep: inside }, { requiredKeys: [] }) },
  );
});
const document = fc.record(
  { a: place(3), list: place(3), inner: place(4), inners: place(4), lists: place(3), nested: place(3), map: place(2) },
  { requiredKeys: [] },
);

const operandOf = (operator: Operator): fc.Arbitrary<unknown> => {
  const scalar = fc.oneof({ weight: 5, arbitrary: anyValue }, { weight: 1, arbitrary: fc.constant(null) });
  if (operator === 'exists') return fc.boolean();
  if (operator === 'contains') return fc.constantFrom('a', '.', 'Za', 'b', '\uffff');
  if (operator === 'prefix') return fc.constantFrom('a', 'a.', 'Z', 'b', '\uffff', '');
  return operator === 'in' || operator === 'nin' ? fc.array(scalar, { maxLength: 3 }) : scalar;
};
const condition = fc
  .tuple(fc.constantFrom(...paths), fc.constantFrom(...operators))
  .chain(([path, operator]) =>
    operandOf(operator).map((value): Condition => ({ field: scopeFields.get(path) as QueryField, operator, value })),
  );

const database = useDatabase();

describe('isWithin()', () => {
  it('finds by a condition what the database finds, of values of every type, lists, null and missing ones, by every operator', async () => {
    const docs = database.db.collection<{ _id: number }>('docs', { useBigInt64: true });
    await fc.assert(
      fc.asyncProperty(
        fc.array(document, { minLength: 20, maxLength: 20 }),
        fc.array(condition, { minLength: 20, maxLength: 20 }),
        async (documents, conditions) => {
          await docs.deleteMany({});
          await docs.insertMany(documents.map((one, _id) => ({ ...one, _id })));
          const check = async (one: Condition) => {
            const found = await docs.find(buildFilter([one]), { projection: { _id: 1 }, sort: { _id: 1 } }).toArray();
            const { field, operator, value } = one;
            expect({ path: field.path, operator, value, ids: documents.flatMap((doc, id) => (isWithin(one, doc) ? [id] : [])) }).toEqual({
              path: field.path,
              operator,
              value,
              ids: found.map(({ _id }) => Number(_id)),
            });
          };
          await Promise.all(conditions.map(check));
        },
      ),
      cases(30),
    );
  });
});
