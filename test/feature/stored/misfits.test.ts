import { Decimal128, Double } from 'mongodb';
import { applyValidators, collectionValidator, defineModel, openStore, service, t } from '../../../src/index.ts';
import { compileModel } from '../../../src/model/compile/compile-model.ts';
import { auditCollection } from '../../../src/products/audit/audit-collection.ts';
import type { Any } from '../../support/any.ts';
import { useDatabase } from '../../support/database/database.ts';
import { type TestServer, useServer } from '../../support/http/serve.ts';

const all = { filter: true, sort: true } as const;
const Bill = defineModel('Bill', {
  collection: 'bills',
  fields: {
    id: t.string({ policy: { insert: true, ...all } }),
    isOpen: t.boolean({ stored: 'open', storedAs: 'int', default: true, policy: { filter: true } }),
    amount: t.decimal({
      stored: 'cents',
      storedAs: 'int',
      scale: 2,
      minimum: '-0.5',
      maximum: '90',
      default: '1',
      policy: { ...all, aggregate: true },
    }),
    sentAt: t.nullable(t.date({ stored: 'sent', storedAs: 'epoch-s', policy: all })),
    seenAt: t.nullable(t.date({ stored: 'seen', storedAs: 'epoch-ms', policy: { aggregate: true, group: true } })),
    dueAt: t.nullable(t.date({ stored: 'due', storedAs: 'string', policy: { ...all, group: true } })),
    lines: t.array(t.object('BillLine', { days: t.map(t.date({ storedAs: 'string' }), { stored: 'd', default: {} }) }), {
      stored: 'l',
      default: [],
    }),
    note: t.optional(t.string({ stored: 'text' })),
    revision: t.revision({ stored: 'v' }),
  },
  history: true,
});

const database = useDatabase();
const serve = useServer();
let server: TestServer;
const bills = () => database.db.collection<Any>('bills');
const send = (method: string, path: string, body?: unknown, headers = {}) =>
  server.request(method, `/bills${path}`, { ...(body === undefined ? {} : { body }), headers });
const told = () => server.errors.splice(0).map(({ message }) => message);

beforeAll(async () => {
  const shop = service<never>();
  const ops = ['list', 'get', 'create', 'patch', 'put', 'delete'] as const;
  const api = shop.api({ db: database.db, resources: [shop.resource({ model: Bill, ops, export: {}, aggregate: true, history: true })] });
  server = await serve(api.routes());
});
beforeEach(async () => {
  await database.db.command({ collMod: 'bills', validator: {} }).catch(() => undefined);
  for (const name of ['bills', 'bills_history']) await database.db.collection(name).deleteMany({});
});

const misfits: readonly (readonly [stored: object, path: string, rule: string])[] = [
  [{ open: 2 }, 'isOpen', 'must be stored as 0 or 1'],
  [{ cents: 12.5 }, 'amount', 'must be stored as an integer, of which 100 are 1'],
  [{ sent: '2020' }, 'sentAt', 'must be stored as an integer of seconds since 1970'],
  [{ seen: new Date(0) }, 'seenAt', 'must be stored as an integer of milliseconds since 1970'],
  [{ due: '2020-01-01' }, 'dueAt', 'must be stored as a text such as 2026-01-31T12:00:00.000Z'],
  [
    { l: [{ d: {} }, { d: { a: '2020-01-01T00:00:00.000Z', b: 5 } }] },
    'lines.1.days.b',
    'must be stored as a text such as 2026-01-31T12:00:00.000Z',
  ],
];

describe('a stored value that does not fit its form', () => {
  it.each(misfits)('is 500, and names record and path only to the application: %j', async (stored, path, rule) => {
    await bills().insertMany([{ _id: 'fits', ...fitting } as Any, { _id: 'odd', ...stored }]);
    const message = `The record of Bill with the id "odd" does not fit its model: \`${path}\` ${rule}.`;
    for (const [address, headers] of [
      ['/odd', {}],
      ['', {}],
      ['?sort=-id&limit=1', {}],
      ['', { accept: 'application/x-ndjson' }],
    ] as const) {
      const { status, text } = await send('GET', address, undefined, headers).catch(() => ({ status: 'broken off', text: '' }));
      expect([500, 'broken off']).toContain(status);
      expect(text).not.toContain('stored as');
      expect(told()).toEqual([message]);
    }
    expect((await send('GET', '/fits')).status).toBe(200);
    await expect(openStore(Bill, { db: database.db }).get('odd')).rejects.toThrow(message);
  });

  it('does not keep an audit from naming it, which finds nothing else', async () => {
    await bills().insertMany([
      { _id: 'fits', ...fitting } as Any,
      ...misfits.map(([stored], index) => ({ _id: `odd${index}`, ...stored })),
    ]);
    for await (const audit of auditCollection(Bill, { db: database.db })) {
      if (!audit.isComplete) continue;
      expect(audit.unknownKeys).toEqual([]);
      expect(audit.misfits.map(({ path, message, ids }) => [ids, path, message]).sort()).toEqual(
        misfits.map(([, path, rule], index) => [[`odd${index}`], path.replace('.1.', '.*.').replace('.b', '.*'), rule]).sort(),
      );
    }
  });

  it('does not show in an aggregate, which counts it as a missing value', async () => {
    await bills().insertMany([
      { _id: 'fits', ...fitting } as Any,
      ...misfits.map(([stored], index) => ({ _id: `odd${index}`, ...stored })),
    ]);
    const { body } = await send('GET', '/aggregate?group=dueAt[year]&sum=amount&max=seenAt');
    expect(body.data).toEqual([
      { group: { 'dueAt[year]': null }, sum: { amount: null }, max: { seenAt: null } },
      { group: { 'dueAt[year]': '2020' }, sum: { amount: '12.50' }, max: { seenAt: '1970-01-01T00:00:01.500Z' } },
    ]);
  });

  it('goes when a patch replaces it, and stands in the history as it was', async () => {
    await bills().insertOne({ _id: 'odd', due: 'soon' });
    const { status, body } = await send('PATCH', '/odd', { dueAt: '2020-01-01T00:00:00Z' });
    expect([status, body.data.dueAt, await bills().findOne()]).toEqual([
      200,
      '2020-01-01T00:00:00.000Z',
      { _id: 'odd', due: '2020-01-01T00:00:00.000Z', v: 1 },
    ]);
    const history = await send('GET', '/odd/history');
    expect(history.body.data[0].changes).toEqual([{ path: 'dueAt', before: 'soon', after: '2020-01-01T00:00:00.000Z' }]);
  });
});

