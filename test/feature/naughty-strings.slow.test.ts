import { useDatabase } from '../support/database/database.ts';
import { useApi } from '../support/http/api.ts';
import { assorted } from '../support/models/assorted.ts';

/*
 * Strings that break what is careless with them. The idea, and the kinds, are those of Max Woolf's "Big List of Naughty
 * Strings"; the strings themselves are written here. What holds of each: it comes back as it was sent, is found by what
 * it is, and nothing is a 500.
 */

const database = useDatabase();
const api = useApi(database, assorted);
const records = () => database.db.collection<{ _id: string }>('assorted');

beforeEach(async () => {
  api.errors.length = 0;
  await records().deleteMany({});
});

const naughty: readonly string[] = [
  // words that other languages reserve
  'undefined',
  'undef',
  'null',
  'NULL',
  '(null)',
  'nil',
  'NIL',
  'true',
  'false',
  'None',
  'hasOwnProperty',
  'then',
  '\\',
  '\\\\',
  'NaN',
  'Infinity',
  '-Infinity',
  '[object Object]',
  // numbers, and what looks like one
  '0',
  '1',
  '1.00',
  '$1.00',
  '1/2',
  '1E2',
  '1E02',
  '-1',
  '-$1.00',
  '0/0',
  '-2147483648/-1',
  '-9223372036854775808',
  '9007199254740993',
  '0.00',
  '0..0',
  '.',
  '..',
  '0.0.0',
  '0,00',
  ',',
  '--',
  '-',
  '0x0',
  '0xffffffff',
  '0b10',
  '1e400',
  '123456789012345678901234567890',
  '1 000',
  '1,000.00',
  "1'000",
  '٠١٢٣',
  '½',
  '₀₁₂',
  '⁰⁴⁵',
  // punctuation and symbols
  ",./;'[]-=",
  '<>?:"{}|_+',
  '!@#$%^&*()`~',
  'Ω≈ç√∫˜µ≤≥÷',
  'åß∂ƒ©˙∆˚¬…æ',
  '¡™£¢∞§¶•ªº–≠',
  '`⁄€‹›ﬁﬂ‡°·‚—±',
  '%',
  '%%',
  '%s%d%n',
  '%20',
  '+',
  '&a=b',
  '?x#y',
  ';',
  ':',
  '//',
  '/../',
  '..%2f',
  // white space and characters that nobody sees
  ' ',
  '  a  ',
  '\t',
  '\n',
  '\r\n',
  '\u00a0',
  '\u1680\u2000\u2009\u202f\u205f\u3000',
  '\u200b\u200c\u200d\u2060',
  '\ufeff',
  '\u00ad',
  '\u0085',
  '\u2028\u2029',
  '\u180e',
  // control characters
  '\u0001\u0002\u0007\u0008\u000b\u000c\u001b\u001f',
  '\u007f',
  '\u0080\u009f',
  '\u001b[31mred',
  // other scripts, both directions, marks
  '田中さんにあげて下さい',
  '찦차를 타고 온 펲시맨',
  '社會科學院語學研究所',
  'Ṱ̺̺o͞ ̸̢i̛n̡v͟o̷k̨e',
  'الكل في المجمو عة',
  'הָיְתָה',
  '\u202eevil\u202c',
  '\u2067a\u2069b',
  'ﷺ',
  'İıſK',
  'ǅ',
  'ẞß',
  'ﬃ',
  'é',
  'e\u0301',
  '가각\u1100\u1161',
  'क्षि',
  'Å\u212b',
  // outside the basic plane
  '😍',
  '👩🏽',
  '👨‍👩‍👧‍👦',
  '🇺🇸🇷🇺🇸',
  '1️⃣',
  '𝕋𝕙𝕖',
  '𠜎𠜱',
  '\u{10ffff}',
  '\u{fffe}\u{ffff}',
  '\ue000',
  '\u{e0001}\u{e0041}',
  // markup and scripts
  '<script>alert(1)</script>',
  '"><img src=x onerror=alert(1)>',
  "javascript:alert('x')",
  '<![CDATA[x]]>',
  '<!ENTITY x SYSTEM "file:///etc/passwd">',
  '&lt;&#60;&amp;',
  '{{7*7}}',
  '\u0024{7*7}',
  '<%= 7*7 %>',
  '#{7*7}',
  '`id`',
  '$(id)',
  '| ls',
  '; rm -rf /',
  '../../../etc/passwd',
  'C:\\con\\con',
  'file:///etc/passwd',
  '\\\\host\\share',
  "'; DROP TABLE users; --",
  "1' OR '1'='1",
  '*)(uid=*))(|(uid=*',
  '() { :;}; echo x',
  '--help',
  '@echo',
  '=1+1',
  '\r\nSet-Cookie: a=b',
  'HTTP/1.1 200 OK',
  // operators, and names of ours
  '$where',
  '$gt',
  '{"$ne":null}',
  'a.b',
  '.a',
  'a.',
  '$',
  '_id',
  'id',
  '__proto__',
  'constructor',
  'revision',
  'owner',
  'data',
  '~',
  '-text',
  // long
  'x'.repeat(5_000),
  '😀'.repeat(400),
  '\u0301'.repeat(500),
  '"'.repeat(400),
  '\\'.repeat(400),
];

