import type { OutgoingHttpHeaders } from 'node:http';
import { defineModel, t } from '../../src/index.ts';
import { useCommands } from '../support/database/commands.ts';
import { useDatabase } from '../support/database/database.ts';
import { useApi } from '../support/http/api.ts';
import { zeroRevisions } from '../support/models/zero-revisions.ts';

const text = t.string();
const Note = defineModel('Note', {
  collection: 'notes',
  fields: { id: t.string({ policy: { insert: true } }), text, slug: t.optional(t.string({ unique: true })), revision: t.revision() },
});
const Plain = defineModel('Plain', { collection: 'notes', fields: { id: t.string({ policy: { insert: true } }), text } });
const Checked = defineModel('Checked', {
  collection: 'notes',
  fields: { id: t.string(), text, limit: t.int({ default: 9, policy: { update: false } }), revision: t.revision() },
  check: ({ text: sent, limit }) => (sent.length > limit ? 'is too long' : undefined),
});

const database = useDatabase({ monitorCommands: true });
const commands = useCommands(database);
const ops = ['create', 'get', 'patch', 'put', 'delete'] as const;
const operations = {
  touch: {
    async handler(ctx: { load(): Promise<{ text: string }>; save(note: never): Promise<unknown> }) {
      const note = await ctx.load();
      note.text = 'new';
      return ctx.save(note as never);
    },
  },
  look: { method: 'GET', handler: (ctx: { load(): Promise<unknown> }) => ctx.load() },
  count: { path: '/count', handler: () => ({ count: 1 }) },
} as const;
const api = useApi(database, (shop) => [
  shop.resource({ model: Note, ops, operations }),
  shop.resource({ model: Note, path: 'careful', ops, operations, preconditionRequired: true }),
  shop.resource({ model: Note, path: 'foreign', ops, operations, scope: () => ({ text: 'theirs' }) }),
  shop.resource({ model: Note, path: 'named', ops: ['create'], serverFields: () => ({ id: 'a' }) }),
  shop.resource({ model: Plain, path: 'plain', ops, operations }),
  shop.resource({ model: Checked, path: 'checked', ops: ['put'] }),
]);
const notes = () => database.db.collection<{ _id: string; [key: string]: unknown }>('notes');

const writes = {
  PATCH: ['', 200],
  PUT: ['', 200],
  DELETE: ['', 204],
  POST: ['/touch', 200],
} as const;
const methods = Object.keys(writes) as (keyof typeof writes)[];

async function write(method: string, headers: OutgoingHttpHeaders, path = 'notes', body: unknown = { text: 'new' }) {
  const [below] = writes[method as keyof typeof writes];
  return api.request(method, `/api/${path}/a${below}`, { headers, ...(below === '' && method !== 'DELETE' ? { body } : {}) });
}

async function store(revision: unknown): Promise<void> {
  await notes().deleteMany({});
  await notes().insertOne({ _id: 'a', text: 'old', ...(revision !== undefined && { revision }) });
}

beforeEach(async () => {
  await notes().createIndex({ slug: 1 }, { unique: true, sparse: true });
  await store(3);
});

describe.each(methods)('If-None-Match on %s', (method) => {
  const [, success] = writes[method];

  it.each([
    ['anything that exists', '*'],
    ['the current tag', '"3"'],
    ['the current tag, weak: comparison is weak', 'W/"3"'],
    ['a list with the current tag', '"1", W/"3"'],
    ['a list with empty elements', ',"3",,'],
    ['white space around it', '  "3"\t'],
  ])('is 412 for %s, and nothing is written: %s', async (_name, tags) => {
    const { status, headers, body } = await write(method, { 'if-none-match': tags });
    expect([status, body.code, body.type]).toEqual([412, 'precondition_failed', 'about:blank']);
    expect(body.detail).toContain('If-None-Match');
    expect(headers).not.toHaveProperty('etag');
    expect(await notes().findOne({})).toEqual({ _id: 'a', text: 'old', revision: 3 });
  });

  it.each([
    ['another tag', '"2"'],
    ['the same number spelt otherwise', '"03"'],
    ['a star in quotes', '"*"'],
    ['an empty list', ''],
    ['a list without the current tag', '"1", W/"2"'],
    ['numbers beyond 64 bits', '"9223372036854775808", "99999999999999999999"'],
    ['operators', '"{$gt:0}"'],
  ])('passes with %s: %s', async (_name, tags) => {
    expect((await write(method, { 'if-none-match': tags })).status).toBe(success);
  });

  it.each(['3', '"3', 'w/"3"', '"3" "4"', '*, "3"', '**', "'3'", 'W/*'])('is 400 where it is malformed: %s', async (tags) => {
    const { status, body } = await write(method, { 'if-none-match': tags });
    expect([status, body.code]).toEqual([400, 'malformed_header']);
    expect(body.detail).toContain('If-None-Match');
    expect(await notes().countDocuments({ revision: 3 })).toBe(1);
  });

  it('is judged after If-Match, and both must hold', async () => {
    const both = async (ifMatch: string, ifNoneMatch: string) => write(method, { 'if-match': ifMatch, 'if-none-match': ifNoneMatch });
    expect((await both('"2"', '"3"')).body.detail).not.toContain('If-None-Match');
    expect((await both('"3"', '"3"')).body.detail).toContain('If-None-Match');
    expect((await both('*', '*')).status).toBe(412);
    expect((await both('3', '"3')).body.detail).toMatch(/^If-Match /);
    expect((await both('"3"', '"2"')).status).toBe(success);
  });

  it.each(zeroRevisions)('takes %s for revision 0', async (_name, revision) => {
    await store(revision);
    expect((await write(method, { 'if-none-match': 'W/"0"' })).status).toBe(412);
    expect((await write(method, { 'if-none-match': '"1"' })).status).toBe(success);
  });

  it('is 404 for a record that does not exist or is out of scope, also with a star', async () => {
    for (const tags of ['*', '"3"']) {
      expect((await write(method, { 'if-none-match': tags }, 'foreign', { text: 'theirs' })).status).toBe(404);
      await notes().deleteMany({});
      expect((await write(method, { 'if-none-match': tags })).status).toBe(404);
      await store(3);
    }
  });

  it('matches by a star only on a model without a revision', async () => {
    expect((await write(method, { 'if-none-match': '*' }, 'plain')).status).toBe(412);
    expect(await notes().countDocuments({ text: 'old' })).toBe(1);
    expect((await write(method, { 'if-none-match': '"3", "0", ""' }, 'plain')).status).toBe(success);
  });

  it('does not satisfy preconditionRequired', async () => {
    const { status, body } = await write(method, { 'if-none-match': '"2"' }, 'careful');
    expect([status, body.code]).toEqual([428, 'precondition_required']);
    expect((await write(method, { 'if-match': '"3"', 'if-none-match': '"2"' }, 'careful')).status).toBe(success);
  });
});

