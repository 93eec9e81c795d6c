import Router from '@koa/router';
import {
  authenticate,
  cursorPaging,
  defineModel,
  exportRecords,
  inFlightLimit,
  listQuery,
  problems,
  rules,
  scope,
  streamPlaces,
  t,
} from '../../src/index.ts';
import { useDatabase } from '../support/database/database.ts';
import { getStream } from '../support/http/read-stream.ts';
import { type TestServer, useServer } from '../support/http/serve.ts';

const Note = defineModel('Note', {
  collection: 'own notes/"x"',
  fields: {
    id: t.int({ policy: { filter: true, sort: true } }),
    owner: t.string(),
    secret: t.string({ policy: { read: 'staff' } }),
  },
});

const database = useDatabase();
const serve = useServer();
const places = streamPlaces(1);
const left = streamPlaces(1);
let server: TestServer;
let owner = 'ann';
let asked = 0;

beforeAll(async () => {
  const { db } = database;
  const query = listQuery(Note, cursorPaging(), { whole: true });
  const router = new Router();
  router.use(
    problems(),
    inFlightLimit(1),
    authenticate((ctx) => ctx.get('x-user') || undefined),
    rules({ staff: (user) => user === 'sue' }),
  );
  router.get('/all', query, exportRecords(Note, { db }));
  router.get(
    '/scoped',
    scope(Note, () => ({ owner: { in: ['ann', 'bob'] } })),
    query,
    exportRecords(Note, { db, scope: () => ({ owner: [owner, asked++][0] }) }),
  );
  router.get('/full', query, exportRecords(Note, { db, places }));
  router.get('/closed', query, exportRecords(Note, { db, places: left }));
  router.get('/few', query, exportRecords(Note, { db, max: 1 }));
  router.get('/forgot', exportRecords(Note, { db }));
  router.get('/part', listQuery(Note, cursorPaging()), exportRecords(Note, { db }));
  server = await serve(router.routes() as never);
  const notes = Array.from({ length: 300 }, (_, id) => ({ _id: id as never, owner: ['ann', 'bob', 'eve'][id % 3], secret: 'zq' }));
  await db.collection(Note.collection).insertMany(notes);
});

const get = (path: string, accept = '*/*', headers = {}) => getStream(server.port, path, accept, headers);

describe("exportRecords() in somebody's own routes", () => {
  it('answers with lines, unless `Accept` prefers a table', async () => {
    expect((await get('/all')).lines.at(-1)).toEqual({ end: true, count: 300 });
    const { headers, text } = await get('/all?id=1', 'text/csv');
    expect(headers['content-disposition']).toBe('attachment; filename="own_notes__x_.csv"');
    expect([headers.vary, text]).toEqual(['Accept', 'id,owner\r\n1,bob\r\n']);
  });

  it('shows each caller its view', async () => {
    expect((await get('/all?id=1', '*/*', { 'x-user': 'sue' })).lines[0]).toEqual({ id: 1, owner: 'bob', secret: 'zq' });
    expect((await get('/all?id=1', '*/*', { 'x-user': 'ann' })).lines[0]).toEqual({ id: 1, owner: 'bob' });
  });

  it('asks its scope for each batch, and stays within the one above it', async () => {
    asked = 0;
    expect((await get('/scoped')).lines.at(-1)).toEqual({ end: true, count: 100 });
    owner = 'eve';
    expect((await get('/scoped')).lines).toEqual([{ end: true, count: 0 }]);
    expect(asked).toBe(2);
  });

  it('shares places, which can be closed', async () => {
    const leave = places.take(() => undefined);
    expect((await get('/full')).status).toBe(503);
    leave();
    leave();
    expect((await get('/full')).status).toBe(200);
    left.close();
    expect(JSON.parse((await get('/closed')).text).code).toBe('shutting_down');
  });

  it('answers problems before the first byte', async () => {
    expect((await get('/few')).status).toBe(422);
    expect((await get('/few?id=1')).status).toBe(200);
    expect((await get('/forgot')).status).toBe(500);
    expect(String(server.errors.at(-1))).toMatch(/`exportRecords` needs `listQuery`/);
    expect((await get('/part')).status).toBe(500);
    expect(String(server.errors.at(-1))).toMatch(/needs `listQuery` with `whole: true`/);
  });
});
