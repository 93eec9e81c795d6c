import { Long } from 'mongodb';
import { defineModel, t } from '../../src/index.ts';
import { useDatabase } from '../support/database/database.ts';
import { useApi } from '../support/http/api.ts';

const Note = defineModel('Note', {
  collection: 'notes',
  fields: {
    id: t.string(),
    text: t.string({ maxLength: 10 }),
    count: t.int({ default: 0 }),
    big: t.optional(t.int64()),
    real: t.optional(t.float()),
    exact: t.optional(t.decimal()),
    due: t.nullable(t.date()),
    keep: t.nullable(t.string(), { storeNone: true }),
    hint: t.optional(t.string()),
    list: t.array(t.string(), { default: [] }),
    map: t.map(t.int(), { default: {} }),
    any: t.optional(t.any()),
    fixed: t.string({ immutable: true, default: 'f' }),
    shut: t.string({ default: 's', policy: { update: false } }),
    late: t.string({ default: 'l', policy: { insert: false } }),
    secret: t.nullable(t.string({ policy: { private: true } })),
    password: t.optional(t.string({ policy: { private: true, update: true } })),
    revision: t.revision(),
    createdAt: t.createdAt(),
    updatedAt: t.updatedAt(),
  },
});
const Plain = defineModel('Plain', { collection: 'notes', fields: { id: t.string(), text: t.string() } });

const database = useDatabase();
const api = useApi(database, (shop) => [shop.resource({ model: Note }), shop.resource({ model: Plain, path: 'plain' })]);
const notes = () => database.db.collection<{ _id: string; [key: string]: unknown }>('notes');
const stored = () => notes().findOne({ _id: 'a' });
const patch = (body: unknown, headers = {}) => api.request('PATCH', '/api/notes/a', { body, headers });

const past = new Date('2020-01-01T00:00:00.000Z');
const before = {
  _id: 'a',
  text: 'old',
  count: 5,
  due: past,
  hint: 'h',
  list: ['x'],
  map: { x: 1 },
  secret: 's',
  other: 'kept',
  revision: 3,
  createdAt: past,
  updatedAt: past,
};

beforeEach(async () => {
  await notes().deleteMany({});
  await notes().insertOne(structuredClone(before));
  api.errors.length = 0;
});

