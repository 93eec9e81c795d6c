import { EventEmitter, once } from 'node:events';
import { Readable } from 'node:stream';
import { type Api, ConfigurationError, defineModel, type Guard, type RequestContext, service, t } from '../../src/index.ts';
import { useDatabase } from '../support/database/database.ts';

const Doc = defineModel('Doc', {
  collection: 'docs',
  fields: { text: t.string({ default: '' }), owner: t.string({ policy: { insert: false } }) },
});
interface User {
  readonly name: string;
}

const database = useDatabase();
const asked: string[] = [];
const errors: Error[] = [];
const events = new EventEmitter();
/** What the guard of `held` does in the test at hand. */
let guard: Guard<RequestContext<User>>;
let api: Api<User>;

/** Gives a stream data as long as it is read, and fails where the test says so. */
function fill(this: Readable): void {
  if (failure) this.destroy(failure);
  else this.push('x'.repeat(1000));
}
let failure: Error | undefined;

beforeAll(() => {
  const shop = service<User>({
    authenticate(ctx) {
      asked.push(ctx.get('authorization'));
      return { name: 'from the header' };
    },
  });
  api = shop.api({
    db: database.db,
    maxBody: 1000,
    maxConcurrency: 2,
    onError: (error) => errors.push(error),
    resources: [
      shop.resource({ model: Doc, serverFields: (ctx) => ({ owner: ctx.requirePrincipal().name }) }),
      shop.resource({ model: Doc, path: 'held', guards: [(ctx) => guard(ctx)] }),
      shop.resource({
        model: Doc,
        path: 'odd',
        operations: {
          stream: { method: 'GET', path: '/stream', handler: (ctx) => void Object.assign(ctx, { body: new Readable({ read: fill }) }) },
          answer: {
            method: 'GET',
            path: '/answer/:status/:by',
            handler(ctx) {
              const { params } = ctx;
              const status = Number(params.status);
              if (params.by === 'koa') ctx.status = status;
              else {
                ctx.respond = false;
                ctx.res.writeHead(status);
                if (params.by === 'pieces') ctx.res.write('x');
                ctx.res.end();
              }
            },
          },
        },
      }),
    ],
  });
});

const url = (path: string) => `http://in-process${path}`;
const post = (body: string | ReadableStream, init: RequestInit = {}, path = '/docs') =>
  new Request(url(path), { method: 'POST', headers: { 'content-type': 'application/json' }, body, duplex: 'half', ...init } as RequestInit);
const ownerOf = async (response: Response) => ((await response.json()) as { data: { owner: string } }).data.owner;

