import { defineModel, everything, service, t } from '../../../src/index.ts';
import type { LiveStream } from '../../support/http/live-stream.ts';
import { useLive } from '../../support/live/use-live.ts';
import { until } from '../../support/until.ts';

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

const { database, commands, serve, begin } = useLive('cards');

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
    listen: (path: string, name = 'ann', headers: object = {}) => begin(server.port, path, { ...as(name), ...headers }).opened(),
    send: (method: string, path: string, body?: unknown, name = 'ann') =>
      server.request(method, path, { headers: as(name), ...(body === undefined ? {} : { body }) }),
  };
}

const page = { size: 20, has_next: false, next_cursor: null, prev_cursor: null };

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
    expect(headers).not.toHaveProperty('content-length');
    expect(retry).toBeGreaterThanOrEqual(1_000);
  });

  it('shows the filters, sort and limit of the request, and sends the order where it is another one', async () => {
    const { listen, send } = await start();
    for (const [id, title] of [
      [1, 'b'],
      [2, 'd'],
      [3, 'c'],
    ] as const)
      await send('POST', '/cards', { id, title });
    const path = '/cards?column=todo&sort=title&limit=3';
    const stream = await listen(path);
    expect(stream.state?.data.map(({ id }: { id: number }) => id)).toEqual([1, 3, 2]);
    await send('POST', '/cards', { id: 4, title: 'a' });
    await stream.sees(({ data }) => data[0].id === 4);
    expect(stream.last?.data).toMatchObject({ put: [{ id: 4 }], remove: [2], order: [4, 1, 3], page: { has_next: true } });
    await send('PATCH', '/cards/1', { column: 'done' });
    await stream.sees(({ data }) => data.length === 3 && data[2].id === 2);
    expect(stream.state).toEqual((await send('GET', path)).body);
  });

  it('answers with JSON where it is not enabled, and where `Accept` prefers JSON', async () => {
    const off = await start({ live: false });
    const answer = await off.server.request('GET', '/cards', { headers: { authorization: 'ann', accept: 'text/event-stream' } });
    expect([answer.status, answer.headers['content-type'], answer.headers.vary]).toEqual([
      200,
      'application/json; charset=utf-8',
      'Authorization, Cookie',
    ]);
    const on = await start();
    for (const accept of ['*/*', 'application/json, text/event-stream', 'text/event-stream;q=0.5, application/json', 'text/*'])
      expect((await on.server.request('GET', '/cards', { headers: { authorization: 'ann', accept } })).body.data).toEqual([]);
  });

  it.each(['after=x', 'before=x', 'page=1', 'total=true'])('refuses `%s`, because it is a first page', async (query) => {
    const { listen } = await start();
    const { status, problem } = await listen(`/cards?${query}`);
    expect([status, problem.errors]).toMatchObject([400, [{ field: query.split('=')[0], rule: 'not_available' }]]);
  });

  it.each([
    ['nobody', '/cards', 403, 'forbidden'],
    ['ann', '/cards?colum=todo', 400, 'invalid_query'],
    ['ann', '/cards/7', 404, 'not_found'],
    ['ann', '/cards/x', 404, 'not_found'],
  ])('answers an error before its first byte as a problem: %s %s', async (name, path, status, code) => {
    const { listen } = await start();
    const answer = await listen(path, name);
    expect([answer.status, answer.headers['content-type'], answer.problem.code]).toEqual([status, 'application/problem+json', code]);
  });

  it('sends `same` instead of the page to a client that has it already, and the page to any other', async () => {
    const { listen, send } = await start();
    await send('POST', '/cards', { id: 1, title: 'one' });
    const first = await listen('/cards');
    const id = first.last?.id as string;
    first.close();
    const again = await listen('/cards', 'ann', { 'last-event-id': id });
    expect(again.events).toEqual([{ event: 'same', id, data: {} }]);
    await send('PATCH', '/cards/1', { title: 'two' });
    for (const forged of [id, '', 'x'.repeat(5_000), '%00']) {
      const other = await listen('/cards', 'ann', { 'last-event-id': forged });
      expect(other.last).toMatchObject({ event: 'page', data: { data: [{ title: 'two' }] } });
    }
  });

  it('answers HEAD with its headers and no events', async () => {
    const { server } = await start();
    const headers = { authorization: 'ann', accept: 'text/event-stream' };
    const answer = await server.request('HEAD', '/cards', { headers });
    expect([answer.status, answer.headers['content-type'], answer.text]).toEqual([200, 'text/event-stream; charset=utf-8', '']);
    expect((await server.request('HEAD', '/cards/9', { headers })).status).toBe(404);
  });

  it('reports no error when its client goes', async () => {
    const { listen, api, server } = await start();
    const stream = await listen('/cards');
    stream.close();
    await api.close({ timeout: 5_000 });
    expect(server.errors).toEqual([]);
  });
});

