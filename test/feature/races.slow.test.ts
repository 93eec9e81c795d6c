import { defineModel, t } from '../../src/index.ts';
import { useDatabase } from '../support/database/database.ts';
import { useApi } from '../support/http/api.ts';

const Doc = defineModel('Doc', {
  collection: 'docs',
  fields: {
    id: t.string({ policy: { insert: true } }),
    count: t.int({ default: 0 }),
    names: t.array(t.string(), { default: [] }),
    code: t.optional(t.string()),
    part: t.nullable(t.object('Part', { a: t.int(), b: t.nullable(t.int()), c: t.int({ default: 7 }) })),
    revision: t.revision(),
  },
});

const database = useDatabase();
const api = useApi(database, (shop) => [shop.resource({ model: Doc, ops: ['get', 'create', 'patch', 'put', 'delete'] })]);
const docs = () => database.db.collection<{ _id: string; [key: string]: unknown }>('docs');

beforeEach(async () => {
  api.errors.length = 0;
  await docs().deleteMany({});
  await docs().insertOne({ _id: 'd', revision: 0, count: 0, names: [] });
});

const patch = (body: object, headers = {}) => api.request('PATCH', '/api/docs/d', { body, headers });

describe('clients that write at once', () => {
  it('lose no update and skip no revision, 50 of them on one record with If-Match', async () => {
    const tags = new Set<string>();
    async function append(name: string): Promise<void> {
      for (;;) {
        const read = await api.request('GET', '/api/docs/d');
        const { names, count } = read.body.data;
        const answer = await patch({ names: [...names, name], count: count + 1 }, { 'if-match': read.headers.etag });
        if (answer.status === 200) {
          tags.add(String(answer.headers.etag));
          return;
        }
        expect([answer.status, answer.body.code]).toEqual([412, 'precondition_failed']);
      }
    }
    const names = Array.from({ length: 50 }, (_, index) => `client ${index}`);
    await Promise.all(names.map(append));
    const stored = await docs().findOne({ _id: 'd' });
    expect(stored).toMatchObject({ count: 50, revision: 50 });
    expect(new Set(stored?.names as string[])).toEqual(new Set(names));
    expect(tags).toEqual(new Set(names.map((_, index) => `"${index + 1}"`)));
    expect(api.errors).toEqual([]);
  }, 120_000);

  it('count the revision once for each write without If-Match', async () => {
    const answers = await Promise.all(Array.from({ length: 40 }, (_, count) => patch({ count })));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
    expect(new Set(answers.map(({ headers }) => headers.etag)).size).toBe(40);
    expect(await docs().findOne({})).toMatchObject({ revision: 40 });
  });

  it('get through with one only, when all have the same tag', async () => {
    const answers = await Promise.all(Array.from({ length: 20 }, (_, count) => patch({ count }, { 'if-match': '"0"' })));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array.from({ length: 19 }).fill(412)]);
    expect(await docs().findOne({})).toMatchObject({ revision: 1 });
  });

  it('never produce half of an embedded object, whoever clears it or merges into it', async () => {
    for (let round = 0; round < 25; round++) {
      const answers = await Promise.all([
        patch({ part: { a: round } }),
        patch({ part: null }),
        patch({ part: { b: round } }),
        patch({ part: { b: null } }),
        patch({ part: { a: round, b: round } }),
        patch({ part: null }),
        patch({ part: { c: round } }),
      ]);
      for (const { status, body } of answers) {
        expect([200, 422]).toContain(status);
        const part = status === 200 ? body.data.part : null;
        expect(part === null || (Number.isInteger(part.a) && Number.isInteger(part.c))).toBe(true);
      }
      const stored = await docs().findOne({});
      const part = stored?.part as Record<string, unknown> | undefined;
      expect(part === undefined || ('a' in part && 'c' in part)).toBe(true);
      expect(stored?.revision).toBe((await api.request('GET', '/api/docs/d')).body.data.revision);
    }
    expect(api.errors).toEqual([]);
  }, 120_000);

  it('create a record of one id once', async () => {
    const answers = await Promise.all(Array.from({ length: 10 }, () => api.request('POST', '/api/docs', { body: { id: 'new' } })));
    expect(answers.map(({ status }) => status).sort()).toEqual([201, ...Array.from({ length: 9 }).fill(409)]);
  });

  it('delete a record once', async () => {
    const answers = await Promise.all(Array.from({ length: 10 }, () => api.request('DELETE', '/api/docs/d')));
    expect(answers.map(({ status }) => status).sort()).toEqual([204, ...Array.from({ length: 9 }).fill(404)]);
  });

  it('see a whole record or none, when one deletes it while others write', async () => {
    const answers = await Promise.all([
      patch({ count: 1 }),
      api.request('DELETE', '/api/docs/d'),
      patch({ count: 2 }),
      api.request('PUT', '/api/docs/d', { body: { count: 3 } }),
    ]);
    for (const { status } of answers) expect([200, 204, 404]).toContain(status);
    expect(await docs().countDocuments()).toBe(0);
  });
});
