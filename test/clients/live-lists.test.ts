import { join } from 'node:path';
import { type Streams, useStreams } from '../products/client/serve-streams.ts';
import type { Any } from '../support/any.ts';
import { filesOf } from '../support/docs/pages.ts';
import { until } from '../support/until.ts';
import { generated } from './generators.ts';

// The programs of docs/clients/live-lists.md, which `start.ts` has written, and `generated.test.ts` compiles.
const load = async (name: string): Promise<Any> => await import(join(generated, 'live-lists', name));

const serve = useStreams();
/** The modules of the page, as one object: no two export the same name. */
let page: Any;
let tools: Any;
let service: Streams;

beforeAll(async () => {
  tools = await load('harness.js');
  page = {};
  for (const file of Object.keys(filesOf('docs/clients/live-lists.md'))) Object.assign(page, await load(file));
});
beforeEach(async () => {
  service = await serve();
});

const order = (id: string, status = 'open') => ({ id, number: `N-${id}`, status });
const list = (...data: object[]) => ({ data, page: { size: 50, has_next: false } });
const headers = async () => ({ authorization: 'Bearer ann-token' });
const unauthorized = { type: 'about:blank', title: 'Unauthorized', status: 401, detail: 'Sign in.', code: 'unauthorized' };
const show = (component: Any, props: object) => tools.renderToStaticMarkup(tools.createElement(component, props));

it('the first program shows the orders, and what becomes of them', async () => {
  const shown: unknown[] = [];
  const orders = page.showOrders(
    async () => 'ann-token',
    (data: Any) => shown.push(data.map(({ id }: Any) => id)),
    new URL(service.url).origin,
  );
  const stream = await service.next();
  expect(stream.headers.authorization).toBe('Bearer ann-token');
  stream.send('page', list(order('1')), 'd1');
  stream.send('change', { put: [order('2')] }, 'd2');
  await until(() => shown.length === 2);
  expect(shown).toEqual([['1'], ['1', '2']]);
  orders.close();
});

describe('the store', () => {
  it('tells whether the list is in step, and why it has ended', async () => {
    const store = page.createOrderStore(service.url, headers);
    const seen: Any[] = [];
    const close = store.subscribe(() => seen.push(store.getSnapshot()));
    const stream = await service.next();
    stream.send('page', list(order('1')), 'd1');
    await until(() => seen.length === 1);
    stream.cut();
    const next = await service.next();
    next.send('same', {}, 'd1');
    await until(() => seen.length === 3);
    next.send('end', { problem: unauthorized });
    await until(() => seen.length === 4);
    const orders = list(order('1'));
    expect(seen).toEqual([
      { orders, isOld: false },
      { orders, isOld: true },
      { orders, isOld: false },
      { orders, isOld: true, problem: unauthorized },
    ]);
    close();
  });

  it('is shown by React', () => {
    expect(show(page.OrderTable, { url: service.url, headers })).toBe('<ul aria-busy="true"></ul>');
  });
});

it('Vue follows the list, and another URL', async () => {
  const scope = tools.effectScope();
  const url = tools.ref(service.url);
  const shown = scope.run(() => page.useOrders(url, headers));
  const stream = await service.next();
  stream.send('page', list(order('1')), 'd1');
  await until(() => shown.value.orders?.data.length === 1);
  url.value = `${service.url}?status=open`;
  await tools.nextTick();
  await stream.closed;
  expect(shown.value).toEqual({ isOld: false });
  const next = await service.next();
  expect(next.headers['last-event-id']).toBeUndefined();
  next.send('page', list(order('1'), order('2')), 'd2');
  await until(() => shown.value.orders?.data.length === 2);
  scope.stop();
  await next.closed;
});

describe('the cache of TanStack Query', () => {
  const open = () => {
    const queries = new tools.QueryClient({ defaultOptions: { queries: { retry: false } } });
    const queryKey = ['orders', service.url];
    const list = page.keepInStep(queries, service.url, headers);
    return { queries, queryKey, list, data: () => queries.getQueryData(queryKey) };
  };

  it('has the list as it is, also if an older answer comes later', async () => {
    const { queries, queryKey, list: live, data } = open();
    let answer: (orders: unknown) => void = () => {};
    const observer = new tools.QueryObserver(queries, { queryKey, queryFn: () => new Promise((resolve) => (answer = resolve)) });
    const stop = observer.subscribe(() => {});
    const stream = await service.next();
    stream.send('page', list(order('1', 'paid')), 'd1');
    await until(() => data() !== undefined);
    answer(list(order('1', 'open')));
    stream.send('change', { put: [order('2')] }, 'd2');
    await until(() => data().data.length === 2);
    expect(data()).toEqual(list(order('1', 'paid'), order('2')));
    stop();
    live.close();
  });

  it('asks once more when the stream has ended, so that the query has its error', async () => {
    const { queries, queryKey } = open();
    let asked = 0;
    const queryFn = () => Promise.reject(new Error(`Sign in. (${++asked})`));
    const stream = await service.next();
    stream.send('page', list(), 'd1');
    await until(() => queries.getQueryData(queryKey) !== undefined);
    const observer = new tools.QueryObserver(queries, { queryKey, queryFn, staleTime: Number.POSITIVE_INFINITY });
    const stop = observer.subscribe(() => {});
    stream.send('end', { problem: unauthorized });
    await until(() => observer.getCurrentResult().error !== null);
    expect([observer.getCurrentResult().error.message, asked]).toEqual(['Sign in. (1)', 1]);
    stop();
  });

  it('is shown by a component', () => {
    const { queries, queryKey, list: live } = open();
    queries.setQueryData(queryKey, list(order('1')));
    const props = { url: service.url, headers, readOrders: async () => list() };
    const shown = tools.createElement(tools.QueryClientProvider, { client: queries }, tools.createElement(page.LiveOrderList, props));
    expect(tools.renderToStaticMarkup(shown)).toBe('<ul><li>N-1: open</li></ul>');
    live.close();
  });
});

it('a page of another origin may send cookies', () => {
  const live = page.connect('session-1', () => {});
  expect(live.state).toBeUndefined();
  live.close();
});
