import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Binary, ObjectId, UUID } from 'mongodb';
import type { Audit } from '../../../../src/products/audit/audit-collection.ts';
import { auditCollection } from '../../../../src/products/audit/audit-collection.ts';
import { draftModel } from '../../../../src/products/cli/draft/draft-model.ts';
import { fieldNameOf, nameKeys, quote, schemaNameOf, singular } from '../../../../src/products/cli/draft/names.ts';
import { run } from '../../../../src/products/cli/run.ts';
import { useWritePage } from '../../../guides/parts/write-page.ts';
import { useDatabase } from '../../../support/database/database.ts';
import { findTypeErrors } from '../../../support/docs/find-type-errors.ts';
import { expectWith } from '../../../support/expect.ts';
import { useTemporaryFolder } from '../../../support/temporary-folder.ts';
import { hard } from './hard.ts';

const database = useDatabase();
const writePage = useWritePage();
const folder = useTemporaryFolder();

/** A UUID as an old driver stores it. */
function legacy(text: string, order: readonly number[]): Binary {
  const bytes = Buffer.from(text.replaceAll('-', ''), 'hex');
  return new Binary(Buffer.from([...order.map((at) => bytes[at] as number), ...bytes.subarray(order.length)]), 3);
}

async function fill(collection: string, records: readonly object[]): Promise<void> {
  await database.db.collection(collection).deleteMany({});
  await database.db.collection(collection).insertMany(records as never[]);
}

async function draft(collection: string, records: readonly object[], options = {}): Promise<string> {
  await fill(collection, records);
  const text = await draftModel(database.db, { collection, sample: 1_000, showsValues: true, ...options });
  expect(text).toBeDefined();
  return text as string;
}

/** What an audit finds with the model of a draft. */
async function auditDraft(text: string): Promise<Audit> {
  const page = await writePage('', { 'model.ts': text });
  const [model] = Object.values(await page.load('model.ts'));
  let last: Audit | undefined;
  for await (last of auditCollection(model as never, { db: database.db }));
  return last as Audit;
}

const noId = 'no create has an id, unless clients send it (policy: { insert: true }) or a default makes it';
const guide = 'docs/guides/existing-collections.md#ids-without-a-path';
const order = 'legacy-csharp, legacy-java or legacy-python? Compare one with the text that the program shows which has stored it';

