import { Decimal128, Long, ObjectId } from 'mongodb';
import { showCall } from '../../../../src/mongo/driver/trace/show-command.ts';

const values = {
  a: 'x',
  b: 1,
  c: true,
  d: null,
  e: new Date(0),
  f: new ObjectId(),
  g: Decimal128.fromString('1'),
  h: Long.ZERO,
  i: /x/,
  j: Buffer.of(1),
};

it.each<[string, unknown[], string]>([
  [
    'find',
    [
      { 'shipTo.city': 'x', $or: [{ n: 1 }, { n: 2 }, { m: [] }] },
      { limit: 5, maxTimeMS: 9 },
    ],
    "find orders filter { 'shipTo.city': string, $or: [2 × { n: number }, { m: [] }] } limit 5",
  ],
  [
    'insertOne',
    [values],
    'insertOne orders document { a: string, b: number, c: boolean, d: null, e: Date, f: ObjectId, g: Decimal128, h: Long, i: RegExp, j: bytes }',
  ],
  [
    'updateOne',
    [new Map([['a', 'x']]), { $set: { m: new Map([['k', 1]]) } }],
    'updateOne orders filter { a: string } update { $set: { m: { k: number } } }',
  ],
  ['updateMany', [{}, { $set: { a: '$x' } }, { upsert: true }], 'updateMany orders filter {} update { $set: { a: string } } upsert true'],
  ['estimatedDocumentCount', [{ signal: {} }], 'estimatedDocumentCount orders'],
  ['commitTransaction', [], 'commitTransaction orders'],
])('shows %s with the types of its values', (method, args, shown) => {
  expect(showCall(method, args, 'orders', 'types')).toBe(shown);
});

it('shows the form of a pipeline, and the types of what its conditions compare', () => {
  const matching = [{ $match: { from: 'ann@example.org' } }, { $limit: 2 }];
  const pipeline = [
    { $match: { limit: 7 } },
    { $lookup: { from: 'customers', localField: 'customerId', foreignField: '_id', as: 'customer', pipeline: matching } },
    { $unionWith: { coll: 'orders', pipeline: matching } },
    { $sort: { total: -1 } },
  ];
  const union = '[{ $match: { from: string } }, { $limit: 2 }]';
  expect(showCall('command', [{ aggregate: 'orders', pipeline, cursor: {} }], undefined, 'types')).toBe(
    `aggregate orders pipeline [{ $match: { limit: number } }, { $lookup: { from: 'customers', localField: 'customerId', foreignField: '_id', as: 'customer', pipeline: ${union} } }, { $unionWith: { coll: 'orders', pipeline: ${union} } }, { $sort: { total: -1 } }]`,
  );
});

it('shows values if they are asked for, and never more than 200 characters of a text', () => {
  const shown = showCall('find', [{ name: 'Ann', text: 'x'.repeat(1_000) }], 'people', 'values');
  expect(shown).toBe(`find people filter { name: 'Ann', text: '${'x'.repeat(200)}'... 800 more characters }`);
});
