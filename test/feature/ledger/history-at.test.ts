import { openStore, service } from '../../../src/index.ts';
import type { Any } from '../../support/any.ts';
import { useDatabase } from '../../support/database/database.ts';
import { Order, useOrders } from './orders.ts';

const database = useDatabase();
const { hooked, hooks, send, get, entries, stored } = useOrders(database);
const bin = { 'x-bin': 'yes' };

beforeEach(async () => {
  expect((await send('POST', '', { id: 'a', title: 'A' })).status).toBe(201);
});

const patch = (body: object, who?: string) => send('PATCH', '/a', body, who);

describe('GET /<resource>/{id}?at=<revision>', () => {
  it('answers with the record as it was, without an ETag', async () => {
    const states = [(await get('/a')).body];
    for (const body of [
      { title: 'B', box: { city: 'Ulm', size: 1 } },
      { box: { city: 'Bern' }, note: 'n' },
      { box: null, lines: [{ sku: 'x' }] },
    ]) {
      await patch(body);
      states.push((await get('/a')).body);
    }
    for (const [at, body] of states.entries()) {
      const answer = await get(`/a?at=${at}`);
      expect([answer.status, answer.headers.etag]).toEqual([200, at === 3 ? '"3"' : undefined]);
      expect(answer.body).toEqual(body);
      expect(answer.headers['cache-control']).toBe('private, no-cache');
    }
  });

  it('shows no private value, of then or of now', async () => {
    await patch({ title: 'B' });
    expect((await get('/a?at=0')).text).not.toMatch(/canary|secret/);
  });

  it('knows revisions that changed nothing, with the time of the next one', async () => {
    await openStore(Order, { db: database.db }).update('a', { title: 'A' });
    await patch({ title: 'B' });
    expect(await entries().distinct('revision')).toEqual([0, 2]);
    const { body } = await get('/a?at=1');
    expect(body.data).toMatchObject({ title: 'A', revision: 1 });
  });

  it('is 400 in a stream, which shows what a record is', async () => {
    const shop = service();
    const api = shop.api({ db: database.db, resources: [shop.resource({ model: Order, live: true, history: true })] });
    const headers = { accept: 'text/event-stream' };
    const answer = await api.fetch(new Request('http://shop/orders/a?at=0', { headers }));
    expect([answer.status, await answer.json()]).toMatchObject([400, { errors: [{ field: 'at', rule: 'not_available' }] }]);
    await api.close();
  });

  it('asks the guards of get, and then those of the history, as the changes do', async () => {
    const shop = service();
    const asked: string[] = [];
    const guard = (name: string) => () => asked.push(name) > 0;
    const closed = { guardsFor: { get: [guard('get')], history: [guard('history'), () => false] }, history: true };
    const api = shop.api({ db: database.db, resources: [shop.resource({ model: Order, ...closed } as Any)] });
    for (const [path, status, guards] of [
      ['/orders/a', 200, ['get']],
      ['/orders/a?at=0', 403, ['get', 'history']],
      ['/orders/a/history', 403, ['get', 'history']],
    ] as const) {
      asked.length = 0;
      expect([(await api.fetch(new Request(`http://shop${path}`))).status, asked]).toEqual([status, guards]);
    }
    await api.close();
  });

  it.each(['at=%FF', 'at=%00', 'at=0&at=1', `${'at=0&'.repeat(1_001)}`])('asks the guards before it refuses %.12s', async (query) => {
    const shop = service();
    let asked = 0;
    const api = shop.api({
      db: database.db,
      resources: [shop.resource({ model: Order, guards: [() => ++asked > 1], history: true } as Any)],
    });
    const answers = [
      await api.fetch(new Request(`http://shop/orders/a?${query}`)),
      await api.fetch(new Request(`http://shop/orders/a?${query}`)),
    ];
    expect(answers.map(({ status }) => status)).toEqual([403, 400]);
    await api.close();
  });

  it('shows the fields that are chosen', async () => {
    await patch({ title: 'B' });
    expect((await get('/a?at=0&fields=title')).body).toEqual({ data: { id: 'a', title: 'A' } });
    expect((await get('/a?at=0&fields=secret')).status).toBe(400);
  });

  it.each([
    ['at=', 'at'],
    ['at=x', 'at'],
    ['at=1.5', 'at'],
    ['at=99999999999999999999', 'at'],
    ['at=0&at=0', 'at'],
    ['at=0&include=owner', 'include'],
  ])('refuses %s', async (query, field) => {
    const { status, body } = await get(`/a?${query}`);
    expect([status, body.code, body.errors.map((one: Any) => one.field)]).toEqual([400, 'invalid_query', [field]]);
  });

  it('is 404 for a revision that the record has not reached, and for one before it was made', async () => {
    await patch({ title: 'B' });
    for (const at of [2, 99, -1]) expect((await get(`/a?at=${at}`)).status).toBe(404);
    expect((await get('/none?at=0')).status).toBe(404);
  });

  it('is 404 for what is older than what is kept', async () => {
    for (const title of ['B', 'C', 'D']) await patch({ title });
    await entries().deleteMany({ revision: { $lte: 1 } });
    expect((await get('/a?at=0')).status).toBe(404);
    expect((await get('/a?at=1')).body.data.title).toBe('B');
    await entries().deleteMany({});
    expect((await get('/a?at=2')).status).toBe(404);
    expect((await get('/a?at=3')).body.data.title).toBe('D');
  });

  it('is 409 `not_kept` if a value of then was too large to be kept, and not if another one has come in its place', async () => {
    await patch({ note: 'x'.repeat(70_000) });
    await patch({ note: 'short' });
    await patch({ note: 'other' });
    const { status, body } = await get('/a?at=1');
    expect([status, body.code, body.type]).toEqual([409, 'not_kept', 'urn:problem:koa-mongo-resource:not_kept']);
    expect((await get('/a?at=2')).body.data.note).toBe('short');
    expect((await get('/a?at=0')).body.data.note).toBeUndefined();
  });

  it('is 409 `not_kept` for what lies more than 1,000 changes back', async () => {
    await patch({ title: 'B' });
    const [entry] = await entries().find({ revision: 1 }).toArray();
    const more = Array.from({ length: 1000 }, (_, index) => ({ ...entry, _id: index, revision: index + 2, previous: index + 1 }));
    await entries().insertMany(more);
    await stored().updateOne({ _id: 'a' as never }, { $set: { revision: 1001 } });
    expect((await get('/a?at=1')).status).toBe(200);
    expect((await get('/a?at=0')).body.code).toBe('not_kept');
  });

  it('is 404 for a state outside of the scope, and for a record that is outside of it now', async () => {
    await patch({ title: 'B' });
    await patch({ owner: 'ben', title: 'C' });
    await patch({ title: 'D' }, 'ben');
    for (const [at, status] of [404, 404, 200, 200].entries()) expect((await get(`/a?at=${at}`, 'ben')).status).toBe(status);
    expect((await get('/a?at=0')).status).toBe(404);
    expect((await get('/a?at=1', 'root')).body.data.title).toBe('B');
    await entries().deleteMany({ revision: { $lt: 3 } });
    expect((await get('/a?at=2', 'ben')).status).toBe(200);
    await patch({ owner: 'ann' }, 'ben');
    await entries().deleteMany({ revision: { $lt: 4 } });
    expect((await get('/a?at=3')).status).toBe(404);
    expect((await get('/a?at=4')).status).toBe(200);
  });

  it('shows a state in which the record was deleted only to those who may see deleted records', async () => {
    const created = (await get('/a')).body.data;
    await send('DELETE', '/a');
    const deleted = (await get('/a?deleted=with', 'ann', bin)).body;
    expect((await get('/a?at=0')).status).toBe(404);
    expect((await get('/a?at=0&deleted=with', 'ann', bin)).body.data).toEqual(created);
    expect((await get('/a?at=0&deleted=only', 'ann', bin)).status).toBe(404);
    await send('POST', '/a/restore');
    expect((await get('/a?at=1')).status).toBe(404);
    expect((await get('/a?at=1&deleted=with', 'ann', bin)).body).toEqual(deleted);
    expect((await get('/a?at=0')).status).toBe(200);
  });

  it('shows only the life that the record has now', async () => {
    await patch({ title: 'first life' });
    await stored().deleteOne({ _id: 'a' as never });
    await send('POST', '', { id: 'a', title: 'second life' });
    await patch({ title: 'changed' });
    expect((await get('/a?at=0')).body.data.title).toBe('second life');
  });

  it('runs the hooks of get for the record as it is, and as it was, and shows nothing if one throws', async () => {
    await patch({ title: 'B' });
    await get('/a?at=0');
    expect(hooked.map((one: Any) => one.title)).toEqual(['B', 'A']);
    for (const title of ['A', 'B']) {
      hooks.refuse = (record) => {
        if (record.title === title) throw new Error('no');
      };
      expect((await get('/a?at=0')).status).toBe(500);
    }
  });

  it('asks the guards of get, and refuses an `If-Match` that the record does not fulfil', async () => {
    await patch({ title: 'B' });
    expect((await get('/a?at=0', 'ann', { 'x-get': 'no' })).status).toBe(403);
    expect((await get('/a?at=0', 'ann', { 'if-match': '"0"' })).status).toBe(412);
    expect((await get('/a?at=0', 'ann', { 'if-match': '"1"' })).status).toBe(200);
  });

  it('is a parameter only where the resource has a history', async () => {
    expect((await get('/a?att=0')).body.data.revision).toBe(0);
  });
});
