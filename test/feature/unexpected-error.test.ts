import { defineModel, Problem, t } from '../../src/index.ts';
import { useDatabase } from '../support/database/database.ts';
import { useApi } from '../support/http/api.ts';

const Doc = defineModel('Doc', {
  collection: 'secretly_named',
  fields: { id: t.string({ policy: { insert: true } }), text: t.string({ default: '' }), revision: t.revision() },
});
const List = defineModel('List', {
  collection: 'secretly_named',
  fields: { id: t.string(), n: t.nullable(t.int(), { policy: { sort: true } }) },
});

const database = useDatabase();
/** What is thrown in the test at hand. */
let thrown: unknown;
const api = useApi(database, (shop) => [
  shop.resource({
    model: Doc,
    path: 'docs',
    guards: [
      () => {
        if (thrown !== undefined) throw thrown;
        return true;
      },
    ],
  }),
  shop.resource({ model: List, path: 'rows' }),
]);
const docs = () => database.db.collection<{ _id: string; [key: string]: unknown }>('secretly_named');

beforeEach(async () => {
  thrown = undefined;
  api.errors.length = 0;
  await docs().deleteMany({});
});

const bare = { type: 'about:blank', title: 'Internal Server Error', status: 500 };

describe('an unexpected exception', () => {
  it.each<[string, unknown]>([
    ['an error', new Error('the password is hunter2')],
    ['an error of a library, with a status and without a mark that it may be shown', Object.assign(new Error('hunter2'), { status: 404 })],
    ['an error with a status that does not exist', Object.assign(new Error('hunter2'), { status: 999, expose: true })],
    ['an error with a status that is none', Object.assign(new Error('hunter2'), { status: 'bad', expose: true })],
    ['a TypeError', new TypeError('hunter2')],
    ['text', 'hunter2'],
    ['an object that looks like an error', { status: 404, expose: true, message: 'hunter2' }],
    ['null', null],
  ])('is a bare 500 with type, title and status only, and reaches app.on(error) with the context: %s', async (_name, error) => {
    thrown = error;
    for (const [method, path] of [
      ['GET', '/api/docs'],
      ['DELETE', '/api/docs/x'],
    ] as const) {
      const { status, headers, body, text } = await api.request(method, path);
      expect([status, body]).toEqual([500, bare]);
      expect(headers['content-type']).toBe('application/problem+json');
      expect(text).not.toMatch(/hunter2|stack|at /);
    }
    expect(api.errors).toHaveLength(2);
    for (const told of api.errors) {
      expect(told).toBeInstanceOf(Error);
      if (error instanceof Error) expect(told).toBe(error);
    }
  });

  it('is a bare 500 when the database refuses what nobody foresaw', async () => {
    await docs().insertOne({ _id: 'a', text: 'only this' });
    await database.db.command({ collMod: 'secretly_named', validator: { text: 'only this' } });
    const answer = await api.request('PATCH', '/api/docs/a', { body: { text: 'other' } });
    const created = await api.request('POST', '/api/docs', { body: { id: 'b', text: 'other' } });
    await database.db.command({ collMod: 'secretly_named', validator: {} });
    expect([answer.body, created.body]).toEqual([bare, bare]);
    expect(api.errors).toHaveLength(2);
    expect(answer.text + created.text).not.toContain('secretly_named');
  });

  it('is what each page of a list is that would show a record without a place in its order', async () => {
    await docs().insertMany([
      { _id: 'a', n: 'text' },
      { _id: 'b', n: ['text'] },
    ]);
    for (const limit of [1, 2, 20]) {
      expect((await api.request('GET', `/api/rows?sort=-n&limit=${limit}`)).body).toEqual(bare);
      expect(api.errors.at(-1)?.message).toMatch(/"b".*`n`/);
    }
    expect((await api.request('GET', '/api/rows?limit=1')).status).toBe(200);
  });
});

describe('an error that speaks to the client', () => {
  it.each<[string, unknown, object, string | undefined]>([
    [
      'a Problem',
      new Problem({
        code: 'forbidden',
        detail: 'Not on Sundays.',
        headers: { 'x-day': 'sunday' },
        errors: [{ field: 'day', message: 'is a Sunday' }],
      }),
      {
        type: 'about:blank',
        title: 'Forbidden',
        status: 403,
        detail: 'Not on Sundays.',
        code: 'forbidden',
        errors: [{ field: 'day', message: 'is a Sunday', rule: 'check' }],
      },
      'sunday',
    ],
    [
      'an exposed error, as of ctx.throw()',
      Object.assign(new Error('Not on Sundays.'), { status: 402, expose: true, headers: { 'x-day': 'sunday' } }),
      { type: 'about:blank', title: 'Payment Required', status: 402, detail: 'Not on Sundays.', code: 'payment_required' },
      'sunday',
    ],
  ])('is answered as it is, with its headers, and not reported: %s', async (_name, error, document, day) => {
    thrown = error;
    const { status, headers, body } = await api.request('GET', '/api/docs');
    expect([status, body]).toEqual([(document as { status: number }).status, document]);
    expect(headers['content-type']).toBe('application/problem+json');
    expect(headers['x-day']).toBe(day);
    expect(api.errors).toEqual([]);
  });
});