describe('If-None-Match on a write', () => {
  it('stands in the filter of the write, which is still one command', async () => {
    commands.clear();
    expect((await write('PATCH', { 'if-none-match': '"2"' })).status).toBe(200);
    expect([...commands.names]).toEqual(['findAndModify']);
    expect(commands.events[0]?.command.query).toEqual({ _id: 'a', revision: { $nin: [2n] } });
  });

  it('is honoured where there is nothing to write', async () => {
    expect((await write('PATCH', { 'if-none-match': '"3"' }, 'notes', {})).status).toBe(412);
    expect((await write('PATCH', { 'if-none-match': '"2"' }, 'notes', {})).status).toBe(200);
  });

  it('is honoured by the put that checks before it writes', async () => {
    expect((await write('PUT', { 'if-none-match': '"3"' }, 'checked')).status).toBe(412);
    expect((await write('PUT', { 'if-none-match': '"2"' }, 'checked')).status).toBe(200);
  });

  it('comes behind the validation of the body, and before what an embedded object lacks', async () => {
    expect((await write('PATCH', { 'if-none-match': '*' }, 'notes', { no: 1 })).status).toBe(422);
    expect((await write('PATCH', { 'if-none-match': 'no' }, 'notes', { no: 1 })).status).toBe(400);
  });

  it('is 304 on a custom GET, and has no part in one that is about no record', async () => {
    const { status } = await api.request('GET', '/api/notes/a/look', { headers: { 'if-none-match': '*' } });
    expect(status).toBe(304);
    expect((await api.request('POST', '/api/notes/count', { headers: { 'if-none-match': '*' } })).status).toBe(200);
  });
});

describe('If-None-Match on POST', () => {
  const create = async (tags: string, body: object, path = 'notes') =>
    api.request('POST', `/api/${path}`, { body, headers: { 'if-none-match': tags } });

  it('makes the conflict of an id that the client chose 412 with a star', async () => {
    const { status, body } = await create('*', { id: 'a', text: 'new' });
    expect([status, body.code]).toEqual([412, 'precondition_failed']);
    expect(body).not.toHaveProperty('errors');
    expect(await notes().findOne({})).toEqual({ _id: 'a', text: 'old', revision: 3 });
    expect((await create('*', { id: 'b', text: 'new' })).status).toBe(201);
  });

  it('leaves every other conflict 409: another field, another id, or tags', async () => {
    await notes().insertOne({ _id: 's', text: 'x', slug: 'taken' });
    expect((await create('*', { id: 'b', text: 'new', slug: 'taken' })).status).toBe(409);
    expect((await create('"3"', { id: 'a', text: 'new' })).status).toBe(409);
    expect((await create('*', { text: 'new' }, 'named')).status).toBe(409);
    expect((await create('*', { id: 'b', text: 'new' }, 'named')).status).toBe(409);
    expect((await api.request('POST', '/api/notes', { body: { id: 'a', text: 'new' } })).status).toBe(409);
  });

  it('is 400 where it is malformed, and 422 comes before 412', async () => {
    expect((await create('no', { id: 'b', text: 'new' })).body.code).toBe('malformed_header');
    expect((await create('*', { id: 'a' })).status).toBe(422);
  });

  it('does so on a model without a revision', async () => {
    expect((await create('*', { id: 'a', text: 'new' }, 'plain')).status).toBe(412);
  });
});
