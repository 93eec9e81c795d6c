import { ConfigurationError, defineModel, everything, service, t } from '../../../src/index.ts';
import type { Any } from '../../support/any.ts';
import { useDatabase } from '../../support/database/database.ts';
import { Order, revisions, useOrders } from './orders.ts';

const database = useDatabase();
const { hooked, hooks, send, get, entries, stored } = useOrders(database);
const bin = { 'x-bin': 'yes' };
const time = expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/);

beforeEach(async () => {
  expect((await send('POST', '', { id: 'a', title: 'A' })).status).toBe(201);
});

describe('GET /<resource>/{id}/history', () => {
  it('lists the changes of a record, the last one first, with who made them and the values before and after', async () => {
    await send('PATCH', '/a', { title: 'B', place: { city: 'Ulm' } });
    const { status, body, headers } = await get('/a/history');
    expect(status).toBe(200);
    expect(headers['cache-control']).toBe('private, no-cache');
    expect(headers.etag).toBeUndefined();
    expect(body).toEqual({
      data: [
        {
          revision: 1,
          at: time,
          change: 'patched',
          operation: 'patch',
          actor: 'ann',
          request_id: expect.any(String),
          changes: [
            { path: 'title', before: 'A', after: 'B' },
            { path: 'place', after: { city: 'Ulm' } },
          ],
        },
        {
          revision: 0,
          at: time,
          change: 'created',
          operation: 'create',
          actor: 'ann',
          request_id: expect.any(String),
          changes: [
            { path: 'title', after: 'A' },
            { path: 'owner', after: 'ann' },
            { path: 'lines', after: [] },
            { path: 'tags', after: {} },
            { path: 'createdAt', after: time },
          ],
        },
      ],
      page: { size: 20, has_next: false, next_cursor: null, prev_cursor: null },
    });
  });

  it('writes each value exactly as GET does', async () => {
    const values = {
      total: '1.50',
      due: '2026-01-02T03:04:05.000Z',
      spot: { type: 'Point', coordinates: [8.5, 47.25] },
      ref: '65f0c0ffee0000000000abcd',
      place: { city: 'Ulm' },
      box: { city: 'Ulm', size: null },
      lines: [{ sku: 'x' }, { sku: 'y' }],
      tags: { a: 1, 'b.c': 2 },
      extra: { $set: [1, { a: 1.5 }], t: true },
    };
    await send('PATCH', '/a', JSON.stringify(values).replace('{"total"', '{"big":9007199254740993,"total"'));
    const record = await get('/a');
    const changed = await get('/a/history?limit=1');
    const [{ changes }] = changed.body.data;
    expect(changes.map(({ path }: Any) => path).sort()).toEqual([...Object.keys(values), 'big'].sort());
    for (const { path, after } of changes) expect(after).toEqual(record.body.data[path]);
    for (const { text } of [record, changed]) expect(text).toContain('9007199254740993');
  });

  it('names the members of objects by their paths, and tells null from a value that was not there', async () => {
    await send('PATCH', '/a', { box: { city: 'Ulm' }, note: 'n' });
    await send('PATCH', '/a', { box: { city: 'Bern' }, note: null });
    await send('PATCH', '/a', { box: null });
    const { body } = await get('/a/history?limit=2');
    expect(body.data.map(({ changes }: Any) => changes)).toEqual([
      [{ path: 'box', before: { city: 'Bern', size: null } }],
      [
        { path: 'box.city', before: 'Ulm', after: 'Bern' },
        { path: 'note', before: 'n' },
      ],
    ]);
  });

  it('shows neither what is private nor that it has changed, and keeps no private value', async () => {
    const store = stored();
    await send('PATCH', '/a', { title: 'B' });
    expect(await store.findOne({})).toMatchObject({ secret: expect.stringMatching(/^canary \d/) });
    const kept = await entries().find().sort({ revision: 1 }).toArray();
    expect(kept.map((one) => one.private)).toEqual([['secret'], ['secret']]);
    expect(JSON.stringify(kept)).not.toContain('canary');
    expect((await get('/a/history')).text).not.toMatch(/canary|secret|private/);
  });

  it('says that a value was too large by a digest', async () => {
    const long = 'x'.repeat(70_000);
    await send('PATCH', '/a', { note: long });
    await send('PATCH', '/a', { note: 'short' });
    const { body } = await get('/a/history?limit=2');
    const digest = expect.stringMatching(/^sha-256:[\da-f]{64}$/);
    expect(body.data[0].changes).toEqual([{ path: 'note', before_digest: digest, after: 'short' }]);
    expect(body.data[1].changes).toEqual([{ path: 'note', after_digest: digest }]);
    expect(body.data[0].changes[0].before_digest).toBe(body.data[1].changes[0].after_digest);
  });

  it('is filtered by time, actor, path and kind of change', async () => {
    await send('PATCH', '/a', { title: 'B' }, 'root');
    await send('PATCH', '/a', { note: 'n' });
    await send('DELETE', '/a');
    await send('POST', '/a/restore');
    const [{ at }] = (await get('/a/history?change=patched&sort=revision')).body.data;
    const asked = async (query: string) => revisions(await get(`/a/history?${query}`));
    expect(await asked('')).toEqual([4, 3, 2, 1, 0]);
    expect(await asked('sort=revision')).toEqual([0, 1, 2, 3, 4]);
    expect(await asked('actor=root')).toEqual([1]);
    expect(await asked('actor[in]=root,nobody')).toEqual([1]);
    expect(await asked('path=note')).toEqual([2]);
    expect(await asked('path[in]=note,title')).toEqual([2, 1, 0]);
    expect(await asked('change=deleted')).toEqual([3]);
    expect(await asked('change[in]=restored,created')).toEqual([4, 0]);
    expect(await asked(`at[lte]=${at}&at[gte]=${at}`)).toContain(1);
    expect(await asked(`at[gt]=${at}&actor=root`)).toEqual([]);
    expect(await asked(`at[lt]=${at}&sort=revision&limit=1`)).toEqual([0]);
    expect(await asked(`filter=${encodeURIComponent('path = "note" OR change = "created"')}`)).toEqual([2, 0]);
  });

  it('is paged by cursors, which are bound to the record and the query', async () => {
    for (const title of ['B', 'C', 'D', 'E']) await send('PATCH', '/a', { title });
    const first = await get('/a/history?limit=2');
    expect(revisions(first)).toEqual([4, 3]);
    expect(first.headers.link).toContain('rel="next"');
    const next = `limit=2&after=${first.body.page.next_cursor}`;
    const second = await get(`/a/history?${next}`);
    expect(revisions(second)).toEqual([2, 1]);
    expect(revisions(await get(`/a/history?limit=2&after=${second.body.page.next_cursor}`))).toEqual([0]);
    expect(revisions(await get(`/a/history?limit=2&before=${second.body.page.prev_cursor}`))).toEqual([4, 3]);
    await send('POST', '', { id: 'b' });
    for (const path of [`/b/history?${next}`, `/a/history?${next}&sort=revision`, `/a/history?${next}&path=title`])
      expect((await get(path)).body.code).toBe('invalid_cursor');
  });

  it.each([
    ['path=nothing', 'path'],
    ['path=secret', 'path'],
    ['path=updatedAt', 'path'],
    ['path=revision', 'path'],
    ['at=yesterday', 'at'],
    ['at[gt]=yesterday', 'at[gt]'],
    ['change=moved', 'change'],
    ['title=A', 'title'],
    ['sort=at', 'sort'],
    ['total=true', 'total'],
    ['page=2', 'page'],
    ['include=owner', 'include'],
    ['fields=at', 'fields'],
    ['limit=0', 'limit'],
    ['actor=a&actor[prefix]=b', 'actor[prefix]'],
  ])('refuses %s', async (query, field) => {
    const { status, body } = await get(`/a/history?${query}`);
    expect([status, body.code, body.errors.map((one: Any) => one.field)]).toEqual([400, 'invalid_query', [field]]);
  });

  it('answers byte-equal for a private path and one that is not there', async () => {
    const [one, other] = [await get('/a/history?path=secret'), await get('/a/history?path=sacret')];
    const without = ({ text }: { text: string }) => text.replace(/"request_id":"[^"]*"/, '');
    expect(without(one)).toBe(without(other));
  });

  it('is 404 for a record that is not there, or not in the scope', async () => {
    expect((await get('/none/history')).status).toBe(404);
    expect((await get('/a/history', 'ben')).status).toBe(404);
    expect((await get('/a/history', 'root')).status).toBe(200);
  });

  it('shows of a record that has moved between scopes only the changes whose two states were in the scope', async () => {
    await send('PATCH', '/a', { title: 'of ann' });
    await send('PATCH', '/a', { owner: 'ben', title: 'handed over' });
    await send('PATCH', '/a', { title: 'of ben' }, 'ben');
    expect(revisions(await get('/a/history', 'ben'))).toEqual([3]);
    expect((await get('/a/history', 'ann')).status).toBe(404);
    await send('PATCH', '/a', { owner: 'ann' }, 'ben');
    expect(revisions(await get('/a/history', 'ann'))).toEqual([1, 0]);
    expect(revisions(await get('/a/history', 'root'))).toEqual([4, 3, 2, 1, 0]);
  });

  it('shows the changes of a deleted record only to those who may see deleted records', async () => {
    await send('DELETE', '/a');
    expect((await get('/a/history')).status).toBe(404);
    expect((await get('/a/history?deleted=with')).status).toBe(403);
    const { body } = await get('/a/history?deleted=with', 'ann', bin);
    expect(revisions({ body })).toEqual([1, 0]);
    expect(body.data[0]).toMatchObject({ change: 'deleted', operation: 'delete', changes: [{ path: 'deletedAt', after: time }] });
    expect((await get('/a/history?deleted=perhaps', 'ann', bin)).status).toBe(400);
  });

  it('shows only the life that the record has now, and nothing of a record from before the history', async () => {
    await send('PATCH', '/a', { title: 'first life' });
    await stored().deleteOne({ _id: 'a' });
    await send('POST', '', { id: 'a', title: 'second life' });
    expect(revisions(await get('/a/history'))).toEqual([0]);
    await stored().insertOne({ _id: 'old', title: 'old', owner: 'ann', revision: 7 });
    expect(revisions(await get('/old/history'))).toEqual([]);
    await send('PATCH', '/old', { title: 'new' });
    expect(revisions(await get('/old/history'))).toEqual([8]);
  });

  it('leaves out a change that only touched what is private', async () => {
    await entries().insertOne({
      ...(await entries().findOne({})),
      _id: undefined,
      revision: 9,
      change: 'patched',
      paths: [],
      changes: [],
      private: ['secret'],
    });
    expect(revisions(await get('/a/history'))).toEqual([0]);
  });

  it('asks the guards of get, and then its own', async () => {
    expect((await get('/a/history', 'ann', { 'x-get': 'no' })).status).toBe(403);
    expect((await get('/a/history', 'ann', { 'x-history': 'no' })).status).toBe(403);
    expect((await get('/a', 'ann', { 'x-history': 'no' })).status).toBe(200);
  });

  it('runs the hooks of get with the record, and shows nothing if one throws', async () => {
    await get('/a/history');
    expect(hooked).toEqual([expect.objectContaining({ id: 'a', title: 'A' })]);
    hooks.refuse = () => {
      throw new Error('no');
    };
    expect((await get('/a/history')).status).toBe(500);
  });

  it('is 500 for a scope that compares a field whose values are not kept', async () => {
    const Note = defineModel('Note', {
      collection: 'notes',
      fields: { id: t.string({ policy: { insert: true } }), owner: t.string(), team: t.string(), revision: t.revision() },
      history: { scopeFields: ['owner'] },
    });
    const shop = service();
    const notes = shop.resource({ model: Note, history: true, scope: () => ({ owner: 'ann', team: 't' }) });
    const { fetch } = shop.api({ db: database.db, resources: [notes], onError: (error) => void errors.push(error as Error) });
    const errors: Error[] = [];
    await fetch(
      new Request('http://x/notes', {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: '{"id":"n","owner":"ann","team":"t"}',
      }),
    );
    expect((await fetch(new Request('http://x/notes/n/history'))).status).toBe(500);
    expect(errors.map(({ message }) => message)).toEqual([expect.stringContaining('`team`')]);
  });
});

