import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { join } from 'node:path';
import { getDefaultEnvironment, StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { freePort } from '../../dev/free-port.ts';
import { connectClient } from '../products/mcp/connect.ts';
import { filesOf } from '../support/docs/pages.ts';
import { Stranger } from './stranger.ts';

const database = `package_${randomBytes(4).toString('hex')}`;
const uri = () => process.env.MONGODB_URI ?? '';

let stranger: Stranger;
beforeAll(async () => {
  const files = Object.entries(filesOf('docs/clients/agents.md')).map(([name, text]) => [name, text.replace("'shop'", `'${database}'`)]);
  stranger = await Stranger.install({
    dependencies: {
      koa: '^3.3.0',
      mongodb: '^7.0.0',
      '@modelcontextprotocol/client': '^2.4.0',
      '@modelcontextprotocol/server': '^2.4.0',
      '@types/node': '^20.19.0',
      tsx: '^4.23.0',
      typescript: '7.0.2',
    },
    files: {
      ...Object.fromEntries(files),
      'tsconfig.json': JSON.stringify({
        compilerOptions: {
          strict: true,
          skipLibCheck: false,
          module: 'nodenext',
          target: 'es2023',
          types: ['node'],
          noEmit: true,
          allowImportingTsExtensions: true,
        },
        include: ['*.ts'],
      }),
    },
  });
});
afterAll(() => stranger.remove());

describe('koa-mongo-resource/mcp in a project that follows the page', () => {
  it('compiles strictly, but for a declaration of `@types/koa` that means another copy of content-disposition than the SDK’s', async () => {
    const { output } = await stranger.run('node_modules/.bin/tsc', []);
    expect(output.split('\n').filter((line) => line !== '' && !/^node_modules\/@types\/koa\/.*content-disposition/.test(line))).toEqual([]);
  });

  it('serves the agent of the page over HTTP', async () => {
    const port = await freePort();
    const server = stranger.start(process.execPath, ['--import', 'tsx', 'server.ts'], { MONGODB_URI: uri(), PORT: String(port) });
    await once(server.stdout as NodeJS.ReadableStream, 'data');
    const { code, output } = await stranger.run(process.execPath, ['--import', 'tsx', 'agent.ts', `http://127.0.0.1:${port}`]);
    expect([code, output]).toEqual([0, expect.stringContaining('- body.total: is required')]);
    server.kill('SIGTERM');
    expect(await once(server, 'exit')).toEqual([0, null]);
  });

  it('serves an agent over stdio by the command of the page', async () => {
    const transport = new StdioClientTransport({
      command: join(stranger.folder, 'node_modules/.bin/koa-mongo-resource'),
      args: ['mcp', 'shop.ts', '--uri', uri(), '--db', database],
      cwd: stranger.folder,
      env: { ...getDefaultEnvironment(), AUTHORIZATION: 'Bearer ann-token' },
    });
    const agent = await connectClient(transport);
    expect(await agent.names()).toEqual(['orders_list', 'orders_get']);
    expect((await agent.call('orders_list')).json.data).toMatchObject([{ number: 'A-1', owner: 'ann' }]);
    await agent.client.close();
  });
});
