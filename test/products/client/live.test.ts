import { setImmediate as turn } from 'node:timers/promises';
import type { Any } from '../../support/any.ts';
import { until } from '../../support/until.ts';
import { type Streams, useClients, useStreams } from './serve-streams.ts';

const serve = useStreams();
const open = useClients();
const page = { size: 50, has_next: false, next_cursor: null, prev_cursor: null };
const list = (...ids: number[]) => ({ data: ids.map((id) => ({ id, name: `n${id}` })), page });
const problem = (status: number, code: string) => ({ type: 'about:blank', title: 'T', status, detail: 'D.', code });

let service: Streams;
beforeEach(async () => {
  jest.spyOn(Math, 'random').mockReturnValue(0); // no pause: `pauses.test.ts` is about them
  service = await serve();
});
afterEach(() => void jest.restoreAllMocks());

describe('a live list', () => {
  it('asks for a stream with its headers, and tells the list and what becomes of it', async () => {
    const client = open(`${service.url}?limit=2`, { headers: { 'X-Tenant': 'a', Authorization: 'Bearer secret' } });
    const stream = await service.next();
    expect([stream.path, stream.headers.authorization]).toEqual(['/orders?limit=2', 'Bearer secret']); // no secret in the URL
    expect([stream.headers.accept, stream.headers['x-tenant'], stream.headers['last-event-id']]).toEqual([
      'text/event-stream',
      'a',
      undefined,
    ]);
    expect(client.state).toBeUndefined();
    stream.send('page', list(1, 2), 'd1');
    await until(() => client.states.length === 1);
    stream.send('change', { put: [{ id: 3, name: 'n3' }], remove: [1] }, 'd2');
    await until(() => client.states.length === 2);
    expect(client.states).toEqual([list(1, 2), list(2, 3)]);
    expect(client.state).toBe(client.states[1]);
    expect(client.states[1].data[0]).toBe(client.states[0].data[1]);
    expect([client.errors, client.ends]).toEqual([[], []]);
  });

  it('is a record as well, which may go and come again', async () => {
    const client = open(service.url);
    const stream = await service.next();
    const record = { data: { id: 1, name: 'a' }, etag: '"3"' };
    stream.send('record', record, 'd1');
    stream.send('gone', {}, 'd2');
    stream.send('record', record, 'd3');
    await until(() => client.states.length === 3);
    expect(client.states).toEqual([record, { data: null }, record]);
  });

  it('reads characters that arrive in two pieces', async () => {
    const client = open(service.url);
    const stream = await service.next();
    const bytes = Buffer.from(`event: page\nid: d1\ndata: ${JSON.stringify({ data: [{ id: 1, name: 'Zürich 𝄞' }], page })}\n\n`);
    for (const byte of bytes) {
      stream.write(Uint8Array.of(byte));
      await turn();
    }
    await until(() => client.states.length === 1);
    expect(client.state.data[0].name).toBe('Zürich 𝄞');
  });

  it('may be replaced as a whole at any time', async () => {
    const client = open(service.url);
    const stream = await service.next();
    stream.send('page', list(1), 'd1');
    stream.send('page', list(4, 5), 'd2');
    await until(() => client.states.length === 2);
    expect(client.state).toEqual(list(4, 5));
  });

  it('passes over events that it does not know', async () => {
    const client = open(service.url);
    const stream = await service.next();
    stream.send('page', list(1), 'd1');
    stream.send('later', {}, 'd2');
    await until(() => client.states.length === 1);
    stream.end();
    expect((await service.next()).headers['last-event-id']).toBe('d1');
    expect([client.states.length, client.errors.length]).toEqual([1, 1]);
  });
});

