import { once } from 'node:events';
import { request as httpRequest } from 'node:http';
import { connect } from 'node:net';
import { defineModel, t } from '../../src/index.ts';
import { useDatabase } from '../support/database/database.ts';
import { useApi } from '../support/http/api.ts';
import { type Answer, readAnswer } from '../support/http/serve.ts';

const Doc = defineModel('Doc', {
  collection: 'docs',
  fields: {
    text: t.string(),
    real: t.optional(t.float()),
    exact: t.optional(t.decimal()),
    count: t.optional(t.int()),
    flag: t.optional(t.boolean()),
    map: t.optional(t.map(t.any())),
    any: t.optional(t.any()),
    deep: t.optional(t.object('Deep', { a: t.optional(t.string()) })),
    revision: t.revision(),
  },
});

const database = useDatabase();
const api = useApi(database, (shop) => [shop.resource({ model: Doc })], { maxBody: 2000 });
const standard = useApi(database, (shop) => [shop.resource({ model: Doc })]);
const docs = () => database.db.collection('docs');

beforeEach(async () => {
  api.errors.length = 0;
  await docs().deleteMany({});
});

const post = (body: unknown, headers = {}) => api.request('POST', '/api/docs', { body, headers });
const nested = (levels: number) => `${'{"any":'.repeat(levels - 1)}{}${'}'.repeat(levels - 1)}`;

/** Sends a body in chunks, without a Content-Length, and as long as the server takes it. */
async function stream(chunks: Iterable<Buffer>, port = api.port): Promise<Answer> {
  const outgoing = httpRequest({
    port,
    host: '127.0.0.1',
    method: 'POST',
    path: '/api/docs',
    headers: { 'content-type': 'application/json' },
    agent: false,
  });
  outgoing.on('error', () => undefined); // the server may end the connection while we still send
  const answered = once(outgoing, 'response');
  for (const chunk of chunks) outgoing.write(chunk);
  outgoing.end();
  return readAnswer((await answered)[0]);
}

describe('the media type of a body', () => {
  it.each([
    'application/json',
    'APPLICATION/JSON; charset=utf-8',
    'application/json;charset="UTF-8"; x=y',
    'application/merge-patch+json',
    'application/vnd.shop.order+json; v=1',
    'text/x+json',
    undefined,
    '',
  ])('is accepted: %s', async (type) => {
    expect((await post({ text: 'x' }, { 'content-type': type })).status).toBe(201);
  });

  it.each([
    ['text/plain'],
    ['application/x-www-form-urlencoded'],
    ['multipart/form-data; boundary=x'],
    ['text/json'],
    ['application/jsonp'],
    ['application/json, text/plain'],
    ['json'],
    ['*/*'],
    ['application/json; charset=latin1'],
    ['application/json; charset=utf-16'],
  ])('is 415: %s', async (type) => {
    const { status, body } = await post({ text: 'x' }, { 'content-type': type });
    expect([status, body.code, body.type]).toEqual([415, 'unsupported_media_type', 'about:blank']);
    expect(await docs().countDocuments()).toBe(0);
  });

  it.each(['gzip', 'br', 'GZIP', 'identity, gzip'])('is 415 with a content coding: %s', async (coding) => {
    expect((await post({ text: 'x' }, { 'content-encoding': coding })).status).toBe(415);
  });
});

describe('a body that is too large', () => {
  const filler = (bytes: number) => JSON.stringify({ text: 'x'.repeat(bytes - '{"text":""}'.length) });

  it('is accepted up to the limit and 413 one byte beyond, in bytes of UTF-8', async () => {
    expect((await post(filler(2000))).status).toBe(201);
    const { status, body } = await post(filler(2001));
    expect([status, body.code, body.type]).toEqual([413, 'body_too_large', 'about:blank']);
    expect((await post(JSON.stringify({ text: 'é'.repeat(995) }))).status).toBe(413);
  });

  it('is 413 by its Content-Length alone, before any of it is sent', async () => {
    const outgoing = httpRequest({
      port: api.port,
      host: '127.0.0.1',
      method: 'POST',
      path: '/api/docs',
      headers: { 'content-length': 10_000_000 },
      agent: false,
    });
    outgoing.on('error', () => undefined);
    outgoing.flushHeaders();
    const { status } = await readAnswer((await once(outgoing, 'response'))[0]);
    outgoing.destroy();
    expect(status).toBe(413);
  });

  it('is 413 when it comes in chunks without a Content-Length', async () => {
    expect((await stream([Buffer.from(filler(1500)), Buffer.alloc(600, ' ')])).status).toBe(413);
    expect((await stream([Buffer.from(filler(1000)), Buffer.alloc(600, ' ')])).status).toBe(201);
    expect((await stream(Array.from({ length: 200 }, () => Buffer.alloc(10_000, ' ')))).status).toBe(413);
  });

  it('is 1 MiB and more unless the api says otherwise', async () => {
    expect((await standard.request('POST', '/api/docs', { body: filler(1_048_576) })).status).toBe(201);
    expect((await standard.request('POST', '/api/docs', { body: filler(1_048_577) })).status).toBe(413);
  });

  it('leaves the service in order when the client goes away halfway', async () => {
    const socket = connect(api.port, '127.0.0.1');
    await once(socket, 'connect');
    socket.write('POST /api/docs HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{"text":');
    await new Promise((resolve) => setImmediate(resolve));
    socket.destroy();
    await once(socket, 'close');
    expect((await post({ text: 'x' })).status).toBe(201);
    // Koa itself tells of the broken connection, of which nobody can be told: `headerSent`.
    expect(api.errors.filter((error) => !('headerSent' in error))).toEqual([]);
  });
});