describe('the draft of a collection', () => {
  it('fits every record, whatever stands in them, and names the keys that are not fields', async () => {
    const { misfits, records, unknownKeys } = await auditDraft(await draft('orders', hard));
    expect([misfits, records]).toEqual([[], hard.length]);
    expect(unknownKeys.map(({ path }) => path).sort()).toEqual(['\u001b[2J\n// x\u2028', '__v', 'a[0]', 'lines.*.$x', 'lines.*.a.b']);
  });

  it('is TypeScript', async () => {
    expect(await findTypeErrors({ 'model.ts': await draft('orders', hard) })).toEqual([]);
  });

  it('says on the line of a field what is doubtful', async () => {
    const text = await draft('orders', hard);
    for (const line of [
      '// A draft of all 24 records. Decide what each comment asks, and delete the comment.',
      "export const Order = defineModel('Order', {",
      "custNo: t.objectId({ stored: 'cust_no' }), // a reference? t.ref('CustNo')",
      "firstName2: t.string({ stored: 'first name' }),",
      "firstName3: t.string({ stored: 'first_name' }), // an enum? t.enum(['x'])",
      "id2: t.int({ stored: 'id' }),",
      "plz: t.string({ stored: 'PLZ' }), // an enum? t.enum(['89073'])",
      'status: t.string(),',
      "state: t.string(), // an enum? t.enum(['open', 'sent'])",
      "createdAt2: t.date({ stored: 'created_at', storedAs: 'string' }),",
      'createdAt: t.date(), // set by the api? t.createdAt()',
      "day: t.string({ format: 'date' }),",
      "changedOn: t.date({ stored: 'changed_on', storedAs: 'epoch-ms' }), // a time? The key says so, and all numbers could be milliseconds since 1970",
      "seenAt: t.date({ storedAs: 'epoch-s' }), // a time? The key says so, and all numbers could be seconds since 1970",
      'count: t.int(),',
      "isNew: t.boolean({ stored: 'is_new', storedAs: 'int' }), // a boolean? The key says so, and all numbers are 0 or 1",
      "priceCents: t.int({ stored: 'price_cents' }), // an amount? t.decimal({ storedAs: 'int', scale: 2 })",
      'rate: t.float(),',
      'whole: t.float(), // only whole numbers, at least some as doubles: t.int()?',
      'odd: t.any(), // no other field holds them: double 16, NaN or Infinity 8',
      'large: t.int64(),',
      'money: t.decimal(),',
      'mixed: t.nullable(t.any()), // no other field holds them: date 6, int 6, null 6, string 6',
      'nothing: t.nullable(t.any()), // only null was seen',
      'token: t.uuid({ policy: { private: true } }), // a secret? No client reads it, nor writes it without `insert` and `update`',
      '// Private fields, because their names mean secrets: 1.',
      'bytes: t.binary(),',
      'place: t.point(),',
      "far: t.object('OrderFar', {",
      'empty: t.array(t.any()), // only empty arrays were seen',
      'none: t.map(t.any()), // only empty objects were seen',
      "lines: t.array(t.object('OrderLines', {",
      "id: t.optional(t.objectId({ stored: '_id' })),",
      'list: t.array(t.nullable(t.string())),',
      'matrix: t.array(t.array(t.int())),',
      'prices: t.map(t.int()), // a map? 20 keys were seen',
      'names: t.map(t.string()), // a map? 2 keys were seen',
      "partTime: t.nullable(t.any({ stored: 'part_time' })), // only null was seen",
      'some: t.optional(t.string()), // an enum? ',
      "// '__v' is the version key of mongoose, which the model ignores; t.revision() has a key of its own.",
      "// 'a[0]' cannot be the key of a field: the model ignores it.",
      "// '\\u001b[2J\\n// x\\u{2028}' cannot be the key of a field: the model ignores it.",
    ])
      expectWith(text.split('\n').map((one) => one.trim()).filter((one) => one.startsWith(line)), line).not.toEqual([]); // biome-ignore format: one line
  });

  it('is the same for the same records in any order', async () => {
    expect(await draft('orders', [...hard].reverse())).toBe(await draft('orders', hard));
  });

  it('has no value of a record but members of enums, and with `--no-values` not even these', async () => {
    const records = Array.from({ length: 20 }, (_, index) => ({ kind: index % 2 ? 'alpha' : 'beta', mail: `ann${index}@example.org` }));
    const text = await draft('people', records);
    expect(text).toContain("// an enum? t.enum(['alpha', 'beta'])");
    expect(text).not.toContain('example.org');
    const without = await draft('people', records, { showsValues: false });
    expect(without).toContain('kind: t.string(), // an enum? t.enum of 2 texts');
    expect(without).not.toMatch(/alpha|beta/);
  });

  it.each<[what: string, ids: unknown[], line: string]>([
    ['texts', ['a', 'b'], `id: t.string(), // ${noId}`],
    ['dates as texts', ['2026-01-31T12:00:00.000Z'], `id: t.string(), // ${noId}`],
    ['numbers', [1, 2], `id: t.int(), // ${noId}`],
    ['UUIDs', [new UUID()], 'id: t.uuid(),'],
    ['UUIDs of old', [new Binary(Buffer.alloc(16), 3)], `id: t.uuid({ storedAs: 'legacy-csharp' }), // ${order}`],
    ['digests', [new Binary(Buffer.alloc(16), 5)], `id: t.binary({ subtype: 5 }), // ${noId}`],
    [
      'bytes of several subtypes',
      [new Binary(Buffer.alloc(16), 5), new Binary(Buffer.alloc(1)), new Binary(Buffer.alloc(2))],
      `id: t.binary(), // ids of several types: binary 2, binary of subtype 5 1; only these have a path. Migrate the others: ${guide}; ${noId}`,
    ],
    [
      'several types',
      [1, 'a', 2],
      `id: t.int(), // ids of several types: int 2, string 1; only these have a path. Migrate the others: ${guide}; ${noId}`,
    ],
    [
      'several types with ObjectIds',
      [1, new ObjectId(), new ObjectId()],
      `id: t.objectId(), // ids of several types: ObjectId 2, int 1; only these have a path. Migrate the others: ${guide}`,
    ],
    [
      'texts and objects',
      ['a', { a: 1 }],
      `id: t.string(), // ids of several types: object 1, string 1; only these have a path. Migrate the others: ${guide}; ${noId}`,
    ],
    ['objects', [{ a: 1 }], `// No path addresses such ids: object 1. Migrate them: ${guide}`],
  ])('has the type of the ids: %s', async (_what, ids, line) => {
    expect(await draft('things', ids.map((_id) => ({ _id, a: 1 })))).toContain(`    ${line}\n`); // biome-ignore format: one line
  });

  it.each<[what: string, value: unknown, line: string]>([
    ['days', '2024-02-29', "a: t.string({ format: 'date' }),"],
    [
      'what begins like days',
      '2023-02-29',
      "a: t.string(), // dates as texts, but not in the form of storedAs: 'string', 2026-01-31T12:00:00.000Z",
    ],
    ['numbers as texts', '12.50', "a: t.string(), // numbers as texts: '10' comes before '9', and there are no sums"],
    [
      'ids as texts',
      '6b01b4bf4ace1bf9239ebee1',
      "a: t.string(), // ids as texts: t.ref('A', { id: t.string() }), if the ids of its records are texts",
    ],
    [
      'UUIDs of .NET',
      legacy('00112233-4455-4600-8899-aabbccddeeff', [3, 2, 1, 0, 5, 4, 7, 6]),
      "a: t.uuid({ storedAs: 'legacy-csharp' }),",
    ],
    [
      'UUIDs of Java',
      legacy('00112233-4455-1677-a899-aabbccddeeff', [7, 6, 5, 4, 3, 2, 1, 0, 15, 14, 13, 12, 11, 10, 9, 8]),
      "a: t.uuid({ storedAs: 'legacy-java' }),",
    ],
    ['UUIDs of Python', legacy('00112233-4455-4600-8899-aabbccddeeff', []), "a: t.uuid({ storedAs: 'legacy-python' }),"],
    ['bytes', new Binary(Buffer.alloc(16)), 'a: t.binary(),'],
    ['bytes of a subtype', new Binary(Buffer.alloc(16), 128), 'a: t.binary({ subtype: 128 }),'],
    ['UUIDs of old without a version', new Binary(Buffer.alloc(16), 3), `a: t.uuid({ storedAs: 'legacy-csharp' }), // ${order}`],
  ])('has a form for %s, or says what they cannot do', async (_what, value, line) => {
    const text = await draft('things', [{ a: value }, { a: value }]);
    expect(text).toContain(`    ${line}\n`);
    expect((await auditDraft(text)).misfits).toEqual([]);
  });

  it('says of texts and numbers that one has to be chosen', async () => {
    expect(await draft('things', [{ a: 1 }, { a: 'x' }, { a: 2.5 }])).toContain(
      'a: t.any(), // texts and numbers: double 1, int 1, string 1. t.any() shows both, and neither filters nor sorts: choose one, and migrate the others\n',
    );
  });

  it('says of bytes of several subtypes that one has to be chosen', async () => {
    const text = await draft('things', [{ a: new Binary(Buffer.alloc(1)) }, { a: new Binary(Buffer.alloc(1), 5) }]);
    expect(text).toContain(
      'a: t.any(), // binary data of several subtypes: binary 1, binary of subtype 5 1. t.any() shows all of it, and would store texts: choose one, and migrate the others\n',
    );
    expect((await auditDraft(text)).misfits).toEqual([]);
  });

  it('makes private what its name says to be a secret, at any depth, and counts it', async () => {
    const secret = ['password', 'passwordHash', 'reset_tokens', 'API-Key', 'apiKey', 'jwt', 'ssn', 'IBAN', 'private_key', 'salt'];
    const harmless = ['hashtag', 'tokenize', 'pinned', 'secretary', 'keyboard', 'card'];
    const record = Object.fromEntries([...secret, ...harmless].map((key) => [key, key === 'jwt' ? { header: 'x' } : ['x']]));
    const text = await draft('things', [{ ...record, nested: [record] }]);
    expect(text).toContain(`// Private fields, because their names mean secrets: ${secret.length * 2}.\n`);
    expect(text.match(/policy: \{ private: true \}/g)).toHaveLength(secret.length * 2);
    for (const name of harmless) expect(text).toMatch(new RegExp(`  ${name}: t.array\\(t.string\\(\\)\\),`));
    expect((await auditDraft(text)).misfits).toEqual([]);
  });

  it('lets lists filter and sort by what an index begins with, and names the index', async () => {
    const records = [{ a: 1, b: 'x', c: { d: 'y' }, list: [{ e: 1 }], tags: ['x'], any: 1, password: 'x', f: 'x' }, { any: 'x' }];
    await fill('things', records);
    const things = database.db.collection('things');
    for (const key of ['b', 'c.d', 'list.e', 'tags', 'any', 'password']) await things.createIndex({ [key]: 1 });
    await things.createIndex({ a: -1, f: 1 }, { name: 'the a' });
    await things.createIndex({ f: 1 }, { unique: true, sparse: true });
    const text = await draft('things', records);
    for (const line of [
      "a: t.optional(t.int({ policy: { filter: true, sort: true } })), // by the index 'the a'",
      "b: t.optional(t.string({ policy: { filter: true, sort: true } })), // by the index 'b_1'",
      "d: t.string({ policy: { filter: true, sort: true } }), // by the index 'c.d_1'",
      "e: t.int({ policy: { filter: true } }), // by the index 'list.e_1'",
      "f: t.optional(t.string({ policy: { filter: true, sort: true } })), // 'f_1' is unique: unique: true?",
      "tags: t.optional(t.array(t.string(), { policy: { filter: true } })), // by the index 'tags_1'",
      'any: t.any(), // texts and numbers: ',
      'password: t.optional(t.string({ policy: { private: true } })), // a secret?',
    ])
      expectWith(
        text.split('\n').some((one) => one.trim().startsWith(line)),
        text,
      ).toBe(true);
    expect((await auditDraft(text)).misfits).toEqual([]);
    await things.dropIndexes();
  });

  it('reads no more than the sample', async () => {
    expect(await draft('orders', hard, { sample: 5 })).toMatch(/^\/\/ A draft of 5 of about 24 records\./);
  });
});

