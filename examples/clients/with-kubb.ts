import type { OrderCreate, OrderRead } from './kubb/models';
import { createOrder, getOrder, listOrders, patchOrder } from './kubb/shop';
import { RefusedError } from './kubb-client';

export { connect, RefusedError } from './kubb-client';

export async function place(order: OrderCreate): Promise<{ order: OrderRead; etag: string }> {
  const { data, headers } = await createOrder(order);
  return { order: data.data, etag: headers.get('ETag') ?? '' };
}

/** The order with its customer, or undefined if there is none. */
export async function find(id: string): Promise<OrderRead | undefined> {
  return unless(404, async () => (await getOrder(id, { include: ['customer'] })).data.data);
}

/** Pays an order if nobody has changed it since, and otherwise returns undefined. */
export async function pay(id: string, etag: string): Promise<OrderRead | undefined> {
  return unless(412, async () => (await patchOrder(id, { status: 'paid' }, { 'If-Match': etag })).data.data);
}

/** The orders that cost this or more and are not sent yet, the dearest first, page by page. */
export async function* open(atLeast: string): AsyncGenerator<OrderRead> {
  for (let after: string | null | undefined; after !== null; ) {
    const { data } = await listOrders({
      'total[gte]': atLeast,
      'status[in]': ['open', 'paid'],
      sort: ['-total'],
      limit: 2,
      ...(after && { after }),
    });
    yield* data.data;
    after = data.page.next_cursor;
  }
}

async function unless<T>(status: number, call: () => Promise<T>): Promise<T | undefined> {
  try {
    return await call();
  } catch (error) {
    if (error instanceof RefusedError && error.problem.status === status) return undefined;
    throw error;
  }
}
