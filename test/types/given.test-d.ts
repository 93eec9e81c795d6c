import { Decimal128, ObjectId, UUID } from 'mongodb';
import { type Document, defineModel, everything, type NewDocument, openStore, type Store, service, t } from '../../src/index.ts';
import { assert, type Equal } from './equal.ts';

// A decimal may be a number or a text, and an int64 a number, wherever the application gives a value.

const Line = t.object('Line', { price: t.decimal({ default: '1.50' }), count: t.int64() });
const Price = defineModel('Price', {
  collection: 'prices',
  fields: {
    text: t.decimal({ default: '1.50' }),
    number: t.decimal({ default: 1.5, minimum: '0.01' }),
    integer: t.decimal({ default: 5n }),
    exact: t.decimal({ default: Decimal128.fromString('1.50') }),
    made: t.decimal({ default: () => '1.50' }),
    none: t.nullable(t.decimal(), { default: '1.50' }),
    inner: t.nullable(t.decimal({ default: '1.50' })),
    left: t.optional(t.decimal(), { default: 1 }),
    list: t.array(t.decimal(), { default: ['1.50', 2] }),
    byCode: t.map(t.decimal(), { default: { CHF: '1.50' } }),
    line: t.object('Own', { price: t.decimal() }, { default: { price: '1.50' } }),
    lines: t.array(Line, { default: [{ price: '1', count: 5 }] }),
    big: t.int64({ default: 5 }),
    total: t.decimal(),
    revision: t.revision(),
  },
});
assert<Equal<Document<typeof Price>['text'], Decimal128>>();
assert<Equal<NewDocument<typeof Price>['total'], Decimal128 | string | number | bigint>>();

// @ts-expect-error: the price of the default is missing
t.object('Own', { price: t.decimal() }, { default: {} });
// @ts-expect-error: a price is no date
t.object('Own', { price: t.decimal() }, { default: { price: new Date() } });
// @ts-expect-error: an item is no date
t.array(t.decimal(), { default: [new Date()] });
// @ts-expect-error: the function returns no decimal
t.decimal({ default: () => true });

export async function writePrices(prices: Store<typeof Price>): Promise<void> {
  await prices.create({ total: '5', text: 1, integer: 5n, list: ['1', 2], lines: [{ price: '1', count: 2 }], line: { price: '2' } });
  await prices.update('x', { total: '5', list: ['1'], byCode: { CHF: 1 }, line: { price: '2' }, big: 6 });
  await prices.updateMany({ total: '5', list: 1, big: { gte: 5, in: [1n, 2] } }, { total: 5n });
  // @ts-expect-error: a total is no date
  await prices.update('x', { total: new Date() });
}

const { resource } = service();
resource({
  model: Price,
  scope: () => ({ total: { gte: '5' }, big: 5 }),
  serverFields: () => ({ total: '5', big: 5, line: { price: 2 } }),
});
resource({ model: Price, serverFields: { create: async () => ({ total: 5 }) } });
// @ts-expect-error: the price of the line is missing
resource({ model: Price, serverFields: () => ({ line: {} }) });
// @ts-expect-error: a total is no date
resource({ model: Price, scope: () => ({ total: new Date() }) });

// An id may be given as its text in filters, as in `get`.

const Task = defineModel('Task', {
  collection: 'tasks',
  fields: {
    project: t.ref('Project'),
    label: t.optional(t.ref('Label', { id: t.uuid() })),
    fans: t.array(t.ref('User')),
    count: t.int(),
    note: t.binary(),
  },
});
const Numbered = defineModel('Numbered', { collection: 'numbered', fields: { id: t.int64() } });

export async function findTasks(tasks: Store<typeof Task>, numbered: Store<typeof Numbered>): Promise<void> {
  const [id, label] = [new ObjectId(), new UUID()];
  await tasks.find({ id: 'x', project: 'x', label: 'x', fans: 'x' });
  await tasks.count({ id, project: { in: ['x', id] }, label: { ne: label, exists: true }, fans: id });
  for await (const one of tasks.each({ id: { gt: 'x' } })) assert<Equal<(typeof one)['project'], ObjectId>>();
  await tasks.updateMany({ project: 'x' }, { count: 1 });
  await tasks.removeMany({ id: { in: ['x'] } });
  await numbered.find({ id: { gte: 5, lt: '9', in: [1n] } });
  openStore(Task, { db: {} as never, scope: { project: 'x' } });
  resource({ model: Task, scope: () => ({ project: 'x' }) });
  resource({ model: Task, scope: () => everything });
  // @ts-expect-error: a text is no number
  await tasks.find({ count: '5' });
  // @ts-expect-error: a text is no binary data
  await tasks.find({ note: 'AA==' });
  // @ts-expect-error: a number is no ObjectId
  await tasks.find({ project: 5 });
  // @ts-expect-error: a reference is set to an id, not to its text
  await tasks.update(id, { project: 'x' });
}

// An upsert takes the document without its id, and tells whether it was created.

export async function upsertTasks(tasks: Store<typeof Task>, prices: Store<typeof Price>): Promise<void> {
  const task = { project: new ObjectId(), fans: [], count: 1, note: new Uint8Array() as never };
  const upserted = await tasks.upsert('x', task);
  assert<Equal<typeof upserted, { readonly record: Document<typeof Task>; readonly created: boolean }>>();
  await prices.upsert(new ObjectId(), { total: '5' });
  // @ts-expect-error: the total is missing
  await prices.upsert(new ObjectId(), {});
  // @ts-expect-error: the id stands beside the document
  await prices.upsert('x', { id: new ObjectId(), total: '5' });
  // @ts-expect-error: the service sets the revision
  await prices.upsert('x', { total: '5', revision: 1 });
  // @ts-expect-error: a number is no ObjectId
  await prices.upsert(5, { total: '5' });
}
