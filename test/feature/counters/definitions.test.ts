import { defineModel, openapiText, openStore, service, t } from '../../../src/index.ts';
import { compileModel } from '../../../src/model/compile/compile-model.ts';
import type { Any } from '../../support/any.ts';
import { useDatabase } from '../../support/database/database.ts';

const database = useDatabase();
const Product = defineModel('Product', {
  collection: 'products',
  fields: {
    id: t.string({ policy: { insert: true } }),
    stock: t.counter({ minimum: 0 }),
    sold: t.counter({ policy: { update: false } }),
    secret: t.counter({ policy: { private: true } }),
  },
});

const pathsOf = (options: object) => {
  const shop = service();
  const api = shop.api({ db: database.db, resources: [shop.resource({ model: Product, ...options } as Any)] } as Any);
  return Object.keys(JSON.parse(openapiText(api)).paths).filter((path) => /stock|sold|secret/.test(path));
};

describe('a resource', () => {
  it.each([
    [{}, ['/products/{id}/stock']],
    [{ ops: ['list', 'get'] }, []],
    [{ ops: ['list', 'get', 'put'] }, []],
    [{ ops: ['get'], counters: ['stock'] }, ['/products/{id}/stock']],
    [{ counters: [] }, []],
    [{ explicitWrites: true }, []],
  ])('with %j serves the steps of %j', (options, paths) => {
    expect(pathsOf(options)).toEqual(paths);
  });

  it.each([
    [{ counters: ['stok'] }, '`counters` of resource `products` names `stok`, which is not a counter of Product; did you mean `stock`?'],
    [{ counters: ['sold'] }, '`counters` of resource `products` names `sold`, but clients may not update `sold` of Product.'],
    [{ counters: 'stock' }, "`counters` of resource `products` must be an array of counters, such as ['stock']"],
    [{ operations: { stock: { method: 'GET', handler: () => 1 } } }, '`operations.stock` of resource `products` has the name of a counter'],
    [
      { operations: { take: { path: '/:id/stock', handler: () => 1 } } },
      '`take` and `stock` of resource `products` are both POST `/:id/stock`',
    ],
    [{ counters: [], guardsFor: { stock: [] } }, '`stock`'],
  ])('refuses %j', (options, message) => {
    expect(() => pathsOf(options)).toThrow(message);
  });

  it('warns if the step lacks a guard that patch has', async () => {
    const warned = new Promise<Error>((resolve) => process.once('warning', resolve));
    pathsOf({ guardsFor: { patch: [() => true] } });
    expect((await warned).message).toContain('a guard for `patch` that does not run for `stock`');
  });
});

describe('a counter', () => {
  it.each([
    [() => t.optional(t.counter()), 'neither optional nor nullable'],
    [() => t.nullable(t.counter()), 'neither optional nor nullable'],
    [() => t.array(t.counter() as Any), 'to the items of an array'],
    [() => t.object('In', { stock: t.counter() }), 'only the record itself has these'],
    [() => ({ type: 'integer', counter: true, multipleOf: 2 }), '`multipleOf` of `value` is not possible'],
    [() => ({ type: 'string', counter: true }), 'must be an integer of its own'],
    [() => ({ type: 'integer', counter: 'yes' }), 'must be true or false'],
    [() => t.ref('Other', { id: t.counter() as Any }), 'must be an integer of its own'],
    [() => t.counter({ immutable: true } as Any), '`immutable` contradicts it'],
    [() => t.counter({ minimum: 1 }), 'The `default` of `value` does not fit'],
    [() => t.counter({ multipleOf: 2 } as Any), '`multipleOf` of `value` is not possible'],
    [() => t.counter({ policy: { private: true, update: true } }), 'would tell its value'],
    [() => t.counter({ policy: { read: 'staff', update: 'clerk' } }), 'callers for whom only clerk holds may step the counter'],
    [() => t.counter({ policy: { read: 'staff', update: true } }), 'would tell its value'],
  ])('is refused: %s', (field, message) => {
    expect(() => compileModel(defineModel('Model', { collection: 'models', fields: { value: field() as Any } }))).toThrow(message);
  });

  it('of hand-written JSON Schema is one, too', () => {
    const { root } = compileModel(
      defineModel('Model', { collection: 'models', fields: { value: { type: 'integer', counter: true } as Any } }),
    );
    expect(root.byName.get('value')?.kind?.keyword).toBe('counter');
  });
});

describe('store.step', () => {
  const store = () => openStore(Product, { db: database.db });

  it('adds to any counter, within its bounds and the scope', async () => {
    await store().create({ id: 'pen', stock: 3 });
    expect(await store().step('pen', 'stock', -2)).toMatchObject({ id: 'pen', stock: 1 });
    expect(await store().step('pen', 'secret', 7)).toMatchObject({ secret: 7 });
    await expect(store().step('pen', 'stock', -2)).rejects.toMatchObject({ status: 422, errors: [{ field: 'stock', rule: 'minimum' }] });
    await expect(store().step('none', 'stock', 1)).rejects.toMatchObject({ status: 404 });
    const scoped = openStore(Product, { db: database.db, scope: { stock: { lt: 2 } } });
    await expect(scoped.step('pen', 'stock', 1)).rejects.toMatchObject({ errors: [{ field: 'stock', rule: 'scope' }] });
  });

  it('refuses what is no step: a mistake of the application', async () => {
    for (const [name, add] of [
      ['id', 1],
      ['stok', 1],
      ['stock', 0],
      ['stock', 1.5],
      ['stock', '1'],
      ['stock', 2 ** 53],
      ['__proto__', 1],
    ])
      await expect(store().step('pen', name as never, add as never)).rejects.toThrow('`step` of a store');
  });

  it('is a part of a transaction, and as one step of many at once loses nothing', async () => {
    const shop: Any = service().api({ db: database.db, resources: [], models: [Product] });
    await shop.store(Product).create({ id: 'ink', stock: 50 });
    await Promise.all(Array.from({ length: 20 }, () => shop.store(Product).step('ink', 'stock', -2)));
    const undone = shop.transaction(async (tx: Any) => {
      await tx.store(Product).step('ink', 'stock', -5);
      throw new Error('undone');
    });
    await expect(undone).rejects.toThrow('undone');
    expect(await shop.store(Product).get('ink')).toMatchObject({ stock: 10 });
  });
});
