import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { useDatabase } from '../support/database/database.ts';
import { type Answer, send } from '../support/http/serve.ts';
import { useProgram } from '../support/processes/use-program.ts';

const program = useProgram(join(import.meta.dirname, '../support/processes/serve-misbehaving.ts'));
const database = useDatabase();
const oddities = [
  'an error',
  'undefined',
  'null',
  'a symbol',
  'a revoked proxy',
  'a proxy that throws at every touch',
  'an object without a prototype',
  'an error without a prototype',
  'an object whose prototype is a proxy',
  'an error whose message, stack and status throw',
  'an object that cannot be text',
  'a frozen error',
  'an exposed error of odd parts',
  'a thenable that throws',
];
const bare = { type: 'about:blank', title: 'Internal Server Error', status: 500 };

// In a process of its own: what ends a process cannot be seen from within.
describe.each(['routes', 'callback'])('with %s, and listeners for errors and requests of which each throws or rejects', (adapter) => {
  let child: ChildProcess;
  let port: number;
  let stderr = '';

  beforeAll(async () => {
    child = spawn(process.execPath, [program, adapter, database.db.databaseName]);
    child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      stderr += text;
    });
    [port] = (await once(createInterface(child.stdout as NodeJS.ReadableStream), 'line')).map(Number) as [number];
  });
  afterAll(async () => {
    child.stdin?.end();
    if (child.exitCode === null) await once(child, 'exit');
  });

  const ask = (method: string, path: string, query: Record<string, string> = {}, body?: object): Promise<Answer> =>
    send(port, method, `/docs${path}?${new URLSearchParams(query)}`, { body });

  async function expectToServe(): Promise<void> {
    expect([(await ask('GET', '')).status, child.exitCode, child.signalCode]).toEqual([200, null, null]);
  }

  it.each(['authenticate', 'guard', 'guard at once', 'scope', 'hook'])(
    '%s costs its own request only, whatever it throws',
    async (place) => {
      await database.db.collection<{ _id: string }>('docs').updateOne({ _id: 'a' }, { $set: {} }, { upsert: true });
      for (const what of oddities) {
        const { status, headers, body } = await ask('GET', '/a', { place, what });
        expect([what, status, headers['content-type'], body]).toEqual([what, 500, 'application/problem+json', bare]);
      }
      await expectToServe();
    },
  );

  it.each([
    ['serverFields', '', (what: string) => ({ query: { place: 'serverFields', what }, body: {} })],
    ['a handler', '/handle', (what: string) => ({ query: { place: 'handler', what }, body: {} })],
    ['a check', '', (what: string) => ({ query: {}, body: { id: 'x', text: what } })],
  ])('%s costs its own request only, whatever it throws', async (_place, path, sent) => {
    for (const what of oddities) {
      const { query, body } = sent(what);
      const answer = await ask('POST', path, query as Record<string, string>, body);
      expect([what, answer.status, answer.body]).toEqual([what, 500, bare]);
    }
    await expectToServe();
  });

  it('a handler costs its own request only, whatever it returns', async () => {
    for (const what of oddities) expect([200, 500]).toContain((await ask('POST', '/return', { what })).status);
    expect((await ask('POST', '/return', { what: 'a revoked proxy' })).body).toEqual(bare);
    await expectToServe();
  });

  it('a stream in `ctx.body` that fails before its answer has begun is a problem', async () => {
    for (const what of [
      'a file that is missing',
      'a stream that is destroyed with no error',
      'a stream that is destroyed with a frozen error',
    ]) {
      expect([what, (await ask('POST', '/body', { what })).body]).toEqual([what, bare]);
    }
    await expectToServe();
  });

  it.each(['/body', '/body-at-once'])('a stream in `ctx.body` breaks off its own answer only, however it fails: %s', async (path) => {
    const whats = [
      'a file that is missing',
      'a stream that fails later',
      'a stream that is destroyed',
      'a stream that is destroyed with no error',
      'a stream that is destroyed with a frozen error',
      'a stream that is only written to',
      'a web stream that is locked',
      'a web stream that fails',
    ];
    for (const what of whats) {
      const answer = await ask('POST', path, { what }).catch(() => undefined);
      expect([what, [undefined, 200, 500].includes(answer?.status)]).toEqual([what, true]);
      expect([what, answer?.text ?? '']).toEqual([what, expect.not.stringContaining('half-way')]);
    }
    await expectToServe();
  });

  it('a middleware that calls `next()` twice, or does not await it, costs its own request only', async () => {
    expect((await ask('POST', '/twice')).body).toEqual({ data: { done: true } });
    expect((await ask('POST', '/not-awaited')).body).toEqual(bare);
    await expectToServe();
  });

  it('tells standard error once of each listener that fails, and of what it was to hear', async () => {
    stderr = '';
    await ask('GET', '/a', { place: 'guard', what: 'an error' });
    await expectToServe();
    const failures = stderr.match(/^A listener for errors failed: /gm) ?? [];
    expect(failures.length).toBeGreaterThanOrEqual(1);
    expect(stderr.match(/^It was told of: Error: plain$/gm)).toHaveLength(1);
  });
});