describe('api.fetch', () => {
  it('takes a Request and gives a Response', async () => {
    const created = await api.fetch(post('{"text":"x"}'));
    expect([created.status, created.statusText, created.ok]).toEqual([201, 'Created', true]);
    const read = await api.fetch(new Request(url(created.headers.get('location') as string)));
    expect(read.headers.get('content-type')).toBe('application/json; charset=utf-8');
    expect(await read.json()).toEqual(await created.json());
  });

  it('asks authenticate, unless a principal is given: null and undefined are an anonymous request', async () => {
    asked.length = 0;
    expect(await ownerOf(await api.fetch(post('{}', { headers: { authorization: 'x', 'content-type': 'application/json' } })))).toBe(
      'from the header',
    );
    expect(await ownerOf(await api.fetch(post('{}'), {}))).toBe('from the header');
    expect(asked).toEqual(['x', '']);
    expect(await ownerOf(await api.fetch(post('{}'), { principal: { name: 'given' } }))).toBe('given');
    expect((await api.fetch(post('{}'), { principal: null })).status).toBe(401);
    expect((await api.fetch(post('{}'), { principal: undefined })).status).toBe(401);
    expect(asked).toHaveLength(2);
  });

  it('shows guards and scopes the host, the protocol and the query of the URL', async () => {
    guard = (ctx) => ctx.host === 'shop.test:8443' && ctx.protocol === 'https' && ctx.query.x === '1' && ctx.ip === '';
    expect((await api.fetch(new Request('https://shop.test:8443/held?x=1'))).status).toBe(400); // the guard has opened
    expect((await api.fetch(new Request('http://shop.test:8443/held?x=1'))).status).toBe(403);
  });

  it('keeps several values of one header apart', async () => {
    guard = (ctx) => {
      ctx.cookies.set('a', '1');
      ctx.cookies.set('b', '2');
      return true;
    };
    const response = await api.fetch(new Request(url('/held')));
    expect(response.headers.getSetCookie()).toEqual(['a=1; path=/; httponly', 'b=2; path=/; httponly']);
  });

  it('streams a body that a middleware answers with', async () => {
    guard = async (ctx) => {
      ctx.respond = false;
      ctx.res.statusCode = 200;
      ctx.res.setHeader('content-type', 'text/csv');
      Readable.from(['a;b\n', 'c;d\n']).pipe(ctx.res);
      return once(ctx.res, 'close').then(() => false);
    };
    const response = await api.fetch(new Request(url('/held')));
    expect([response.status, response.headers.get('content-type'), await response.text()]).toEqual([200, 'text/csv', 'a;b\nc;d\n']);
  });

  it.each([101, 600, 999])('answers 500 where an operation has set the status %i, which no Response can have', async (status) => {
    errors.length = 0;
    const response = await api.fetch(new Request(url(`/odd/answer/${status}/koa`)));
    expect([response.status, response.headers.get('content-type')]).toEqual([500, 'application/problem+json']);
    expect(errors.splice(0).map(({ message }) => message)).toEqual([expect.stringContaining(`status ${status}`)]);
  });

  it.each(['node', 'pieces'])('rejects where one has written such a status to Node itself: %s', async (by) => {
    await expect(api.fetch(new Request(url(`/odd/answer/600/${by}`)))).rejects.toThrow('range');
  });

  it('rejects a request whose body was read already', async () => {
    const request = post('{}');
    await request.text();
    await expect(api.fetch(request)).rejects.toMatchObject({ name: 'TypeError' });
  });
});

describe('the body of an in-process request', () => {
  const chunk = new Uint8Array(400).fill(32);

  it('is read in chunks, and no further than its limit', async () => {
    let pulled = 0;
    let cancelled = false;
    const endless = new ReadableStream({
      pull(controller) {
        pulled++;
        controller.enqueue(chunk);
      },
      cancel() {
        cancelled = true;
      },
    });
    const response = await api.fetch(post(endless));
    expect([response.status, ((await response.json()) as { code: string }).code]).toEqual([413, 'body_too_large']);
    expect(pulled).toBeLessThan(60);
    expect(cancelled).toBe(true);
  });

  it('may be as large as the limit', async () => {
    const text = `{"text":"${'x'.repeat(1000 - 11)}"}`;
    const parts = [text.slice(0, 500), text.slice(500)].map((part) => new TextEncoder().encode(part));
    const exactly = new ReadableStream({
      pull(controller) {
        const next = parts.shift();
        if (next) controller.enqueue(next);
        else controller.close();
      },
    });
    expect((await api.fetch(post(exactly))).status).toBe(201);
    expect((await api.fetch(post(`${text} `))).status).toBe(413);
  });

  it.each([
    ['more', '5'],
    ['less', '4000'],
  ])('may not be %s than its Content-Length says', async (_what, length) => {
    const response = await api.fetch(post('{"text":"x"}', { headers: { 'content-type': 'application/json', 'content-length': length } }));
    expect(response.ok).toBe(false);
    expect(errors).toEqual([]);
  });

  it('is not read where nobody asks for it', async () => {
    let isCancelled = false;
    guard = () => false;
    const unread = new ReadableStream({
      cancel() {
        isCancelled = true;
      },
    });
    expect((await api.fetch(post(unread, {}, '/held'))).status).toBe(403);
    expect(isCancelled).toBe(true);
  });

  it('that breaks ends the request, and is no bug of the service', async () => {
    errors.length = 0;
    const broken = new ReadableStream({
      pull(controller) {
        controller.error(new Error('the source broke'));
      },
    });
    expect((await api.fetch(post(broken))).status).toBe(400);
    expect(errors).toEqual([]);
  });
});

