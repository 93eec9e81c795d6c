import { defineModel, service, t } from '../../../src/index.ts';
import type { Any } from '../../support/any.ts';
import { useDatabase } from '../../support/database/database.ts';
import { connect } from './connect.ts';

const Sale = defineModel('Sale', {
  collection: 'sales',
  fields: {
    id: t.string({ policy: { filter: true } }),
    city: t.string({ policy: { group: true } }),
    at: t.date({ policy: { group: true } }),
  },
});
const Bare = defineModel('Bare', { collection: 'sales', fields: { id: t.string(), city: t.string({ policy: { group: true } }) } });
const Alone = defineModel('Alone', { collection: 'sales', fields: { id: t.string({ policy: { filter: true } }) } });

const database = useDatabase();
const shop = service();
const make = () =>
  shop.api({
    db: database.db,
    resources: [
      shop.resource({ model: Sale, ops: ['list'], aggregate: { maxMatches: 20, maxGroups: 12 } }),
      shop.resource({ model: Bare, path: 'bare', ops: ['list'], aggregate: { maxGroups: 12 } }),
      shop.resource({ model: Alone, path: 'alone', ops: ['list'], aggregate: { maxMatches: 12 } }),
    ],
  });

beforeAll(async () => {
  const sale = (_: unknown, index: number) => ({
    _id: `s${index}`,
    city: `the city ${index} of the land`,
    at: new Date(Date.UTC(2026, index % 12, index + 1)),
  });
  await database.db.collection<{ _id: string }>('sales').insertMany(Array.from({ length: 20 }, sale));
});

describe('an aggregate that an agent asks for', () => {
  const hint =
    'More filters match fewer records. Fewer fields in `group`, or longer spans of dates, make fewer groups. With `limit`, they come in pages.';

  it('says how to get fewer groups, and does what it says', async () => {
    const agent = await connect(make());
    const { isError, text, structured } = await agent.call('sales_aggregate', { group: ['city', 'at[day]'] });
    expect([isError, text]).toEqual([
      true,
      `Too many records match (too_many_matches): The answer would have more than 12 groups: narrow the list by filters, or group it by fewer fields.\n${hint}`,
    ]);
    expect(structured).toEqual({ status: 422, code: 'too_many_matches', hint });
    expect((await agent.call('sales_aggregate', { group: ['city', 'at[day]'], id_lt: 's11' })).json.data).toHaveLength(3);
    expect((await agent.call('sales_aggregate', { group: ['at[month]'] })).json.data).toHaveLength(12);
  });

  it('comes in pages, in an order that it names', async () => {
    const agent = await connect(make());
    const first = await agent.call('sales_aggregate', {
      group: ['at[month]'],
      sort: ['-count', 'at[month]'],
      having: 'count > 1',
      limit: 5,
    });
    expect(first.json.data.map(({ group, count }: Any) => [group['at[month]'], count])).toEqual(
      ['01', '02', '03', '04', '05'].map((month) => [`2026-${month}`, 2]),
    );
    const after = first.json.page.next_cursor;
    const second = await agent.call('sales_aggregate', { group: ['at[month]'], sort: ['-count', 'at[month]'], having: 'count > 1', after });
    expect([second.json.data.length, second.json.page.has_next]).toEqual([3, false]);
  });

  it('says how to match fewer records', async () => {
    await database.db.collection<{ _id: string }>('sales').insertOne({ _id: 't0' });
    const agent = await connect(make());
    const { text, structured } = await agent.call('sales_aggregate');
    expect([text, structured.hint]).toEqual([
      `Too many records match (too_many_matches): More than 20 records match: narrow the list by filters.\n${hint}`,
      hint,
    ]);
    expect((await agent.call('sales_aggregate', { id_lt: 't' })).json.data).toEqual([{ count: 20 }]);
    await database.db.collection<{ _id: string }>('sales').deleteOne({ _id: 't0' });
  });

  it('says how to make an answer smaller that is too large to be shown', async () => {
    const agent = await connect(make(), { maxAnswer: 1_000 });
    const { isError, text } = await agent.call('sales_aggregate', { group: ['at[month]', 'city'], id_lt: 's2' });
    expect([isError, text]).toEqual([
      true,
      expect.stringMatching(/would have more than \d+ bytes: .*\nMore filters .* fewer groups\. With `limit`, they come in pages\.$/),
    ]);
  });

  it('names only arguments that the tool has', async () => {
    const agent = await connect(make());
    expect((await agent.call('bare_aggregate', { group: ['city'] })).structured.hint).toBe(
      'Fewer fields in `group` make fewer groups. With `limit`, they come in pages.',
    );
    expect((await agent.call('alone_aggregate')).text).toBe(
      'Too many records match (too_many_matches): More than 12 records match: narrow the list by filters.',
    );
  });
});