describe('the command', () => {
  const at = () => ['--uri', process.env.MONGODB_URI ?? '', '--db', database.db.databaseName];

  async function runHere(...args: string[]) {
    let [written, told] = ['', ''];
    const code = await run(['draft', ...args], {
      write(text) {
        written += text;
      },
      tell(message) {
        told += `${message}\n`;
      },
    });
    return { code, written, told };
  }

  it('prints the draft, or writes it to a file', async () => {
    const text = await draft('orders', hard);
    expect(await runHere('orders', ...at())).toEqual({ code: 0, written: text, told: '' });
    const out = join(folder.path, 'order.ts');
    expect(await runHere('orders', '--out', out, ...at())).toEqual({ code: 0, written: '', told: '' });
    expect(readFileSync(out, 'utf8')).toBe(text);
  });

  it('says which collection was probably meant', async () => {
    await fill('orders', hard);
    const { code, told } = await runHere('ordres', ...at());
    const name = database.db.databaseName;
    expect([code, told]).toEqual([2, `The collection \`ordres\` of the database \`${name}\` has no records; did you mean \`orders\`?\n`]);
  });

  it.each<[args: string[], message: string]>([
    [[], 'Name the collection: koa-mongo-resource draft <collection>\n'],
    [['a', 'b'], 'One collection is enough: b is too much.\n'],
    [['a', '--sample', '0'], '--sample must be a whole number of at least 1; it is "0".\n'],
    [['a', '--export', 'b'], "Unknown option '--export'. See --help.\n"],
  ])('refuses %j', async (args, message) => {
    expect(await runHere(...args)).toEqual({ code: 2, written: '', told: message });
  });
});

