import { type Db, Decimal128, ObjectId } from 'mongodb';

/** An order as it is stored: 700 bytes of JSON without what is private. */
export interface StoredOrder {
  _id: ObjectId;
  number: string;
  customerId: ObjectId;
  status: string;
  total: Decimal128;
  paid: boolean;
  note?: string;
  shipTo: { street: string; city: string; zip: string; country: string };
  lines: { sku: string; name: string; quantity: number; price: Decimal128 }[];
  tags: string[];
  /** Whose it is. Nobody else sees it, and no client sees this field. */
  owner: string;
  revision: number;
  createdAt: Date;
  updatedAt: Date;
}

/** Whose orders are asked for: every request carries it as a token. */
export const caller = 'ann';

const cities = ['Ulm', 'Wien', 'Zürich', 'Hamburg', 'Köln', 'Graz', 'Bern', 'Leipzig'];
const begin = Date.UTC(2026, 0, 1);

/** The order of this number; equal in every run. */
export function makeOrder(n: number, moreFields = 0): StoredOrder {
  const id = new ObjectId(`6${n.toString(16).padStart(23, '0')}`);
  const createdAt = new Date(begin + n * 60_000);
  return {
    _id: id,
    number: `A-${n}`,
    customerId: new ObjectId(`7${(n % 97).toString(16).padStart(23, '0')}`),
    status: ['open', 'paid', 'sent'][n % 3] as string,
    total: Decimal128.fromString(`${n % 1_000}.${10 + (n % 90)}`),
    paid: n % 3 > 0,
    note: `Please ring twice: the bell of house ${n % 50} is weak, “and the dog is not”.`,
    shipTo: { street: `Am Markt ${n % 200}`, city: cities[n % cities.length] as string, zip: `${10_000 + (n % 80_000)}`, country: 'DE' },
    lines: [1, 2, 3].map((line) => ({
      sku: `SKU-${n}-${line}`,
      name: `Part ${line} of ${n}`,
      quantity: line,
      price: Decimal128.fromString(`${line}.95`),
    })),
    tags: ['priority', 'gift'],
    owner: n % 10 === 0 ? 'bob' : caller,
    revision: n % 5,
    createdAt,
    updatedAt: createdAt,
    ...Object.fromEntries(Array.from({ length: moreFields }, (_, field) => [`more${field}`, `Value ${field} of ${n}`])),
  };
}

/** Fills the collection, with the indexes that the lists need. */
export async function loadOrders(db: Db, count: number, moreFields = 0): Promise<void> {
  const orders = db.collection<StoredOrder>('orders');
  await db.dropDatabase();
  for (let n = 0; n < count; n += 1_000) {
    await orders.insertMany(Array.from({ length: Math.min(1_000, count - n) }, (_, offset) => makeOrder(n + offset, moreFields)));
  }
  await orders.createIndex({ owner: 1, status: 1, createdAt: -1, _id: -1 });
  await orders.createIndex({ owner: 1, createdAt: -1, _id: -1 });
}

/** What a create sends. */
export function makeBody(n: number, lineCount = 3): object {
  const { number, customerId, total, note, shipTo, lines, tags } = makeOrder(n);
  return {
    number: `new-${number}`,
    customerId: customerId.toHexString(),
    status: 'open',
    total: total.toString(),
    paid: false,
    note,
    shipTo,
    lines: Array.from({ length: lineCount }, (_, at) => ({
      ...lines[at % lines.length],
      price: lines[at % lines.length]?.price.toString(),
    })),
    tags,
  };
}
