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
