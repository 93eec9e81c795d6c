import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { cp, mkdir, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runInNewContext } from 'node:vm';
import { MongoClient } from 'mongodb';
import { parse } from 'yaml';
import { freePort } from '../../dev/free-port.ts';
import { MongodProcess } from '../../dev/mongod-process.ts';
import { exchangesOf, Player } from '../guides/parts/exchanges.ts';
import { mongodBinary } from '../support/database/own-mongod.ts';
import { filesOf } from '../support/docs/pages.ts';
import { untilAnswered } from './processes.ts';
import { Stranger } from './stranger.ts';

const page = 'docs/guides/deployment.md';
const files = filesOf(page);
const compose = parse(files['compose.yaml'] ?? '');

/** The instructions of the Dockerfile, stage by stage. */
const stages = (files.Dockerfile ?? '')
  .split(/^FROM .*\n/m)
  .slice(1)
  .map((text) => [...text.matchAll(/^([A-Z]+) (.*)$/gm)].map(([, name = '', rest = '']) => ({ name, words: rest.split(' '), rest })));

let folder: string;
let mongod: MongodProcess;
let uri: string;
let context: Stranger;
let image: Stranger;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'koa-mongo-resource-deployment-'));
  const [, option, replSet] = compose.services.mongo.command as string[];
  expect([compose.services.mongo.command[0], option]).toEqual(['mongod', '--replSet']);
  mongod = await MongodProcess.launch({ binary: await mongodBinary(), dbPath: folder, replSet: replSet ?? '' });

  // A clone of the project: its files, and its lock file.
  context = await Stranger.make();
  const manifest = JSON.parse(files['package.json'] ?? '');
  manifest.dependencies['koa-mongo-resource'] = `file:${process.env.PACKAGE_TARBALL}`;
  for (const [path, text] of Object.entries({ ...files, 'package.json': JSON.stringify(manifest) })) await context.write(path, text);
  await succeed(context, 'npm', ['install', '--package-lock-only', '--no-audit', '--no-fund']);
});
afterAll(async () => {
  await mongod?.stop();
  await Promise.all([context?.remove(), image?.remove(), rm(folder, { recursive: true, force: true })]);
});

async function succeed(project: Stranger, program: string, args: readonly string[], env: NodeJS.ProcessEnv = {}): Promise<string> {
  const { code, output } = await project.run(program, args, env);
  expect([program, ...args, code, code === 0 ? '' : output]).toEqual([program, ...args, 0, '']);
  return output;
}

describe('the guide on deployment', () => {
  it('builds the image by the commands of its Dockerfile, in empty folders', async () => {
    const built = await Stranger.make();
    image = await Stranger.make();
    const folders = [built, image];
    for (const [index, stage] of stages.entries()) {
      const own = folders[index] as Stranger;
      for (const { name, words, rest } of stage) {
        if (name === 'RUN') await succeed(own, 'sh', ['-c', rest]);
        if (name !== 'COPY') continue;
        const paths = words.filter((word) => !word.startsWith('--'));
        const target = paths.pop() ?? '';
        const isFolder = target === './' && paths.length > 0;
        for (const path of paths) {
          const from = words[0]?.startsWith('--from') ? join(built.folder, path.replace(/^\/app\//, '')) : join(context.folder, path);
          await mkdir(own.folder, { recursive: true });
          await cp(from, isFolder ? join(own.folder, path.split('/').at(-1) ?? '') : join(own.folder, target), {
            recursive: true,
            verbatimSymlinks: true,
          });
        }
      }
    }
    const { devDependencies } = JSON.parse(await readFile(join(image.folder, 'package.json'), 'utf8'));
    expect(Object.keys(devDependencies)).toContain('typescript');
    await expect(readFile(join(image.folder, 'node_modules/typescript/package.json'))).rejects.toThrow('ENOENT');
    await built.remove();
  });

  it('initiates the replica set as its health check does', async () => {
    const script: string = compose.services.mongo.healthcheck.test.at(-1);
    const [, literal = ''] = /rs\.initiate\((.*)\) }/.exec(script) ?? [];
    const host = `127.0.0.1:${mongod.port}`;
    const client = await MongoClient.connect(`mongodb://${host}/?directConnection=true`);
    const config = JSON.parse(JSON.stringify(runInNewContext(`(${literal.replace('mongo:27017', host)})`)));
    const primary = mongod.untilPrimary();
    await client.db('admin').command({ replSetInitiate: config });
    await primary;
    expect((await client.db('admin').command({ hello: 1 })).isWritablePrimary).toBe(true);
    await client.close();
    uri = compose.services.api.environment.MONGODB_URI.replace('mongo:27017', host);
  });

  it('creates the indexes, starts, is healthy, answers behind a proxy, and ends', async () => {
    const [program = '', ...args] = compose.services.indexes.command;
    expect(await succeed(image, program, args, { MONGODB_URI: uri })).toContain('title: 1');
    const port = await freePort();
    const [node = '', ...server] = JSON.parse(stages[1]?.find(({ name }) => name === 'CMD')?.rest ?? '');
    const child: ChildProcess = image.start(node, server, {
      MONGODB_URI: uri,
      PORT: String(port),
      TRUST_PROXY: '1',
      NODE_ENV: 'production',
    });
    try {
      const [, ...probe] = compose.services.api.healthcheck.test as string[];
      const check = probe.slice(1).map((arg) => arg.replace(':3000/', `:${port}/`));
      await untilAnswered(child, async () => {
        if ((await image.run(process.execPath, check)).code !== 0) throw new Error('not healthy yet');
        return true;
      });
      await new Player(port).playAll(exchangesOf(page));
    } finally {
      child.kill('SIGTERM');
    }
    expect(await once(child, 'exit')).toEqual([0, null]);
  });
});
