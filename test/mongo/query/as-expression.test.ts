import fc from 'fast-check';
import { Binary, Decimal128, Double, Int32, Long, ObjectId } from 'mongodb';
import type { Filter } from '../../../src/mongo/predicate/predicate.ts';
import { useDatabase } from '../../support/database/database.ts';
import { asExpression } from '../../support/database/read-filter.ts';
import { cases } from '../../support/fuzzing/fuzz.ts';

const database = useDatabase();
const id = new ObjectId();
const singles = [
  null,
  '',
  'a',
  '$a',
  0,
  1,
  new Double(1),
  new Int32(1),
  Long.fromNumber(1),
  Decimal128.fromString('1.0'),
  true,
  false,
  id,
  new Date(0),
  new Binary(Buffer.from('a')),
];
const single = fc.constantFrom<unknown>(...singles);
const stored = fc.oneof(single, fc.array(single, { maxLength: 3 }), fc.constantFrom<unknown>([[]], [['a']], {}, { a: 'a' }));
const documents = fc.array(fc.dictionary(fc.constantFrom('a', 'b'), stored, { maxKeys: 2 }), { minLength: 1, maxLength: 8 });
const condition = fc.oneof(
  single,
  single.map(($eq) => ({ $eq })),
  fc.array(single, { maxLength: 3 }).map(($in) => ({ $in })),
  fc.boolean().map(($exists) => ({ $exists })),
  fc.tuple(single, fc.boolean()).map(([$eq, $exists]) => ({ $eq, $exists })),
);
const members = fc.dictionary(fc.constantFrom('a', 'b'), condition, { maxKeys: 2 });
const filters = fc.oneof(
  members,
  fc.array(members, { minLength: 1, maxLength: 3 }).map(($and) => ({ $and })),
  fc.tuple(members, fc.constantFrom(['int'], ['string', 'objectId'])).map(([own, $type]) => ({ _id: { $type }, ...own })),
) as fc.Arbitrary<Filter>;

describe('a filter as an expression', () => {
  it('matches exactly the documents that the filter matches', async () => {
    const collection = database.db.collection<{ _id: number }>('things');
    let matched = 0;
    const property = fc.asyncProperty(documents, filters, async (all, filter) => {
      await collection.deleteMany({});
      await collection.insertMany(all.map((document, _id) => ({ _id, ...document })));
      const expression = asExpression(filter, '$$ROOT');
      if (!expression) throw new Error('It has an expression.');
      const options = { projection: { _id: 1 }, sort: { _id: 1 } } as const;
      const expected = await collection.find(filter, options).toArray();
      expect(await collection.find({ $expr: expression }, options).toArray()).toEqual(expected);
      matched += expected.length;
    });
    await fc.assert(property, cases(300));
    expect(matched).toBeGreaterThan(100);
  });

  it.each<[string, Filter]>([
    ['a dotted path', { 'a.b': { $eq: 1 } }],
    ['another operator', { a: { $gt: 1 } }],
    ['another operator beside one of these', { a: { $eq: 1, $ne: 2 } }],
    ['an alternative', { $or: [{ a: { $eq: 1 } }] }],
    ['a part of `$and`', { $and: [{ a: { $eq: 1 } }, { a: { $gte: 1 } }] }],
    ['an array', { a: { $eq: [1] } }],
    ['an object', { a: { $eq: { b: 1 } } }],
    ['a pattern', { a: { $in: [/a/] } }],
    ['the type of a field that may be an array', { a: { $type: ['int'] } }],
  ])('there is none for %s', (_what, filter) => {
    expect(asExpression(filter, '$$ROOT')).toBeUndefined();
  });
});