describe('names', () => {
  it.each([
    ['created_at', 'createdAt'],
    ['First Name', 'firstName'],
    ['_id', 'id'],
    ['PLZ', 'plz'],
    ['HTMLBody', 'htmlBody'],
    ['2fa', 'key2fa'],
    ['---', 'key'],
    ['straße_nr', 'straßeNr'],
    ['alreadyGood2', 'alreadyGood2'],
    ['a\u20dd', 'a'],
  ])('of the key %j is %s', (key, name) => expect(fieldNameOf(key)).toBe(name));

  it('are those of one key each', () => {
    expect([...nameKeys(['a b', 'aB', 'a_b', 'id'], ['id'])]).toEqual([
      ['aB', 'aB'],
      ['id', 'id2'],
      ['a b', 'aB2'],
      ['a_b', 'aB3'],
    ]);
  });

  it.each([
    ['movies', 'Movie'],
    ['companies', 'Company'],
    ['addresses', 'Address'],
    ['status', 'Status'],
    ['straßen', 'StraEn'],
    ['1', 'Record1'],
  ])('of the collection %s is %s', (collection, name) => expect(schemaNameOf(singular(collection))).toBe(name));

  it.each(["a'b", 'a"b', 'a\\"b', '\\', '\u2028\u202e\n', '😀'])('are literals: %j', (text) => {
    expect(new Function(`return ${quote(text)}`)()).toBe(text);
  });
});
