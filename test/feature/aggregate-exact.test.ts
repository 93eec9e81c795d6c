import { Decimal128, Double, Long } from 'mongodb';
import { defineModel, service, t } from '../../src/index.ts';
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
