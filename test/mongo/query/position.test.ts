import { Binary, Double, ObjectId } from 'mongodb';
import { rangesBehind, reversePosition, reverseSort, type SortKey } from '../../../src/mongo/query/position.ts';
import { key } from '../sort-keys.ts';

const byId = key('id');
const id = new ObjectId('0123456789abcdef01234567');

const not = (path: string, operator: string, value: unknown) => ({ [path]: { $not: { [operator]: value } } });
const ne = (path: string, value: unknown) => ({ [path]: { $ne: value } });
/** What excludes whole types. */
const no = {
  null: (path: string) => ne(path, null),
  NaN: (path: string) => ne(path, Number.NaN),
  number: (path: string) => not(path, '$gte', Number.NEGATIVE_INFINITY),
  string: (path: string) => not(path, '$gte', ''),
  binData: (path: string) => not(path, '$gte', new Binary(new Uint8Array())),
  objectId: (path: string) => not(path, '$gte', new ObjectId('0'.repeat(24))),
  bool: (path: string) => not(path, '$gte', false),
  date: (path: string) => not(path, '$gte', new Date(-8.64e15)),
};
const all = Object.values(no);
/** What excludes these types, the first and the last of them included, in the order of types. */
const from = (first: keyof typeof no, last: keyof typeof no, path: string) =>
  all.slice(all.indexOf(no[first]), all.indexOf(no[last]) + 1).map((one) => one(path));

describe('rangesBehind()', () => {
  it.each<[string, SortKey[], unknown[], object[]]>([
    ['one key', [byId], [id], [{ $and: [...from('null', 'binData', '_id'), not('_id', '$lte', id)] }]],
    ['descending', [key('id', -1)], [id], [{ $and: [...from('bool', 'date', '_id'), not('_id', '$gte', id)] }]],
    [
      'two keys, the nearer range first',
      [key('s'), byId],
      ['x', id],
      [
        { s: { $eq: 'x' }, $and: [...from('null', 'binData', '_id'), not('_id', '$lte', id)] },
        { $and: [...from('null', 'number', 's'), not('s', '$lte', 'x')] },
      ],
    ],
    ['null ascending: everything else', [key('s')], [null], [{ $and: [ne('s', null)] }]],
    ['null descending: nothing of the order', [key('s', -1)], [null], [{ $and: [...from('NaN', 'date', 's'), ne('s', null)] }]],
    ['text descending', [key('s', -1)], ['x'], [{ $and: [...from('binData', 'date', 's'), not('s', '$gte', 'x')] }]],
    ['a number ascending: not NaN', [key('n')], [1], [{ $and: [...from('null', 'NaN', 'n'), not('n', '$lte', 1)] }]],
    ['a number descending: NaN too', [key('n', -1)], [1], [{ $and: [...from('string', 'date', 'n'), not('n', '$gte', 1)] }]],
    ['NaN ascending', [key('n')], [new Double(Number.NaN)], [{ $and: [ne('n', null), ne('n', Number.NaN)] }]],
    ['NaN descending', [key('n', -1)], [Number.NaN], [{ $and: [...from('number', 'date', 'n'), ne('n', Number.NaN)] }]],
    ['a value of another type than its field', [key('d')], ['x'], [{ $and: [...from('null', 'number', 'd'), not('d', '$lte', 'x')] }]],
  ])('are the records behind a position, in the order of the list: %s', (_name, sort, values, ranges) => {
    expect(rangesBehind(sort, { values, side: 1 })).toEqual(ranges);
  });

  it.each<[string, SortKey[], unknown[], object[]]>([
    [
      'two keys',
      [key('s'), byId],
      ['x', id],
      [
        { s: { $eq: 'x' }, $and: [...from('null', 'binData', '_id'), not('_id', '$lt', id)] },
        { $and: [...from('null', 'number', 's'), not('s', '$lte', 'x')] },
      ],
    ],
    ['descending', [key('id', -1)], [id], [{ $and: [...from('bool', 'date', '_id'), not('_id', '$gt', id)] }]],
    ['an id that is null', [byId], [null], [{}]],
    ['an id that is null, descending', [key('id', -1)], [null], [{ $and: from('NaN', 'date', '_id') }]],
    ['an id that is NaN, descending', [key('id', -1)], [Number.NaN], [{ $and: from('number', 'date', '_id') }]],
  ])('begin with the record itself where the position is before it: %s', (_name, sort, values, ranges) => {
    expect(rangesBehind(sort, { values, side: -1 })).toEqual(ranges);
  });
});

describe('rangesBehind(), where an index has only some of the keys', () => {
  const sort = [key('s'), key('n'), key('d'), byId];
  const position = { values: ['x', 1, null, id], side: 1 } as const;
  const ranges = rangesBehind(sort, position);

  it.each([4, 3])('has a range for each key, if no two are without an index: %d of 4 have one', (indexed) => {
    expect(rangesBehind(sort, position, indexed)).toEqual(ranges);
  });

  it.each([2, 1, 0])('has one range for all keys that no index has, in which the others are equal: %d of 4 have one', (indexed) => {
    const equal = Object.entries({ s: { $eq: 'x' }, n: { $eq: 1 } }).slice(0, indexed);
    const within = rangesBehind(sort.slice(indexed), { values: position.values.slice(indexed), side: 1 });
    expect(rangesBehind(sort, position, indexed)).toEqual([
      { ...Object.fromEntries(equal), $nor: [{ $nor: within }] },
      ...ranges.slice(sort.length - indexed),
    ]);
  });
});

describe('the same from the other end', () => {
  it('are sorts and positions reversed', () => {
    expect(reverseSort([key('n'), key('s', -1), byId])).toEqual([key('n', -1), key('s'), key('id', -1)]);
    expect(reversePosition({ values: ['x', id], side: 1 })).toEqual({ values: ['x', id], side: -1 });
    expect(reversePosition({ values: ['x', id], side: -1 })).toEqual({ values: ['x', id], side: 1 });
  });
});
