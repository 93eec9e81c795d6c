import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:net';

/** Below the ports that systems give to who asks for any (32768 and up on Linux, 49152 and up elsewhere). */
const lowest = 10_000;
const highest = 32_767;

/**
 * A port of 127.0.0.1 that nobody listens on, for a process that is started with it. Nobody else gets it meanwhile: a
 * server that listens on port 0 is given one of the system's own range, and whoever asks here chooses at random.
 */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(lowest, highest + 1);
    if (await isFree(port)) return port;
  }
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer().listen(port, '127.0.0.1');
  try {
    await once(server, 'listening');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EADDRINUSE') return false;
    throw error;
  }
  server.close();
  await once(server, 'close');
  return true;
}
