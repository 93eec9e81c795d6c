import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** Stands between a client and the MongoDB of the tests, to do what happens to networks. */
export interface DatabaseProxy {
  /** The connection string of the proxy. */
  readonly uri: string;
  /** Lets nothing through any more; connections stay open. */
  freeze(): void;
  thaw(): void;
  /** Breaks all connections, and refuses new ones. */
  cut(): void;
  /** Lets everything through again that comes from now on. */
  mend(): void;
  /**
   * Breaks all connections once the database has answered to the next bytes that a client sends: it has carried out
   * what it was told.
   */
  cutBeforeNextAnswer(): void;
  close(): Promise<void>;
}

export async function startDatabaseProxy(uri: string): Promise<DatabaseProxy> {
  const [, host, port] = /^mongodb:\/\/([^:/]+):(\d+)/.exec(uri) ?? [];
  const sockets = new Set<Socket>();
  let isFrozen = false;
  let isCut = false;
  let cutsAnswer = false;

  function cut(): void {
    isCut = true;
    for (const socket of sockets) socket.destroy();
  }

  const server = createServer((client) => {
    const database = connect(Number(port), host);
    for (const socket of [client, database]) {
      sockets.add(socket);
      socket.on('error', () => undefined);
      socket.on('close', () => sockets.delete(socket));
    }
    client.on('close', () => database.destroy());
    database.on('close', () => client.destroy());
    if (isCut) return void client.destroy();
    if (isFrozen) for (const socket of [client, database]) socket.pause();
    let isCommanded = false;
    client.on('data', (bytes) => {
      // The name of the only commands that tests cut: what the driver sends to watch the server must not count.
      isCommanded ||= /insert|findAndModify/.test(bytes.toString('latin1'));
      database.write(bytes);
    });
    database.on('data', (bytes) => {
      if (cutsAnswer && isCommanded) cut();
      else client.write(bytes);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    uri: `mongodb://127.0.0.1:${(server.address() as AddressInfo).port}/?directConnection=true`,
    freeze() {
      isFrozen = true;
      for (const socket of sockets) socket.pause();
    },
    thaw() {
      isFrozen = false;
      for (const socket of sockets) socket.resume();
    },
    cut,
    mend() {
      isCut = false;
    },
    cutBeforeNextAnswer() {
      cutsAnswer = true;
    },
    async close() {
      cut();
      server.close();
      await once(server, 'close');
    },
  };
}
