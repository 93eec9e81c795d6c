import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { freePort } from '../../dev/free-port.ts';

it('gives no port that a server on port 0 may be given before the process that it is for has started', async () => {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  const ports = await Promise.all(Array.from({ length: 50 }, freePort));
  expect(Math.max(...ports)).toBeLessThan(32_768);
  expect(port).toBeGreaterThanOrEqual(32_768);
  expect(new Set(ports).size).toBeGreaterThan(40);
});
