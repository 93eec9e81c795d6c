import { Binary, BSONRegExp, Code, Decimal128, Double, Int32, Long, MaxKey, ObjectId, Timestamp, UUID } from 'mongodb';
import { defineModel, t } from '../../src/index.ts';
import { useDatabase } from '../support/database/database.ts';
import { useApi } from '../support/http/api.ts';

const fields = {
  text: t.optional(t.string()),
  int: t.optional(t.int()),
  int64: t.optional(t.int64()),
  float: t.optional(t.float()),
  decimal: t.optional(t.decimal()),
  flag: t.optional(t.boolean()),
  date: t.optional(t.date({ policy: { filter: true } })),
  objectId: t.optional(t.objectId()),
  uuid: t.optional(t.uuid()),
  binary: t.optional(t.binary()),
  kind: t.optional(t.enum(['one', 'two'])),
  list: t.optional(t.array(t.int64())),
  map: t.optional(t.map(t.decimal())),
  any: t.optional(t.any()),
  ref: t.optional(t.ref('Other')),
};
type Name = keyof typeof fields;
const Doc = defineModel('Doc', { collection: 'docs', fields });

const database = useDatabase();
const api = useApi(database, (shop) => [shop.resource({ model: Doc, ops: ['get', 'create', 'patch', 'put', 'list'] })]);
const docs = () => database.db.collection('docs', { promoteValues: false });

const uuid = '6f9619ff-8b86-4d01-b42d-00cf4fc964ff';
const hex = '0123456789abcdef01234567';

/** What is sent, what is served, and what is stored. */
const cases: [field: Name, sent: string, served: string, stored: unknown][] = [
  ['text', '"aé😀\\u0000"', '"aé😀\\u0000"', 'aé😀\0'],
  ['text', '"\\ud83d\\ude00"', '"😀"', '😀'],
  ['int', '5', '5', new Int32(5)],
  ['int', '5.0', '5', new Int32(5)],
  ['int', '-0', '0', new Int32(0)],
  ['int', '2147483648', '2147483648', Long.fromNumber(2147483648)],
  ['int', '9007199254740991', '9007199254740991', Long.fromString('9007199254740991')],
  ['int64', '1', '1', Long.fromNumber(1)],
  ['int64', '9007199254740993', '9007199254740993', Long.fromString('9007199254740993')],
  ['int64', '9223372036854775807', '9223372036854775807', Long.MAX_VALUE],
  ['int64', '-9223372036854775808', '-9223372036854775808', Long.MIN_VALUE],
  ['int64', '9.007199254740993e15', '9007199254740993', Long.fromString('9007199254740993')],
  ['float', '0.1', '0.1', new Double(0.1)],
  ['float', '5', '5', new Double(5)],
  ['float', '1e308', '1e+308', new Double(1e308)],
  ['float', '99999999999999999999', '100000000000000000000', new Double(1e20)],
  ['decimal', '12.50', '"12.5"', Decimal128.fromString('12.5')],
  ['decimal', '"12.50"', '"12.50"', Decimal128.fromString('12.50')],
  ['decimal', '99999999999999999999999', '"99999999999999999999999"', Decimal128.fromString('99999999999999999999999')],
  [
    'decimal',
    '0.1234567890123456789012345678901234',
    '"0.1234567890123456789012345678901234"',
    Decimal128.fromString('0.1234567890123456789012345678901234'),
  ],
  ['flag', 'false', 'false', false],
  ['date', '"2026-01-31T12:00:00Z"', '"2026-01-31T12:00:00.000Z"', new Date('2026-01-31T12:00:00.000Z')],
  ['date', '"2026-01-31T12:00:00.1239+02:00"', '"2026-01-31T10:00:00.123Z"', new Date('2026-01-31T10:00:00.123Z')],
  ['date', '"2026-01-31T12:00:00"', '"2026-01-31T12:00:00.000Z"', new Date('2026-01-31T12:00:00.000Z')],
  ['objectId', `"${hex.toUpperCase()}"`, `"${hex}"`, new ObjectId(hex)],
  ['uuid', `"${uuid.toUpperCase()}"`, `"${uuid}"`, new UUID(uuid).toBinary()],
  ['binary', '"AP8="', '"AP8="', new Binary(Buffer.from([0, 255]))],
  ['binary', '""', '""', new Binary(Buffer.alloc(0))],
  ['kind', '"two"', '"two"', 'two'],
  ['list', '[1,9223372036854775807]', '[1,9223372036854775807]', [Long.fromNumber(1), Long.MAX_VALUE]],
  ['map', '{"a.b":1,"$c":"2.0"}', '{"a.b":"1","$c":"2.0"}', { 'a.b': Decimal128.fromString('1'), $c: Decimal128.fromString('2.0') }],
  [
    'any',
    '{"n":[1,1.5,9007199254740993,true,null,"x"]}',
    '{"n":[1,1.5,9007199254740993,true,null,"x"]}',
    { n: [new Int32(1), new Double(1.5), Long.fromString('9007199254740993'), true, null, 'x'] },
  ],
  ['any', '{"$oid":"0123456789abcdef01234567"}', '{"$oid":"0123456789abcdef01234567"}', { $oid: hex }],
  ['any', '{"$date":{"$numberLong":"5"}}', '{"$date":{"$numberLong":"5"}}', { $date: { $numberLong: '5' } }],
  [
    'any',
    '{"_bsontype":"ObjectId","id":"x","toBSON":1}',
    '{"_bsontype":"ObjectId","id":"x","toBSON":1}',
    { _bsontype: 'ObjectId', id: 'x', toBSON: new Int32(1) },
  ],
  ['any', '{"$set":{"int":1},"a.b":"$int"}', '{"$set":{"int":1},"a.b":"$int"}', { $set: { int: new Int32(1) }, 'a.b': '$int' }],
  ['any', '0', '0', new Int32(0)],
  ['any', '6.02e23', '6.02e+23', new Double(6.02e23)],
  ['any', '[1e17,9007199254740993.0]', '[100000000000000000,9007199254740992]', [new Double(1e17), new Double(2 ** 53)]],
  ['ref', `"${hex}"`, `"${hex}"`, new ObjectId(hex)],
];

