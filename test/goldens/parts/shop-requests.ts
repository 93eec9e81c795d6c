/** A request, and what it is about. */
export interface Asked {
  readonly about: string;
  readonly method: string;
  /** `{next}` and `{prev}` stand for the cursors of the answer to `after`. */
  readonly path: string;
  readonly body?: object;
  /** @default ann */
  readonly by?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** The path of a list that is read before. */
  readonly after?: string;
  /** Whether the same request is sent before. */
  readonly isRepeated?: boolean;
}

const get = (about: string, path: string, more: Partial<Asked> = {}): Asked => ({ about, method: 'GET', path, ...more });
const send = (about: string, sent: string, body?: object, more: Partial<Asked> = {}): Asked => {
  const [method = '', path = ''] = sent.split(' ');
  return { about, method, path, ...(body && { body }), ...more };
};
const filter = (text: string) => `filter=${encodeURIComponent(text)}`;
const key = { headers: { 'idempotency-key': '"0123456789"' } };
const tag = (value: string) => ({ headers: { 'if-match': value } });
const root = { by: 'root' };
const isStaff = { by: 'ann staff' };

const reads: readonly Asked[] = [
  get('a get within the scope', '/orders/o1'),
  get('a get of everything', '/orders/o1', root),
  get('a get of a caller who sees more fields', '/orders/o1', isStaff),
  get('a get that misses', '/orders/o9'),
  get('a get of some fields', '/orders/o1?fields=number,place.city'),
  get('a get with a relation', '/orders/o1?include=customer'),
  get('a get with relations of a relation', '/orders/o1?include=customer,customer.orders,customer.orderCount'),
  get('a get of a deleted record', '/invoices/gone?deleted=only'),
  get('a get of the past', '/invoices/i1?at=0'),
  get('a history', '/invoices/i1/history'),
  get('a history, filtered', '/invoices/i1/history?path=text&change=patched&limit=1'),
];

const lists: readonly Asked[] = [
  get('a list', '/orders'),
  get('a list of everything', '/orders', root),
  get('a list of some fields', '/orders?fields=number,total&limit=2'),
  get('a list, filtered by each operator', '/orders?status=open&total[gte]=1&total[lt]=9.5&number[prefix]=A&note[exists]=true&id[nin]=x,y'),
  get('a list, filtered by bounds of a text', '/orders?note[gt]=a'),
  get('a list, filtered by values in arrays and by a part', '/orders?lines.sku[in]=a,b&place.city[ne]=Ulm&note[exists]=false'),
  get('a list, filtered by null', '/bookings?at=null'),
  get('a list, filtered in the form of its fields', '/orders?cents[gt]=1.50&createdAt[gte]=2020-01-01T00:00:00Z'),
  get('a list, filtered by a text without case', '/orders?number=a-1'),
  get('a list, filtered by what its caller alone sees', '/orders?secret=s', isStaff),
  get(
    'a list, filtered by an expression',
    `/orders?${filter('(status = "paid" OR total > 5) AND NOT note = "x" AND any(lines, sku = "a" AND count > 1)')}`,
  ),
  get('a list, sorted', '/orders?sort=-total,note&limit=2'),
  get('a list, sorted by a text without case', '/orders?sort=number&limit=2'),
  get('a page behind a cursor', '/orders?sort=-total&limit=1&after={next}', { after: '/orders?sort=-total&limit=1' }),
  get('a page behind a cursor, by values that may be missing', '/orders?sort=note,-total&limit=1&after={next}', {
    after: '/orders?sort=note,-total&limit=1',
  }),
  get('a page before a cursor', '/orders?sort=total&limit=1&before={prev}', { after: '/orders?sort=total&limit=1&after={next}' }),
  get('a list with its total', '/orders?status=open&total=true'),
  get('a page by number', '/customers?page=2&limit=1'),
  get('a list with an estimate', '/customers?total=estimate'),
  get('a search', '/orders?q=alpha+a'),
  get('a search, sorted', '/orders?q=alpha&sort=total'),
  get('a list near a place', '/orders?near=9.99,48.40,5000'),
  get('a list with relations', '/orders?include=customer,customer.orderCount'),
  get('a list of the other side, with its relations', '/customers?include=orders,orderCount'),
  get('a list, filtered through a relation', '/orders?customer.name[prefix]=B&sort=customer.name'),
  get('a list, filtered through many records', `/customers?${filter('any(orders, note = "alpha") AND none(orders, status = "paid")')}`),
  get('a list below a record', '/customers/c1/orders?status=open'),
  get('a list with deleted records', '/invoices?deleted=with&text=x'),
  send('a list whose parameters stand in a body', 'POST /orders/query', { status: 'open', sort: ['-total'], limit: 2 }),
  get('an export', '/orders?status=open', { headers: { accept: 'application/x-ndjson' } }),
  get('an export as a table', '/orders?sort=total&fields=number,total', { headers: { accept: 'text/csv' } }),
  get('an aggregate', '/orders/aggregate?group=status,createdAt[month]&sum=total&max=total&count=true&total[gte]=1'),
];

