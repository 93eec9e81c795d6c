import { Decimal128, Double, Int32, Long, ObjectId } from 'mongodb';
import { cursorPaging, defineModel, offsetPaging, service, t } from '../../src/index.ts';
import { auditCollection } from '../../src/products/audit/audit-collection.ts';
import { formatAudits } from '../../src/products/cli/commands/audit.ts';
import type { Any } from '../support/any.ts';
import { useDatabase } from '../support/database/database.ts';

const database = useDatabase();
const fields = { rank: t.int({ policy: { sort: true, filter: true } }), secret: t.optional(t.string({ policy: { private: true } })) };
const byObjectId = defineModel('Thing', { collection: 'things', fields });
const byInt = defineModel('Thing', { collection: 'things', fields: { ...fields, id: t.int() } });
const byText = defineModel('Thing', { collection: 'things', fields: { ...fields, id: t.string() } });

const ids = {
  objectId: Array.from({ length: 12 }, (_, index) => new ObjectId(index.toString(16).padStart(24, '0'))),
  int: Array.from({ length: 25 }, (_, index) => index),
  string: ['399', 'a', 'b'],
  object: Array.from({ length: 9 }, (_, index) => ({ shop: 1, no: index })),
};

beforeAll(async () => {
  const all = Object.values(ids).flat() as unknown[];
  await database.db.collection<{ _id: unknown }>('things').insertMany(all.map((_id, index) => ({ _id, rank: (index * 7) % 11 })));
});

function build(model: Any, paging: Any) {
  const errors: Error[] = [];
  const things = service<never>().resource({ model, path: 'things', ops: ['list', 'get'], paging } as Any);
  const api = service<never>().api({
    db: database.db,
    openapi: false,
    resources: [things],
    onError: (error: Any) => errors.push(error),
  } as Any);
  const read = async (path: string) => {
    const answer = await api.fetch(new Request(`http://in-process/things${path}`));
    const text = await answer.text();
    return { status: answer.status, body: JSON.parse(text) as Any, text };
  };
  return { read, errors };
}

const models: [string, Any, string[]][] = [
  ['ObjectIds', byObjectId, ids.objectId.map(String)],
  ['integers', byInt, ids.int.map(String)],
  ['texts', byText, ids.string],
];

describe.each(models)('a list of records with ids of several types, of a model with %s', (_name, model, own) => {
  it.each(['id', '-id', 'rank', '-rank'].flatMap((sort) => [1, 4, 20].map((limit) => [sort, limit] as const)))(
    'shows each record that GET finds once, by cursor, sorted by %s, %d at a time',
    async (sort, limit) => {
      const order = sort.endsWith('id') ? '' : `&sort=${sort}`;
      const { read, errors } = build(model, cursorPaging({ max: 50 }));
      const seen: string[] = [];
      for (let next: string | null = ''; next !== null; ) {
        const { status, body, text } = await read(`?limit=${limit}${order}${next && `&after=${next}`}`);
        expect([status, status === 200 ? '' : text]).toEqual([200, '']);
        expect(body.data.length === limit || body.page.next_cursor === null).toBe(true);
        seen.push(...body.data.map(({ id }: Any) => String(id)));
        next = body.page.next_cursor;
      }
      expect([...seen].sort()).toEqual([...own].sort());
      expect(errors[0]?.message).toMatch(
        /^The record of Thing with the id .+ is left out of a list: no path addresses its id, which is of another type than those of the model/,
      );
      for (const id of seen.slice(0, 3)) expect((await read(`/${id}`)).status).toBe(200);
    },
  );

  it('shows each of them once by number, too', async () => {
    const { read } = build(model, offsetPaging({ max: 50 }));
    const seen: string[] = [];
    for (let page = 1, more = true; more; page++) {
      const { body } = await read(`?limit=4&page=${page}`);
      seen.push(...body.data.map(({ id }: Any) => String(id)));
      more = body.page.has_next;
    }
    expect([...seen].sort()).toEqual([...own].sort());
  });

  it('has an audit that counts the ids of each type, and names those without a path', async () => {
    let last: Any;
    for await (last of auditCollection(model, { db: database.db }));
    expect(last.idTypes).toEqual({ int: 25, objectId: 12, object: 9, string: 3 });
    expect(last.misfits).toMatchObject([{ path: 'id', rule: 'type', records: 49 - own.length }]);
    expect(formatAudits([last])).toContain("  Ids: int 25, objectId 12, object 9, string 3. Only those of the model's type have a path.\n");
  });
});

