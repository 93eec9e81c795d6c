import type { Request } from 'autocannon';
import { makeArticleList } from './articles.ts';
import { caller, makeBody, makeOrder } from './data.ts';

/**
 * `mixed` sends 16 gets for two lists, one create and one patch. `filtered list` sends lists of articles with 200
 * different filters, which only ours and Koa by hand serve. `guarded patch` patches the same orders where guards and a
 * hook stand before and behind it.
 */
export type Workload = 'get' | 'list' | 'filtered list' | 'create' | 'patch' | 'guarded patch' | 'mixed';

/** What requests ask for. */
export interface Asked {
  /** How many orders there are. */
  readonly orders: number;
  /**
   * The query string of a list, with `BEFORE` in it: every request has another one, because nobody's clients all ask
   * for the same.
   */
  readonly query?: string | undefined;
}

const headers = { authorization: `Bearer ${caller}` };
const jsonHeaders = { ...headers, 'content-type': 'application/json' };

/** Some requests for random orders of the caller. */
export function makeRequests(workload: Exclude<Workload, 'create'>, count: number, { orders, query = '' }: Asked): Request[] {
  const make = {
    get: makeGet,
    list: makeList,
    'filtered list': makeFilteredList,
    patch: makePatch,
    'guarded patch': makeGuardedPatch,
    mixed: makeMixed,
  }[workload];
  return Array.from({ length: count }, (_, n) => make(n, orders, query));
}

/** The create of an order of this number; its size is told by its lines. */
export function makeCreate(n: number, lines?: number): Request {
  return { method: 'POST', path: '/api/orders', headers: jsonHeaders, body: JSON.stringify(makeBody(n, lines)) };
}

function makeGet(_n: number, orders: number): Request {
  const n = Math.floor(Math.random() * orders);
  return { method: 'GET', path: `/api/orders/${makeOrder(n % 10 === 0 ? n + 1 : n)._id.toHexString()}`, headers };
}

/** Few lists have less than a page before them. */
function makeList(_n: number, orders: number, query: string): Request {
  const { createdAt } = makeOrder(Math.floor(orders * (0.1 + 0.9 * Math.random())));
  return { method: 'GET', path: encodeURI(`/api/orders?${query.replace('BEFORE', createdAt.toISOString())}`), headers };
}

function makeFilteredList(_n: number, _orders: number, query: string): Request {
  return makeArticleList(Number(/limit=(\d+)/.exec(query)?.[1]));
}

function makePatch(n: number, orders: number): Request {
  const body = { note: `Call before ${n % 24}:00`, shipTo: { street: `Ring ${n}`, city: 'Ulm', zip: '89073', country: 'DE' } };
  return { ...makeGet(n, orders), method: 'PATCH', headers: jsonHeaders, body: JSON.stringify(body) };
}

function makeGuardedPatch(n: number, orders: number): Request {
  const patch = makePatch(n, orders);
  return { ...patch, path: patch.path?.replace('/orders/', '/guarded/') };
}

function makeMixed(n: number, orders: number, query: string): Request {
  if (n % 20 === 5) return makeCreate(orders + n);
  if (n % 10 === 1) return makeList(n, orders, query);
  return n % 20 === 10 ? makePatch(n, orders) : makeGet(n, orders);
}
