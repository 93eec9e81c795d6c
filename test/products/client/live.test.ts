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

describe('headers that have expired', () => {
  /** A function that says what it was called with, and gives the next token. */
  function tokens(...given: string[]) {
    const asked: (string | undefined)[] = [];
    return {
      asked,
      headers(refused?: { readonly code?: string }) {
        asked.push(refused?.code);
        return { authorization: given.length > 1 ? (given.shift() as string) : (given[0] as string) };
      },
    };
  }

  it.each([
    [401, 'unauthorized'],
    [403, 'forbidden'],
  ])('are asked for again when the stream ends with %i, each time', async (status, code) => {
    const { asked, headers } = tokens('1', '2', '3');
    const client = open(service.url, { headers });
    for (const [index, token] of ['1', '2', '3'].entries()) {
      const stream = await service.next();
      expect([stream.headers.authorization, stream.headers['last-event-id']]).toEqual([token, index === 0 ? undefined : `d${index}`]);
      stream.send('page', list(index), `d${index + 1}`);
      if (token !== '3') stream.send('end', { problem: problem(status, code) });
    }
    await until(() => client.state?.data[0].id === 2);
    expect([asked, client.ends, client.errors]).toEqual([[undefined, code, code], [], []]);
  });

  it('are asked for once more when a stream is refused, and the second refusal is final', async () => {
    const { asked, headers } = tokens('1', '2', '3');
    service.refuse(
      { status: 401, body: JSON.stringify(problem(401, 'first')) },
      { status: 401, body: JSON.stringify(problem(401, 'second')) },
    );
    const client = open(service.url, { headers });
    await until(() => client.ends.length === 1);
    expect([client.ends, asked, service.count]).toEqual([[problem(401, 'second')], [undefined, 'first'], 2]);
  });

  it('are not sent again if the next ones are the same', async () => {
    const { asked, headers } = tokens('1');
    const client = open(service.url, { headers });
    const stream = await service.next();
    stream.send('page', list(1), 'd1');
    stream.send('end', { problem: problem(401, 'unauthorized') });
    await until(() => client.ends.length === 1);
    expect([client.ends, asked, service.count]).toEqual([[problem(401, 'unauthorized')], [undefined, 'unauthorized'], 1]);
  });

  it('are asked for until they can be had, and tried until the service is there', async () => {
    let count = 0;
    const client = open(service.url, {
      headers(refused) {
        if (refused && ++count === 1) throw new Error('The token service is away.');
        return { authorization: refused ? 'new' : 'old' };
      },
    });
    const first = await service.next();
    first.send('page', list(1), 'd1');
    service.refuse({ status: 503 });
    first.send('end', { problem: problem(401, 'unauthorized') });
    const second = await service.next();
    expect(second.headers.authorization).toBe('new');
    second.send('same', {}, 'd1');
    await until(() => client.states.length === 2);
    expect([client.errors.map(({ message }) => message), client.ends]).toEqual([
      ['The token service is away.', '503 Service Unavailable'],
      [],
    ]);
  });

  it('end the list if they are no function', async () => {
    const client = open(service.url, { headers: { authorization: '1' } });
    (await service.next()).send('end', { problem: problem(401, 'unauthorized') });
    await until(() => client.ends.length === 1);
    expect(service.count).toBe(1);
  });
});

describe('what is thrown that is no error', () => {
  it.each([undefined, null, 'away', 401, Object.create(null), Symbol('away')])(
    'is told as one, and the list is asked for again: %p',
    async (thrown) => {
      let asked = 0;
      const client = open(service.url, { headers: async () => (++asked === 1 ? Promise.reject(thrown) : {}) });
      (await service.next()).send('page', list(1), 'd1');
      await until(() => client.states.length === 1);
      expect(client.errors).toEqual([new Error('The stream could not be opened.')]);
      expect(client.errors[0]?.cause).toBe(thrown);
    },
  );
});

describe('ids that JavaScript rounds', () => {
  const rounded = (...ids: string[]) => ids.map((id) => `{"id":${id},"name":"n${id}"}`).join();

  it('are shown as they come in a page, and never merged by a change', async () => {
    const client = open(service.url);
    const stream = await service.next();
    stream.write(
      `event: page\nid: d1\ndata: {"data":[${rounded('9007199254740992', '9007199254740993')}],"page":${JSON.stringify(page)}}\n\n`,
    );
    await until(() => client.states.length === 1);
    expect(client.state.data.map(({ name }: Any) => name)).toEqual(['n9007199254740992', 'n9007199254740993']);
    stream.write('event: change\nid: d2\ndata: {"remove":[9007199254740993]}\n\n');
    expect((await service.next()).headers['last-event-id']).toBeUndefined();
    expect(client.errors.map(({ message }) => message)).toEqual(['The records of the list cannot be told apart by their ids.']);
    expect(client.state.data).toHaveLength(2);
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