describe('an in-process request that is aborted', () => {
  it('rejects with the reason, and frees its place', async () => {
    errors.length = 0;
    for (let n = 0; n < 4; n++) {
      const controller = new AbortController();
      const slow = new ReadableStream({
        pull() {
          controller.abort(new Error(`gone ${n}`));
        },
      });
      await expect(api.fetch(post(slow, { signal: controller.signal }))).rejects.toThrow(`gone ${n}`);
    }
    expect((await api.fetch(new Request(url('/docs')))).status).toBe(200);
    expect(errors).toEqual([]);
  });

  it('rejects at once when it was aborted before', async () => {
    asked.length = 0;
    await expect(api.fetch(post('{}', { signal: AbortSignal.abort(new Error('never')) }))).rejects.toThrow('never');
    expect(asked).toEqual([]);
  });

  it('does not wait for a guard that is still thinking', async () => {
    const controller = new AbortController();
    guard = async () => {
      controller.abort();
      await once(events, 'go on');
      return true;
    };
    await expect(api.fetch(new Request(url('/held'), { signal: controller.signal }))).rejects.toMatchObject({ name: 'AbortError' });
    events.emit('go on');
    expect((await api.fetch(new Request(url('/docs')))).status).toBe(200);
    expect(errors).toEqual([]);
  });

  it('ends a body that is still being sent', async () => {
    const controller = new AbortController();
    let source: Readable | undefined;
    guard = async (ctx) => {
      source = new Readable({ read: () => undefined });
      source.push('begun');
      ctx.respond = false;
      source.pipe(ctx.res);
      return once(ctx.res, 'close').then(() => false);
    };
    const response = await api.fetch(new Request(url('/held'), { signal: controller.signal }));
    const reader = (response.body as ReadableStream<Uint8Array>).getReader();
    expect(Buffer.from((await reader.read()).value as Uint8Array).toString()).toBe('begun');
    controller.abort(new Error('enough'));
    await expect(reader.read()).rejects.toThrow('enough');
  });
});

describe('a reader that cancels the body of a Response', () => {
  const read = async () => {
    errors.length = 0;
    const response = await api.fetch(new Request(url('/odd/stream')));
    const reader = (response.body as ReadableStream<Uint8Array>).getReader();
    await reader.read();
    return reader;
  };

  it('is no error of the service', async () => {
    await (await read()).cancel();
    for (let turn = 0; turn < 10; turn++) await new Promise(setImmediate);
    expect(errors).toEqual([]);
  });

  it('hides no error of a stream, though it may have the same code', async () => {
    const reader = await read();
    failure = Object.assign(new Error('of the stream'), { code: 'ECONNRESET' });
    const readOn = async (): Promise<void> => ((await reader.read()).done ? undefined : readOn());
    const reading = readOn().catch(() => undefined);
    while (errors.length === 0) await new Promise(setImmediate);
    expect([...new Set(errors)]).toEqual([failure]);
    failure = undefined;
    await reader.cancel().catch(() => undefined); // Koa 2 leaves the answer open
    await reading;
  });
});

describe('the options of api.fetch', () => {
  it.each<[object, string]>([
    [{ maxPageBytes: 0 }, '`maxPageBytes`.* must be a whole number of bytes, at least 1'],
    [{ maxPageBytes: Number.NaN }, '`maxPageBytes`.* must be a whole number of bytes, at least 1'],
    [{ maxPageBytes: '1000' }, '`maxPageBytes`.* must be a whole number of bytes, at least 1'],
    [{ maxPageBites: 1_000 }, '`maxPageBites` is not an option of `fetch`; did you mean `maxPageBytes`'],
  ])('are checked: %j', async (options, message) => {
    await expect(api.fetch(new Request('http://in-process/api/orders'), options)).rejects.toThrow(new RegExp(message));
  });
});

describe('the options of an api', () => {
  it.each<[object, string]>([
    [{ onError: 'log' }, '`onError`'],
    [{ proxy: 1 }, '`proxy`'],
  ])('are checked: %j', (options, name) => {
    const shop = service();
    expect(() => shop.api({ db: database.db, resources: [], ...options })).toThrow(ConfigurationError);
    expect(() => shop.api({ db: database.db, resources: [], ...options })).toThrow(name);
  });
});
