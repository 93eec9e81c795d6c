import { join } from 'node:path';
import { createShop } from '../../examples/orders/api.ts';
import { applyIndexes } from '../../src/index.ts';
import type { Any } from '../support/any.ts';
import { useDatabase } from '../support/database/database.ts';
import { filesOf } from '../support/docs/pages.ts';
import { type TestServer, useServer } from '../support/http/serve.ts';
import { generated } from './generators.ts';

// The programs of docs/clients/tanstack-query.md, which `start.ts` has written, and `generated.test.ts` compiles.
const load = async (name: string): Promise<Any> => await import(join(generated, 'tanstack-query', name));

const database = useDatabase();
const serve = useServer();
let shop: TestServer;
let customerId: string;
/** The modules of the page, as one object: no two export the same name. */
let page: Any;
let tools: Any;
let client: Any;
let queries: Any;
/** How many requests the client has sent. */
let sent: number;

beforeAll(async () => {
  const api = createShop(database.db);
  await applyIndexes(api);
  shop = await serve(api.routes());
  tools = await load('harness.js');
  const files = Object.keys(filesOf('docs/clients/tanstack-query.md')).filter((file) => !file.endsWith('.config.ts'));
  page = {};
  for (const file of ['orders.ts', ...files]) Object.assign(page, await load(file));
  client = page.connect({
    baseUrl: `http://127.0.0.1:${shop.port}`,
    headers: { Authorization: 'Bearer ann-token' },
    fetch(request: Request) {
      sent++;
      return fetch(request);
    },
  });
  const customer = { body: { name: 'Dora', email: 'dora@example.org' }, headers: { authorization: 'Bearer root-token' } };
  customerId = (await shop.request('POST', '/api/customers', customer)).body.data.id;
  for (const total of ['1', '2', '3', '4', '5']) await place(`N-${total}`, total);
});

beforeEach(() => {
  sent = 0;
  queries = page.createQueryClient();
  queries.mount();
});
afterEach(() => {
  queries.clear();
  queries.unmount();
});

const place = async (number: string, total: string) => (await page.place(client, { number, total, customerId })).order;
const totalsOf = ({ pages }: Any) => pages.map(({ data }: Any) => data.map(({ total }: Any) => total));
const show = (component: Any, props: object) =>
  tools.renderToStaticMarkup(tools.createElement(tools.QueryClientProvider, { client: queries }, tools.createElement(component, props)));

describe('a list', () => {
  const filters = { sort: ['-total'], limit: 2, 'total[lt]': '6' };

  it('grows by one page for each cursor, to the end', async () => {
    const observer = new tools.InfiniteQueryObserver(queries, page.orderList(client, filters));
    const stop = observer.subscribe(() => {});
    let result = await observer.refetch({ cancelRefetch: false });
    while (result.hasNextPage) result = await observer.fetchNextPage();
    stop();
    expect(totalsOf(result.data)).toEqual([['5', '4'], ['3', '2'], ['1']]);
    expect(sent).toBe(3);
  });

  it('is shown with a button for more', async () => {
    await queries.prefetchInfiniteQuery(page.orderList(client, filters));
    expect(show(page.OrderList, { client, filters })).toBe('<ul><li>N-5: 5</li><li>N-4: 4</li></ul><button type="button">More</button>');
  });

  it('is asked for once if the service refuses it', async () => {
    const refused = { ...filters, limit: 0 };
    const error = await queries.fetchInfiniteQuery(page.orderList(client, refused)).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ problem: { status: 400, code: 'invalid_query' } });
    expect(sent).toBe(1);
  });

  it('is the same by the functions that Hey API writes', async () => {
    const { client: generatedClient } = await load('hey-api/client.gen.ts');
    generatedClient.setConfig({ baseUrl: `http://127.0.0.1:${shop.port}`, auth: 'ann-token' });
    const data = await queries.fetchInfiniteQuery({ ...page.dearest(), pages: 9 });
    expect(totalsOf(data).flat().slice(-5)).toEqual(['5', '4', '3', '2', '1']);
  });
});

describe('a change', () => {
  /** Pays an order that is on the screen, and tells what the screen showed meanwhile. */
  async function pay(order: Any): Promise<{ shown: unknown[]; error: unknown }> {
    const screen = new tools.QueryObserver(queries, page.oneOrder(client, order.id));
    const shown: unknown[] = [];
    const stop = screen.subscribe(({ data }: Any) => {
      const state = data && [data.status, data.revision];
      if (state && String(state) !== String(shown.at(-1))) shown.push(state);
    });
    await queries.ensureQueryData(page.oneOrder(client, order.id));
    const mutation = new tools.MutationObserver(queries, page.changeStatus(client, queries));
    const error = await mutation.mutate({ order, status: 'paid' }).then(
      () => null,
      (thrown: unknown) => thrown,
    );
    stop();
    return { shown, error };
  }

  it('is shown at once, and then as the service has stored it', async () => {
    const order = await place('C-1', '1000');
    const { shown, error } = await pay(order);
    expect(error).toBeNull();
    expect(shown.slice(-3)).toEqual([
      ['open', 0],
      ['paid', 0],
      ['paid', 1],
    ]);
  });

  it('is taken back if somebody else was faster, and the record is read again', async () => {
    const order = await place('C-2', '1000');
    const body = { shipTo: { street: 'Main Street 1', city: 'Bern' } };
    queries.setQueryData(page.oneOrder(client, order.id).queryKey, order);
    await shop.request('PATCH', `/api/orders/${order.id}`, { body, headers: { authorization: 'Bearer ann-token' } });
    const { shown, error } = await pay(order);
    expect(page.isStale(error)).toBe(true);
    expect(shown.at(-1)).toEqual(['open', 1]);
    expect(show(page.PayButton, { client, id: order.id })).toBe('<p>C-2 is open.</p><button type="button">Pay</button>');
  });
});

describe('a refused order', () => {
  const errorOf = (order: object) => page.place(client, { customerId, ...order }).catch((thrown: unknown) => thrown);

  it('names the fields that are wrong', async () => {
    expect(page.fieldErrors(await errorOf({ number: 'F-1', total: 'much' }))).toEqual({ total: expect.stringMatching(/^must be /) });
    expect(page.fieldErrors(await errorOf({ number: 'F-1', total: '1', shipTo: { street: 'Main Street 1' } }))).toEqual({
      'shipTo.city': expect.any(String),
    });
  });

  it('names the field whose value is taken', async () => {
    // A number is unique among the orders of its owner, which only the server writes.
    expect(page.fieldErrors(await errorOf({ number: 'N-1', total: '1' }))).toEqual({ number: 'is already taken' });
  });

  it('has no wrong fields if it is refused for another reason', () => {
    expect(page.fieldErrors(new Error('offline'))).toEqual({});
    expect(page.fieldErrors(null)).toEqual({});
  });

  it('is entered in a form', () => {
    expect(show(page.NewOrderForm, { client, customerId })).toContain('<label>total<input aria-invalid="false" name="total"/></label>');
  });
});
