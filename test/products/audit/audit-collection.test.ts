import { once } from 'node:events';
import { connect } from 'node:net';
import { BSON, Decimal128, Double, Long, MongoClient, ObjectId } from 'mongodb';
import { defineModel, type Model, t } from '../../../src/index.ts';
import { asCompiled } from '../../../src/model/compile/compile-model.ts';
import { idOf, openReadById } from '../../../src/mongo/collection/read-by-id.ts';
import { type Audit, type AuditOptions, auditCollection } from '../../../src/products/audit/audit-collection.ts';
import { useDatabase } from '../../support/database/database.ts';

const database = useDatabase();

const Part = t.object(
  'Part',
  { sku: t.string(), size: t.int({ default: 1 }) },
  { check: ({ sku }) => (sku === 'bad' ? 'is bad' : undefined) },
);
const Order = defineModel('Order', {
  collection: 'orders',
  fields: {
    id: t.string(),
    total: t.int({ minimum: 0 }),
    price: t.optional(t.decimal()),
    status: t.enum(['open', 'paid'], { default: 'open' }),
    note: t.optional(t.string({ maxLength: 3, pattern: '^a' })),
    due: t.nullable(t.date()),
    parts: t.array(Part, { default: [], maxItems: 200 }),
    byKey: t.map(t.int(), { default: {} }),
    boxes: t.map(Part, { default: {} }),
    extra: t.optional(t.any()),
    secret: t.optional(t.string({ policy: { private: true } })),
    revision: t.revision(),
  },
  check: ({ total, note }) => {
    if (note === 'axx') throw new Error('unexpected');
    return total === 13 ? [{ field: 'total', message: 'must not be 13', rule: 'superstition' }] : undefined;
  },
});

const begun: Audit = {
  model: 'Order',
  collection: 'orders',
  isComplete: false,
  records: 0,
  estimate: 0,
  misfitting: 0,
  idTypes: {},
  misfits: [],
  unknownKeys: [],
  omitted: 0,
};

const orders = () => database.db.collection<{ _id: unknown; [key: string]: unknown }>('orders');

async function auditOf(records: readonly object[], options: Partial<AuditOptions> = {}, model: Model = Order): Promise<Audit> {
  await orders().deleteMany({});
  if (records.length > 0)
    await orders().insertMany(
      records.map((one, index) => ({ _id: `o${index}`, ...one })),
      { ignoreUndefined: true },
    );
  return last(auditCollection(model, { db: database.db, ...options }));
}

async function last(audits: AsyncIterable<Audit>): Promise<Audit> {
  let audit: Audit | undefined;
  for await (audit of audits);
  if (!audit) throw new Error('an audit yields at least once');
  return audit;
}

/**
 * Inserts a record with bytes in place of `text` that are not UTF-8. The driver cannot, so the command is written here.
 */
async function insertDamaged(record: object, text: string): Promise<void> {
  const command = Buffer.from(BSON.serialize({ insert: 'orders', documents: [record], $db: database.db.databaseName }));
  command.fill(0xff, command.indexOf(text), command.indexOf(text) + text.length);
  const head = Buffer.alloc(21); // an OP_MSG without flags, with one section of kind 0
  head.writeInt32LE(head.length + command.length, 0);
  head.writeInt32LE(2013, 12);
  const [host = '', port] = database.client.options.hosts[0]?.toString().split(':') ?? [];
  const socket = connect(Number(port), host);
  socket.write(Buffer.concat([head, command]));
  await once(socket, 'data');
  socket.destroy();
}

