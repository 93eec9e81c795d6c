import { defineModel, t } from '../../src/index.ts';
import { useDatabase } from '../support/database/database.ts';
import { useApi } from '../support/http/api.ts';

const Note = defineModel('Note', {
  collection: 'notes',
  fields: {
    id: t.string(),
    text: t.string(),
    kind: t.string({ default: 'plain' }),
    due: t.nullable(t.date()),
    hint: t.optional(t.string()),
    secret: t.optional(t.string({ policy: { private: true } })),
    nested: t.optional(t.object('Nested', { open: t.string(), closed: t.optional(t.string({ policy: { private: true } })) })),
    list: t.array(t.object('Entry', { open: t.string(), closed: t.optional(t.string({ policy: { private: true } })) }), { default: [] }),
    map: t.map(t.object('Value', { open: t.string(), closed: t.optional(t.string({ policy: { private: true } })) }), { default: {} }),
    revision: t.revision(),
  },
});
const Plain = defineModel('Plain', { collection: 'notes', fields: { id: t.string(), text: t.string() } });

const database = useDatabase();
const api = useApi(database, (shop) => [shop.resource({ model: Note }), shop.resource({ model: Plain, path: 'plain' })]);
const notes = () => database.db.collection<{ _id: string }>('notes');

beforeEach(async () => {
  await notes().deleteMany({});
  await notes().insertMany([
    {
      _id: 'a',
      text: 'Hé',
      secret: 's',
      revision: 7,
      unknown: 1,
      nested: { open: 'o', closed: 'c' },
      list: [{ open: 'o', closed: 'c' }],
      map: { k: { open: 'o', closed: 'c' } },
    } as never,
    { _id: 'old', text: 'x' } as never,
    { _id: 'null', text: 'x', kind: null, due: null, hint: null, revision: null } as never,
  ]);
});

describe('GET /:id', () => {
  it('answers 200 with the record and its ETag, and never a private field at any depth', async () => {
    const { status, headers, body } = await api.request('GET', '/api/notes/a');
    expect(status).toBe(200);
    expect(headers.etag).toBe('"7"');
    expect(headers['content-type']).toBe('application/json; charset=utf-8');
    expect(headers).not.toHaveProperty('location');
    expect(headers).not.toHaveProperty('link');
    expect(body).toEqual({
      data: {
        id: 'a',
        text: 'Hé',
        kind: 'plain',
        due: null,
        nested: { open: 'o' },
        list: [{ open: 'o' }],
        map: { k: { open: 'o' } },
        revision: 7,
      },
    });
  });

  it.each(['old', 'null'])(
    'shows the default of a field that the stored document lacks or holds null in, revision 0 included: %s',
    async (id) => {
      const { headers, body } = await api.request('GET', `/api/notes/${id}`);
      expect(body.data).toEqual({ id, text: 'x', kind: 'plain', due: null, list: [], map: {}, revision: 0 });
      expect(headers.etag).toBe('"0"');
    },
  );

  it('has no ETag and never answers 304 on a model without a revision', async () => {
    const { status, headers, body } = await api.request('GET', '/api/plain/a', { headers: { 'if-none-match': '*' } });
    expect(status).toBe(200);
    expect(headers).not.toHaveProperty('etag');
    expect(body.data).toEqual({ id: 'a', text: 'Hé' });
  });

  it.each(['"7"', 'W/"7"', '*', '"1", "7"', '"1",,W/"7" ', ' * '])(
    'answers 304 with the ETag and without a body when If-None-Match is %s',
    async (tags) => {
      const { status, headers, text } = await api.request('GET', '/api/notes/a', { headers: { 'if-none-match': tags } });
      expect([status, text]).toEqual([304, '']);
      expect(headers.etag).toBe('"7"');
      expect(headers).not.toHaveProperty('content-type');
      expect(headers).not.toHaveProperty('content-length');
    },
  );

  it.each(['"8"', '"07"', 'W/"70"', '', '7', '"7', '"7" "8"'])(
    'answers 200 when If-None-Match is %j, which names another tag or none',
    async (tags) => {
      const { status, body } = await api.request('GET', '/api/notes/a', { headers: { 'if-none-match': tags } });
      expect(status).toBe(200);
      expect(body.data.id).toBe('a');
    },
  );

  it('answers 404 and not 304 for a record that does not exist, whatever If-None-Match says', async () => {
    const { status, headers, body } = await api.request('GET', '/api/notes/none', { headers: { 'if-none-match': '*' } });
    expect(status).toBe(404);
    expect(headers).not.toHaveProperty('etag');
    expect(body).toEqual({ type: 'about:blank', title: 'Not Found', status: 404, detail: 'There is no such record.', code: 'not_found' });
  });

  it('ignores a body, and query parameters that it does not know', async () => {
    const { status } = await api.request('GET', '/api/notes/a?limit=x&$where=1&a[b]=c&%ff&fields=x', { body: 'no JSON' });
    expect(status).toBe(200);
  });
});