describe('`history` of a resource', () => {
  const Plain = defineModel('Plain', { collection: 'plains', fields: { title: t.string(), owner: t.string(), revision: t.revision() } });
  const Kept = defineModel('Kept', {
    collection: 'kepts',
    fields: { title: t.string(), owner: t.string(), revision: t.revision() },
    history: true,
  });
  const build = (options: Any) => {
    const shop = service<string>({ authenticate: () => 'ann' });
    return () => shop.api({ db: database.db, resources: [shop.resource({ history: true, ...options })] });
  };
  const scope = () => ({ owner: 'ann' });

  it.each([
    ['needs a history of the model', { model: Plain }, /needs `history` of Plain/],
    ['needs get', { model: Kept, ops: ['list'] }, /no `get`/],
    ['needs the fields of the scope', { model: Kept, scope, scopeFields: ['owner'] }, /`scopeFields` of .* has owner/],
    ['needs to know the fields of a scope', { model: Kept, scope }, /has a scope/],
    ['takes true or false', { model: Kept, history: 'yes' }, /`history`/],
    ['takes the name', { model: Kept, operations: { history: { handler: () => undefined } } }, /another one/],
    ['takes the path', { model: Kept, operations: { past: { method: 'GET', path: '/:id/history', handler: () => undefined } } }, /history/],
    ['has the guards', { model: Kept, history: false, guardsFor: { history: [] } }, /`history`/],
  ])('%s', (_name, options, message) => {
    expect(build(options)).toThrow(ConfigurationError);
    expect(build(options)).toThrow(message);
  });

  it('fits a scope of everything, and one by the id', () => {
    expect(build({ model: Order, scope: () => everything })).not.toThrow();
    expect(build({ model: Kept, scope: () => ({ id: 'x' }), scopeFields: ['id'] })).not.toThrow();
  });
});
