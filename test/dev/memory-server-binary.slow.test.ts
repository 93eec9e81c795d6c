import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { downloadMongod } from '../../dev/memory-server-binary.ts';

describe('downloadMongod', () => {
  const sockets = new Set<Socket>();
  const silent = createServer((socket) => void sockets.add(socket));
  afterEach(() => {
    for (const socket of sockets) socket.destroy();
    silent.close();
  });

  it('gives up at once when the host does not exist', async () => {
    const said: string[] = [];
    const env = { MONGOMS_DOWNLOAD_MIRROR: 'https://mongodb.invalid/archive' };
    await expect(downloadMongod('/nowhere', env, (line) => said.push(line))).rejects.toThrow('mongodb.invalid cannot be reached');
    expect(said).toEqual([]);
  });

  it('gives up after three seconds when the host does not answer', async () => {
    await once(silent.listen(0, '127.0.0.1'), 'listening');
    const host = `127.0.0.1:${(silent.address() as AddressInfo).port}`;
    await expect(downloadMongod('/nowhere', { MONGOMS_DOWNLOAD_MIRROR: `http://${host}` }, () => {})).rejects.toThrow(
      `${host} cannot be reached`,
    );
  });

  it('downloads nothing when that is switched off', async () => {
    await expect(downloadMongod('/nowhere', { MONGOMS_RUNTIME_DOWNLOAD: 'false' }, () => {})).rejects.toThrow('MONGOMS_RUNTIME_DOWNLOAD');
  });
});