describe('PATCH /:id', () => {
  it('changes the named fields only, counts the revision up by one, and answers the record with its new ETag', async () => {
    const { status, headers, body } = await patch({ text: 'new' });
    expect(status).toBe(200);
    expect(headers.etag).toBe('"4"');
    expect(headers).not.toHaveProperty('location');
    expect(body.data).toMatchObject({ id: 'a', text: 'new', count: 5, list: ['x'], revision: 4, createdAt: past.toISOString() });
    expect(new Date(body.data.updatedAt).getTime()).toBeGreaterThan(past.getTime());
    expect(body.data).not.toHaveProperty('secret');
    expect(await stored()).toEqual({ ...before, text: 'new', revision: 4, updatedAt: new Date(body.data.updatedAt) });
  });

  it('answers what a GET then answers', async () => {
    const patched = await patch({ text: 'né', due: '2026-01-01T00:00:00Z', exact: '1.50', big: 5 });
    const read = await api.request('GET', '/api/notes/a');
    expect(read.text).toBe(patched.text);
    expect(read.headers.etag).toBe(patched.headers.etag);
  });

  it('clears by null: removes the key, or stores null where the field is StoreNone', async () => {
    const { status, body } = await patch({ due: null, keep: null, hint: null });
    expect(status).toBe(200);
    expect(body.data).toMatchObject({ due: null, keep: null });
    expect(body.data).not.toHaveProperty('hint');
    const document = await stored();
    expect(document).not.toHaveProperty('due');
    expect(document).not.toHaveProperty('hint');
    expect(document).toHaveProperty('keep', null);
  });

  it('replaces lists and maps whole', async () => {
    const { body } = await patch({ list: ['y'], map: { y: 2 } });
    expect(body.data).toMatchObject({ list: ['y'], map: { y: 2 } });
    expect(await stored()).toMatchObject({ list: ['y'], map: { y: 2 } });
    expect((await stored())?.map).toEqual({ y: 2 });
    await patch({ list: [], map: {} });
    expect(await stored()).toMatchObject({ list: [], map: {} });
  });

  it('stores keys with $ and dots in maps and untyped values as data, and never reads them as operators', async () => {
    const any = { $set: { text: 'x' }, 'a.b': '$text', $oid: '0123456789abcdef01234567', nested: [{ $add: [1, 2] }, '$$ROOT', '$text'] };
    const { status, body } = await patch({ map: { $inc: 1, 'a.b': 2 }, any, text: '$text' });
    expect(status).toBe(200);
    expect(body.data).toMatchObject({ map: { $inc: 1, 'a.b': 2 }, any, text: '$text' });
    expect((await stored())?.any).toEqual(any);
  });

  it('writes a private field that update: true opens, and never shows it', async () => {
    const { status, text } = await patch({ password: 'hunter2' });
    expect(status).toBe(200);
    expect(text).not.toContain('hunter2');
    expect(await stored()).toHaveProperty('password', 'hunter2');
  });

  it('writes a field that only create closes', async () => {
    expect((await patch({ late: 'x' })).body.data.late).toBe('x');
  });

  it('answers 200 to {} without a write: neither the revision nor updatedAt change', async () => {
    const { status, headers, body } = await patch({});
    expect([status, headers.etag]).toEqual([200, '"3"']);
    expect(body.data).toMatchObject({ text: 'old', revision: 3, updatedAt: past.toISOString() });
    expect(body.data).not.toHaveProperty('secret');
    expect(await stored()).toEqual(before);
  });

  it('honours If-Match also with {}, and knows 404', async () => {
    expect((await patch({}, { 'if-match': '"2"' })).status).toBe(412);
    expect((await patch({}, { 'if-match': '"3"' })).status).toBe(200);
    expect((await api.request('PATCH', '/api/notes/none', { body: {} })).status).toBe(404);
    expect((await api.request('PATCH', '/api/plain/a', { body: {}, headers: { 'if-match': '"3"' } })).status).toBe(412);
  });

  it.each<[rule: string, body: unknown, errors: [field: string, message: RegExp][]]>([
    ['update: false', { shut: 'x' }, [['shut', /^cannot be set on update$/]]],
    ['Immutable', { fixed: 'x' }, [['fixed', /^cannot be set on update$/]]],
    ['Immutable, also with the value that it has', { fixed: 'f' }, [['fixed', /^cannot be set on update$/]]],
    ['private', { secret: 'x' }, [['secret', /^is not a known field$/]]],
    ['private, also to clear it', { secret: null }, [['secret', /^is not a known field$/]]],
    ['unknown', { sekret: 'x' }, [['sekret', /^is not a known field$/]]],
    ['the id', { id: 'b' }, [['id', /^cannot be set on update$/]]],
    ['_id', { _id: 'b' }, [['_id', /^is not a known field/]]],
    ['the revision', { revision: 9 }, [['revision', /^cannot be set on update$/]]],
    [
      'the timestamps',
      { createdAt: null, updatedAt: '2026-01-01T00:00:00Z' },
      [
        ['createdAt', /update/],
        ['updatedAt', /update/],
      ],
    ],
    [
      'null for a field that cannot be none',
      { text: null, count: null, list: null },
      [
        ['text', /^must not be null$/],
        ['count', /null/],
        ['list', /null/],
      ],
    ],
    [
      'an operator-like object for a scalar',
      { text: { $set: 'x' }, count: { $inc: 1 } },
      [
        ['text', /string/],
        ['count', /integer/],
      ],
    ],
    ['an operator at the top', { $set: { text: 'x' } }, [['$set', /known/]]],
    ['a dotted path at the top', { 'map.x': 1 }, [['map.x', /known/]]],
    ['__proto__', JSON.parse('{"__proto__":{"text":"x"}}'), [['__proto__', /known/]]],
    ['a broken constraint', { text: 'x'.repeat(11) }, [['text', /at most 10/]]],
    [
      'a wrong element',
      { list: ['a', 1, null], map: { a: 'x' } },
      [
        ['list.1', /string/],
        ['list.2', /null/],
        ['map.a', /integer/],
      ],
    ],
    [
      'an integer beyond 64 bits',
      '{"big":9223372036854775808,"count":99999999999999999999}',
      [
        ['big', /between/],
        ['count', /between/],
      ],
    ],
    ['a lone surrogate', '{"text":"\\ud800"}', [['text', /surrogate/]]],
    [
      'a number beyond doubles',
      '{"real":1e400,"count":-1e400}',
      [
        ['real', /range/],
        ['count', /integer/],
      ],
    ],
    [
      'all of them at once',
      { shut: 1, x: 1, text: 1, list: 1, secret: 1 },
      [
        ['shut', /update/],
        ['x', /known/],
        ['text', /string/],
        ['list', /list/],
        ['secret', /known/],
      ],
    ],
  ])('answers 422 naming the field, and changes nothing: %s', async (_rule, body, errors) => {
    const answer = await patch(body);
    expect([answer.status, answer.body.code]).toEqual([422, 'validation_failed']);
    expect(answer.headers).not.toHaveProperty('etag');
    const found = new Map(answer.body.errors.map((error: { field: string; message: string }) => [error.field, error.message]));
    expect([...found.keys()].sort()).toEqual(errors.map(([field]) => field).sort());
    for (const [field, message] of errors) expect(found.get(field)).toMatch(message);
    expect(await stored()).toEqual(before);
  });

  it('takes integers at both bounds of 64 bits exactly, and larger ones for floats and decimals', async () => {
    const { status, text } = await patch('{"big":9223372036854775807,"real":9223372036854775808,"exact":99999999999999999999}');
    expect(status).toBe(200);
    expect(text).toContain('"big":9223372036854775807,');
    expect(text).toContain('"exact":"99999999999999999999"');
    await patch('{"big":-9223372036854775808}');
    const document = await database.db.collection('notes', { promoteLongs: false }).findOne({});
    expect(document).toMatchObject({ big: Long.MIN_VALUE, real: 2 ** 63 });
  });

  it('counts a revision that is missing or null from 0, and creates no other key', async () => {
    for (const revision of [undefined, null]) {
      await notes().replaceOne({ _id: 'a' }, { text: 'old', ...(revision === null && { revision }) });
      const { headers } = await patch({ text: 'new' });
      expect(headers.etag).toBe('"1"');
      expect(Object.keys((await stored()) ?? {}).sort()).toEqual(['_id', 'revision', 'text', 'updatedAt']);
    }
  });

  it('has neither revision nor ETag on a model without one', async () => {
    const { status, headers, body } = await api.request('PATCH', '/api/plain/a', { body: { text: 'new' } });
    expect([status, body.data]).toEqual([200, { id: 'a', text: 'new' }]);
    expect(headers).not.toHaveProperty('etag');
    expect(await stored()).toEqual({ ...before, text: 'new' });
  });

  it('answers 404 for a record that does not exist, and creates none', async () => {
    const { status, body } = await api.request('PATCH', '/api/notes/none', { body: { text: 'x' } });
    expect([status, body.code]).toEqual([404, 'not_found']);
    expect(await notes().countDocuments()).toBe(1);
  });
});
