import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

const root = join(import.meta.dirname, '../..');

/** What a project begins with. */
export interface ProjectOptions {
  /** By name; the package itself is added. */
  readonly dependencies: Readonly<Record<string, string>>;
  /** Texts by path. */
  readonly files?: Readonly<Record<string, string>>;
  /** What installs them. @default 'npm' */
  readonly by?: PackageManager;
}

/** The package managers of apps. Under pnpm, and Yarn with Plug'n'Play, an app reaches its own dependencies only. */
export type PackageManager = keyof typeof installers;

/** The command line of Yarn. */
export const yarn = ['npx', '--yes', '--package', '@yarnpkg/cli-dist@4.18.1', 'yarn'] as const;

const installers = {
  npm: ['npm', 'install', '--no-audit', '--no-fund', '--no-package-lock', '--ignore-scripts', '--prefer-offline'],
  pnpm: ['npx', '--yes', 'pnpm@10.18.3', 'install', '--no-lockfile', '--ignore-scripts', '--prefer-offline'],
  yarn: [...yarn, 'install', '--mode=skip-build'],
} as const;

/** A project outside of the repository that has installed the package from its tarball. */
export class Stranger {
  readonly folder: string;

  private constructor(folder: string) {
    this.folder = folder;
  }

  static async install({ dependencies, files = {}, by = 'npm' }: ProjectOptions): Promise<Stranger> {
    const stranger = await Stranger.make();
    const manifest = { private: true, type: 'module', dependencies: { 'koa-mongo-resource': tarball(), ...dependencies } };
    for (const [path, text] of Object.entries({ ...files, 'package.json': JSON.stringify(manifest) })) await stranger.write(path, text);
    const [program, ...args] = installers[by];
    await succeed(program, args, stranger.folder, by === 'yarn' ? await settingsOfYarn() : {});
    return stranger;
  }

  /** An empty folder. */
  static async make(): Promise<Stranger> {
    return new Stranger(await mkdtemp(join(tmpdir(), 'koa-mongo-resource-stranger-')));
  }

  /** A folder in this one. */
  within(folder: string): Stranger {
    return new Stranger(join(this.folder, folder));
  }

  async write(path: string, text: string): Promise<void> {
    const target = join(this.folder, path);
    await mkdir(dirname(target), { recursive: true });
    await writeFile(target, text);
  }

  /** Runs a program to its end. */
  run(program: string, args: readonly string[], env: NodeJS.ProcessEnv = {}): Promise<Ended> {
    return run(program, args, this.folder, env);
  }

  /** Starts a program that goes on. */
  start(program: string, args: readonly string[], env: NodeJS.ProcessEnv = {}): ChildProcess {
    return spawn(program, args, { cwd: this.folder, env: clean(env), stdio: ['ignore', 'pipe', 'pipe'] });
  }

  remove(): Promise<void> {
    return rm(this.folder, { recursive: true, force: true });
  }
}

/** The package that the global setup has packed, as a dependency. */
export function tarball(): string {
  const path = process.env.PACKAGE_TARBALL;
  if (!path) throw new Error('no tarball: the global setup packs one');
  return `file:${path}`;
}

/** Builds and packs the package of a folder of the repository; the tarball's path. */
export async function pack(from = '.'): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'koa-mongo-resource-package-'));
  await succeed('npm', ['pack', '--pack-destination', folder], join(root, from));
  const [tarball = ''] = await readdir(folder);
  return join(folder, tarball);
}

export interface Ended {
  readonly code: number | null;
  /** Standard output and standard error. */
  readonly output: string;
}

/** What npm tells the scripts that it runs is not for a child. */
function clean(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const inherited = Object.entries(process.env).filter(([name]) => !name.startsWith('npm_'));
  return { ...Object.fromEntries(inherited), ...env };
}

async function run(program: string, args: readonly string[], cwd: string, env: NodeJS.ProcessEnv = {}): Promise<Ended> {
  const child = spawn(program, args, { cwd, env: clean(env), stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (chunk: string) => {
      output += chunk;
    });
  }
  const [code] = (await once(child, 'close')) as [number | null];
  return { code, output };
}

/** Yarn reads no settings of npm, and expects the file of its lock wherever it takes itself to be in CI. */
async function settingsOfYarn(): Promise<NodeJS.ProcessEnv> {
  const { output } = await run('npm', ['config', 'get', 'registry'], tmpdir());
  return { YARN_NPM_REGISTRY_SERVER: output.trim(), YARN_ENABLE_IMMUTABLE_INSTALLS: 'false', YARN_ENABLE_TELEMETRY: 'false' };
}

async function succeed(program: string, args: readonly string[], cwd: string, env: NodeJS.ProcessEnv = {}): Promise<void> {
  const { code, output } = await run(program, args, cwd, env);
  if (code !== 0) throw new Error(`${program} ${args.join(' ')} ended with ${code}: ${output}`);
}
