import { Decimal128, Double, Long } from 'mongodb';
import { defineModel, type service, t } from '../../src/index.ts';
import { useDatabase } from '../support/database/database.ts';
import { useApi } from '../support/http/api.ts';

const Sample = defineModel('Sample', {
  collection: 'samples',
  fields: {
    id: t.string({ policy: { filter: true } }),
    cents: t.nullable(t.decimal({ storedAs: 'int', scale: 2, policy: { aggregate: true, group: true } })),
    weight: t.nullable(t.float({ policy: { aggregate: true } })),
    amount: t.nullable(t.decimal({ policy: { aggregate: true } })),
    at: t.nullable(t.date({ policy: { group: true } })),
  },
});

const database = useDatabase();
const api = useApi(database, (shop: ReturnType<typeof service>) => [shop.resource({ model: Sample, ops: ['list'], aggregate: true })]);

/** What an aggregate answers about some records. */
async function ask(records: readonly object[], query: string) {
  const samples = database.db.collection<{ _id: string }>('samples');
  await samples.deleteMany({});
  if (records.length > 0) await samples.insertMany(records.map((record, index) => ({ _id: String(index), ...record })));
  return api.request('GET', `/api/samples/aggregate?${query}`);
}

describe('decimals that are stored as integers', () => {
  it('count up to the last integer of 64 bits', async () => {
    for (const [units, text] of [
      [Long.MAX_VALUE, '92233720368547758.07'],
      [Long.MIN_VALUE, '-92233720368547758.08'],
      [new Double(-(2 ** 63)), '-92233720368547758.08'],
    ]) {
      const { body } = await ask([{ cents: units }], 'sum=cents&min=cents&max=cents&group=cents');
      const figure = { cents: text };
      expect(body.data).toEqual([{ group: figure, sum: figure, min: figure, max: figure }]);
    }
    const { body } = await ask([{ cents: Long.MAX_VALUE }, { cents: Long.MIN_VALUE }, { cents: new Double(2 ** 63) }], 'sum=cents');
    expect(body.data).toEqual([{ sum: { cents: '-0.01' } }]);
  });
});

describe('a sum or an average beyond the range of its type', () => {
  const most = new Double(Number.MAX_VALUE);
  const mostDecimal = Decimal128.fromString('9.999999999999999999999999999999999E+6144');

  it.each<[string, string, object[], object]>([
    [
      'sum',
      'weight',
      [{ weight: most }, { weight: most }],
      { rule: 'out_of_range', message: 'of `weight` is beyond the range of a double' },
    ],
    ['avg', 'weight', [{ weight: most }, { weight: most }], { rule: 'out_of_range' }],
    ['sum', 'amount', [{ amount: mostDecimal }, { amount: mostDecimal }], { message: 'of `amount` is beyond the range of a Decimal128' }],
  ])('is 422 naming the figure: %s=%s', async (kind, name, records, error) => {
    const { status, body } = await ask(records, `${kind}=${name}`);
    expect([status, body.code, body.errors]).toEqual([422, 'validation_failed', [expect.objectContaining({ field: kind, ...error })]]);
  });

  it('is told from that of no value, which is null', async () => {
    const records = [{ weight: null }, { weight: new Double(Number.NaN), amount: 'x' }];
    const { body } = await ask(records, 'sum=weight,amount&avg=weight');
    expect(body.data).toEqual([{ sum: { weight: null, amount: null }, avg: { weight: null } }]);
    const { status } = await ask([{ weight: most }, { weight: new Double(-Number.MAX_VALUE) }], 'sum=weight');
    expect(status).toBe(200);
  });
});

describe('an hour of a time zone', () => {
  it.each<[why: string, zone: string, [at: string, hour: string][]]>([
    ['differs from UTC by half an hour', 'Asia/Kolkata', [['2026-05-01T10:45:30.5Z', '2026-05-01T10:30:00.000Z']]],
    [
      'is put by half an hour: Lord Howe, of +10:30 and +11',
      'Australia/Lord_Howe',
      [
        ['2026-01-15T10:59:59Z', '2026-01-15T10:00:00.000Z'],
        ['2026-07-15T10:29:59Z', '2026-07-15T09:30:00.000Z'],
        ['2026-07-15T10:30:00Z', '2026-07-15T10:30:00.000Z'],
        ['2026-04-04T14:59:00Z', '2026-04-04T14:00:00.000Z'], // 1:59, before it is put back
        ['2026-04-04T15:10:00Z', '2026-04-04T15:00:00.000Z'], // 1:40 once more
        ['2026-04-04T15:40:00Z', '2026-04-04T15:30:00.000Z'], // 2:10
        ['2026-10-03T15:29:00Z', '2026-10-03T14:30:00.000Z'], // 1:59, before it is put forward
        ['2026-10-03T15:31:00Z', '2026-10-03T15:30:00.000Z'], // 2:31
      ],
    ],
    ['had another distance before: Kathmandu, +5:30 until 1986', 'Asia/Kathmandu', [['1980-01-01T00:45:00Z', '1980-01-01T00:30:00.000Z']]],
    [
      'is put by an hour',
      'Europe/Berlin',
      [
        ['2026-10-25T00:30:00Z', '2026-10-25T00:00:00.000Z'],
        ['2026-10-25T01:30:00Z', '2026-10-25T01:00:00.000Z'],
      ],
    ],
    ['is an offset', '-03:45', [['2026-05-01T10:50:00Z', '2026-05-01T10:45:00.000Z']]],
    ['is UTC', 'UTC', [['2026-05-01T10:50:00Z', '2026-05-01T10:00:00.000Z']]],
  ])('begins as its clock says, in one that %s', async (_why, zone, moments) => {
    const records = moments.map(([at]) => ({ at: new Date(at) }));
    const { body } = await ask(records, `group=at[hour]&timezone=${encodeURIComponent(zone)}`);
    const hours = body.data.map(({ group }: { group: object }) => Object.values(group)[0]);
    expect(hours).toEqual([...new Set(moments.map(([, hour]) => hour))].sort());
  });
});