const served = (field: Name, text: string) => `"${field}":${text}`;

describe('a value', () => {
  it.each(cases)(
    'of %s that comes in as %s goes out as %s: after a create, a get, a list, a patch and a put',
    async (field, sent, expected, stored) => {
      const created = await api.request('POST', '/api/docs', { body: `{"${field}":${sent}}` });
      expect(created.status).toBe(201);
      const path = String(created.headers.location);
      const id = { _id: new ObjectId(path.split('/').at(-1)) };
      expect(created.text).toContain(served(field, expected));
      expect((await docs().findOne(id))?.[field]).toEqual(stored);
      expect((await api.request('GET', path)).text).toContain(served(field, expected));
      for (const method of ['PATCH', 'PUT']) {
        await docs().updateOne(id, { $unset: { [field]: 1 } });
        const changed = await api.request(method, path, { body: `{"${field}":${sent}}` });
        expect([method, changed.status, changed.text]).toEqual([method, 200, created.text]);
        expect((await docs().findOne(id))?.[field]).toEqual(stored);
      }
      expect((await api.request('GET', '/api/docs?limit=100')).text).toContain(created.text.slice('{"data":'.length, -1));
    },
  );

  it.each<[Name, string]>([
    ['int', '9007199254740992'],
    ['int', '-9007199254740992'],
    ['int', '9223372036854775808'],
    ['int64', '9223372036854775808'],
    ['int64', '-9223372036854775809'],
    ['int64', '1.5'],
    ['int64', '"5"'],
    ['decimal', '12345678901234567890123456789012345'],
    ['decimal', '"1e7000"'],
    ['decimal', '"x"'],
    ['decimal', 'true'],
    ['flag', '0'],
    ['date', '"2026-01-31"'],
    ['date', '"2026-02-30T00:00:00Z"'],
    ['date', '5'],
    ['objectId', '"0123456789ab"'],
    ['objectId', `{"$oid":"${hex}"}`],
    ['uuid', `"${uuid}0"`],
    ['binary', '"AP8"'],
    ['binary', '"A P8="'],
    ['kind', '"three"'],
    ['list', '[1,"2"]'],
    ['map', '{"a":"x"}'],
    ['ref', '"x"'],
    ['ref', `{"id":"${hex}"}`],
  ])('of %s that cannot be taken as it is gives 422 on create, patch and put: %s', async (field, sent) => {
    const { headers } = await api.request('POST', '/api/docs', { body: {} });
    for (const [method, path] of [
      ['POST', '/api/docs'],
      ['PATCH', headers.location],
      ['PUT', headers.location],
    ] as const) {
      const { status, body } = await api.request(method, String(path), { body: `{"${field}":${sent}}` });
      expect([method, status]).toEqual([method, 422]);
      expect(body.errors[0].field).toMatch(new RegExp(`^${field}`));
    }
  });
});

