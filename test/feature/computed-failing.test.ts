import { defineModel, service, t } from '../../src/index.ts';
import { useDatabase } from '../support/database/database.ts';
import { useApi } from '../support/http/api.ts';
import { getStream } from '../support/http/read-stream.ts';

const Part = t.object('Part', {
  size: t.int(),
  double: t.computed(t.int(), {
    from: ['size'],
    get({ size }: { size: number }) {
      if (size === 13) throw new Error('canary 13');
      return size * 2;
    },
  }),
});
const made: Record<string, unknown> = {};
const Box = defineModel('Box', {
  collection: 'boxes',
  fields: {
    id: t.string({ policy: { filter: true } }),
    parts: t.array(Part),
    price: t.computed(t.object('Price', { amount: t.decimal(), unit: t.string({ maxLength: 3 }) }), {
      from: ['id'],
      get: ({ id }) => (typeof made[id as string] === 'function' ? (made[id as string] as () => never)() : (made[id as string] as never)),
    }),
  },
});

const database = useDatabase();
const api = useApi(database, (shop) => [shop.resource({ model: Box, fields: true, export: {} })], { batch: true });
const boxes = () => database.db.collection<{ _id: string; parts: unknown[] }>('boxes');

beforeEach(async () => {
  await boxes().deleteMany({});
  await boxes().insertMany([
    { _id: 'good', parts: [{ size: 1 }] },
    { _id: 'worse', parts: [{ size: 1 }, { size: 13 }] },
  ]);
  for (const id of ['good', 'worse']) made[id] = { amount: 5, unit: 'EUR' };
  api.errors.length = 0;
});

const get = (path: string) => api.request('GET', `/api/boxes${path}`);
const told = () => api.errors.map(({ message }) => message);

describe('a `get` that throws', () => {
  it('is a 500 without a detail, and the error names the record and the path', async () => {
    const { status, body, text } = await get('/worse');
    expect([status, body.title]).toEqual([500, 'Internal Server Error']);
    expect(text).not.toMatch(/canary|double|parts/);
    expect(told()).toEqual([
      'The computed field `parts.*.double` of the record `"worse"` of `Box` could not be computed: its `get` has thrown.',
    ]);
    expect(api.errors[0]?.cause).toEqual(new Error('canary 13'));
  });

  it('fails where its field is shown, and nowhere else', async () => {
    expect((await get('')).status).toBe(500);
    expect((await get('?id=good')).status).toBe(200);
    expect((await get('/worse?fields=parts.size,price')).status).toBe(200);
    expect((await get('/worse?fields=parts.double')).status).toBe(500);
    expect(told()).toHaveLength(2);
  });

  it('fails a batch, which changes nothing, and cuts an export', async () => {
    const operations = [{ method: 'PATCH', path: '/boxes/worse', body: { parts: [{ size: 13 }] } }];
    expect((await api.request('POST', '/api/batch', { body: { operations } })).status).toBe(500);
    expect((await boxes().findOne({ _id: 'worse' }))?.parts).toHaveLength(2);
    for (const accept of ['application/x-ndjson', 'text/csv']) {
      const { status, text, isCut } = await getStream(api.port, '/api/boxes', accept);
      expect([status, isCut]).toEqual([200, true]);
      expect(text).not.toContain('canary');
    }
    expect(told()).toHaveLength(3);
    expect(told().every((message) => message.includes('`parts.*.double` of the record `"worse"`'))).toBe(true);
  });
});

describe('a value that does not fit the type', () => {
  it.each([
    ['another type', 'dear', '`price` must be an object'],
    ['nothing', undefined, '`price` must be an object'],
    ['null, where there is none', null, '`price` must not be null'],
    ['a member of another type', { amount: 'x', unit: 'EUR' }, '`price.amount` must be a decimal number'],
    ['a member too long', { amount: 5, unit: 'EURO' }, '`price.unit` must have at most 3 characters'],
    ['a member too few', { amount: 5 }, '`price.unit` is required'],
    ['a member too many', { amount: 5, unit: 'EUR', secret: 'canary' }, '`price.secret` is not a known field'],
    ['a promise', () => Promise.reject(new Error('canary')), 'its `get` must not be async'],
  ])('%s is a 500 that shows nothing of it', async (_what, value, message) => {
    made.good = value;
    const { status, text } = await get('/good');
    expect([status, text.includes('canary')]).toEqual([500, false]);
    expect(told()).toEqual([expect.stringContaining('The computed field `price` of the record `"good"` of `Box`')]);
    expect(told()[0]).toContain(message);
  });

  it('is a 500 where the record is included or written, too', async () => {
    made.good = 'dear';
    const shop = service();
    const Ref = defineModel('Ref', { collection: 'refs', fields: { id: t.string(), box: t.ref('Box', { id: t.string(), as: 'it' }) } });
    const resources = [shop.resource({ model: Box }), shop.resource({ model: Ref, include: ['it'] as never })];
    await database.db.collection<{ _id: string }>('refs').insertOne({ _id: 'r', box: 'good' } as never);
    const other = shop.api({ db: database.db, resources, onError: () => undefined } as never);
    expect((await other.fetch(new Request('http://x/refs/r?include=it'))).status).toBe(500);
    expect((await other.fetch(new Request('http://x/refs/r'))).status).toBe(200);
    expect((await api.request('PATCH', '/api/boxes/good', { body: { parts: [] } })).status).toBe(500);
  });
});