describe('a body that is not JSON', () => {
  it.each<[string, string | Buffer]>([
    ['broken', '{"text":"x"'],
    ['followed by something', '{"text":"x"}}'],
    ['with a trailing comma', '{"text":"x",}'],
    ['with single quotes', "{'text':'x'}"],
    ['with NaN', '{"text":"x","real":NaN}'],
    ['with Infinity', '{"text":"x","real":Infinity}'],
    ['with -Infinity', '{"text":"x","real":-Infinity}'],
    ['with undefined', '{"text":undefined}'],
    ['with a leading zero', '{"text":"x","count":01}'],
    ['with a plus sign', '{"text":"x","count":+1}'],
    ['with hexadecimal digits', '{"text":"x","count":0x1}'],
    ['with a raw line break in a string', '{"text":"a\nb"}'],
    ['with a comment', '{"text":"x"/* */}'],
    ['a form', 'text=x'],
    ['invalid UTF-8', Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d])],
    ['an overlong encoding', Buffer.from('{"text":"\xc0\x80"}', 'latin1')],
    ['a surrogate in UTF-8', Buffer.from('{"text":"\xed\xa0\x80"}', 'latin1')],
    ['UTF-16', Buffer.from('{"text":"x"}', 'utf16le')],
    ['nested 65 levels deep', `{"text":"x","any":${nested(64)}}`],
    ['nested 65 levels deep in lists', `{"text":"x","any":${'['.repeat(64)}${']'.repeat(64)}}`],
    ['nested beyond any stack', `{"any":${'['.repeat(900)}`],
  ])('is 400: %s', async (_name, body) => {
    const answer = await post(body);
    expect([answer.status, answer.body.code]).toEqual([400, 'malformed_json']);
    expect(answer.body.type).toBe('urn:problem:koa-mongo-resource:malformed_json');
    expect(answer.body.detail).toMatch(/^[A-Z].*\.$/);
    expect(answer.text).not.toMatch(/SyntaxError|Unexpected|position|stack/);
    expect(await docs().countDocuments()).toBe(0);
  });

  it('is 400 when it is nested 500,000 levels deep', async () => {
    expect((await standard.request('POST', '/api/docs', { body: '['.repeat(500_000) })).status).toBe(400);
  });
});

describe('a body that is no object', () => {
  it.each([undefined, '', ' \n', 'null', '[]', '[{"text":"x"}]', '"text"', '5', '1e400', 'true'])('is 422: %j', async (body) => {
    for (const [method, path] of [
      ['POST', '/api/docs'],
      ['PATCH', '/api/docs/0123456789abcdef01234567'],
    ] as const) {
      const answer = await api.request(method, path, body === undefined ? {} : { body });
      expect([method, answer.status, answer.body.code]).toEqual([method, 422, 'validation_failed']);
      expect(answer.body.errors).toHaveLength(1);
    }
  });
});

