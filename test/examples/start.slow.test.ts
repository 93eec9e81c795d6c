import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { RawClient } from '../support/http/raw-client.ts';
import { useExamples } from './start-example.ts';

const start = useExamples();
const withDatabase = ['minimal.ts', ...['custom-operations', 'orders', 'billing', 'projects'].map((name) => `${name}/server.ts`)];
const busy = createServer().listen(0, '127.0.0.1');
beforeAll(async () => {
  if (!busy.listening) await once(busy, 'listening');
});
afterAll(() => void busy.close());

it.each([...withDatabase, 'middleware-only/server.ts'])(
  '%s says in one sentence that its port is taken, and ends with the answers in flight',
  async (script) => {
    const { port } = busy.address() as AddressInfo;
    const example = start(script, { PORT: String(port) });
    const url = new URL(await example.says(/http:[^,\s]+/));
    expect(await example.says(/^Port.*$/m)).toBe(`Port ${port} is taken; this is on port ${url.port}.`);
    if (!withDatabase.includes(script)) return;
    const client = await RawClient.connect(Number(url.port));
    await client.head('GET /nothing/there');
    expect((await client.answer())?.status).toBe(404);
    example.interrupt();
    await client.ended();
    expect(client.wasReset).toBe(false);
    client.socket.destroy();
    const { code, stderr } = await example.ended;
    expect([code, stderr]).toEqual([0, expect.not.stringMatching(/^\s+at /m)]);
  },
);

it.each(withDatabase.slice(0, 2))('%s says in one sentence that there is no database, and ends with 1', async (script) => {
  const { code, stdout, stderr } = await start(script, { MONGODB_URI: 'mongodb://127.0.0.1:1/' }).ended;
  expect([code, stdout]).toEqual([1, '']);
  expect(stderr.trim().split('\n').at(-1)).toMatch(/^MONGODB_URI is set, but no MongoDB answers there within 5 s: [^\n]+$/);
  expect(stderr).not.toMatch(/^\s+at /m);
});