describe('a stream that breaks', () => {
  it.each(['cut', 'end'] as const)('(%s) is opened again with `Last-Event-ID` and fresh headers', async (how) => {
    let token = 0;
    const client = open(service.url, { headers: async () => ({ authorization: `Bearer ${++token}` }) });
    const first = await service.next();
    expect(first.headers.authorization).toBe('Bearer 1');
    first.send('page', list(1), 'd1');
    await until(() => client.states.length === 1);
    first[how]();
    const second = await service.next();
    expect([second.headers.authorization, second.headers['last-event-id']]).toEqual(['Bearer 2', 'd1']);
    expect(client.errors).toHaveLength(1);
    second.send('same', {}, 'd1');
    await until(() => client.states.length === 2);
    expect(client.states[1]).toBe(client.states[0]);
    second.send('change', { remove: [1] }, 'd2');
    await until(() => client.states.length === 3);
    expect(client.state).toEqual(list());
  });

  it.each([
    ['record', { data: { id: 1, name: 'a' }, etag: '"3"' }],
    ['gone', {}],
  ])('goes on with `same` also if it is one of a record: %s', async (name, data) => {
    const client = open(service.url);
    const first = await service.next();
    first.send(name, data, 'd1');
    await until(() => client.states.length === 1);
    first.cut();
    const second = await service.next();
    expect(second.headers['last-event-id']).toBe('d1');
    second.send('same', {}, 'd1');
    await until(() => client.states.length === 2);
    expect(client.states[1]).toBe(client.states[0]);
    expect([client.errors.length, service.count]).toEqual([1, 2]);
  });

  it.each(['shutting_down', 'too_old', 'database_unavailable'])('is no error when the service has announced it: %s', async (code) => {
    const client = open(service.url);
    const stream = await service.next();
    stream.send('page', list(1), 'd1');
    stream.send('end', { problem: problem(503, code) });
    stream.end();
    expect((await service.next()).headers['last-event-id']).toBe('d1');
    expect([client.errors, client.ends]).toEqual([[], []]);
  });

  it('is opened by the client as soon as the service has announced its end, also if the connection stays', async () => {
    open(service.url);
    const stream = await service.next();
    stream.send('end', { problem: problem(503, 'too_old') });
    await stream.closed;
    expect((await service.next()).headers['last-event-id']).toBeUndefined();
  });

  it.each<[string, [string, object, string][]]>([
    ['a change before the list', [['change', { remove: [1] }, 'd2']]],
    [
      '`same` of another state',
      [
        ['page', list(1), 'd1'],
        ['same', {}, 'd7'],
      ],
    ],
    ['`same` without a state', [['same', {}, 'd1']]],
    [
      'an order of other records',
      [
        ['page', list(1), 'd1'],
        ['change', { order: [1, 2] }, 'd2'],
      ],
    ],
    ['a page without records', [['page', {}, 'd1']]],
  ])('because of %s begins again with the whole list', async (_what, events) => {
    const client = open(service.url);
    const stream = await service.next();
    for (const event of events) stream.send(...event);
    await stream.closed;
    const again = await service.next();
    expect(again.headers['last-event-id']).toBeUndefined();
    expect(client.errors).toHaveLength(1);
    again.send('page', list(1, 2), 'd3');
    await until(() => client.state?.data.length === 2);
    expect(client.ends).toEqual([]);
  });

  it('begins again where it was if something else than an event of the service has come', async () => {
    const client = open(service.url);
    const stream = await service.next();
    stream.send('page', list(1), 'd1');
    stream.write('event: change\nid: d2\ndata: {"remove":\n\n');
    expect((await service.next()).headers['last-event-id']).toBe('d1');
    expect(client.state).toEqual(list(1));
  });

  it('does not take a change after a reconnection for one of the old state', async () => {
    const client = open(service.url);
    const first = await service.next();
    first.send('page', list(1, 2), 'd1');
    await until(() => client.states.length === 1);
    first.cut();
    const second = await service.next();
    second.send('change', { remove: [1] }, 'd5');
    expect((await service.next()).headers['last-event-id']).toBeUndefined();
    expect(client.state).toEqual(list(1, 2));
  });
});

