import { applyIndexes, defineModel, service, t } from '../../../src/index.ts';
import type { Any } from '../../support/any.ts';
import { useDatabase } from '../../support/database/database.ts';
import { expectSoft } from '../../support/expect.ts';
import { useServer } from '../../support/http/serve.ts';

const sides = ['plain', 'stored'] as const;
/** Objects within objects, whose keys are the names of one another, and the same without keys of their own. */
const define = (side: 'plain' | 'stored') => {
  const as = (stored: string) => (side === 'stored' ? { stored } : {}) as { readonly stored: string };
  const cents = (side === 'stored' ? { storedAs: 'int', scale: 2 } : {}) as Any;
  const Deep = t.object(
    'Deep',
    {
      low: t.int({ ...as('high'), default: 0 }),
      high: t.int({ ...as('low'), default: 10 }),
      locked: t.int({ ...as('deep'), default: 5, policy: { insert: true, update: false } }),
      hidden: t.nullable(t.int({ ...as('mid'), policy: { private: true, insert: true } })),
      sum: t.computed(t.int(), { from: ['low', 'high'], get: ({ low, high }: Any) => low + high }),
    },
    {
      check: ({ low, high, locked, hidden }: Any) =>
        low > high || low > locked || low === hidden ? [{ field: 'low', message: 'too high' }] : undefined,
    },
  );
  const Mid = t.object('Mid', {
    deep: t.nullable({ ...Deep, ...as('hidden') } as typeof Deep),
    name: t.optional(t.string(as('n'))),
    cost: t.decimal({ ...as('c'), ...cents, default: '1.00' }),
  });
  const Item = defineModel('Item', {
    collection: `${side}_items`,
    fields: {
      id: t.string({ policy: { insert: true, filter: true } }),
      mid: t.nullable({ ...Mid, ...as('top') } as typeof Mid),
      top: t.int({ ...as('mid'), default: 1, policy: { filter: true } }),
      owner: t.string({ ...as('besitzer'), default: 'me', policy: { update: false, insert: true, filter: true } }),
      up: t.nullable(t.ref('Item', { ...as('owner'), id: t.string(), as: 'parent' })),
      swap: t.nullable(t.ref('Item', { ...as('up'), id: t.string() })),
      map: t.map(
        t.object('MapItem', {
          a: t.int({ ...as('b'), default: 1 }),
          b: t.int({ ...as('a'), default: 2 }),
          c: t.computed(t.int(), { from: ['a'], get: ({ a }: Any) => a * 2 }),
        }),
        { ...as('karte'), default: {} },
      ),
    },
    check: ({ top, mid, owner }: Any) =>
      top > 100 || (mid?.deep?.low ?? 0) > top * 10 || owner === `${top}` ? [{ field: 'top', message: 'no' }] : undefined,
  });
  return Item;
};
const database = useDatabase();
const serve = useServer();
const servers: Any = {};
beforeAll(async () => {
  for (const side of sides) {
    const shop = service<Any>() as Any;
    const model = define(side) as Any;
    const api = shop.api({
      db: database.db,
      resources: [
        shop.resource({
          model,
          path: 'items',
          ops: ['list', 'get', 'create', 'patch', 'put', 'delete'],
          include: ['parent', 'swap'],
          fields: true,
          scope: () => ({ owner: { ne: 'other' } }),
          before: {
            change: [
              (ctx: Any, draft: Any) => {
                if (ctx.get('x-hook')) {
                  draft.top = 7;
                  if (draft.mid?.deep) draft.mid.deep.high = 77;
                  if (draft.map?.x) draft.map.x.a = 3;
                }
              },
            ],
          },
          operations: {
            edit: {
              method: 'POST',
              summary: 'Edit',
              answer: 'record',
              async handler(ctx: Any) {
                const item = await ctx.load();
                const how = ctx.get('x-how');
                if (how === 'deep' && item.mid) {
                  if (item.mid.deep) item.mid.deep.low = 3;
                  item.mid.name = 'saved';
                }
                if (how === 'drop' && item.mid) {
                  delete item.mid.name;
                  item.mid.deep = null;
                }
                if (how === 'bad' && item.mid?.deep) item.mid.deep.low = 999;
                if (how === 'map') item.map['q.r'] = { a: 5, b: 6 };
                if (how === 'cost' && item.mid) item.mid.cost = 'x';
                if (how === 'race')
                  await database.db
                    .collection(`${side}_items`)
                    .updateOne(
                      { _id: item.id },
                      side === 'stored' ? { $set: { 'top.hidden.low': 11, mid: 50 } } : { $set: { 'mid.deep.high': 11, top: 50 } },
                    );
                if (how === 'race' && item.mid?.deep) item.mid.deep.low = 4;
                return ctx.save(item);
              },
            },
          },
        }),
      ],
    });
    await applyIndexes(api);
    servers[side] = await serve(api.routes());
  }
});
beforeEach(async () => {
  for (const side of sides) await database.db.collection(`${side}_items`).deleteMany({});
});
afterEach(() => {
  const told = sides.map((side) => servers[side].errors.splice(0).map(({ message }: Any) => message));
  expect(told).toEqual([[], []]);
});
async function send(method: string, path: string, body?: unknown, headers: Any = {}) {
  const [plain, stored] = await Promise.all(
    sides.map((side) => servers[side].request(method, path, { ...(body === undefined ? {} : { body }), headers })),
  );
  const seen = ({ status, text, headers: h }: Any) => ({ status, text, etag: h.etag });
  expectSoft(seen(stored), `${method} ${path} ${JSON.stringify(body)} ${JSON.stringify(headers)}`).toEqual(seen(plain));
}
it('objects whose keys are the names of one another answer hooks, saves, races and checks as those without', async () => {
  const all: Any = [
    {
      id: 'a',
      mid: { deep: { low: 1, high: 9, locked: 6, hidden: 2 }, name: 'n', cost: '3.50' },
      up: 'b',
      swap: 'b',
      map: { x: { a: 1 } },
    },
    { id: 'b', mid: { name: 'x' }, up: 'a' },
    { id: 'c' },
    { id: 'd', mid: { deep: { low: 7 } } },
    { id: 'e', owner: 'other' },
    { id: 'f', top: 101 },
  ];
  for (const one of all) await send('POST', '/items', one);
  for (const f of [
    'parent.mid',
    'id,parent.mid.deep.sum',
    'mid.deep.sum,parent.mid.cost',
    'map',
    'swap',
    'swap.top',
    'mid.deep',
    'top,up',
    'parent.top,swap.mid.deep.sum',
  ])
    for (const i of ['parent', 'swap', 'parent,swap', 'parent.parent', '']) {
      await send('GET', `/items/a?fields=${f}&include=${i}`);
      await send('GET', `/items?fields=${f}${i && `&include=${i}`}`);
    }
  for (const id of ['a', 'b', 'c'])
    for (const hook of [{}, { 'x-hook': 'y' }])
      for (const body of [
        { mid: { deep: { low: 4 } } },
        { mid: { deep: { low: 50, high: 60 } } },
        { mid: { deep: { low: 2 } } },
        { mid: { deep: { sum: 2 } } },
        { mid: { deep: { locked: 2 } } },
        { mid: { deep: null } },
        { mid: { name: null } },
        { mid: { cost: '2.25' } },
        { top: 3, map: { x: { b: 3 } } },
        { map: { x: { a: 'x' } } },
        { mid: null },
        { mid: { deep: { low: 1, high: 4 }, cost: '1.00' } },
        { mid: { deep: { low: 1, high: 'x' } } },
      ]) {
        await send('PATCH', `/items/${id}`, body, { 'content-type': 'application/merge-patch+json', ...hook });
        await send('PUT', `/items/${id}`, body, hook);
        for (const how of ['race', 'deep', 'bad', 'map', 'cost', ...(body.top ? ['drop'] : [])])
          await send('POST', `/items/${id}/edit`, undefined, { 'x-how': how });
        await send('GET', `/items/${id}`);
      }
});
