import { afterEach, describe, expect, it } from 'vitest';
import { defineModel, everything, service, t } from '../../../src/index.ts';
import { useDatabase } from '../../support/database/database.ts';
import { LiveStream } from '../../support/http/live-stream.ts';
import { useServer } from '../../support/http/serve.ts';

const Card = defineModel('Card', {
  collection: 'cards',
  fields: {
    id: t.int({ policy: { insert: true } }),
    title: t.string({ policy: { filter: true, sort: true } }),
    column: t.enum(['todo', 'doing', 'done'], { default: 'todo', policy: { filter: ['eq', 'in'] } }),
    owner: t.string({ policy: { private: true } }),
    note: t.optional(t.string({ policy: { read: 'staff' } })),
    revision: t.revision(),
  },
});

interface User {
  readonly name: string;
  readonly isStaff?: boolean;
}

const database = useDatabase();
const serve = useServer();
const open: LiveStream[] = [];

afterEach(async () => {
  for (const stream of open.splice(0)) stream.close();
  await database.db.collection('cards').deleteMany({});
});

async function start(options: object = {}, ofApi: object = {}) {
  const users = new Map<string, User>([
    ['ann', { name: 'ann' }],
    ['bob', { name: 'bob' }],
    ['sue', { name: 'sue', isStaff: true }],
  ]);
  const board = service({
    authenticate: (ctx) => users.get(ctx.get('authorization')),
    rules: { staff: (user) => user.isStaff === true },
  });
  const cards = board.resource({
    model: Card,
    guards: [(ctx) => ctx.principal !== undefined],
    scope: (ctx) => (ctx.principal?.isStaff ? everything : { owner: ctx.requirePrincipal().name }),
    serverFields: (ctx) => ({ owner: ctx.requirePrincipal().name }),
    fields: true,
    live: true,
    ...options,
  });
  const api = board.api({ db: database.db, resources: [cards], ...ofApi });
  const server = await serve(api.routes());
  const as = (name: string) => ({ authorization: name });
  return {
    api,
    users,
    server,
    listen(path: string, name = 'ann', headers: object = {}) {
      const stream = new LiveStream(server.port, path, { ...as(name), ...headers });
      open.push(stream);
      return stream.opened();
    },
    send: (method: string, path: string, body?: unknown, name = 'ann') =>
      server.request(method, path, { headers: as(name), ...(body === undefined ? {} : { body }) }),
  };
}

describe('GET <list> with `Accept: text/event-stream`', () => {
  it('sends the page that JSON would have, and then what changes', async () => {
    const { listen, send } = await start();
    await send('POST', '/cards', { id: 1, title: 'one' });
    const stream = await listen('/cards');
    expect([stream.status, stream.last?.event]).toEqual([200, 'page']);
    expect(stream.state).toEqual((await send('GET', '/cards')).body);
    await send('POST', '/cards', { id: 2, title: 'two' });
    await stream.sees(({ data }) => data.length === 2);
    await send('PATCH', '/cards/1', { title: 'first' });
    await stream.sees(({ data }) => data[0].title === 'first');
    expect(stream.last).toMatchObject({ event: 'change', data: { put: [{ id: 1, title: 'first' }] } });
    await send('DELETE', '/cards/1');
    await stream.sees(({ data }) => data.length === 1);
    expect(stream.last?.data).toEqual({ remove: [1] });
    expect(stream.state).toEqual((await send('GET', '/cards')).body);
  });

  it('says in its headers that no proxy may keep, change or collect it', async () => {
    const { listen } = await start();
    const { headers, retry } = await listen('/cards');
    expect(headers).toMatchObject({
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-store, no-transform',
      'x-accel-buffering': 'no',
      vary: expect.stringContaining('Accept'),
    });
    expect(retry).toBeGreaterThanOrEqual(1_000);
  });
});
