import { Decimal128, Double, Int32, Long } from 'mongodb';
import { defineModel, t } from '../../src/index.ts';
import type { Any } from '../support/any.ts';
import { useDatabase } from '../support/database/database.ts';
import { useApi } from '../support/http/api.ts';

const ids: Readonly<Record<string, () => Any>> = {
  int: () => t.int({ policy: { insert: true } }),
  int64: () => t.int64({ policy: { insert: true } }),
  float: () => t.float({ policy: { insert: true } }),
};
const models = Object.entries(ids).map(([name, id]) =>
  defineModel(`Of-${name}`, { collection: `of-${name}`, fields: { id: id(), text: t.string({ default: 'd' }) } } as Any),
);

const database = useDatabase();
const api = useApi<string>(
  database,
  (shop) =>
    models.map((model: Any) =>
      shop.resource({
        model,
        operations: {
          read: { method: 'POST', path: '/:id/read', handler: async (ctx: Any) => ({ text: (await ctx.load()).text }) },
          make: {
            method: 'POST',
            path: '/make',
            handler: async (ctx: Any) => ctx.store(model).create({ id: model.name === 'Of-int64' ? 6n : 6 }),
          },
        },
      } as Any),
    ),
  { idempotency: { principal: () => 'ann' } },
);
let key = 0;

async function sendTwice(path: string, body?: object): Promise<Any[]> {
  const headers = { 'idempotency-key': `k${key++}` };
  const first = await api.request('POST', path, { ...(body && { body }), headers });
  const again = await api.request('POST', path, { ...(body && { body }), headers });
  return [first, again].map(({ status, text }) => [status, text]);
}

const stored: readonly (readonly [string, unknown])[] = [
  ['int', new Int32(5)],
  ['long', Long.fromNumber(5)],
  ['double', new Double(5)],
  ['decimal', Decimal128.fromString('5')],
];

describe.each(Object.keys(ids))('the repeated request with a key, of a model whose ids are of the type %s', (name) => {
  const records = () => database.db.collection<{ _id: unknown; text: string }>(`of-${name}`);
  beforeEach(() => records().deleteMany({}));

  it.each(stored)('has the answer of an operation on a record whose id is stored as %s', async (_type, id) => {
    await records().insertOne({ _id: id, text: 'x' });
    const [first, again] = await sendTwice(`/api/of-${name}/5/read`);
    expect(first[0]).toBe(200);
    expect(again).toEqual(first);
  });

  it('has the answer of a create, and of an operation that creates by a store', async () => {
    for (const [path, body] of [['', { id: 5 }], ['/make']] as const) {
      const [first, again] = await sendTwice(`/api/of-${name}${path}`, body);
      expect([api.errors.map(String), first[0] < 300]).toEqual([[], true]);
      expect(again).toEqual(first);
    }
  });
});
