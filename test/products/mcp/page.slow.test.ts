import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { getDefaultEnvironment, StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { freePort } from '../../../dev/free-port.ts';
import { useDatabase } from '../../support/database/database.ts';
import { blocksOf, filesOf, root } from '../../support/docs/pages.ts';
import { useLibrary } from '../../support/processes/use-library.ts';
import { until } from '../../support/until.ts';
import { connectClient } from './connect.ts';

const page = 'docs/clients/agents.md';
const library = useLibrary();
const database = useDatabase();
let folder: string;
const children: ChildProcess[] = [];

beforeAll(async () => {
  await mkdir(join(root, '.tmp'), { recursive: true });
  folder = await mkdtemp(join(root, '.tmp/agents-')); // in the repository, so that packages are found from there
  const files = Object.entries(filesOf(page)).map(([name, text]) => [name, text.replace("'shop'", `'${database.db.databaseName}'`)]);
  for (const [name = '', text = ''] of files) await writeFile(join(folder, name), text);
});
beforeEach(() => database.db.collection('orders').deleteMany({}));
afterAll(async () => {
  for (const child of children) child.kill('SIGKILL');
  await rm(folder, { recursive: true, force: true });
});

const environment = () => ({
  ...getDefaultEnvironment(),
  MONGODB_URI: process.env.MONGODB_URI ?? '',
  TSX_TSCONFIG_PATH: library.tsconfig,
});
const argsOf = (name: string) => ['--import', 'tsx', join(folder, name)];

/** Runs a file of the page. */
function start(name: string, args: readonly string[] = [], env: NodeJS.ProcessEnv = {}) {
  const child = spawn(process.execPath, [...argsOf(name), ...args], { cwd: root, env: { ...environment(), ...env } });
  children.push(child);
  const output = { text: '' };
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (text: string) => (output.text += text));
  return { child, output, ended: once(child, 'close').then(([code]) => code as number | null) };
}

describe('the server and the agent of the page', () => {
  it('print what the page shows, and the server ends on SIGTERM', async () => {
    const port = await freePort();
    const server = start('server.ts', [], { PORT: String(port) });
    await until(() => server.output.text.includes('listening'));
    const agent = start('agent.ts', [`http://127.0.0.1:${port}`]);
    expect([await agent.ended, maskIds(agent.output.text)]).toEqual([0, maskIds(shown())]);
    server.child.kill('SIGTERM');
    expect(await server.ended).toBe(0);
  });
});

/** What the page says that the agent prints. */
function shown(): string {
  const blocks = blocksOf(page);
  return blocks[blocks.findIndex(({ code }) => code === 'npx tsx agent.ts\n') + 1]?.code ?? '';
}

const maskIds = (text: string) => text.replaceAll(/[0-9a-f]{24}/g, '<id>').trim();

describe('the server over stdio of the page', () => {
  const open = (token: string) => {
    const env = { ...environment(), SHOP_TOKEN: token };
    return connectClient(
      new StdioClientTransport({ command: process.execPath, args: argsOf('stdio.ts'), cwd: root, env, stderr: 'ignore' }),
    );
  };

  it('serves the caller of its token, and ends with its client', async () => {
    await database.db.collection('orders').insertOne({ number: 'B-1', status: 'open', owner: 'bob' });
    const ann = await open('ann-token');
    expect(await ann.names()).toEqual(['orders_list', 'orders_get']);
    expect((await ann.call('orders_list')).json.data).toEqual([]);
    const { pid } = ann.client.transport as StdioClientTransport;
    await ann.client.close();
    await until(() => !isRunning(pid ?? 0));
  });

  it('lets nobody in whose token is not known', async () => {
    const { output, ended } = start('stdio.ts', [], { SHOP_TOKEN: 'guess' });
    expect(await ended).toBe(1);
    expect(output.text).toContain('Problem: The token is not known.');
  });

  it('answers what it was asked before its input ended, and ends by itself', async () => {
    const { child, output, ended } = start('stdio.ts', [], { SHOP_TOKEN: 'ann-token' });
    const initialize = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'pipe', version: '1' } };
    const messages = [
      { jsonrpc: '2.0', id: 1, method: 'initialize', params: initialize },
      { jsonrpc: '2.0', method: 'notifications/initialized' },
      { jsonrpc: '2.0', id: 2, method: 'tools/call', params: { name: 'orders_list', arguments: {} } },
    ];
    child.stdin.end(messages.map((message) => `${JSON.stringify(message)}\n`).join(''));
    expect(await ended).toBe(0);
    const answers = output.text
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(answers.map(({ id }) => id)).toEqual([1, 2]);
    expect(JSON.parse(answers[1].result.content[0].text).data).toEqual([]);
  });

  it('survives lines that are no messages, and ends when nobody reads its answers', async () => {
    const { child, ended } = start('stdio.ts', [], { SHOP_TOKEN: 'ann-token' });
    child.stdin.write('{"jsonrpc":\nhello\n[]\n');
    child.stdin.write(`{"jsonrpc":"2.0","id":7,"method":"ping"}\n`);
    const [text] = (await once(child.stdout, 'data')) as [string];
    expect(JSON.parse(text)).toEqual({ jsonrpc: '2.0', id: 7, result: {} });
    child.stdout.destroy();
    child.stdin.on('error', () => undefined);
    child.stdin.end(`{"jsonrpc":"2.0","id":8,"method":"ping"}\n`);
    expect(await ended).toBe(0);
  });
});

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