/** Numbers of every type, whole and broken, at the bounds of integers and doubles, by their texts. */
const numbers: Readonly<Record<string, unknown>> = {
  5: new Int32(5),
  6: Long.fromNumber(6),
  7: new Double(7),
  8: Decimal128.fromString('8'),
  '9.00': Decimal128.fromString('9.00'),
  1000: Decimal128.fromString('1E+3'),
  1.5: new Double(1.5),
  2.5: Decimal128.fromString('2.5'),
  0.1: Decimal128.fromString('0.1'),
  0.3: new Double(0.3),
  '0.1000000000000000055511151231257827': Decimal128.fromString('0.1000000000000000055511151231257827'),
  '9007199254740993': Long.fromString('9007199254740993'),
  '9223372036854775807': Long.MAX_VALUE,
  '9223372036854775808': new Double(2 ** 63),
  '18446744073709551616': Decimal128.fromString('18446744073709551616'),
  '1E+400': Decimal128.fromString('1E+400'),
  NaN: new Double(Number.NaN),
};

describe.each<[string, Any, Any]>([
  ['integers', t.int({ policy: { sort: true } }), t.int()],
  ['64-bit integers', t.int64({ policy: { sort: true } }), t.int64()],
  ['doubles', t.float({ policy: { sort: true } }), t.float()],
])('a list of records whose ids are numbers of several types, of a model with %s', (name, id, plain) => {
  const model = defineModel('Measure', {
    collection: 'measures',
    fields: { id, text: t.string({ policy: { filter: true, sort: true } }) },
  });
  const ofOwner = defineModel('Reading', {
    collection: 'readings',
    fields: { id: t.string(), measure: t.ref('Measure', { id: plain, policy: { filter: true } }) },
  });

  beforeAll(async () => {
    const measures = database.db.collection<{ _id: unknown }>('measures');
    await measures.deleteMany({});
    await measures.insertMany(Object.entries(numbers).map(([text, _id]) => ({ _id, text })));
    await database.db.collection('readings').deleteMany({});
    await database.db.collection<Any>('readings').insertMany(Object.entries(numbers).map(([_id, measure]) => ({ _id, measure })));
  });

  async function found(read: ReturnType<typeof build>['read']): Promise<string[]> {
    const paths = new Set(Object.keys(numbers).flatMap((text) => [text, String(Number(text))])); // only one spelling of a number is a path
    const answers = await Promise.all(Array.from(paths, (path) => read(`/${path}`)));
    return answers.filter(({ status }) => status === 200).map(({ body }) => body.data.text);
  }

  it('shows each id as its path has it, as a number', async () => {
    const { read } = build(model, offsetPaging({ max: 50 }));
    const { text, body } = await read('?limit=50');
    const shown = Array.from(text.matchAll(/"id":([^,}]+)/g), ([, id]) => id);
    expect([shown.length > 5, shown.length, shown.filter((id) => !/^[\d.e+]+$/.test(id as string))]).toEqual([true, body.data.length, []]);
    for (const id of shown) expect((await read(`/${id}`)).text).toContain(`{"data":{"id":${id},`);
    expect((await read('/9')).text).toBe('{"data":{"id":9,"text":"9.00"}}');
  });

  it.each(['id', '-id', 'text', '-text'].flatMap((sort) => [1, 3, 50].map((limit) => [sort, limit] as const)))(
    'shows each record that a path leads to once, sorted by %s, %d at a time',
    async (sort, limit) => {
      const { read } = build(model, cursorPaging({ max: 50 }));
      const seen: string[] = [];
      for (let next: string | null = ''; next !== null; ) {
        const { status, body, text } = await read(`?limit=${limit}&sort=${sort}${next && `&after=${next}`}`);
        expect([status, status === 200 ? '' : text]).toEqual([200, '']);
        expect(body.data.length === limit || body.page.next_cursor === null).toBe(true);
        seen.push(...body.data.map(({ text }: Any) => text));
        next = body.page.next_cursor;
      }
      expect([...seen].sort()).toEqual((await found(read)).sort());
    },
  );

  it('shows them by number and by filters, too, and reaches what refers to them', async () => {
    const byPage = build(model, offsetPaging({ max: 50 })).read;
    const expected = (await found(byPage)).sort();
    expect((await byPage('?limit=50')).body.data.map(({ text }: Any) => text).sort()).toEqual(expected);
    expect(expected).toEqual(expect.arrayContaining(['5', '6', '7', '8', '9.00', '1000']));
    const { read } = build(model, cursorPaging({ max: 50 }));
    for (const text of Object.keys(numbers))
      expect([text, (await read(`?text=${encodeURIComponent(text)}`)).body.data.length]).toEqual([text, expected.includes(text) ? 1 : 0]);
    const shop = service<never>();
    const api = shop.api({
      db: database.db,
      openapi: false,
      resources: [shop.resource({ model }), shop.resource({ model: ofOwner, through: ['measure'] } as Any)],
    });
    const answer = await api.fetch(new Request('http://in-process/readings?measure.text=8'));
    expect(((await answer.json()) as Any).data.map((one: Any) => one.id)).toEqual(['8']);
  });

  it('leads to the same records by references, whatever type of number either of them has', async () => {
    const shop = service<never>();
    const Shelf = defineModel('Shelf', {
      collection: 'shelves',
      fields: {
        id: plain,
        name: t.string(),
        boxes: t.hasMany('Box', { via: 'shelf' }),
        boxCount: t.hasMany('Box', { via: 'shelf', count: true }),
      },
    } as Any);
    const Box = defineModel('Box', {
      collection: 'boxes',
      fields: {
        id: t.string({ policy: { insert: true } }),
        shelf: t.ref('Shelf', { id: plain, onDelete: 'cascade', policy: { insert: true } }),
      },
    } as Any);
    const shelves = database.db.collection<Any>('shelves');
    const boxes = database.db.collection<Any>('boxes');
    const api = shop.api({
      db: database.db,
      openapi: false,
      resources: [
        shop.resource({ model: Shelf, include: ['boxes', 'boxCount'] } as Any),
        shop.resource({ model: Box, include: ['shelf'] } as Any),
      ],
    });
    const ask = async (method: string, path: string, body?: object) => {
      const headers = { 'Content-Type': 'application/json' };
      const answer = await api.fetch(
        new Request(`http://here${path}`, body ? { method, headers, body: JSON.stringify(body) } : { method }),
      );
      return { status: answer.status, body: JSON.parse((await answer.text()) || 'null') as Any };
    };
    const decimal = (text: string) => Decimal128.fromString(text);
    const large = 2 ** 60;
    const kinds: [path: string, forms: unknown[]][] = [
      ['5', [new Int32(5), Long.fromNumber(5), new Double(5), decimal('5'), decimal('0.50E1')]],
      [
        name === 'doubles' ? String(large) : String(BigInt(large)),
        [Long.fromNumber(large), new Double(large), decimal(String(BigInt(large)))],
      ],
    ];
    for (const [path, forms] of kinds) {
      for (const own of forms) {
        await shelves.deleteMany({});
        await boxes.deleteMany({});
        await shelves.insertOne({ _id: own, name: 'top' });
        await boxes.insertMany(forms.map((shelf, at) => ({ _id: `box ${at}`, shelf })));
        if (path === '5') expect((await ask('POST', '/boxes', { id: 'new', shelf: 5 })).status).toBe(201);
        const count = await boxes.countDocuments();
        const included = (await ask('GET', '/boxes?include=shelf')).body.data;
        expect(included.map(({ shelf }: Any) => shelf.name)).toEqual(Array.from({ length: count }, () => 'top'));
        const [shelf] = (await ask('GET', '/shelves?include=boxes,boxCount')).body.data;
        expect([shelf.boxes.length, shelf.boxCount]).toEqual([count, count]);
        expect((await ask('GET', `/shelves/${path}?include=boxes`)).body.data.boxes).toHaveLength(count);
        expect((await ask('DELETE', `/shelves/${path}`)).status).toBe(204);
        expect(await boxes.countDocuments()).toBe(0);
      }
    }
  });
});

