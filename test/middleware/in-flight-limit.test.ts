import { EventEmitter, once } from 'node:events';
import { request as httpRequest } from 'node:http';
import { connect } from 'node:net';
import type Koa from 'koa';
import { ConfigurationError, handler, inFlightLimit, problems, requestTimeout } from '../../src/index.ts';
import type { Context } from '../../src/middleware/exchange/context.ts';
import { type Answer, useServer } from '../support/http/serve.ts';
import { until } from '../support/until.ts';

const serve = useServer();

/** A middleware that waits until it is told to go on, and tells when it waits. */
function gate() {
  const events = new EventEmitter();
  return {
    arrived: () => once(events, 'arrived'),
    open: () => events.emit('open'),
    wait: async () => {
      events.emit('arrived');
      await once(events, 'open');
    },
  };
}

describe('inFlightLimit()', () => {
  it('lets so many in, and answers 503 with Retry-After to the next', async () => {
    const { wait, arrived, open } = gate();
    const { request } = await serve(problems(), inFlightLimit(1), async (ctx) => {
      if (ctx.path === '/slow') await wait();
      ctx.body = 'done';
    });
    const arrival = arrived();
    const slow = request('GET', '/slow');
    await arrival;
    const { status, headers, body } = await request('GET', '/');
    expect([status, headers['retry-after'], body.code]).toEqual([503, '1', 'overloaded']);
    open();
    expect((await slow).text).toBe('done');
    expect((await request('GET', '/')).status).toBe(200);
  });

  it('has room again after an error, and after 404', async () => {
    const { request } = await serve(problems(), inFlightLimit(1), (ctx) => {
      if (ctx.path === '/throw') throw new Error('x');
    });
    for (const path of ['/throw', '/throw', '/none', '/none']) expect((await request('GET', path)).status).not.toBe(503);
  });

  it('counts a request until its answer has ended, a stream to its last byte', async () => {
    const { PassThrough } = await import('node:stream');
    const stream = new PassThrough();
    const { request, port } = await serve(problems(), inFlightLimit(1), (ctx) => {
      ctx.body = ctx.path === '/stream' ? stream : 'done';
    });
    const outgoing = httpRequest({ port, host: '127.0.0.1', path: '/stream', agent: false });
    outgoing.end();
    stream.write('begin');
    const [incoming] = await once(outgoing, 'response');
    expect((await request('GET', '/')).status).toBe(503);
    stream.end();
    for await (const _chunk of incoming);
    expect((await request('GET', '/')).status).toBe(200);
  });

  it('counts a request that `handler` answers with a stream until it begins to be sent', async () => {
    const { PassThrough } = await import('node:stream');
    const stream = new PassThrough();
    const answerWith = handler((ctx) => {
      ctx.body = ctx.path === '/stream' ? stream : 'done';
    });
    const { request, port } = await serve(problems(), inFlightLimit(1), inFlightLimit(1, { by: () => 'ann' }), answerWith);
    const outgoing = httpRequest({ port, host: '127.0.0.1', path: '/stream', agent: false });
    outgoing.end();
    stream.write('begin');
    const [incoming] = await once(outgoing, 'response');
    expect((await request('GET', '/')).status).toBe(200);
    stream.end();
    for await (const _chunk of incoming);
    expect((await request('GET', '/')).status).toBe(200);
  });

  it('never counts a client that went away while a middleware above was busy: nothing would count it down', async () => {
    const { wait, arrived, open } = gate();
    const gone = new EventEmitter();
    const { request, port } = await serve(
      problems(),
      async (ctx, next) => {
        if (ctx.path === '/gone') {
          ctx.res.once('close', () => gone.emit('closed'));
          await wait();
        }
        await next();
      },
      inFlightLimit(1),
      (ctx) => {
        ctx.body = 'done';
      },
    );
    for (let n = 0; n < 3; n++) {
      const arrival = arrived();
      const outgoing = httpRequest({ port, host: '127.0.0.1', path: '/gone', agent: false });
      outgoing.on('error', () => undefined);
      outgoing.end();
      await arrival;
      const closed = once(gone, 'closed');
      outgoing.destroy();
      await closed;
      open();
      await new Promise((resolve) => setImmediate(resolve));
      expect((await request('GET', '/')).status).toBe(200);
    }
  });

  it.each([0, -1, 1.5, Number.NaN, Number.POSITIVE_INFINITY, '5', undefined, null])(
    'refuses a limit that is none, when it is made: %o',
    (max) => {
      expect(() => inFlightLimit(max as number)).toThrow(ConfigurationError);
      expect(() => inFlightLimit(max as number)).toThrow(/`maxConcurrency`/);
    },
  );

  describe('with `by`', () => {
    const by = (ctx: Context) => ctx.get('x-client') || undefined;
    const of = (client: string) => ({ headers: { 'x-client': client } });

    it('lets so many of each client in, and answers 429 with Retry-After to its next, and to no other', async () => {
      const { wait, arrived, open } = gate();
      const { request } = await serve(problems(), inFlightLimit(2, { by }), async (ctx) => {
        if (ctx.path === '/slow') await wait();
        ctx.body = 'done';
      });
      const slow: Promise<Answer>[] = [];
      for (let n = 0; n < 2; n++) {
        const arrival = arrived();
        slow.push(request('GET', '/slow', of('ann')));
        await arrival;
      }
      const { status, headers, body } = await request('GET', '/', of('ann'));
      expect([status, headers['retry-after']]).toEqual([429, '1']);
      expect(body).toEqual({
        type: 'about:blank',
        title: 'Too Many Requests',
        status: 429,
        detail: 'This client has as many requests in flight as it may have (2); wait until one of them has ended.',
        code: 'too_many_requests',
      });
      expect((await request('GET', '/', of('bob'))).status).toBe(200);
      expect((await request('GET', '/')).status).toBe(200);
      open();
      open();
      expect((await Promise.all(slow)).map(({ text }) => text)).toEqual(['done', 'done']);
      expect((await request('GET', '/', of('ann'))).status).toBe(200);
    });

    it('does not count requests for which it returns undefined', async () => {
      const { request } = await serve(problems(), inFlightLimit(1, { by }), async (ctx) => {
        ctx.body = ctx.path === '/outer' ? (await request('GET', '/inner')).text : 'inner';
      });
      expect((await request('GET', '/outer')).text).toBe('inner');
    });

    /** Sends a request that waits, and leaves when the server has begun it. Resolves when the server has seen that. */
    async function leave(port: number, arrived: () => Promise<unknown>, closed: EventEmitter): Promise<void> {
      const arrival = arrived();
      const outgoing = httpRequest({ port, host: '127.0.0.1', path: '/wait', agent: false, ...of('ann') });
      outgoing.on('error', () => undefined);
      outgoing.end();
      await arrival;
      const seen = once(closed, 'closed');
      outgoing.destroy();
      await seen;
    }

    function waiting() {
      const { wait, arrived, open } = gate();
      const closed = new EventEmitter();
      const handle = async (ctx: Koa.Context) => {
        ctx.res.once('close', () => closed.emit('closed'));
        if (ctx.path === '/wait') await wait();
        ctx.body = 'done';
      };
      return { handle, arrived, open, closed };
    }

    it('keeps the place of a client that has gone as long as its work goes on', async () => {
      const { handle, arrived, open, closed } = waiting();
      const { request, port } = await serve(problems(), inFlightLimit(1, { by }), handle);
      await leave(port, arrived, closed);
      expect((await request('GET', '/', of('ann'))).status).toBe(429);
      open();
      await until(async () => (await request('GET', '/', of('ann'))).status === 200);
    });

    it('has room again when `requestTimeout` above it has given a request up that never ends, also if its client had gone before', async () => {
      const { handle, arrived, closed } = waiting();
      const { request, port } = await serve(problems(), requestTimeout(500), inFlightLimit(1, { by }), handle);
      expect((await request('GET', '/wait', of('ann'))).body.code).toBe('request_given_up');
      await until(async () => (await request('GET', '/', of('ann'))).status === 200);
      await leave(port, arrived, closed);
      await until(async () => (await request('GET', '/', of('ann'))).status === 200);
    });

    it('takes no place of the limit above it for what it refuses, also if the answer waits behind another one of its connection', async () => {
      const { handle, arrived, open } = waiting();
      const { request, port } = await serve(problems(), inFlightLimit(7), inFlightLimit(1, { by }), handle);
      const arrival = arrived();
      const socket = connect(port, '127.0.0.1');
      const get = (path: string) => `GET ${path} HTTP/1.1\r\nHost: a\r\nX-Client: ann\r\n\r\n`;
      socket.write(get('/wait') + get('/').repeat(5)); // they come at once, and none has been refused when the last one comes
      await arrival;
      expect((await request('GET', '/', of('ann'))).status).toBe(429);
      socket.write(get('/').repeat(5));
      expect((await request('GET', '/', of('bob'))).status).toBe(200);
      let text = '';
      socket.on('data', (chunk) => {
        text += chunk;
      });
      open();
      await until(() => text.split('HTTP/1.1 ').length === 12);
      socket.destroy();
      expect(text.match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 200', ...Array(10).fill('HTTP/1.1 429')]);
    });

    it.each([1, null, {}, ''])('reports a name that is no text, and handles nothing: %o', async (name) => {
      let isHandled = false;
      const { request, errors } = await serve(problems(), inFlightLimit(1, { by: () => name as string }), () => {
        isHandled = true;
      });
      expect((await request('GET', '/')).status).toBe(500);
      expect([errors.map(String), isHandled]).toEqual([
        ['TypeError: `by` of `inFlightLimit` must return a string that is not empty, or undefined.'],
        false,
      ]);
    });

    it('refuses what is no function, when it is made', () => {
      for (const wrong of [1, 'tenant', null, undefined])
        expect(() => inFlightLimit(1, { by: wrong as never })).toThrow('`by` of `inFlightLimit` must be a function, or be left out.');
      expect(() => inFlightLimit(1, { bye: by } as never)).toThrow('did you mean `by`?');
    });
  });
});
