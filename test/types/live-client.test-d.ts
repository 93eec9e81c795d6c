import { type LiveList, type LiveRecord, type LiveState, type LiveStateOf, live } from '../../src/products/client/live.ts';
import { assert, type Equal } from './equal.ts';

interface Order {
  id: string;
  status: 'open' | 'paid';
}

interface OrderPage {
  size: number;
  has_next: boolean;
  next_cursor: string | null;
}

/** As openapi-typescript writes it. */
interface paths {
  '/orders': {
    parameters: { query?: never };
    get: {
      parameters: { query?: { status?: string } };
      responses: {
        200: { headers: { [name: string]: unknown }; content: { 'application/json': { data: Order[]; page: OrderPage } } };
        default: { headers: { [name: string]: unknown }; content: { 'application/problem+json': { status: number } } };
      };
    };
    post: { responses: { 201: { content: { 'application/json': { data: Order } } } } };
  };
  '/orders/{id}': {
    get: { responses: { 200: { content: { 'application/json': { data: Order } } } } };
    post?: never;
  };
  '/orders/{id}/send': { get?: never; post: { responses: { 204: { content?: never } } } };
}

assert<Equal<LiveStateOf<paths, '/orders'>, LiveList<Order, OrderPage>>>();
assert<Equal<LiveStateOf<paths, '/orders/{id}'>, LiveRecord<Order>>>();
assert<Equal<LiveStateOf<paths, '/orders/{id}/send'>, never>>();

const orders = live<paths, '/orders'>('/orders?status=open', {
  onChange({ data, page }) {
    assert<Equal<typeof data, readonly Order[]>>();
    assert<Equal<typeof page.next_cursor, string | null>>();
    // @ts-expect-error a state is never changed in place
    data.push({ id: '1', status: 'open' });
  },
});
assert<Equal<typeof orders.state, LiveList<Order, OrderPage> | undefined>>();

live<paths, '/orders/{id}'>('/orders/1', {
  headers: async () => ({ Authorization: 'Bearer a' }),
  onChange({ data, etag }) {
    assert<Equal<typeof data, Order | null>>();
    assert<Equal<typeof etag, string | undefined>>();
  },
  onEnd: ({ code, status }) => assert<Equal<[typeof code, typeof status], [string | undefined, number]>>(),
});

// @ts-expect-error a path that the api does not have
live<paths, '/customers'>('/customers', { onChange() {} });
// @ts-expect-error a misspelt option
live<paths, '/orders'>('/orders', { onChange() {}, onEnded() {} });
// @ts-expect-error without `onChange` nothing would be seen
live<paths, '/orders'>('/orders', {});

// Without `paths`, the caller says what the records are, or reads them as they come.
live<LiveList<Order>>('/orders', { onChange: ({ data }) => assert<Equal<typeof data, readonly Order[]>>() });
live('/orders', { onChange: ({ data }: LiveList<Order>) => data.map(({ status }) => status) });
live('/orders', { onChange: (state) => assert<Equal<typeof state, LiveState>>() });