describe('an id that is a number, and stored as a decimal', () => {
  const User = defineModel('User', { collection: 'users', fields: { id: t.int(), name: t.string() } } as Any);
  const Profile = defineModel('Profile', { collection: 'profiles', fields: { id: t.ref('User', { id: t.int() }) } } as Any);
  const shown = async (path: string, accept: string) => {
    const shop = service();
    const resources = [shop.resource({ model: User, export: {} } as Any), shop.resource({ model: Profile, include: ['id'] } as Any)];
    const answer = await shop
      .api({ db: database.db, resources })
      .fetch(new Request(`http://here/${path}`, { headers: { Accept: accept } }));
    return answer.text();
  };
  beforeEach(async () => {
    for (const name of ['users', 'profiles']) await database.db.collection<Any>(name).deleteMany({});
    await database.db.collection<Any>('users').insertOne({ _id: Decimal128.fromString('9.00'), name: 'ann' });
    await database.db.collection<Any>('profiles').insertOne({ _id: 9 });
  });

  it.each([
    ['text/csv', 'id,name\r\n9,ann\r\n'],
    ['application/x-ndjson', '{"id":9,"name":"ann"}\n{"end":true,"count":1}\n'],
  ])('is the number of its path in an export, too: %s', async (accept, text) => {
    expect(await shown('users', accept)).toBe(text);
  });

  it('is included where it is a relation itself', async () => {
    expect(JSON.parse(await shown('profiles/9?include=id', 'application/json')).data).toEqual({ id: { id: 9, name: 'ann' } });
    expect(JSON.parse(await shown('profiles?include=id', 'application/json')).data).toEqual([{ id: { id: 9, name: 'ann' } }]);
  });
});
