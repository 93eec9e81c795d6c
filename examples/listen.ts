import { once } from 'node:events';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type Koa from 'koa';

/**
 * Listens on `PORT` (3000), or on the next free port, and says which one was taken; on `HOST` (127.0.0.1, as the
 * examples are open to whoever can reach them). Where that is impossible it says so in one sentence and ends the
 * process with 1.
 */
export async function listen(app: Koa): Promise<Server> {
  const wanted = Number(process.env.PORT || 3000);
  for (let port = wanted; ; port++) {
    try {
      const server = app.listen(port, process.env.HOST || '127.0.0.1');
      await once(server, 'listening');
      if (port !== wanted) console.error(`Port ${wanted} is taken; this is on port ${port}.`);
      return server;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'EADDRINUSE') continue;
      console.error(`It cannot listen on port ${port}: ${(error as Error).message}`);
      process.exit(1);
    }
  }
}

/** Where a server listens. */
export function urlOf(server: Server): string {
  const { address, port, family } = server.address() as AddressInfo;
  return `http://${family === 'IPv6' ? `[${address}]` : address}:${port}`;
}