describe('an untyped field', () => {
  const values: [name: string, stored: unknown, served: unknown][] = [
    ['an ObjectId', new ObjectId(hex), hex],
    ['a UUID', new UUID(uuid), uuid],
    ['a date', new Date('2026-01-31T12:00:00.000Z'), '2026-01-31T12:00:00.000Z'],
    ['a timestamp', new Timestamp({ t: 1769860800, i: 7 }), '2026-01-31T12:00:00.000Z'],
    ['a decimal', Decimal128.fromString('1.50'), '1.50'],
    ['binary', new Binary(Buffer.from([0, 255])), 'AP8='],
    ['a regular expression', new BSONRegExp('^a.*$', 'i'), '^a.*$'],
    ['a long', Long.fromString('4294967296'), 4294967296],
    ['a double', new Double(1.5), 1.5],
    ['NaN, which JSON has no number for', new Double(Number.NaN), null],
    ['code', new Code('function () {}'), 'function () {}'],
    ['a maximum', new MaxKey(), null],
    ['keys with $ and dots', { $oid: hex, 'a.b': { $where: 1 } }, { $oid: hex, 'a.b': { $where: 1 } }],
    ['a reference of the shell', { $ref: 'docs', $id: hex }, { $ref: 'docs', $id: hex }],
  ];

  beforeAll(() => docs().deleteMany({}));
  beforeEach(() => {
    api.errors.length = 0;
  });

  it.each(values)('is served as JSON whatever it holds, at any depth: %s', async (_name, stored, expected) => {
    const id = new ObjectId();
    await docs().insertOne({ _id: id, any: { list: [stored, { deep: stored }] } });
    const { status, body } = await api.request('GET', `/api/docs/${id}`);
    expect([status, body.data.any]).toEqual([200, { list: [expected, { deep: expected }] }]);
    await docs().updateOne({ _id: id }, { $set: { any: stored } });
    expect((await api.request('GET', `/api/docs/${id}`)).body.data.any).toEqual(expected);
    expect((await api.request('GET', '/api/docs?limit=100')).status).toBe(200);
    expect(api.errors).toEqual([]);
  });
});

describe('a stored value of another type than its field', () => {
  it('is served as the JSON that it is: a read never fails on old data', async () => {
    const id = new ObjectId();
    const old = {
      text: 5,
      int: 'five',
      date: 'yesterday',
      objectId: 7,
      uuid: hex,
      binary: 'x',
      kind: 'three',
      list: 'no list',
      map: [1],
      flag: 'yes',
      decimal: 1.5,
    };
    await docs().insertOne({ _id: id, ...old });
    const { status, body } = await api.request('GET', `/api/docs/${id}`);
    expect(status).toBe(200);
    expect(body.data).toEqual({ id: String(id), ...old, decimal: '1.5' });
  });
});

describe('a stored date outside of the years 0000 to 9999', () => {
  it.each([8.64e15, -8.64e15, Date.UTC(10_000, 0), -62_167_219_200_001])(
    'is served as text that may be sent back and filtered by: %d',
    async (time) => {
      const [id, at] = [new ObjectId(), new Date(time)];
      await docs().insertOne({ _id: id, date: at });
      const path = `/api/docs/${id}`;
      const { body } = await api.request('GET', path);
      expect(new Date(body.data.date)).toEqual(at);
      const sent = { date: body.data.date };
      expect((await api.request('POST', '/api/docs', { body: sent })).body.data.date).toBe(sent.date);
      for (const method of ['PATCH', 'PUT']) expect((await api.request(method, path, { body: sent })).body.data.date).toBe(sent.date);
      expect((await docs().findOne({ _id: id }))?.date).toEqual(at);
      const found = await api.request('GET', `/api/docs?date=${encodeURIComponent(sent.date)}`);
      expect(found.body.data).toHaveLength(2);
      await docs().deleteMany({ date: at });
    },
  );
});
