import fc from 'fast-check';
import { defineModel, service, t } from '../../../src/index.ts';
import type { Any } from '../../support/any.ts';
import { useDatabase } from '../../support/database/database.ts';
import { cases } from '../../support/fuzzing/fuzz.ts';

const database = useDatabase();
const Product = defineModel('Product', {
  collection: 'products',
  fields: { id: t.string({ policy: { insert: true } }), stock: t.counter({ minimum: 0, maximum: 20 }), revision: t.revision() },
});
const shop = service();
const adds = fc.array(
  fc.integer({ min: -12, max: 12 }).filter((add) => add !== 0),
  { maxLength: 12 },
);

it('steps are exact one after the other, and at the same time count what has succeeded and never leave their bounds', async () => {
  const api = shop.api({ db: database.db, resources: [shop.resource({ model: Product })] });
  const send = async (method: string, path: string, body?: unknown): Promise<Any> => {
    const init = { method, headers: { 'content-type': 'application/json' }, body: body === undefined ? null : JSON.stringify(body) };
    const answer = await api.fetch(new Request(`http://api${path}`, init));
    return { status: answer.status, ...((await answer.json()) as object) };
  };
  const step = (add: number) => send('POST', '/products/a/stock', { add });

  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 0, max: 20 }), adds, adds, async (begun, oneByOne, atOnce) => {
      await database.db.collection('products').deleteMany({});
      await send('POST', '/products', { id: 'a', stock: begun });
      let [stock, revision] = [begun, 0];
      for (const add of oneByOne) {
        const { status, data, errors } = await step(add);
        const next = stock + add;
        if (next >= 0 && next <= 20) {
          [stock, revision] = [next, revision + 1];
          expect([status, data]).toEqual([200, { id: 'a', stock, revision }]);
        } else {
          const rule = next < 0 ? 'minimum' : 'maximum';
          expect([status, errors.map(({ field, rule: broken }: Any) => [field, broken])]).toEqual([422, [['stock', rule]]]);
        }
      }
      const answers = await Promise.all(atOnce.map(step));
      const done = atOnce.filter((_, index) => answers[index].status === 200);
      expect(answers.every(({ status }) => status === 200 || status === 422)).toBe(true);
      for (const { data } of answers) if (data) expect(data.stock >= 0 && data.stock <= 20).toBe(true);
      const after = (await send('GET', '/products/a')).data;
      expect(after).toEqual({ id: 'a', stock: done.reduce((sum, add) => sum + add, stock), revision: revision + done.length });
    }),
    cases(20),
  );
});
