import { EventEmitter, once } from 'node:events';
import { request as httpRequest } from 'node:http';
import { describe, expect, it } from '@jest/globals';
import { ConfigurationError, inFlightLimit, problems } from '../../src/index.ts';
import { useServer } from '../support/http/serve.ts';

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
    'refuses a limit that is none, when it is made: %p',
    (max) => {
      expect(() => inFlightLimit(max as number)).toThrow(ConfigurationError);
      expect(() => inFlightLimit(max as number)).toThrow(/`maxConcurrency`/);
    },
  );
});