const fitting = {
  open: 1,
  cents: 1250,
  sent: new Double(60),
  seen: new Double(1500),
  due: '2020-05-06T07:08:09.010Z',
  l: [{ d: { 'a.b': '0000-01-01T00:00:00.000Z' } }],
  v: 0,
};

describe('the validator of such a model', () => {
  it('accepts all that the library writes, and integers that are doubles', async () => {
    await bills().insertOne({ _id: 'first' });
    const shop = service<never>();
    await applyValidators(shop.api({ db: database.db, resources: [shop.resource({ model: Bill })] }));
    await bills().insertOne({ _id: 'fits', ...fitting } as Any);
    const sent = {
      id: 'sent',
      isOpen: false,
      amount: '-0.5',
      sentAt: '2100-01-01T00:00:00Z',
      seenAt: '1901-01-01T00:00:00.001Z',
      dueAt: '9999-12-31T23:59:59.999Z',
      lines: [{ days: { x: '2020-01-01T00:00:00Z' } }],
    };
    expect((await send('POST', '', sent)).status).toBe(201);
    expect((await send('PATCH', '/fits', { amount: '90', sentAt: null, isOpen: false })).status).toBe(200);
    for (const [stored] of [...misfits, [{ cents: -51 }], [{ cents: 9001 }], [{ cents: Decimal128.fromString('1') }]] as const)
      await expect(bills().insertOne({ _id: JSON.stringify(stored), ...(stored as object) })).rejects.toThrow('Document failed validation');
  });

  it('names the stored keys', () => {
    expect(collectionValidator(Bill).$jsonSchema.properties).toMatchObject({
      open: { bsonType: ['int', 'long', 'double', 'null'], multipleOf: 1, minimum: 0, maximum: 1 },
      cents: {
        anyOf: [
          { minimum: -50, maximum: 9000 },
          { minimum: -50, maximum: 9000 },
        ],
      },
      l: { items: { properties: { d: { additionalProperties: { bsonType: 'string' } } } } },
    });
  });
});

describe('the store of such a model', () => {
  it('takes and gives documents under the names of the fields, in the forms of their types', async () => {
    const store = openStore(Bill, { db: database.db });
    const stored = () => bills().findOne({}, { projection: { _life: 0 } });
    const dueAt = new Date('2020-05-06T07:08:09.010Z');
    const made = await store.create({
      id: 'a',
      amount: Decimal128.fromString('2.5'),
      sentAt: new Date(60_000),
      dueAt,
      isOpen: false,
      lines: [],
    });
    expect(made).toMatchObject({ amount: Decimal128.fromString('2.50'), sentAt: new Date(60_000), dueAt, isOpen: false });
    expect(await stored()).toEqual({ _id: 'a', open: 0, cents: 250, sent: 60, due: dueAt.toISOString(), l: [], v: 0 });
    const within = { amount: { gt: '2.494' }, sentAt: { lt: new Date(60_001) }, dueAt: { gte: dueAt }, isOpen: false } as const;
    expect((await store.find(within as Any)).map(({ id }: Any) => id)).toEqual(['a']);
    const held = await store.get('a');
    if (!held) throw new Error('It is there.');
    held.amount = Decimal128.fromString('3');
    held.note = 'n';
    await store.save(held);
    await store.update('a', { dueAt: null, seenAt: new Date(5) });
    await store.upsert('a', { amount: '4', lines: [{ days: { x: new Date(0) } }] } as Any);
    expect(await stored()).toEqual({ _id: 'a', open: 1, cents: 400, l: [{ d: { x: '1970-01-01T00:00:00.000Z' } }], v: 3 });
    await expect(store.update('a', { sentAt: new Date(1) })).rejects.toMatchObject({ code: 'validation_failed' });
  });
});

describe('a field that is stored elsewhere', () => {
  it('has the description of one that is not', () => {
    const { fieldTable } = compileModel(Bill);
    expect([...fieldTable].map(([name, { path }]) => [name, path])).toEqual([
      ['id', '_id'],
      ['isOpen', 'open'],
      ['amount', 'cents'],
      ['sentAt', 'sent'],
      ['seenAt', 'seen'],
      ['dueAt', 'due'],
      ['lines', 'l'],
      ['lines.days', 'l.d'],
      ['note', 'text'],
      ['revision', 'v'],
    ]);
  });
});