const writes: readonly Asked[] = [
  send('a create', 'POST /orders', { id: 'new', number: 'N', place: { city: 'Ulm' }, cents: '1.25' }),
  send('a create with a reference that is checked', 'POST /orders', { id: 'new', number: 'N', customer: 'c1' }),
  send('a create with a reference that leads nowhere', 'POST /orders', { id: 'new', number: 'N', customer: 'none' }),
  send('a create of an id that is taken', 'POST /orders', { id: 'o1', number: 'N' }),
  send('a create with If-None-Match', 'POST /orders', { id: 'o1', number: 'N' }, { headers: { 'if-none-match': '*' } }),
  send('a create below a record', 'POST /customers/c1/orders', { id: 'new', number: 'N' }),
  send('a create with a history and an outbox', 'POST /invoices', { id: 'new', text: 'y' }),
  send('a create with a reference that holds', 'POST /invoices', { id: 'new', parent: 'i1' }),
  send('a patch', 'PATCH /orders/o1', { note: 'new', total: '7' }),
  send('a patch with If-Match', 'PATCH /orders/o1', { note: 'new' }, tag('"3"')),
  send('a patch with another If-Match', 'PATCH /orders/o1', { note: 'new' }, tag('"2"')),
  send('a patch with any If-Match', 'PATCH /orders/o1', { note: 'new' }, tag('*')),
  send('a patch without changes', 'PATCH /orders/o1', {}),
  send('a patch that clears', 'PATCH /orders/o1', { note: null, cents: null }),
  send('a patch that merges into an object', 'PATCH /orders/o1', { place: { zip: '7' } }),
  send('a patch that may create an object', 'PATCH /orders/o2', { place: { city: 'Rome' } }),
  send('a patch that cannot create an object', 'PATCH /orders/o2', { place: { zip: '7' } }),
  send('a patch that merges into a map', 'PATCH /orders/o1', { labels: { new: 'x', old: null } }),
  send('a patch of an array', 'PATCH /orders/o1', { lines: [{ sku: 'z', count: 1 }] }),
  send('a patch out of scope', 'PATCH /orders/bens', { note: 'new' }),
  send('a patch with a history and an outbox', 'PATCH /invoices/i1', { text: 'new' }),
  send('a patch of an object with a check', 'PATCH /bookings/b1', { part: { to: 9 } }),
  send('a patch that replaces an object', 'PATCH /whole-bookings/b1', { part: { from: 1, to: 9 } }),
  send('a put', 'PUT /orders/o1', { number: 'P', total: '7' }),
  send('a put whose check needs closed values', 'PUT /bookings/b1', { seats: 2 }),
  send('a put with a history and an outbox', 'PUT /invoices/i1', { text: 'new' }, tag('"1"')),
  send('a delete', 'DELETE /orders/o1'),
  send('a delete with If-Match', 'DELETE /orders/o1', undefined, tag('"3"')),
  send('a delete that marks, with a cascade, a history and an outbox', 'DELETE /invoices/i1'),
  send('a restore with a history and an outbox', 'POST /invoices/gone/restore'),
  send('a step of a counter', 'POST /orders/o1/hits', { add: 2 }),
  send('a step of a counter beyond its bounds', 'POST /orders/o1/hits', { add: 20 }),
  send('a step of a counter with a history and an outbox', 'POST /invoices/i1/stock', { add: -2 }),
  send('a patch of many', 'PATCH /orders?status=open&max_affected=5', { note: 'new' }),
  send('a patch of many that merges into an object', 'PATCH /orders?status=open', { place: { zip: '7' } }),
  send('a patch of many with a history and an outbox', 'PATCH /invoices?text=x', { text: 'new' }),
  send('a delete of many', 'DELETE /orders?status=open&total[gt]=5'),
  send('a delete of many that marks', 'DELETE /invoices?text=x'),
  send('a create with a key', 'POST /orders', { id: 'new', number: 'N' }, key),
  send('a create with a key that comes again', 'POST /orders', { id: 'new', number: 'N' }, { ...key, isRepeated: true }),
  send('a batch', 'POST /batch', {
    operations: [
      { method: 'POST', path: '/customers', body: { id: 'new', name: 'N' } },
      { method: 'POST', path: '/orders', body: { id: 'new', number: 'N' }, refs: { '/customer': 0 } },
      { method: 'PATCH', path: '/orders/{1}', body: { note: 'new' } },
      { method: 'DELETE', path: '/invoices/i1', if_match: '"1"' },
    ],
  }),
];

/** Requests of every kind that an api with one feature each does not show: what two features send together. */
export const shopRequests: readonly Asked[] = [...reads, ...lists, ...writes];
