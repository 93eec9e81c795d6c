import { openStore, service } from '../../src/index.ts';
import { useCommands } from '../support/database/commands.ts';
import { useDatabase } from '../support/database/database.ts';
import { useApi } from '../support/http/api.ts';
import { Label, Ticket } from '../support/models/workspace.ts';

const database = useDatabase({ monitorCommands: true });
const commands = useCommands(database);
let asked = 0;
let isOpen = true;
const open = () => {
  asked++;
  return isOpen;
};
let by: string | undefined;
const api = useApi(
  database,
  (shop) => [
    shop.resource({ model: Label, scope: () => ({ owner: 'ann' }), guardsFor: { get: [open], list: [] } }),
    shop.resource({
      model: Ticket,
      ops: ['list', 'get', 'create', 'patch', 'put', 'delete', 'patchMany'],
      serverFields: { create: () => (by === undefined ? {} : { by }), update: () => ({}) },
      operations: {
        label: {
          answer: 'record',
          handler: async (ctx) => {
            const ticket = await ctx.load();
            Object.assign(ticket, (ctx as never as { request: { query: object } }).request.query);
            return ctx.save(ticket);
          },
        },
      },
    }),
  ],
  { batch: true },
);
const post = (body: object) => api.request('POST', '/api/tickets', { body });
const patch = (id: string, body: object) => api.request('PATCH', `/api/tickets/${id}`, { body });
const labels = () => database.db.collection<{ _id: string; owner: string }>('labels');
const tickets = () => database.db.collection<{ _id: string; [key: string]: unknown }>('tickets');
const refused = (field: string) => ({ field, rule: 'reference', message: 'must be the id of a record within your reach' });

beforeEach(async () => {
  isOpen = true;
  by = undefined;
  await labels().deleteMany({});
  await tickets().deleteMany({});
  await labels().insertMany([
    { _id: 'a', owner: 'ann' },
    { _id: 'b', owner: 'ann' },
    { _id: 'bobs', owner: 'bob' },
  ]);
  await tickets().insertOne({ _id: 't', text: 'x', labelId: 'gone', others: ['gone', 'a'], lines: [], revision: 3 });
  asked = 0;
  commands.clear();
});