describe('a body that is JSON', () => {
  it('may have 64 levels, the last of which is stored and served', async () => {
    const { status, headers } = await post(`{"text":"x","any":${nested(63)}}`);
    expect(status).toBe(201);
    expect((await api.request('GET', headers.location ?? '')).text).toContain(nested(63));
  });

  it('may begin with a byte order mark', async () => {
    expect((await post('\ufeff{"text":"x"}')).status).toBe(201);
  });

  it('counts the last of duplicate keys', async () => {
    const { body } = await post('{"text":5,"text":"a","any":{"b":1,"b":2},"text":"c"}');
    expect(body.data).toMatchObject({ text: 'c', any: { b: 2 } });
    const exactly = await post('{"text":5,"any":{"b":1,"b":2},"text":"c","real":1e0}');
    expect(exactly.body.data).toMatchObject({ text: 'c', any: { b: 2 } });
  });

  it.each([
    ['at the top', '{"text":"x","__proto__":{"text":"y"}}', '__proto__'],
    ['at the top, with numbers that need exactness', '{"text":"x","real":1e0,"__proto__":{"admin":true}}', '__proto__'],
    ['in an embedded object', '{"text":"x","deep":{"__proto__":{"a":"y"}}}', 'deep.__proto__'],
    ['constructor', '{"text":"x","constructor":{"prototype":{"a":1}}}', 'constructor'],
  ])('has __proto__ for an unknown field where fields are declared: %s', async (_where, body, field) => {
    const answer = await post(body);
    expect([answer.status, answer.body.errors[0]?.field]).toEqual([422, field]);
    expect(({} as Record<string, unknown>).admin).toBeUndefined();
  });

  it.each(['{"__proto__":{"polluted":1},"constructor":2}', '{"__proto__":{"polluted":1},"constructor":2,"n":1e0}'])(
    'has __proto__ for data in maps and untyped values, and touches no prototype: %s',
    async (data) => {
      for (const field of ['any', 'map']) {
        const created = await post(`{"text":"x","${field}":${data}}`);
        expect(created.status).toBe(201);
        expect(created.text).toContain('"__proto__":{"polluted":1}');
        const read = await api.request('GET', created.headers.location ?? '');
        expect(read.text).toBe(created.text);
        expect(({} as Record<string, unknown>).polluted).toBeUndefined();
      }
    },
  );

  it.each([
    ['{"text":"x","any":{"a\\u0000b":1}}', 'any'],
    ['{"text":"x","map":{"a\\u0000b":1}}', 'map'],
    ['{"text":"x","a\\u0000b":1}', 'a\0b'],
    ['{"text":"x","deep":{"a\\u0000b":1}}', 'deep.a\0b'],
    ['{"text":"\\ud800"}', 'text'],
    ['{"text":"x","any":["\\udc00"]}', 'any'],
    ['{"text":"x","map":{"\\ud800":1}}', 'map'],
    ['{"text":"x","real":1e400}', 'real'],
    ['{"text":"x","real":-1e400}', 'real'],
    ['{"text":"x","count":1e400}', 'count'],
    ['{"text":"x","any":{"a":[1e400]}}', 'any'],
    ['{"text":"x","map":{"a":1e400}}', 'map.a'],
    ['{"text":"x","exact":1e7000}', 'exact'],
    ['{"text":"x","real":1e-400}', 'real'],
    ['{"text":"x","count":1e-400}', 'count'],
    ['{"text":"x","exact":-1e-7000}', 'exact'],
    ['{"text":"x","any":{"a":[1e-400]}}', 'any'],
    ['{"text":"x","any":{"a":[9223372036854775808]}}', 'any'],
    ['{"text":"x","map":{"a":1e-400}}', 'map.a'],
    [`{"text":"x","exact":${'9'.repeat(35)}}`, 'exact'],
    ['{"text":5}', 'text'],
    ['{"text":"x","count":"5"}', 'count'],
    ['{"text":"x","count":1.5}', 'count'],
    ['{"text":"x","flag":1}', 'flag'],
    ['{"text":"x","flag":"true"}', 'flag'],
    ['{"text":"x","real":"1"}', 'real'],
  ])('is 422 naming the field of a value that cannot be stored as it is: %s', async (body, field) => {
    const answer = await post(body);
    expect([answer.status, answer.body.errors]).toMatchObject([422, [{ field, message: expect.any(String) }]]);
    expect(api.errors).toEqual([]);
  });

  it.each([
    ['1e400', '1E+400'],
    ['-1e-400', '-1E-400'],
    ['0.12345678901234567890123456789', '0.12345678901234567890123456789'],
  ])('may have a decimal as a JSON number, which is read by its digits as the string is: %s', async (digits, shown) => {
    for (const written of [digits, `"${digits}"`]) {
      const { status, headers, body } = await post(`{"text":"x","exact":${written}}`);
      expect([status, body.data?.exact]).toEqual([201, shown]);
      const changed = await api.request('PATCH', headers.location ?? '', { body: `{"exact":${written}}` });
      expect([changed.status, changed.body.data.exact]).toEqual([200, shown]);
    }
  });

  it('may hold NUL characters in its text', async () => {
    const created = await post('{"text":"a\\u0000b","any":"\\u0000"}');
    expect(created.body.data).toMatchObject({ text: 'a\0b', any: '\0' });
    expect((await api.request('GET', created.headers.location ?? '')).text).toBe(created.text);
  });
});
