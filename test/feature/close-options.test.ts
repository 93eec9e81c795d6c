import { createServer } from 'node:http';
import { createServer as createHttp2Server } from 'node:http2';
import { describe, expect, it } from '@jest/globals';
import Koa from 'koa';
import { ConfigurationError, service } from '../../src/index.ts';
import { useDatabase } from '../support/database/database.ts';

const database = useDatabase();

describe('api.close()', () => {
  it.each<[string, object, string]>([
    ['no server', {}, '`server` of `close` must be what `listen()` or `http.createServer()` returned'],
    ['an app for a server', { server: new Koa() }, '`server` of `close` must be what `listen()` or `http.createServer()` returned'],
    [
      'a server of HTTP/2',
      { server: createHttp2Server() },
      '`server` of `close` must be what `listen()` or `http.createServer()` returned',
    ],
    [
      'a negative delay',
      { server: createServer(), delay: -1 },
      '`delay` of `close` must be a whole number of milliseconds from 0 to 2147483647',
    ],
    ['a timeout that is none', { server: createServer(), timeout: '1s' }, '`timeout` of `close` must be a whole number of milliseconds'],
    ['an unknown option', { server: createServer(), dealy: 1 }, 'did you mean `delay`'],
  ])('refuses %s, and goes on', async (_what, options, message) => {
    const api = service().api({ db: database.db, prefix: '/api', health: true, resources: [] });
    const failure = await api.close(options as never).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(ConfigurationError);
    expect((failure as Error).message).toContain(message);
    expect((await api.fetch(new Request('http://in-process/api/health/ready'))).status).toBe(200);
  });
});
