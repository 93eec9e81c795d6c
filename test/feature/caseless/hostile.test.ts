import { defineModel, t } from '../../../src/index.ts';
import { useDatabase } from '../../support/database/database.ts';
import { useApi } from '../../support/http/api.ts';

const all = { filter: true, sort: true } as const;
const Note = defineModel('Note', {
  collection: 'notes',
  fields: {
    text: t.string({ caseless: true, policy: all }),
    plain: t.optional(t.string({ policy: all })),
    constructor: t.optional(t.string({ caseless: true, policy: all })),
    größe: t.optional(t.string({ caseless: true, policy: all })),
    extra: t.optional(t.any()),
  },
});

const database = useDatabase();
const api = useApi(database, (shop) => [shop.resource({ model: Note, ops: ['list', 'create', 'patch', 'deleteMany'] })], {
  maxPrefix: 8_000,
});

const texts = ['$where', '$text', '$$REMOVE', '__proto__', 'a.b', '\\Q.*', '😀', `${'ΐ'.repeat(300)}x`];

beforeAll(async () => {
  for (const text of [...texts, 'a\0b']) {
    const body = { text, constructor: text, größe: text, extra: { 'text[fold2]': text, 'x[case1]': 1 } };
    expect((await api.request('POST', '/api/notes', { body })).status).toBe(201);
  }
});

describe('a hostile text in a caseless field', () => {
  it.each(texts)('is stored, folded, patched and found: %j', async (text) => {
    const word = encodeURIComponent(text.toUpperCase());
    for (const name of ['text', 'constructor', encodeURIComponent('größe')]) {
      const { status, body } = await api.request('GET', `/api/notes?${name}=${word}&sort=${name}`);
      expect([status, body.data?.map((one: { text: string }) => one.text)]).toEqual([200, [text]]);
      const [{ id, extra }] = body.data;
      expect(extra).toEqual({ 'text[fold2]': text, 'x[case1]': 1 });
      const patched = await api.request('PATCH', `/api/notes/${id}`, { body: { constructor: text, größe: text } });
      expect([patched.status, patched.body.data.text]).toEqual([200, text]);
    }
  });

  it.each(texts)('is a prefix with the same status as in any other field: %j', async (text) => {
    const word = encodeURIComponent(text);
    const [caseless, plain] = await Promise.all(['text', 'plain'].map((name) => api.request('GET', `/api/notes?${name}[prefix]=${word}`)));
    expect(caseless?.status).toBe(plain?.status);
    expect(caseless?.status).toBeLessThan(500);
  });

  it('cannot be asked for with NUL, as in any other field', async () => {
    for (const name of ['text', 'plain', 'text[prefix]']) expect((await api.request('GET', `/api/notes?${name}=a%00b`)).status).toBe(400);
    expect(await database.db.collection('notes').countDocuments({ 'text[fold2]': 'a\0b' })).toBe(1);
  });

  it('takes the longest prefix, each of whose characters becomes three', async () => {
    const { status } = await api.request('GET', `/api/notes?text[prefix]=${encodeURIComponent('ﬃ'.repeat(1_300))}`);
    expect(status).toBe(200);
    const filter = encodeURIComponent('-'.repeat(7_999));
    expect((await api.request('GET', `/api/notes?text[prefix]=${filter}`)).status).toBe(200);
  });

  it('is not written into a key of the library', async () => {
    for (const body of [{ 'text[fold2]': 'x' }, { text: 'x', 'text[case1]': 'x' }]) {
      const { status, body: problem } = await api.request('POST', '/api/notes', { body });
      expect([status, problem.errors.at(0).rule]).toEqual([422, 'unknown_field']);
    }
    expect((await api.request('DELETE', '/api/notes?text[fold2]=x')).status).toBe(400);
    expect((await api.request('DELETE', '/api/notes?text%5Bfold2%5D[eq]=x')).status).toBe(400);
  });
});

it('is refused as a prefix that is too long for the database when it is folded', async () => {
  const long = '\u{1D160}'.repeat(1_366); // one letter of 4 bytes, which folds to 12
  for (const body of [{ 'text[prefix]': long }, { filter: `prefix(text, ${JSON.stringify(long)})` }]) {
    const answer = await api.request('POST', '/api/notes/query', { body });
    expect([answer.status, answer.body.errors?.[0].rule]).toEqual([400, 'prefix_too_large']);
  }
  expect((await api.request('POST', '/api/notes/query', { body: { 'plain[prefix]': long } })).status).toBe(200);
});
