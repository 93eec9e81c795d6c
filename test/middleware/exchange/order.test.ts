import { MongoClient } from 'mongodb';
import { describe, expect, it } from 'vitest';
import {
  affected,
  beforeHooks,
  ConfigurationError,
  checkCreate,
  checkPatch,
  cursorPaging,
  defineModel,
  filterQuery,
  findPage,
  findRecord,
  handler,
  insert,
  jsonBody,
  listQuery,
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
const own = async (_ctx: unknown, next: () => Promise<unknown>) => {
  await next();
};

describe('a chain', () => {
  it.each([
    ['a create', [jsonBody(), checkCreate(Order), beforeHooks(Order, [() => {}]), insert(Order, { db }), record({ created: true })]],
    ['a list', [listQuery(Order, cursorPaging()), findPage(Order, { db }), page()]],
    ['a delete that answers with its record', [remove(Order, { db }), record()]],
    ['a handler that saves', [handler(() => {}), record()]],
    ['a write in a transaction', [checkPatch(Order), withinTransaction(update(Order, { db }), [() => {}], { db }), record()]],
    ['one in which a middleware of the application may fill any slot', [own, update(Order, { db }), own, page()]],
  ])('may be %s', (_what, chain) => {
    expect(() => checkOrder(chain as never, 'It')).not.toThrow();
  });

  it.each([
    ['`insert` needs `checkCreate`', [jsonBody(), insert(Order, { db }), checkCreate(Order)]],
    ['`update` needs `checkPatch`', [checkCreate(Order), update(Order, { db })]],
    ['`withinTransaction` needs `checkPatch`', [withinTransaction(update(Order, { db }), [() => {}], { db }), checkPatch(Order)]],
    ['`findPage` needs `listQuery`', [findPage(Order, { db }), listQuery(Order, cursorPaging())]],
    ['`page` needs `findPage`', [listQuery(Order, cursorPaging()), page()]],
    ['`record` needs `findRecord`', [record(), findRecord(Order, { db })]],
    ['`updateMany` needs `filterQuery`', [checkPatch(Order), updateMany(Order, { db })]],
    ['`affected` needs `updateMany`', [filterQuery(Order), affected(), updateMany(Order, { db })]],
  ])('is refused when it is made: %s', (message, chain) => {
    expect(() => checkOrder(chain, 'It')).toThrow(new ConfigurationError(`It: ${message} before it in the chain.`));
  });

  it('needs as one what its parts do not give each other', () => {
    expect(passesOf([checkPatch(Order), updateMany(Order, { db })])).toEqual({ needs: ['filterQuery'], leaves: ['changes', 'affected'] });
  });
});

describe('`use` of a custom operation', () => {
  const shop = service();
  const define = (use: never[]) =>
    shop.resource({ model: Order, ops: ['list'], operations: { ship: { method: 'POST', path: '/ship', use } } });

  it('is refused if its middlewares stand in the wrong order', () => {
    expect(() => shop.api({ db, resources: [define([update(Order, { db }), checkPatch(Order)] as never[])] })).toThrow(
      /`use` of .*ship.*: `update` needs `checkPatch` before it in the chain\./,
    );
  });
});