describe('who sees what', () => {
  it('never sends a record outside of the scope, and takes away one that leaves it', async () => {
    const { listen, send } = await start();
    const [ann, bob] = [await listen('/cards'), await listen('/cards', 'bob')];
    await send('POST', '/cards', { id: 1, title: 'one' });
    await ann.sees(({ data }) => data.length === 1);
    await database.db.collection<{ _id: number }>('cards').updateOne({ _id: 1 }, { $set: { owner: 'bob' } });
    await bob.sees(({ data }) => data.length === 1);
    await ann.sees(({ data }) => data.length === 0);
    expect(ann.last?.data).toEqual({ remove: [1] });
    await database.db.collection('cards').insertOne({ _id: 2 as never, title: 'hidden', column: 'todo', owner: 'bob' });
    await bob.sees(({ data }) => data.length === 2);
    expect([ann.text.includes('hidden'), ann.state]).toEqual([false, { data: [], page }]);
  });

  it('shows each caller its own view', async () => {
    const { listen, send } = await start();
    const [ann, sue] = [await listen('/cards'), await listen('/cards', 'sue')];
    await send('POST', '/cards', { id: 1, title: 'one' });
    await database.db.collection<{ _id: number }>('cards').updateOne({ _id: 1 }, { $set: { note: 'for the staff' } });
    await sue.sees(({ data }) => data[0]?.note === 'for the staff');
    await ann.sees(({ data }) => data.length === 1);
    expect([ann.text.includes('staff'), ann.text.includes('owner'), sue.text.includes('owner')]).toEqual([false, false, false]);
  });

  it('ends the stream of a caller whose rights were taken away, at once by `api.recheck`', async () => {
    const { listen, users, api } = await start();
    const [ann, bob] = [await listen('/cards'), await listen('/cards', 'bob')];
    users.delete('ann');
    users.delete('bob');
    api.recheck({ select: (user) => (user as User | undefined)?.name === 'ann' });
    await ann.ended();
    expect(ann.last).toMatchObject({ event: 'end', id: undefined, data: { problem: { status: 403, code: 'forbidden' } } });
    expect(bob.isEnded).toBe(false);
  });

  it('is asked again every `recheckEvery`', async () => {
    const { listen, users } = await start({}, { live: { recheckEvery: 1_000 } });
    const ann = await listen('/cards');
    users.delete('ann');
    await ann.ended();
    expect(ann.last).toMatchObject({ event: 'end', data: { problem: { code: 'forbidden' } } });
  });

  it('goes on with what the caller may see now, if that is more or less than before', async () => {
    const { listen, send, users, api } = await start();
    await send('POST', '/cards', { id: 1, title: 'one' });
    await send('POST', '/cards', { id: 2, title: 'two' }, 'bob');
    const ann = await listen('/cards');
    users.set('ann', { name: 'ann', isStaff: true });
    api.recheck();
    await ann.sees(({ data }) => data.length === 2);
    users.set('ann', { name: 'ann' });
    api.recheck();
    await ann.sees(({ data }) => data.length === 1);
    expect(ann.state).toEqual((await send('GET', '/cards')).body);
  });

  it('asks the guards of `list` or `get`, and then those of `live`', async () => {
    const asked: string[] = [];
    const guard = (name: string) => () => asked.push(name) > 0;
    const { listen, send } = await start({ guardsFor: { list: [guard('list')], get: [guard('get')], live: [guard('live')] } });
    await listen('/cards');
    await send('POST', '/cards', { id: 1, title: 'one' });
    await listen('/cards/1');
    expect(asked).toEqual(['list', 'live', 'get', 'live']);
  });

  it('runs the hooks of the list for each caller, who then share nothing', async () => {
    const seen: unknown[] = [];
    const { listen, send } = await start({
      after: { list: [(ctx: { principal: User }, cards: unknown[]) => seen.push([ctx.principal.name, cards.length])] },
    });
    const streams = [await listen('/cards', 'sue'), await listen('/cards', 'sue')];
    await send('POST', '/cards', { id: 1, title: 'one' });
    for (const stream of streams) await stream.sees(({ data }) => data.length === 1);
    expect(seen.filter((one) => JSON.stringify(one) === '["sue",1]')).toHaveLength(2);
  });
});

