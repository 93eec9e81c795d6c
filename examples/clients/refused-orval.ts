import { createOrder, listOrders, type OrderCreate, patchCustomer, patchOrder } from './orval/shop';

const order: OrderCreate = { number: 'A-1', total: '12.50', customerId: '65f1a2b3c4d5e6f708192a3b' };
export const calls = [
  () => createOrder(order),
  // @ts-expect-error a field that no client sets
  () => createOrder({ ...order, owner: 'eve' }),
  // @ts-expect-error a field that is missing
  () => createOrder({ number: 'A-1', total: '1' }),
  // @ts-expect-error a field that is fixed
  () => patchOrder('x', { number: 'A-2' }),
  // @ts-expect-error an operator that the field does not have
  () => listOrders({ 'total[prefix]': '1' }),
  // @ts-expect-error a field that lists are not sorted by
  () => listOrders({ sort: ['owner'] }),
  // @ts-expect-error a change of a customer without If-Match
  () => patchCustomer('x', { name: 'Ann' }),
];
