import { applyIndexes, service } from 'koa-mongo-resource';
import { type Document, ObjectId } from 'mongodb';
import { draftModel } from '../../src/products/cli/draft/draft-model.ts';
import { useDatabase } from '../support/database/database.ts';
import { blocksOf } from '../support/docs/pages.ts';
import { send, useServer } from '../support/http/serve.ts';
import { useWritePage } from './parts/write-page.ts';

const writePage = useWritePage();
const page = 'docs/guides/existing-collections.md';
const database = useDatabase();
const serve = useServer();

describe('the guide on existing collections', () => {
  it('finds what it shows, serves it before and after the clean-up, and writes', async () => {
    const written = await writePage(page);
    const { legacy } = await written.load('legacy.ts');
    const products = database.db.collection('products');
    await products.insertMany(legacy);
    const { default: createApi, Product } = await written.load('api.ts');
    const api = createApi(database.db);
    const { port, errors } = await serve(api.routes());

    const { findMisfits } = await written.load('find-misfits.ts');
    const [shown] = blocksOf(page).filter(({ language }) => language === 'text');
    expect(await findMisfits(database.db)).toEqual(shown?.code.trim().split('\n'));
    const list = async () => (await send(port, 'GET', '/api/products')).body.data;
    expect((await list()).map(({ price }: { price: unknown }) => price)).toEqual(['12.50', expect.anything(), '7.00', expect.anything()]);
    expect((await list())[0]).toEqual({
      id: '6b01b4bf4ace1bf9239ebee1',
      sku: 'A-1',
      price: '12.50',
      status: 'active',
      tags: [],
      createdAt: null,
      revision: 0,
    });

    await expect(applyIndexes(api)).rejects.toThrow(/have the same values/);
    const { cleanUp } = await written.load('clean-up.ts');
    await cleanUp(database.db);
    await cleanUp(database.db);
    expect(await findMisfits(database.db)).toEqual(['3: __v is not a field']);
    expect((await list()).map(({ revision }: { revision: number }) => revision)).toEqual([0, 0, 2, 1]);

    const store = api.store(Product);
    await store.update('6b01b4bf4ace1bf9239ebee1', { tags: ['old'] }, { ifMatch: 0 });
    expect(await products.findOne({ sku: 'A-1', __v: 0 })).toMatchObject({ tags: ['old'], revision: 1, __v: 0 });
    expect(errors).toEqual([]);
  });

  it('moves ids that have no path, and what refers to them, also when it is run again', async () => {
    const written = await writePage(page);
    const { moveIds } = await written.load('move-ids.ts');
    const [products, orders] = [database.db.collection<{ _id: unknown }>('products'), database.db.collection('orders')];
    await products.deleteMany({});
    await products.createIndex({ sku: 1 }, { unique: true, name: 'sku' });
    const kept = { _id: new ObjectId(), sku: 'kept' };
    await products.insertMany([kept, { _id: 399, sku: 'a' }, { _id: '399', sku: 'b' }, { _id: { shop: 1, no: 2 }, sku: 'c' }] as never[]);
    await orders.insertMany([{ productId: 399 }, { productId: { shop: 1, no: 2 } }, { productId: kept._id }]);
    await moveIds(database.db);
    await moveIds(database.db);
    const found = await products.find().sort({ sku: 1 }).toArray();
    expect(found.map(({ _id, ...record }) => [(_id as unknown) instanceof ObjectId, record])).toEqual(
      ['a', 'b', 'c', 'kept'].map((sku) => [true, { sku }]),
    );
    const [a, , c] = found.map(({ _id }) => _id);
    expect((await orders.find().toArray()).map(({ productId }) => productId)).toEqual([a, c, kept._id]);
  });

  it('drafts the model that it shows, and serves the collection under other names', async () => {
    const written = await writePage(page);
    const { customers } = await written.load('customers.ts');
    const collection = database.db.collection('customers');
    await collection.insertMany(customers);
    const text = await draftModel(database.db, { collection: 'customers', sample: 1_000, showsValues: true });
    expect(text).toBe(blocksOf(page).find(({ file }) => file === 'draft.ts')?.code);

    const { Customer } = await written.load('customer.ts');
    const shop = service<never>();
    const api = shop.api({ db: database.db, prefix: '/api', resources: [shop.resource({ model: Customer })] });
    const { port, errors } = await serve(api.routes());
    const { body } = await send(port, 'GET', '/api/customers?isActive=false&sort=-createdAt');
    expect(body.data[0]).toEqual({
      id: '00000000000000000000000a',
      number: 'C-10',
      name: 'Name 10',
      isActive: false,
      createdAt: '2011-03-23T07:06:40.000Z',
      lastLogin: '2011-03-13T07:06:50.000Z',
      limit: '12.50',
      agent: '6b01b4bf4ace1bf9239ebee1',
      rank: 10,
      address: { zip: '89073', city: 'Ulm' },
    });
    const before = (await collection.findOne({ cust_no: 'C-10' })) as Document;
    expect((await send(port, 'PATCH', `/api/customers/${body.data[0].id}`, { body: { isActive: true } })).status).toBe(200);
    expect(await collection.findOne({ cust_no: 'C-10' })).toEqual({ ...before, is_active: 1 });
    expect(errors).toEqual([]);
  });
});