describe('GET <list>/{id} with `Accept: text/event-stream`', () => {
  it('sends the record, each change of it, and that it is gone', async () => {
    const { listen, send } = await start();
    await send('POST', '/cards', { id: 1, title: 'one' });
    const stream = await listen('/cards/1');
    expect(stream.last).toMatchObject({ event: 'record', data: { data: { id: 1, title: 'one' }, etag: '"0"' } });
    await send('POST', '/cards', { id: 2, title: 'other' });
    await send('PATCH', '/cards/1', { title: 'two' });
    await stream.sees(({ data }) => data?.title === 'two');
    expect(stream.last?.data).toEqual({ data: (await send('GET', '/cards/1')).body.data, etag: '"1"' });
    await send('DELETE', '/cards/1');
    await stream.sees(({ data }) => data === null);
    expect(stream.events.map(({ event }) => event)).toEqual(['record', 'record', 'gone']);
    expect(stream.isEnded).toBe(false);
  });

  it('sends the record again when it comes back into the scope', async () => {
    const { listen, send } = await start();
    await send('POST', '/cards', { id: 1, title: 'one' });
    const stream = await listen('/cards/1');
    const cards = database.db.collection<{ _id: number }>('cards');
    await cards.updateOne({ _id: 1 }, { $set: { owner: 'bob', title: 'of another' } });
    await stream.sees(({ data }) => data === null);
    await cards.updateOne({ _id: 1 }, { $set: { owner: 'ann', title: 'back' } });
    await stream.sees(({ data }) => data?.title === 'back');
    expect(stream.events.map(({ event }) => event)).toEqual(['record', 'gone', 'record']);
    expect(stream.text).not.toContain('of another');
  });

  it('sends `same` to a client that has the record already', async () => {
    const { listen, send } = await start();
    await send('POST', '/cards', { id: 1, title: 'one' });
    const id = (await listen('/cards/1')).last?.id as string;
    expect((await listen('/cards/1', 'ann', { 'last-event-id': id })).events).toEqual([{ event: 'same', id, data: {} }]);
    await send('PATCH', '/cards/1', { title: 'two' });
    expect((await listen('/cards/1', 'ann', { 'last-event-id': id })).last?.event).toBe('record');
  });

  it('goes on after `maxAge` for a client that was told that the record is gone, until the record comes back', async () => {
    const { listen, send } = await start({}, { live: { maxAge: 1_000 } });
    await send('POST', '/cards', { id: 1, title: 'one' });
    const first = await listen('/cards/1');
    await send('DELETE', '/cards/1');
    await first.sees(({ data }) => data === null);
    const gone = first.last?.id as string;
    await first.ended();
    expect(first.last?.data.problem.code).toBe('too_old');
    const again = await listen('/cards/1', 'ann', { 'last-event-id': gone });
    expect([again.status, again.events]).toEqual([200, [{ event: 'same', id: gone, data: {} }]]);
    await send('POST', '/cards', { id: 1, title: 'again' });
    await again.sees((state) => state.data?.title === 'again');
    expect(again.events.map(({ event }) => event)).toEqual(['same', 'record']);
  });

  it('answers the id of `gone` alike for a record that was deleted, one of another, and one that never was', async () => {
    const { listen, send, server } = await start({}, { live: { max: 3 } });
    await send('POST', '/cards', { id: 1, title: 'one' });
    await send('POST', '/cards', { id: 2, title: 'of bob' }, 'bob');
    const first = await listen('/cards/1');
    await send('DELETE', '/cards/1');
    await first.sees(({ data }) => data === null);
    const gone = first.last?.id as string;
    first.close();
    for (const id of [1, 2, 3]) {
      expect((await listen(`/cards/${id}`, 'ann', { 'last-event-id': `${gone}x` })).problem.code).toBe('not_found');
      const head = { authorization: 'ann', accept: 'text/event-stream', 'last-event-id': gone };
      expect((await server.request('HEAD', `/cards/${id}`, { headers: head })).status).toBe(200);
    }
    expect((await listen('/cards/3', 'nobody', { 'last-event-id': gone })).problem.code).toBe('forbidden');
    expect((await listen('/cards/x', 'ann', { 'last-event-id': gone })).problem.code).toBe('not_found'); // no id of a card
    await until(async () => (await listen('/cards/9')).status === 404); // all places are free again
    const streams = await Promise.all([1, 2, 3].map((id) => listen(`/cards/${id}`, 'ann', { 'last-event-id': gone })));
    const told = ({ status, events, headers: { date, ...headers } }: LiveStream) => ({ status, events, headers });
    for (const stream of streams) expect(told(stream)).toEqual(told(streams[0] as LiveStream));
    expect(streams[0]?.events).toEqual([{ event: 'same', id: gone, data: {} }]);
    expect((await listen('/cards/4', 'ann', { 'last-event-id': gone })).problem.code).toBe('overloaded');
  });
});