describe('an audit', () => {
  it('knows the keys under which the library itself stores something', async () => {
    const Kept = defineModel('Kept', { collection: 'kept', fields: { id: t.string(), deletedAt: t.deletedAt() } });
    const stored = { _id: 'a', deletedAt: new Date(), _deletion: new ObjectId(), _references: 3, other: 1 };
    await database.db.collection<{ _id: string }>('kept').insertOne(stored);
    let last: Audit | undefined;
    for await (const state of auditCollection(Kept, { db: database.db })) last = state;
    expect([last?.misfits, last?.unknownKeys.map(({ path }) => path)]).toEqual([[], ['other']]);
  });

  it.each<[what: string, stored: object, path: string, rule: string, message: string]>([
    ['another type', { total: 'five' }, 'total', 'type', 'must be an integer'],
    ['a fraction', { total: 1.5 }, 'total', 'type', 'must be an integer'],
    ['an integer beyond the type', { total: Long.fromString('9007199254740993') }, 'total', 'type', 'must be an integer'],
    ['a missing value', { total: undefined }, 'total', 'required', 'is required'],
    ['a null', { total: null }, 'total', 'required', 'is required'],
    ['no member of an enum', { status: 'x' }, 'status', 'enum', 'must be one of open, paid'],
    ['a minimum', { total: -1 }, 'total', 'minimum', 'must be at least 0'],
    ['a length', { note: 'aaaa' }, 'note', 'maxLength', 'must have at most 3 characters'],
    ['a pattern', { note: 'b' }, 'note', 'pattern', 'must match the pattern ^a'],
    ['a text for a date', { due: '2026-01-01' }, 'due', 'type', expect.stringContaining('date-time') as never],
    ['a text for a decimal', { price: '1.50' }, 'price', 'type', 'must be a decimal number, such as 12.50 or "12.50"'],
    ['a decimal that is no number', { price: Decimal128.fromString('NaN') }, 'price', 'type', expect.stringContaining('decimal') as never],
    ['an item', { parts: [{ sku: 's' }, { sku: 5 }] }, 'parts.*.sku', 'type', 'must be a string'],
    ['a value of a map', { byKey: { a: 1, 'b.c': 'x' } }, 'byKey.*', 'type', 'must be an integer'],
    ['a private field', { secret: 5 }, 'secret', 'type', 'must be a string'],
    ['a check of the record', { total: 13 }, 'total', 'superstition', 'must not be 13'],
    ['a check of an embedded object', { parts: [{ sku: 'bad' }] }, 'parts.*', 'check', 'is bad'],
    ['a check that throws', { note: 'axx' }, '', 'check_failed', 'a check throws unexpected'],
  ])('counts %s by path and rule', async (_what, stored, path, rule, message) => {
    const { records, misfitting, misfits, unknownKeys, isComplete } = await auditOf([{ total: 5 }, { total: 5, ...stored }]);
    expect({ records, misfitting, unknownKeys, isComplete }).toEqual({ records: 2, misfitting: 1, unknownKeys: [], isComplete: true });
    expect(misfits).toEqual([{ path, rule, message, records: 1, ids: ['o1'] }]);
  });

  it('finds that everything fits which reads as a legal value: defaults, nulls, other numbers', async () => {
    const { misfits, misfitting } = await auditOf([
      { total: new Double(5), price: 1.5, status: null, note: null, due: null, revision: undefined },
      { total: Long.fromNumber(5), price: Decimal128.fromString('1.50'), extra: { any: ['thing'] }, byKey: { __proto: 1 } },
    ]);
    expect({ misfits, misfitting }).toEqual({ misfits: [], misfitting: 0 });
  });

  it('tells unknown keys apart, at any depth, and does not count them as misfits', async () => {
    const audit = await auditOf([
      {
        total: 5,
        __v: 0,
        parts: [
          { sku: 's', _id: new ObjectId() },
          { sku: 't', _id: new ObjectId() },
        ],
        extra: { free: 1 },
      },
      { total: 5, __v: 1, boxes: { any: { sku: 's', colour: 'red' } }, byKey: { free: 1 } },
    ]);
    expect(audit).toMatchObject({ misfitting: 0, misfits: [] });
    expect(audit.unknownKeys).toEqual([
      { path: '__v', records: 2, ids: ['o0', 'o1'] },
      { path: 'boxes.*.colour', records: 1, ids: ['o1'] },
      { path: 'parts.*._id', records: 1, ids: ['o0'] },
    ]);
  });

  it('counts records and not values, the most frequent first, with the ids of the first of them', async () => {
    const many = Array.from({ length: 8 }, () => ({ total: 'x' }));
    const { misfits, misfitting } = await auditOf([{ total: 5, parts: [5, 6, 7] }, ...many], { samples: 3 });
    expect(misfitting).toBe(9);
    expect(misfits).toEqual([
      { path: 'total', rule: 'type', message: 'must be an integer', records: 8, ids: ['o1', 'o2', 'o3'] },
      { path: 'parts.*', rule: 'type', message: 'must be an object', records: 1, ids: ['o0'] },
    ]);
  });

  it('reads records whose ids have another type than the model has, says so, and goes on from each of them', async () => {
    const long = Long.fromString('9007199254740993');
    const ids = [new ObjectId(), 5, long, { a: 1, b: new Date(0) }, true, new Date(0), 'a', Decimal128.fromString('7'), new Double(1.5)];
    const whole = await auditOf(
      ids.map((_id) => ({ _id, total: 5 })),
      { samples: 10 },
    );
    expect(whole).toMatchObject({ records: ids.length, misfitting: 8, misfits: [{ path: 'id', rule: 'type', records: 8 }] });
    expect(whole.misfits[0]?.ids.slice(0, 4)).toEqual(['1.5', '5', '7', '9007199254740993']);
    const { readNext } = openReadById(asCompiled(Order), { db: database.db });
    const seen: unknown[] = [];
    for (let batch = await readNext(undefined, 1); batch.found.length > 0; batch = await readNext(batch.position, 1))
      seen.push(...batch.found.map(idOf));
    expect(seen.map(String)).toEqual((await orders().distinct('_id')).map(String));
  });

  it('counts a record that is not valid UTF-8, which no driver writes, and goes on', async () => {
    await auditOf([{ total: 5 }, { total: 5 }]);
    await insertDamaged({ _id: 'o0x', total: 5, note: 'abc' }, 'abc');
    const { records, misfits } = await last(auditCollection(Order, { db: database.db }));
    expect({ records, misfits }).toMatchObject({ records: 3, misfits: [{ path: '', rule: 'unreadable', records: 1, ids: ['o0x'] }] });
  });

  it('ends at an id that is not valid UTF-8, after which it could not go on', async () => {
    await auditOf([{ total: 5 }]);
    await insertDamaged({ _id: 'zzz', total: 5 }, 'zzz');
    const audit = last(auditCollection(Order, { db: database.db }));
    await expect(audit).rejects.toThrow('The records after one whose id is not valid UTF-8 cannot be read.');
  });

  it('yields after each batch, and may be left', async () => {
    await auditOf(Array.from({ length: 600 }, () => ({ total: 5 })));
    const seen: number[] = [];
    for await (const { records, isComplete } of auditCollection(Order, { db: database.db })) {
      seen.push(records);
      expect(isComplete).toBe(seen.length === 3);
    }
    expect(seen).toEqual([500, 600, 600]);
    for await (const audit of auditCollection(Order, { db: database.db })) {
      expect(audit.estimate).toBe(600);
      break;
    }
  });

  it('keeps a thousand kinds, and short texts: other programs choose the keys', async () => {
    const { misfits, unknownKeys, omitted } = await auditOf([
      ...Array.from({ length: 1_100 }, (_, index) => ({ total: 5, [`key${index}`]: 1 })),
      { total: 5, parts: [5] },
    ]);
    expect([misfits.length, unknownKeys.length, omitted]).toEqual([1, 1_000, 100]);
    const long = await auditOf([{ _id: 'i'.repeat(500), total: 5, ['k'.repeat(500)]: 1 }]);
    expect(long.unknownKeys).toEqual([{ path: `${'k'.repeat(200)}…`, records: 1, ids: [`${'i'.repeat(200)}…`] }]);
  });

  it('of an empty collection, and of none, is complete', async () => {
    expect(await auditOf([])).toEqual({ ...begun, isComplete: true });
    await orders().drop();
    expect(await last(auditCollection(Order, { db: database.db }))).toEqual({ ...begun, isComplete: true });
  });

  it('fails with the problem of every read if there is no database', async () => {
    const client = new MongoClient('mongodb://127.0.0.1:1', { serverSelectionTimeoutMS: 200 });
    const audit = last(auditCollection(Order, { db: client.db('none') }));
    await expect(audit).rejects.toMatchObject({ name: 'Problem', code: 'database_unavailable' });
    await client.close();
  });

  it.each<[what: string, options: object, message: string]>([
    ['an unknown option', { simples: 1 }, '`simples` is not an option of `auditCollection`; did you mean `samples`?'],
    ['no limit', { limit: 0 }, '`limit` of `auditCollection` must be a whole number of records, at least 1'],
  ])('refuses %s', async (_what, given, message) => {
    const audit = last(auditCollection(Order, { db: database.db, ...given }));
    await expect(audit).rejects.toThrow(message);
  });
});
