import { createOrder, listOrders, type OrderCreate, patchCustomer, patchOrder } from './hey-api';

const order: OrderCreate = { number: 'A-1', total: '12.50', customerId: '65f1a2b3c4d5e6f708192a3b' };
export const calls = [
  () => createOrder({ body: order }),
  // @ts-expect-error a field that no client sets
  () => createOrder({ body: { ...order, owner: 'eve' } }),
  // @ts-expect-error a field that is missing
  () => createOrder({ body: { number: 'A-1', total: '1' } }),
  // @ts-expect-error a field that is fixed
  () => patchOrder({ path: { id: 'x' }, body: { number: 'A-2' } }),
  // @ts-expect-error an operator that the field does not have
  () => listOrders({ query: { 'total[prefix]': '1' } }),
  // @ts-expect-error a field that lists are not sorted by
  () => listOrders({ query: { sort: ['owner'] } }),
  // @ts-expect-error a change of a customer without If-Match
  () => patchCustomer({ path: { id: 'x' }, body: { name: 'Ann' } }),
];
