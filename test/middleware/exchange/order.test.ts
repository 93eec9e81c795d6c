import { MongoClient } from 'mongodb';
import {
  affected,
  beforeHooks,
  ConfigurationError,
  checkCreate,
  checkPatch,
  checkPut,
  cursorPaging,
  defineModel,
  filterQuery,
  findPage,
  findRecord,
  handler,
  insert,
  jsonBody,
  listQuery,
  live,
  liveRead,
  page,
  record,
  remove,
  service,
  t,
  update,
  updateMany,
  withinTransaction,
} from '../../../src/index.ts';
import { checkOrder, passesOf } from '../../../src/middleware/exchange/order.ts';

const Order = defineModel('Order', { collection: 'orders', fields: { id: t.string(), number: t.string() } });
const db = new MongoClient('mongodb://127.0.0.1').db('shop'); // no chain of this file runs
const logged = withinTransaction(update(Order, { db }), [() => {}], { db });
const own = async (_ctx: unknown, next: () => Promise<unknown>) => {
  await next();
};

describe('a chain', () => {
  it.each([
    ['a create', [jsonBody(), checkCreate(Order), beforeHooks(Order, [() => {}]), insert(Order, { db }), record({ created: true })]],
    ['a list', [listQuery(Order, cursorPaging()), findPage(Order, { db }), page()]],
    ['a delete that answers with its record', [remove(Order, { db }), record()]],
    ['a handler that saves', [handler(() => {}), record()]],
    ['a write in a transaction', [checkPatch(Order), logged, record()]],
    ['one in which a middleware of the application may fill any slot', [own, update(Order, { db }), own, page()]],
  ])('may be %s', (_what, chain) => {
    expect(() => checkOrder(chain as never, 'It')).not.toThrow();
  });

  it.each([
    ['`checkCreate` must come before `insert`, which needs its result.', [jsonBody(), insert(Order, { db }), checkCreate(Order)]],
    ['`checkPut` must come before `update`, which needs its result.', [update(Order, { db }), own, checkPut(Order)]],
    ['`checkPatch` must come before `withinTransaction`, which needs its result.', [logged, checkPatch(Order)]],
    ['`listQuery` must come before `findPage`, which needs its result.', [findPage(Order, { db }), listQuery(Order, cursorPaging())]],
    ['`findRecord` must come before `record`, which needs its result.', [record(), findRecord(Order, { db })]],
    ['`updateMany` must come before `affected`, which needs its result.', [filterQuery(Order), affected(), updateMany(Order, { db })]],
    ['`update` needs `checkPatch` before it in the chain.', [checkCreate(Order), update(Order, { db })]],
    ['`page` needs `findPage` before it in the chain.', [listQuery(Order, cursorPaging()), page()]],
    ['`updateMany` needs `filterQuery` before it in the chain.', [checkPatch(Order), updateMany(Order, { db })]],
  ])('is refused when it is made, with both names: %s', (message, chain) => {
    expect(() => checkOrder(chain as never, 'It')).toThrow(new ConfigurationError(`It: ${message}`));
  });

  it('is refused by `live` as well', () => {
    const read = liveRead(Order, [findPage(Order, { db })]);
    const query = listQuery(Order, cursorPaging(), { isLive: true });
    expect(() => live([read, query], { db })).toThrow(
      new ConfigurationError('The chain of `live`: `listQuery` must come before `liveRead`, which needs its result.'),
    );
    expect(() => live([query, read], { db })).not.toThrow();
  });

  it('needs as one what its parts do not give each other', () => {
    expect(passesOf([checkPatch(Order), updateMany(Order, { db })])).toEqual({ needs: ['filterQuery'], leaves: ['changes', 'affected'] });
  });

  it('needs as one nothing that a middleware of the application may have left', () => {
    expect(passesOf([checkPatch(Order), own, page()])).toEqual({ needs: [], leaves: ['changes'] });
  });
});

describe('`use` of a custom operation', () => {
  const shop = service();
  const define = (use: never[]) =>
    shop.resource({ model: Order, ops: ['list'], operations: { ship: { method: 'POST', path: '/ship', use } } });

  it('is refused if its middlewares stand in the wrong order', () => {
    expect(() => shop.api({ db, resources: [define([update(Order, { db }), checkPatch(Order)] as never[])] })).toThrow(
      /`use` of .*ship.*: `checkPatch` must come before `update`, which needs its result\./,
    );
  });
});
