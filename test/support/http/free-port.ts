import { once } from 'node:events';
import { createServer } from 'node:net';

/** A port that nobody listens on at the moment, for a process of its own. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0);
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  server.close();
  await once(server, 'close');
  return port;
}
