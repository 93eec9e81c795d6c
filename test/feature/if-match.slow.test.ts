import type { OutgoingHttpHeaders } from 'node:http';
import { Decimal128, Double, Long } from 'mongodb';
import { defineModel, t } from '../../src/index.ts';
import { useDatabase } from '../support/database/database.ts';
import { useApi } from '../support/http/api.ts';
import { zeroRevisions } from '../support/models/zero-revisions.ts';

const Note = defineModel('Note', { collection: 'notes', fields: { id: t.string(), text: t.string(), revision: t.revision() } });
const Plain = defineModel('Plain', { collection: 'notes', fields: { id: t.string(), text: t.string() } });

const database = useDatabase();
const ops = ['create', 'get', 'patch', 'put', 'delete'] as const;
const api = useApi(database, (shop) => [
  shop.resource({ model: Note, ops }),
  shop.resource({ model: Note, path: 'careful', ops, preconditionRequired: true }),
  shop.resource({ model: Plain, path: 'plain', ops }),
  shop.resource({ model: Plain, path: 'careful-plain', ops, preconditionRequired: true }),
]);
const notes = () => database.db.collection<{ _id: string; [key: string]: unknown }>('notes');

const successes = { PATCH: 200, PUT: 200, DELETE: 204 } as const;
const methods = Object.keys(successes) as (keyof typeof successes)[];

async function write(method: string, tags: string | string[] | undefined, path = 'notes') {
  const headers: OutgoingHttpHeaders = tags === undefined ? {} : { 'if-match': tags as string }; // node:http sends a list as two headers
  return api.request(method, `/api/${path}/a`, { headers, ...(method === 'DELETE' ? {} : { body: { text: 'new' } }) });
}

async function store(revision: unknown): Promise<void> {
  await notes().deleteMany({});
  await notes().insertOne({ _id: 'a', text: 'old', ...(revision !== undefined && { revision }) });
}

beforeEach(() => store(3));

describe.each(methods)('If-Match on %s', (method) => {
  it.each([
    ['the current tag', '"3"'],
    ['a list with the current tag', '"1", "3"'],
    ['a list without spaces and with empty elements', ',"3",,'],
    ['a list with other tags', 'W/"3", "a-b", "3"'],
    ['anything that exists', '*'],
    ['white space around it', '  "3"\t'],
  ])('passes with %s: %s', async (_name, tags) => {
    expect((await write(method, tags)).status).toBe(successes[method]);
  });

  it.each([
    ['a stale tag', '"2"'],
    ['a tag of the future', '"4"'],
    ['a weak tag: comparison is strong', 'W/"3"'],
    ['the same number spelt otherwise', '"03"'],
    ['another spelling', '"3.0"'],
    ['a sign', '"+3"'],
    ['an empty tag', '""'],
    ['an empty list', ''],
    ['a list without the current tag', '"1","2"'],
    ['numbers beyond 64 bits', '"9223372036854775808", "99999999999999999999"'],
    ['operators', '"{$gt:0}"'],
    ['a star among tags', '"*"'],
  ])('answers 412 to %s: %s', async (_name, tags) => {
    const { status, headers, body } = await write(method, tags);
    expect([status, body.code, body.type]).toEqual([412, 'precondition_failed', 'about:blank']);
    expect(headers).not.toHaveProperty('etag');
    expect(await notes().findOne({})).toEqual({ _id: 'a', text: 'old', revision: 3 });
  });

  it.each(['3', '"3', '3"', 'w/"3"', '"3" "4"', '"3";', '*, "3"', '**', "'3'", 'W/*', '"3 "'])(
    'answers 400 to what is malformed: %s',
    async (tags) => {
      const { status, body } = await write(method, tags);
      expect([status, body.code]).toEqual([400, 'malformed_header']);
      expect(await notes().countDocuments({ revision: 3 })).toBe(1);
    },
  );

  it('reads a repeated header as one list', async () => {
    expect((await write(method, ['"1"', '"3"'])).status).toBe(successes[method]);
  });

  it.each(zeroRevisions)('takes %s for revision 0', async (_name, revision) => {
    await store(revision);
    expect((await write(method, '"1"')).status).toBe(412);
    expect((await write(method, '"00"')).status).toBe(412);
    const { status, headers } = await write(method, '"0"');
    expect(status).toBe(successes[method]);
    expect(headers.etag).toBe(method === 'DELETE' ? undefined : '"1"');
  });

  it('compares 64-bit revisions exactly', async () => {
    await store(Long.fromString('9007199254740993'));
    expect((await write(method, '"9007199254740992"')).status).toBe(412);
    const { status, headers } = await write(method, '"9007199254740993"');
    expect([status, headers.etag]).toEqual([successes[method], method === 'DELETE' ? undefined : '"9007199254740994"']);
  });

  it('is 404 for a record that does not exist, also with a star', async () => {
    await notes().deleteMany({});
    for (const tags of ['*', '"3"']) expect((await write(method, tags)).status).toBe(404);
  });

  it('is 412 on a model without a revision, where nothing can be compared; only a star passes', async () => {
    for (const tags of ['"3"', '"0"', 'W/"3"', '']) expect([tags, (await write(method, tags, 'plain')).status]).toEqual([tags, 412]);
    const { status, headers } = await write(method, '*', 'plain');
    expect(status).toBe(successes[method]);
    expect(headers).not.toHaveProperty('etag');
  });

  it('is required where preconditionRequired says so: 428 without it', async () => {
    for (const path of ['careful', 'careful-plain']) {
      const { status, body } = await write(method, undefined, path);
      expect([status, body.code, body.title]).toEqual([428, 'precondition_required', 'Precondition Required']);
    }
    expect(await notes().findOne({})).toEqual({ _id: 'a', text: 'old', revision: 3 });
    expect((await write(method, '"2"', 'careful')).status).toBe(412);
    expect((await write(method, '"3"', 'careful')).status).toBe(successes[method]);
  });
});

describe('preconditionRequired', () => {
  it('asks neither create nor get for If-Match', async () => {
    expect((await api.request('GET', '/api/careful/a')).status).toBe(200);
    expect((await api.request('POST', '/api/careful', { body: {} })).status).toBe(422);
  });
});

describe('a revision', () => {
  it('goes up by one with each write, and its ETag lets the next one pass', async () => {
    let tag = '"3"';
    for (const revision of [4, 5, 6]) {
      const { headers, body } = await write(revision % 2 ? 'PUT' : 'PATCH', tag);
      expect(body.data.revision).toBe(revision);
      tag = String(headers.etag);
    }
    expect(tag).toBe('"6"');
  });

  it.each([
    ['a double', new Double(3)],
    ['a decimal', Decimal128.fromString('3')],
  ])('that another program stored as %s is compared by value', async (_name, revision) => {
    await store(revision);
    const { headers } = await api.request('GET', '/api/notes/a');
    expect(headers.etag).toBe('"3"');
    expect((await write('PATCH', '"3"')).status).toBe(200);
  });

  it.each([
    ['text', 'x'],
    ['text that looks like a number', '3'],
    ['a fraction', 3.5],
  ])('that is no integer but %s is 412, and not tried again and again', async (_name, revision) => {
    await store(revision);
    const { headers } = await api.request('GET', '/api/notes/a');
    const { status } = await write('PATCH', String(headers.etag));
    expect(status).toBe(412);
  });
});
