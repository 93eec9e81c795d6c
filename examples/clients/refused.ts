import type { Client } from 'openapi-fetch';
import type { Change, NewOrder } from './orders.ts';
import type { paths } from './shop.d.ts';

const order = { number: 'A-1', total: '12.50', customerId: '65f1a2b3c4d5e6f708192a3b' };
export const accepted: NewOrder = order;
// @ts-expect-error a misspelt field
export const misspelt: NewOrder = { ...order, shipTOO: null };
// @ts-expect-error a field that the service sets, and no client may
export const forbidden: NewOrder = { ...order, owner: 'eve' };
// @ts-expect-error a field that is missing
export const incomplete: NewOrder = { number: 'A-1', total: '12.50' };

// @ts-expect-error a field that a change may not touch
export const fixed: Change = { number: 'A-2' };

export async function refused(client: Client<paths>): Promise<void> {
  // @ts-expect-error a value that is none of the enum
  await client.PATCH('/api/orders/{id}', { params: { path: { id: 'x' } }, body: { status: 'lost' } });
  // @ts-expect-error an operator that the field does not have
  await client.GET('/api/orders', { params: { query: { 'total[prefix]': '1' } } });
  // @ts-expect-error a sort by a field that is not sortable
  await client.GET('/api/orders', { params: { query: { sort: ['owner'] } } });
  // @ts-expect-error a change of a customer without If-Match, which is 428
  await client.PATCH('/api/customers/{id}', { params: { path: { id: 'x' } }, body: { name: 'Ann' } });
  // @ts-expect-error a method that the path does not have
  await client.PUT('/api/customers/{id}', { params: { path: { id: 'x' } }, body: { name: 'Ann' } });
}