describe('GET /:id with If-Match', () => {
  const get = (path: string, headers: Record<string, string>) => api.request('GET', `/api/${path}`, { headers });

  it.each(['"7"', '*', '"1", "7"'])('answers 200 when it names the record: %s', async (tags) => {
    const { status, headers, body } = await get('notes/a', { 'if-match': tags });
    expect([status, headers.etag, body.data.id]).toEqual([200, '"7"', 'a']);
  });

  it.each(['"8"', 'W/"7"', '"07"', '', ','])('answers 412 when it does not, compared strongly: %j', async (tags) => {
    const { status, headers, body } = await get('notes/a', { 'if-match': tags });
    expect([status, body.code]).toEqual([412, 'precondition_failed']);
    expect(headers).not.toHaveProperty('etag');
    expect(body).not.toHaveProperty('data');
  });

  it('comes before If-None-Match (RFC 9110 §13.2.2): 412 where it fails, 304 only where it holds', async () => {
    expect((await get('notes/a', { 'if-match': '"8"', 'if-none-match': '"7"' })).status).toBe(412);
    expect((await get('notes/a', { 'if-match': '"8"', 'if-none-match': '"8"' })).status).toBe(412);
    expect((await get('notes/a', { 'if-match': '"7"', 'if-none-match': '"7"' })).status).toBe(304);
    expect((await get('notes/a', { 'if-match': '*', 'if-none-match': '"8"' })).status).toBe(200);
  });

  it('has nothing to compare on a model without a revision: 412 but for *', async () => {
    expect((await get('plain/a', { 'if-match': '"7"' })).status).toBe(412);
    expect((await get('plain/a', { 'if-match': '*' })).status).toBe(200);
  });

  it('takes a record that was stored without a revision for revision 0', async () => {
    expect((await get('notes/old', { 'if-match': '"0"' })).status).toBe(200);
    expect((await get('notes/null', { 'if-match': '"0"' })).status).toBe(200);
  });

  it('answers 400 when it is malformed, and 404 for a record that is not there', async () => {
    expect((await get('notes/a', { 'if-match': '7' })).body.code).toBe('malformed_header');
    expect((await get('notes/none', { 'if-match': '*' })).status).toBe(404);
  });

  it('does the same for HEAD, and nothing for a list, which has no validator', async () => {
    expect((await api.request('HEAD', '/api/notes/a', { headers: { 'if-match': '"8"' } })).status).toBe(412);
    const list = await get('notes', { 'if-match': '"8"', 'if-none-match': '*' });
    expect([list.status, list.headers.etag]).toEqual([200, undefined]);
  });
});

describe('HEAD', () => {
  it.each(['/api/notes/a', '/api/notes', '/api/notes?limit=1', '/api/notes?x=1', '/api/notes/none'])(
    'has the headers of GET %s, Content-Length included, and no body',
    async (path) => {
      const get = await api.request('GET', path);
      const head = await api.request('HEAD', path);
      expect([head.status, head.text]).toEqual([get.status, '']);
      expect(head.headers['content-length']).toBe(String(Buffer.byteLength(get.text)));
      const { date: _date, ...headers } = head.headers;
      expect(get.headers).toMatchObject(headers);
    },
  );

  it('answers 304 as GET does', async () => {
    const { status, headers } = await api.request('HEAD', '/api/notes/a', { headers: { 'if-none-match': '"7"' } });
    expect([status, headers.etag]).toEqual([304, '"7"']);
  });
});
