import { once } from 'node:events';
import { createServer, type RequestListener, type Server, type ServerOptions } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Serves handlers of `node:http` on ports of their own, and closes all servers after the last test of the file. */
export function useListener(): (listener: RequestListener, options?: ServerOptions) => Promise<number> {
  const servers: Server[] = [];
  afterAll(() => {
    for (const server of servers) {
      server.close();
      server.closeAllConnections();
    }
  });
  return async function listen(listener, options = {}) {
    const server = createServer(options, listener).listen(0, '127.0.0.1');
    servers.push(server);
    await once(server, 'listening');
    return (server.address() as AddressInfo).port;
  };
}
