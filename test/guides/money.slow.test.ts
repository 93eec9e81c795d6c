import { applyIndexes, defineModel, service } from 'koa-mongo-resource';
import type { Any } from '../support/any.ts';
import { useDatabase } from '../support/database/database.ts';
import { type TestServer, useServer } from '../support/http/serve.ts';
import { exchangesOf, Player } from './parts/exchanges.ts';
import { useWritePage, type WrittenPage } from './parts/write-page.ts';

const writePage = useWritePage();
const page = 'docs/guides/money.md';
const database = useDatabase();
const serve = useServer();

let written: WrittenPage;
let money: Any;
let shop: TestServer;
beforeAll(async () => {
  written = await writePage(page);
  money = await written.load('money.ts');
  const api = (await written.load('api.ts')).createShop(database.db);
  await applyIndexes(api);
  shop = await serve(api.routes());
});

async function createProduct(amount: string, currency = 'EUR'): Promise<string> {
  const { status, body } = await shop.request('POST', '/api/products', { body: { name: 'Lamp', price: { amount, currency } } });
  expect(status).toBe(201);
  return body.data.id;
}
const order = (body: object) => shop.request('POST', '/api/orders', { body });

describe('the guide on money', () => {
  it('is answered as it shows', async () => {
    await new Player(shop.port).playAll(exchangesOf(page));
    const listed = await shop.request('GET', '/api/orders?total.currency=EUR&total.amount[gte]=5&sort=-total.amount');
    expect([listed.status, listed.body.data.length]).toEqual([200, 1]);
    const keys = (await database.db.collection('orders').indexes()).map(({ key }) => key);
    expect(keys).toContainEqual({ 'total.currency': 1, 'total.amount': 1, _id: 1 });
  });

  it('pays back no more than was paid when many refunds come at once, and exactly that', async () => {
    const { body } = await order({ lines: [{ product: await createProduct('1.10'), quantity: 7 }] });
    expect(body.data.total).toEqual({ amount: '7.70', currency: 'EUR' });
    const refund = () => shop.request('POST', `/api/orders/${body.data.id}/refund`, { body: { amount: '1.1', currency: 'EUR' } });
    const statuses = (await Promise.all(Array.from({ length: 20 }, refund))).map(({ status }) => status);
    expect([statuses.filter((status) => status === 200).length, statuses.filter((status) => status === 409).length]).toEqual([7, 13]);
    expect((await shop.request('GET', `/api/orders/${body.data.id}`)).body.data.refunded.amount).toBe('7.70');
  });

  it('takes prices from the products alone, each order in one currency', async () => {
    const [euro, yen] = [await createProduct('0.10'), await createProduct('30', 'JPY')];
    const own = await order({ lines: [{ product: euro, quantity: 1, price: { amount: '0.01', currency: 'EUR' } }] });
    expect([own.status, own.body.errors[0].field]).toEqual([422, 'lines.0.price']);
    const mixed = await order({ lines: [euro, yen].map((product) => ({ product, quantity: 1 })) });
    expect([mixed.status, mixed.body.errors[0].rule]).toEqual([422, 'check']);
    const unknown = await order({ lines: [{ product: '6b01b4bf4ace1bf9239ebeed', quantity: 1 }] });
    expect([unknown.status, unknown.body.errors[0].field]).toEqual([422, 'lines.0.product']);
    const reduced = await order({ lines: [{ product: yen, quantity: 1 }], coupon: 'STAFF' });
    expect([reduced.body.data.discount, reduced.body.data.total]).toEqual(['30', { amount: '21', currency: 'JPY' }]);
  });

  it.each([
    ['discount', { discount: '100' }],
    ['total', { total: { amount: '0', currency: 'EUR' } }],
    ['refunded', { refunded: { amount: '0', currency: 'EUR' } }],
    ['coupon', { coupon: 'FREE' }],
  ])('lets no client say what it pays: `%s`', async (field, own) => {
    const answer = await order({ lines: [{ product: await createProduct('5'), quantity: 1 }], ...own });
    expect([answer.status, answer.body.errors.map((error: { field: string }) => error.field)]).toEqual([422, [field]]);
  });

  it('adds up tenths without an error, and answers extreme amounts without a 500', async () => {
    const tenth = await createProduct('0.10');
    const many = await order({ lines: Array.from({ length: 3 }, () => ({ product: tenth, quantity: 1 })) });
    expect(many.body.data.total.amount).toBe('0.30');
    for (const amount of ['1E+6000', '1E-6000', '1000000000.01', '-1', 'NaN', '-0']) {
      const { status } = await shop.request('POST', '/api/products', { body: { name: 'x', price: { amount, currency: 'EUR' } } });
      expect([amount, status]).toEqual([amount, amount === '-0' ? 201 : 422]);
    }
    const dear = await createProduct('1000000000');
    expect((await order({ lines: [{ product: dear, quantity: 1_000 }] })).status).toBe(422);
    expect(shop.errors).toEqual([]);
  });

  it('rounds halves to the even unit, and divides without losing one', async () => {
    const { Exact } = money;
    const rounded = ['0.125', '0.135', '0.1251'].map((amount) => String(money.toMoney(new Exact(amount), 'EUR').amount));
    expect(rounded).toEqual(['0.12', '0.14', '0.13']);
    const divide = (amount: string, weights: bigint[], currency = 'EUR') =>
      money.allocate(money.toMoney(new Exact(amount), currency), weights).map((part: { amount: unknown }) => String(part.amount));
    expect(divide('10.00', [1n, 1n, 1n])).toEqual(['3.34', '3.33', '3.33']);
    expect(divide('0.05', [3n, 7n])).toEqual(['0.02', '0.03']);
    expect(divide('100', [1n, 1n, 1n], 'JPY')).toEqual(['34', '33', '33']);
    expect(() => new Exact(0.1)).toThrow();
  });

  it('keeps cents as integers, and serves the same amounts', async () => {
    const { Cents } = await written.load('cents.ts');
    const Fee = defineModel('Fee', { collection: 'fees', fields: { price: Cents } });
    const app = service();
    const fees = await serve(app.api({ db: database.db, resources: [app.resource({ model: Fee })] }).routes());
    const create = (amount: string) => fees.request('POST', '/fees', { body: { price: { amount, currency: 'EUR' } } });
    expect((await create('12.5')).body.data.price).toEqual({ amount: '12.50', currency: 'EUR' });
    expect((await create('12.505')).body.errors[0].rule).toBe('precision');
    expect((await database.db.collection('fees').findOne())?.price.amount).toBe(1_250);
  });
});