describe('a reference with `exists`', () => {
  it('lets a create name records that are there, with one query for each other model, and one question of each guard', async () => {
    const answer = await post({ id: 'n', labelId: 'a', others: ['a', 'b', 'a'], lines: [{ labelId: 'b' }, {}, { labelId: 'a' }] });
    expect(answer.status).toBe(201);
    expect(commands.names).toEqual(['find', 'insert']);
    expect(commands.events.map(({ command }) => command.projection).filter(Boolean)).toEqual([{ _id: 1 }]);
    expect(asked).toBe(1);
  });

  it('costs nothing where the write names no record: null, nothing, or other fields', async () => {
    expect((await post({ id: 'n', labelId: null })).status).toBe(201);
    expect((await patch('n', { text: 'y' })).status).toBe(200);
    expect((await patch('n', { labelId: null, others: [] })).status).toBe(200);
    expect(commands.names).toEqual(['insert', 'findAndModify', 'findAndModify']);
    expect(asked).toBe(0);
  });

  it.each([
    ['labelId', { labelId: 'X' }, ['labelId']],
    ['items of an array', { others: ['a', 'X', 'b', 'X'] }, ['others.1', 'others.3']],
    ['objects of an array', { lines: [{}, { labelId: 'X' }] }, ['lines.1.labelId']],
    ['an embedded object', { home: { labelId: 'X' } }, ['home.labelId']],
    ['several fields', { labelId: 'X', others: ['X'] }, ['labelId', 'others.0']],
  ])('answers 422 on the path of %s, with the same bytes for a missing and a hidden record', async (_where, body, fields) => {
    for (const send of [post, (one: object) => patch('t', one)]) {
      const missing = await send(JSON.parse(JSON.stringify(body).replaceAll('X', 'none')) as object);
      const hidden = await send(JSON.parse(JSON.stringify(body).replaceAll('X', 'bobs')) as object);
      expect(missing.body).toMatchObject({ status: 422, code: 'validation_failed', errors: fields.map(refused) });
      expect(hidden.text).toBe(missing.text);
    }
    expect(await tickets().countDocuments()).toBe(1);
    expect(await tickets().findOne({ _id: 't' })).toMatchObject({ revision: 3 });
  });

  it('answers 422 to more than 2,000 different ids in one field, before any command', async () => {
    const others = Array.from({ length: 2_001 }, (_, n) => `l${n}`);
    const message = 'must have at most 2000 different ids';
    const tooMany = { errors: [{ field: 'others', rule: 'maxItems', message, params: { limit: 2_000 } }] };
    for (const [method, path] of [
      ['POST', ''],
      ['PATCH', '/t'],
      ['PUT', '/t'],
      ['PATCH', '?id=t'],
    ] as const)
      expect((await api.request(method, `/api/tickets${path}`, { body: { others } })).body).toMatchObject({ status: 422, ...tooMany });
    expect(commands.names).toEqual([]);
    await labels().insertMany(others.slice(1).map((_id) => ({ _id, owner: 'ann' })));
    expect((await post({ others: [...others.slice(1), ...others.slice(1)] })).status).toBe(201);
  });

  it('answers so for every record behind a Get guard that does not open', async () => {
    isOpen = false;
    expect((await post({ labelId: 'a' })).body).toMatchObject({ errors: [refused('labelId')] });
  });

  it('lets through what the record holds already at the same field, by patch and put, and nothing else', async () => {
    expect((await patch('t', { labelId: 'gone', text: 'y' })).status).toBe(200);
    expect((await patch('t', { others: ['gone', 'b'] })).status).toBe(200);
    expect((await patch('t', { home: { labelId: 'gone' } })).body).toMatchObject({ errors: [refused('home.labelId')] });
    const put = { text: 'z', labelId: 'gone', others: ['b', 'gone', 'bobs'] };
    expect((await api.request('PUT', '/api/tickets/t', { body: put })).body).toMatchObject({ errors: [refused('others.2')] });
    expect((await api.request('PUT', '/api/tickets/t', { body: { ...put, others: ['gone'] } })).status).toBe(200);
  });

  it('answers 404 and 412 first', async () => {
    expect((await patch('none', { labelId: 'none' })).status).toBe(404);
    const stale = await api.request('PATCH', '/api/tickets/t', { body: { labelId: 'none' }, headers: { 'if-match': '"1"' } });
    expect(stale.status).toBe(412);
  });

  it('holds for `patchMany`: what all records hold already is not new', async () => {
    await tickets().insertOne({ _id: 'u', text: 'u', labelId: 'gone' });
    const many = (query: string, body: object) => api.request('PATCH', `/api/tickets?${query}`, { body });
    expect((await many('text[in]=x,u', { labelId: 'none' })).body).toMatchObject({ errors: [refused('labelId')] });
    expect((await many('text[in]=x,u', { labelId: 'gone' })).body).toMatchObject({ data: { matched: 2 } });
    expect((await many('text[in]=x,u', { labelId: 'a' })).body).toMatchObject({ data: { matched: 2 } });
  });

  it('holds for `ctx.save` of a handler, within the reach of the client', async () => {
    expect((await api.request('POST', '/api/tickets/t/label?labelId=b')).status).toBe(200);
    for (const id of ['none', 'bobs'])
      expect((await api.request('POST', `/api/tickets/t/label?labelId=${id}`)).body).toMatchObject({ errors: [refused('labelId')] });
  });

  it('holds for a batch, which may name a record that it has just created', async () => {
    const operations = (label: string) => [
      { method: 'POST', path: '/labels', body: { id: 'new' } },
      { method: 'POST', path: '/tickets', body: { id: 'n', labelId: label } },
    ];
    const send = (label: string) => api.request('POST', '/api/batch', { body: { operations: operations(label) } });
    expect((await send('bobs')).body).toMatchObject({ status: 422, operation: 1, errors: [refused('labelId')] });
    expect((await send('new')).status).toBe(200);
  });

  it('takes any record for a value of the server, and answers a bare 500 if there is none', async () => {
    by = 'bobs';
    expect((await post({ id: 'n' })).status).toBe(201);
    by = 'none';
    const answer = await post({ id: 'm' });
    expect(answer.body).toEqual({ type: 'about:blank', title: 'Internal Server Error', status: 500 });
    expect(api.errors.map((error) => (error as Error).message).join()).toMatch(/`by` of Ticket/);
    api.errors.length = 0;
  });

  it('is checked by the store for existence only', async () => {
    const store = openStore(Ticket, { db: database.db, models: [Label] });
    const ticket = await store.create({ id: 'n', labelId: 'bobs', others: ['a'] });
    await expect(store.create({ id: 'm', labelId: 'none' })).rejects.toMatchObject({ status: 422, errors: [refused('labelId')] });
    await expect(store.update('n', { others: ['a', 'none'] })).rejects.toMatchObject({ errors: [refused('others.1')] });
    await expect(store.updateMany({}, { labelId: 'none' })).rejects.toMatchObject({ errors: [refused('labelId')] });
    ticket.labelId = 'none';
    await expect(store.save(ticket)).rejects.toMatchObject({ errors: [refused('labelId')] });
    await expect(store.update('n', { secretId: 'none' })).rejects.toThrow(/`secretId` of Ticket/);
    const made = await store.createMany([{ id: '1', labelId: 'a' }, { id: '2', others: ['b', 'none'] }, { id: '3' }, { id: 'n' }]);
    expect(made.map(({ error }) => (error as { errors?: unknown } | undefined)?.errors)).toEqual([
      undefined,
      [refused('others.1')],
      undefined,
      [expect.objectContaining({ field: 'id' })],
    ]);
    await expect(store.createMany([{ labelId: 'a' }, { labelId: 'none' }], { all: true })).rejects.toMatchObject({
      errors: [refused('1.labelId')],
    });
  });

  it('lets a transaction go on after a 422 that its function has caught', async () => {
    const shop = service();
    const own = shop.api({ db: database.db, resources: [shop.resource({ model: Label }), shop.resource({ model: Ticket })] });
    await own.transaction(async (tx) => {
      await tx
        .store(Ticket)
        .create({ id: 'm', labelId: 'none' })
        .catch(() => undefined);
      await tx.store(Ticket).create({ id: 'n', labelId: 'a' });
    });
    expect(await tickets().countDocuments({ _id: 'n' })).toBe(1);
  });
});
