import { createOrder, getOrder, listOrders, type OrderCreate, type OrderRead, type Problem, patchOrder } from './orval/shop';

export { connect } from './orval-request';

export class RefusedError extends Error {
  constructor(readonly problem: Problem) {
    super(problem.detail ?? problem.title);
  }
}

export async function place(order: OrderCreate): Promise<{ order: OrderRead; etag: string }> {
  const { data, status, headers } = await createOrder(order);
  if (status !== 201) throw new RefusedError(data);
  return { order: data.data, etag: headers.get('ETag') ?? '' };
}

/** The order with its customer, or undefined if there is none. */
export async function find(id: string): Promise<OrderRead | undefined> {
  const { data, status } = await getOrder(id, { include: ['customer'] });
  if (status === 404 || status === 304) return undefined; // only a request with If-None-Match gets 304
  if (status !== 200) throw new RefusedError(data);
  return data.data;
}

/** Pays an order if nobody has changed it since, and otherwise returns undefined. */
export async function pay(id: string, etag: string): Promise<OrderRead | undefined> {
  const { data, status } = await patchOrder(id, { status: 'paid' }, { 'If-Match': etag });
  if (status === 412) return undefined;
  if (status !== 200) throw new RefusedError(data);
  return data.data;
}

/** The orders that cost this or more and are not sent yet, the dearest first, page by page. */
export async function* open(atLeast: string): AsyncGenerator<OrderRead> {
  for (let after: string | null | undefined; after !== null; ) {
    const { data, status } = await listOrders({
      'total[gte]': atLeast,
      'status[in]': ['open', 'paid'],
      sort: ['-total'],
      limit: 2,
      ...(after && { after }),
    });
    if (status !== 200) throw new RefusedError(data);
    yield* data.data;
    after = data.page.next_cursor;
  }
}