describe('the places of streams', () => {
  it('are limited for the api and for each client, and are free again when a stream has ended', async () => {
    const { listen } = await start({}, { live: { max: 3, each: 2, by: (ctx: { principal?: User }) => ctx.principal?.name } });
    const first = await listen('/cards');
    await listen('/cards');
    const third = await listen('/cards');
    expect([third.status, third.headers['retry-after'], third.problem.code]).toEqual([429, '5', 'too_many_requests']);
    await listen('/cards', 'bob');
    const fourth = await listen('/cards', 'sue');
    expect([fourth.status, fourth.headers['retry-after'], fourth.problem.code]).toEqual([503, '5', 'overloaded']);
    first.close();
    await until(async () => (await listen('/cards')).status === 200);
  });

  it('are no places of `maxConcurrency`', async () => {
    const { listen, send } = await start({}, { maxConcurrency: 1 });
    await listen('/cards');
    await until(async () => (await send('GET', '/cards')).status === 200);
    expect((await listen('/cards')).status).toBe(200);
  });
});

describe('the end of a stream', () => {
  it('comes after `maxAge`, and tells the client to open another one', async () => {
    const { listen } = await start({}, { live: { maxAge: 1_000 } });
    const stream = await listen('/cards');
    await stream.ended();
    expect(stream.last).toMatchObject({ event: 'end', data: { problem: { status: 503, code: 'too_old' } } });
  });

  it('comes with `api.close`, after which no other begins', async () => {
    const { listen, api } = await start();
    const stream = await listen('/cards');
    await api.close();
    await stream.ended();
    expect(stream.last).toMatchObject({ event: 'end', data: { problem: { code: 'shutting_down' } } });
    expect((await listen('/cards')).problem).toMatchObject({ status: 503, code: 'shutting_down' });
  });
});

describe('what is read', () => {
  const finds = () => commands.events.filter(({ command }) => command.find === 'cards').length;

  it('is shared by callers who see the same', async () => {
    const { listen, send } = await start();
    const streams = await Promise.all(Array.from({ length: 20 }, () => listen('/cards?column=todo', 'sue')));
    const before = finds();
    await send('POST', '/cards', { id: 1, title: 'one' });
    for (const stream of streams) await stream.sees(({ data }) => data.length === 1);
    expect(finds() - before).toBe(1);
  });

  it('is not read again for a change of fields that it neither shows nor asks for', async () => {
    const { listen, send } = await start();
    for (const id of [1, 2]) await send('POST', '/cards', { id, title: `${id}` });
    const stream = await listen('/cards?column=todo&fields=title&limit=1');
    const before = finds();
    const cards = database.db.collection<{ _id: number }>('cards');
    await cards.updateOne({ _id: 1 }, { $set: { note: 'not shown' } });
    await cards.updateOne({ _id: 2 }, { $set: { title: 'not on the page' } });
    await cards.updateOne({ _id: 1 }, { $set: { title: 'shown' } });
    await stream.sees(({ data }) => data[0].title === 'shown');
    expect(finds() - before).toBe(1);
  });
});

describe('`live` of a resource', () => {
  it.each([
    [{ live: 1 }, /`live` of resource `cards` must be true or an object: \{ watches \}/],
    [{ live: { watch: [] } }, /`watch`/],
    [{ live: null, guardsFor: { live: [] } }, /^(?=.*`live` of resource `cards` must be true)(?!.*`guardsFor`)/s],
    [{ ops: ['create'] }, /`live` of resource `cards` is about what it shows, but `ops` has neither `list` nor `get`/],
    [{ operations: { live: { method: 'POST', summary: 'x', handler: () => undefined } } }, /a custom operation cannot have this name/],
    [{ live: false, guardsFor: { live: [] } }, /`live`/],
  ])('is refused at start where it cannot be served: %j', async (options, message) => {
    await expect(start(options)).rejects.toThrow(message);
  });
});