const query = (name: string, value: string) => api.request('GET', `/api/assorted?${name}=${encodeURIComponent(value)}`);
const ids = ({ body }: { body: { data: { id: string }[] } }) => body.data.map(({ id }) => id);

describe('a naughty string', () => {
  it.each(naughty)('comes back from a field as it was sent, however it was written: %j', async (text) => {
    const created = await api.request('POST', '/api/assorted', {
      body: { id: 'a', text, tags: [text], place: { city: text }, any: { list: [text] } },
    });
    expect([created.status, created.body.data]).toMatchObject([201, { text, tags: [text], place: { city: text }, any: { list: [text] } }]);
    const escaped = JSON.stringify({ text }).replace(/[^\x20-\x7e]/g, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`);
    expect((await api.request('PATCH', '/api/assorted/a', { body: escaped })).body.data.text).toBe(text);
    expect((await api.request('PUT', '/api/assorted/a', { body: { text } })).body.data.text).toBe(text);
    expect((await api.request('GET', '/api/assorted/a')).body.data.text).toBe(text);
    expect(await records().findOne({ _id: 'a' })).toMatchObject({ text });
    expect(api.errors).toEqual([]);
  });

  it.each(naughty)('is found by what it is, and by nothing else: %j', async (text) => {
    const short = [...text].slice(0, 300).join('');
    await records().insertMany([
      { _id: 'a', owner: 'ann', text: short, tags: [short] },
      { _id: 'b', owner: 'ann', text: `other ${short}`, tags: [] },
    ] as never);
    for (const name of ['text', 'text[eq]', 'text[in][]', 'text[prefix]', 'tags'])
      expect([name, ids(await query(name, short))]).toEqual([name, ['a']]);
    for (const name of ['text[ne]', 'text[nin][]']) expect([name, ids(await query(name, short))]).toEqual([name, ['b']]);
    const both = [short, `other ${short}`].map((one) => `text[in][]=${encodeURIComponent(one)}`).join('&');
    const first = await api.request('GET', `/api/assorted?sort=text&limit=1&${both}`);
    const second = await api.request('GET', `/api/assorted?sort=text&limit=1&${both}&after=${first.body.page.next_cursor}`);
    expect([...ids(first), ...ids(second)].toSorted()).toEqual(['a', 'b']);
    expect(api.errors).toEqual([]);
  });

  it.each(naughty)('is an id, and its Location leads to it, or is 422: %j', async (id) => {
    const { status, headers, body } = await api.request('POST', '/api/assorted', { body: { id } });
    if (id === '.' || id === '..' || [...id].length > 512) {
      expect([status, body.errors[0].field]).toEqual([422, 'id']);
    } else {
      expect(status).toBe(201);
      expect(headers.location).toMatch(/^\/api\/assorted\/[\w.~!*'()%-]+$/);
      const read = await api.request('GET', String(headers.location));
      expect(read.body.data.id).toBe(id);
      expect((await api.request('DELETE', String(headers.location))).status).toBe(204);
    }
    expect(api.errors).toEqual([]);
  });

  it.each(naughty)('is a key of a map and of an untyped value, and no field: %j', async (key) => {
    await records().insertOne({ _id: 'a', owner: 'ann' } as never);
    const entry = Object.fromEntries([[key, 1]]);
    const { status, text } = await api.request('PATCH', '/api/assorted/a', { body: { map: entry, any: entry } });
    expect([status, text]).toEqual([200, expect.stringContaining(`"map":${JSON.stringify(entry)},"any":${JSON.stringify(entry)}`)]);
    const unknown = await api.request('PATCH', '/api/assorted/a', { body: { place: entry } });
    expect([unknown.status, unknown.body.code]).toEqual([422, 'validation_failed']);
    expect((await query(encodeURIComponent(`${key} `), 'x')).status).toBe(400);
    expect(api.errors).toEqual([]);
  });

  it.each(['\ud800', 'a\udfff', '\udc00\ud800', '\ud83d'])('that is no Unicode is 422, naming its field: %j', async (text) => {
    const { status, body } = await api.request('POST', '/api/assorted', { body: { id: 'a', text, any: { deep: [text] } } });
    expect([status, body.errors.map(({ field }: { field: string }) => field)]).toEqual([422, ['text', 'any']]);
  });

  it.each(['\0', 'a\0b', '\0a'])('with a NUL character is a text, and neither an id, a key nor a query: %j', async (text) => {
    expect((await api.request('POST', '/api/assorted', { body: { id: 'a', text } })).body.data.text).toBe(text);
    expect((await api.request('POST', '/api/assorted', { body: { id: text } })).status).toBe(422);
    expect((await api.request('PATCH', '/api/assorted/a', { body: { map: { [text]: 1 } } })).status).toBe(422);
    expect((await api.request('PATCH', '/api/assorted/a', { body: { any: { [text]: 1 } } })).status).toBe(422);
    expect((await query('text', text)).status).toBe(400);
    expect((await api.request('GET', `/api/assorted/${encodeURIComponent(text)}`)).status).toBe(404);
    expect(api.errors).toEqual([]);
  });
});
