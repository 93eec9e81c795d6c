import { defineModel, t } from '../../src/index.ts';
import type { Any } from '../support/any.ts';
import { useDatabase } from '../support/database/database.ts';
import { useApi } from '../support/http/api.ts';

const grouped = { policy: { group: true } } as const;
const counted = { policy: { aggregate: ['countDistinct'] } } as const;
const Sale = defineModel('Sale', {
  collection: 'sales',
  fields: {
    id: t.string(),
    city: t.string(grouped),
    zip: t.string({ policy: { group: true, aggregate: ['countDistinct'] } }),
    street: t.optional(t.string(counted)),
  },
});

const database = useDatabase();
const api = useApi(database, (shop) => [shop.resource({ model: Sale, ops: ['list'], aggregate: { maxGroups: 100_000 } })]);

it('is 422 if the database lacks the memory, or the groups have more than 16 MiB', async () => {
  const sales = database.db.collection<Any>('sales');
  const text = (index: number) => String(index).padEnd(2_000, 'x');
  const rows = (from: number, to: number) =>
    Array.from({ length: to - from }, (_, index) => ({
      _id: `l${from + index}`,
      city: text(from + index),
      zip: text(from + index),
      street: text(from + index),
    }));
  for (let from = 0; from < 30_000; from += 3_000) await sales.insertMany(rows(from, from + 3_000));
  const memory = await api.request('GET', '/api/sales/aggregate?group=city,zip');
  expect([memory.status, memory.body.code, memory.body.detail]).toEqual([
    422,
    'too_many_matches',
    expect.stringContaining('more memory than the database gives them'),
  ]);
  const isRefused = async (query: string) => {
    const { status, body } = await api.request('GET', `/api/sales/aggregate?${query}`);
    expect([query, status, body.detail]).toEqual([query, 422, memory.body.detail]);
  };
  expect((await api.request('GET', '/api/sales/aggregate?countDistinct=street')).body.data).toEqual([
    { countDistinct: { street: 30_000 } },
  ]);
  await isRefused('countDistinct=street,zip');
  await isRefused('group=city&countDistinct=street&limit=5');
  const statuses = new Set<number>();
  for (let left = 25_000; left >= 21_000; left -= 250) {
    await sales.deleteMany({ _id: { $in: Array.from({ length: 5_000 }, (_, index) => `l${left + index}`) } });
    statuses.add((await api.request('GET', '/api/sales/aggregate?group=city,zip&limit=5')).status);
  }
  expect(statuses).toEqual(new Set([422, 200])); // also where the groups have room, but not all of them a second time
  await sales.deleteMany({ _id: /[02468]$/ });
  const reply = await api.request('GET', '/api/sales/aggregate?group=city');
  expect([reply.status, reply.body.detail]).toEqual([422, expect.stringContaining('more than 16 MiB')]);
});
