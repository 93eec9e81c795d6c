import { BSON, Decimal128, Double, Long } from 'mongodb';
import { writeGroups } from '../../../src/features/aggregate/mongo/write-groups.ts';
import { parse } from './sales.ts';

const limits = { maxMatches: 10, maxGroups: 2, maxBytes: 1_000 };
const decimal = (text: string) => Decimal128.fromString(text);

/** The JSON of an aggregate whose groups the database returns so. */
async function write(query: string, groups: readonly object[], isCut = false): Promise<string> {
  return String((await writeGroups({ found: groups.map((group) => BSON.serialize(group)), isCut }, parse(query), limits)).json);
}

describe('writeGroups()', () => {
  it.each<[what: string, query: string, group: object, json: string]>([
    ['how many there are', '', { _id: null, count: 3 }, '{"count":3}'],
    ['how many there are, as the database counts more of them', '', { _id: null, count: Long.fromNumber(3) }, '{"count":3}'],
    ['no count that nobody asked for', 'max=pieces', { _id: null, count: 3, f0: 5 }, '{"max":{"pieces":5}}'],
    [
      'what makes a group, its count, and figures by their kinds',
      'group=city,status&max=pieces,big&sum=pieces&count=true',
      { _id: { k0: 'Ulm "1"', k1: 'open' }, count: 3, f0: decimal('7'), n0: 3, f1: 5, f2: Long.fromString('9223372036854775807') },
      '{"group":{"city":"Ulm \\"1\\"","status":"open"},"count":3,"sum":{"pieces":7},"max":{"pieces":5,"big":9223372036854775807}}',
    ],
    [
      'a key by its type',
      'group=isGift,amount',
      { _id: { k0: true, k1: decimal('1.50') }, count: 1 },
      '{"group":{"isGift":true,"amount":"1.50"},"count":1}',
    ],
    [
      'a span as the text that the database made',
      'group=at[month]',
      { _id: { k0: '2026-01' }, count: 1 },
      '{"group":{"at[month]":"2026-01"},"count":1}',
    ],
    [
      'an hour by its beginning',
      'group=at[hour]',
      { _id: { k0: new Date('2026-01-31T23:00:00Z') }, count: 1 },
      '{"group":{"at[hour]":"2026-01-31T23:00:00.000Z"},"count":1}',
    ],
    ['no group by a span that is null', 'group=at[day]', { _id: { k0: null }, count: 1 }, '{"group":{"at[day]":null},"count":1}'],
    [
      'a sum of integers of any length',
      'sum=big',
      { _id: null, count: 2, f0: decimal('18446744073709551614'), n0: 2 },
      '{"sum":{"big":18446744073709551614}}',
    ],
    ['a sum of zero', 'sum=pieces', { _id: null, count: 2, f0: decimal('0'), n0: 2 }, '{"sum":{"pieces":0}}'],
    ['null for a sum of no value', 'sum=pieces', { _id: null, count: 2, f0: 0, n0: 0 }, '{"sum":{"pieces":null}}'],
    ['a sum of decimals as text', 'sum=amount', { _id: null, count: 2, f0: decimal('3.30'), n0: 2 }, '{"sum":{"amount":"3.30"}}'],
    ['a sum of floats as a number', 'sum=weight', { _id: null, count: 2, f0: new Double(0.75), n0: 2 }, '{"sum":{"weight":0.75}}'],
    [
      'an average of integers as the text of a decimal',
      'avg=pieces,big',
      { _id: null, count: 2, f0: decimal('1.5'), f1: decimal('2') },
      '{"avg":{"pieces":"1.5","big":"2"}}',
    ],
    [
      'an average of decimals and floats',
      'avg=amount,weight',
      { _id: null, count: 2, f0: decimal('1.5'), f1: new Double(0.5) },
      '{"avg":{"amount":"1.5","weight":0.5}}',
    ],
    [
      'an average though nothing counts its values',
      'avg=weight',
      { _id: null, count: 2, f0: new Double(0.5), n0: 0 },
      '{"avg":{"weight":0.5}}',
    ],
    [
      'null for a figure of no value',
      'min=pieces,at&max=only',
      { _id: null, count: 2, f0: null },
      '{"min":{"pieces":null,"at":null},"max":{"only":null}}',
    ],
    [
      'the least and the greatest by their types',
      'min=at&max=amount',
      { _id: null, count: 2, f0: new Date(0), f1: decimal('2.0') },
      '{"min":{"at":"1970-01-01T00:00:00.000Z"},"max":{"amount":"2.0"}}',
    ],
  ])('writes %s', (_what, query, group, json) => expect(write(query, [group])).resolves.toBe(`[${json}]`));

  it.each(['city', 'status', 'isGift', 'place.zip', 'pieces', 'big', 'amount', 'weight', 'at[day]', 'at[hour]'])(
    'writes null for the group of records without a value: %s',
    (name) => expect(write(`group=${name}`, [{ _id: { k0: null }, count: 1 }])).resolves.toBe(`[{"group":{"${name}":null},"count":1}]`),
  );

  it('writes the groups in their order', async () => {
    const groups = ['b', 'a'].map((k0) => ({ _id: { k0 }, count: 1 }));
    expect(await write('group=city', groups)).toBe('[{"group":{"city":"b"},"count":1},{"group":{"city":"a"},"count":1}]');
  });

  it.each<[query: string, group: object, message: string]>([
    ['sum=pieces,amount', { f0: decimal('1'), n0: 1, f1: decimal('Infinity'), n1: 2 }, 'of `amount` is beyond the range of a Decimal128'],
    ['avg=amount', { f0: decimal('NaN') }, 'of `amount` is beyond the range of a Decimal128'],
    ['sum=weight', { f0: new Double(Number.POSITIVE_INFINITY), n0: 2 }, 'of `weight` is beyond the range of a double'],
    ['avg=weight', { f0: new Double(Number.NaN) }, 'of `weight` is beyond the range of a double'],
  ])('refuses a figure beyond the range of its type: %s', async (query, figures, message) => {
    const kind = query.slice(0, 3);
    await expect(write(query, [{ _id: null, count: 2, ...figures }])).rejects.toMatchObject({
      code: 'validation_failed',
      errors: [{ field: kind, rule: 'out_of_range', message }],
    });
  });

  it('of nothing writes one group, unless there are fields to group by', async () => {
    expect(await write('sum=amount,pieces&count=true&max=pieces', [])).toBe(
      '[{"count":0,"sum":{"amount":null,"pieces":null},"max":{"pieces":null}}]',
    );
    expect(await write('group=city', [])).toBe('[]');
  });

  it('takes as many groups, records and bytes as may be', async () => {
    const groups = ['a', 'b'].map((k0) => ({ _id: { k0 }, count: 5 }));
    expect(await write('group=city', groups)).toContain('"city":"b"');
    const around = '[{"group":{"city":""},"count":1}]'.length;
    expect(await write('group=city', [{ _id: { k0: 'x'.repeat(1_000 - around) }, count: 1 }])).toHaveLength(1_000);
  });

  it.each<[what: string, groups: readonly object[], isCut: boolean, detail: string]>([
    [
      'more groups than an answer may have',
      ['a', 'b', 'c'].map((k0) => ({ _id: { k0 }, count: 1 })),
      false,
      'The answer would have more than 2 groups: narrow the list by filters, or group it by fewer fields.',
    ],
    [
      'more records than may match, in all groups together',
      [
        { _id: { k0: 'a' }, count: 5 },
        { _id: { k0: 'b' }, count: Long.fromNumber(6) },
      ],
      false,
      'More than 10 records match: narrow the list by filters.',
    ],
    [
      'an answer of too many bytes',
      ['a', 'x'.repeat(1_000)].map((k0) => ({ _id: { k0 }, count: 1 })),
      false,
      'The answer would have more than 1000 bytes: narrow the list by filters, or group it by fewer fields.',
    ],
    [
      'an answer of one byte too many',
      [{ _id: { k0: 'x'.repeat(1_001 - '[{"group":{"city":""},"count":1}]'.length) }, count: 1 }],
      false,
      'The answer would have more than 1000 bytes: narrow the list by filters, or group it by fewer fields.',
    ],
    ['a reply that was cut', [], true, 'The groups would have more than 16 MiB: narrow the list by filters, or group it by fewer fields.'],
  ])('refuses %s', async (_what, groups, isCut, detail) => {
    const refused = write('group=city', groups, isCut);
    await expect(refused).rejects.toMatchObject({ code: 'too_many_matches', status: 422, message: detail });
  });
});