describe('an end', () => {
  it.each(['unauthorized', 'forbidden', 'not_found', 'invalid_query', 'anything'])(
    'of the stream is told once and is final: %s',
    async (code) => {
      const client = open(service.url);
      const stream = await service.next();
      stream.send('page', list(1), 'd1');
      stream.send('end', { problem: problem(401, code) });
      stream.send('page', list(1, 2), 'd2');
      await stream.closed;
      await until(() => client.ends.length === 1);
      expect([client.ends, client.errors, client.states]).toEqual([[problem(401, code)], [], [list(1)]]);
      expect(service.count).toBe(1);
    },
  );

  it.each([400, 401, 403, 404, 406, 410, 501])('is a %i, with the problem', async (status) => {
    service.refuse({ status, body: JSON.stringify(problem(status, 'some_code')) });
    const client = open(service.url);
    await until(() => client.ends.length === 1);
    expect([client.ends, client.errors, service.count]).toEqual([[problem(status, 'some_code')], [], 1]);
  });

  it.each<[string, Any]>([
    ['<h1>Gone</h1>', { status: 404, title: 'Not Found' }],
    ['', { status: 404, title: 'Not Found' }],
    ['null', { status: 404, title: 'Not Found' }],
    ['{"status":200,"code":"x"}', { status: 404, title: 'Not Found', code: 'x' }],
  ])('has at least the status and its phrase: %s', async (body, told) => {
    service.refuse({ status: 404, body });
    const client = open(service.url);
    await until(() => client.ends.length === 1);
    expect(client.ends).toEqual([told]);
  });

  it.each([
    [200, 'application/json'],
    [200, 'text/event-streams'],
    [204, 'text/html'],
  ])('is a %i of %s, because that is no live list', async (status, type) => {
    service.refuse({ status, headers: { 'content-type': type }, body: status === 204 ? '' : '{"data":[]}' });
    const client = open(service.url);
    await until(() => client.ends.length === 1);
    expect([client.ends[0].code, client.ends[0].status, client.states]).toEqual(['not_live', status, []]);
  });
});

describe('an answer that is only for now', () => {
  it.each([408, 429, 500, 502, 503, 504])('is an error, and is asked for again: %i', async (status) => {
    service.refuse({ status, body: JSON.stringify(problem(status, 'overloaded')) });
    const client = open(service.url);
    (await service.next()).send('page', list(1), 'd1');
    await until(() => client.states.length === 1);
    expect(client.errors.map(({ message, cause }) => [message, cause])).toEqual([['D.', problem(status, 'overloaded')]]);
    expect(client.ends).toEqual([]);
  });

  it('is a service that does not listen, and headers that cannot be had', async () => {
    const fetches: unknown[] = [];
    let asked = 0;
    const client = open(service.url, {
      headers() {
        if (++asked === 1) throw new Error('The token service is away.');
        return {};
      },
      fetch: ((...args: Parameters<typeof fetch>) => {
        fetches.push(args[0]);
        return fetches.length === 1 ? fetch('http://127.0.0.1:1/') : fetch(...args);
      }) as typeof fetch,
    });
    (await service.next()).send('page', list(1), 'd1');
    await until(() => client.states.length === 1);
    expect(client.errors.map(({ message }) => message)).toEqual(['The token service is away.', 'fetch failed']);
    expect(fetches).toEqual([service.url, service.url]);
  });
});

describe('close', () => {
  it('ends the connection, and no function is called any more', async () => {
    const client = open(service.url);
    const stream = await service.next();
    stream.send('page', list(1), 'd1');
    await until(() => client.states.length === 1);
    client.close();
    client.close();
    await stream.closed;
    await turn();
    expect([client.states.length, client.errors, client.ends, service.count]).toEqual([1, [], [], 1]);
  });

  it('is called by the signal', async () => {
    const controller = new AbortController();
    const client = open(service.url, { signal: controller.signal });
    const stream = await service.next();
    controller.abort();
    await stream.closed;
    expect([client.errors, service.count]).toEqual([[], 1]);
  });

  it('of a signal that has aborted before leaves nothing to do', async () => {
    let asked = 0;
    const client = open(service.url, {
      signal: AbortSignal.abort(),
      headers() {
        asked++;
        return {};
      },
    });
    await turn();
    expect([asked, service.count, client.state]).toEqual([0, 0, undefined]);
  });

  it('within a callback is the last that is heard', async () => {
    const client = open(service.url, {
      onChange() {
        client.states.push('told');
        client.close();
      },
    });
    const stream = await service.next();
    stream.write('event: page\nid: d1\ndata: {"data":[],"page":{}}\n\nevent: page\nid: d2\ndata: {"data":[{"id":1}],"page":{}}\n\n');
    await stream.closed;
    expect(client.states).toEqual(['told']);
  });
});
