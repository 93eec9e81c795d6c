import { type Db, Decimal128 } from 'mongodb';
import { collections } from './serve-shop.ts';

const at = new Date('2020-05-01T12:00:00Z');
const spot = (longitude: number) => ({ type: 'Point', coordinates: [longitude, 48.4] });

const order = (_id: string, total: string, more: object) => ({
  _id,
  owner: 'ann',
  number: `A-${_id}`,
  'number[fold2]': `a-${_id}`,
  'number[case1]': `a-${_id}`,
  status: 'open',
  total: Decimal128.fromString(total),
  labels: { old: 'x' },
  hits: 1,
  createdAt: at,
  updatedAt: at,
  revision: 3,
  ...more,
});

const invoice = (_id: string, more: object = {}) => ({ _id, owner: 'ann', text: 'x', stock: 5, revision: 1, ...more });

const change = {
  _id: 'first',
  record: 'i1',
  life: null,
  revision: 1,
  previous: 0,
  at,
  change: 'patched',
  actor: 'ann',
  paths: ['text'],
  private: [],
  changes: [{ path: 'text', before: 'w', after: 'x' }],
  was: { owner: 'ann' },
  is: { owner: 'ann' },
};

/** Stores what the requests find, and nothing else. Its times lie years back. */
export async function storeShop(db: Db): Promise<void> {
  const insert = (name: string, ...records: readonly object[]) => db.collection(name).insertMany(records as never);
  await Promise.all(collections.map((name) => db.collection(name).deleteMany({})));
  await Promise.all([
    insert('customers', { _id: 'c1', name: 'Ben', rating: 'a', revision: 0 }, { _id: 'c2', name: 'Cat', revision: 0 }),
    insert(
      'orders',
      order('o1', '2.5', { note: 'alpha b', place: { city: 'Ulm' }, customer: 'c1', secret: 's', in_cents: 250, spot: spot(9.99) }),
      order('o2', '8', { note: 'alpha', customer: 'c2', lines: [{ sku: 'a', count: 2 }], spot: spot(10) }),
      order('o3', '8', { status: 'paid', customer: 'c1', place: { city: 'Rome', zip: '1' } }),
      order('bens', '1', { owner: 'ben' }),
    ),
    insert(
      'invoices',
      invoice('i1'),
      invoice('i2', { parent: 'i1' }),
      invoice('gone', { deletedAt: at, _deletion: 'd', revision: 2 }),
      invoice('bens', { owner: 'ben' }),
    ),
    insert('invoices_history', change),
    insert('bookings', { _id: 'b1', seats: 1, room: 5, part: { from: 1, to: 2 }, at }),
  ]);
}
