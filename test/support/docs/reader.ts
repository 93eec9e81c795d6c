import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { freePort } from '../../../dev/free-port.ts';
import type { Library } from '../processes/use-library.ts';
import { curl } from './console.ts';
import { filesOf, root } from './pages.ts';

/** The database that the pages name. */
const ownUri = 'mongodb://127.0.0.1:27017/shop';

/**
 * What a reader does who follows pages: a folder with their files, the server of it, and the commands that the reader
 * types.
 */
export class Reader {
  /** In the repository, so that packages are found from there. */
  readonly folder = join(root, `.tmp/reader-${process.pid}`);
  readonly #uri: string;
  readonly #library: Library;
  #files: Readonly<Record<string, string>> = {};
  #port = 0;
  #server: ChildProcess | undefined;

  constructor(uri: string, library: Library) {
    this.#uri = uri;
    this.#library = library;
  }

  /** Writes the files of a page. If one has changed, the server is started anew when the next command needs it. */
  async open(page: string): Promise<void> {
    const files = filesOf(page);
    await mkdir(this.folder, { recursive: true });
    for (const [name, text] of Object.entries(files)) {
      if (this.#files[name] !== text) await this.close();
      await writeFile(join(this.folder, name), text);
    }
    this.#files = files;
  }

  async #serve(): Promise<void> {
    if (this.#server) return;
    this.#port = await freePort();
    const server = this.#start('--import', 'tsx', 'server.ts');
    this.#server = server;
    await new Promise<void>((resolve, reject) => {
      server.stdout?.on('data', (chunk: Buffer) => String(chunk).includes('http://') && resolve());
      server.on('exit', (code) => reject(new Error(`the server ended with ${code}`)));
    });
  }

  /** What a command prints. */
  async type(command: string): Promise<string> {
    const [program = '', ...words] = command.split(' ');
    if (program === 'curl') {
      await this.#serve();
      return curl(this.#port, command);
    }
    if (command === 'npm test') return this.#run(...this.#script('test'));
    if (program !== 'npx') throw new Error(`Nobody knows how to type: ${command}`);
    const [tool = '', ...args] = words.map((word) => (word === ownUri ? this.#uri : word));
    return tool === 'tsx' ? this.#run('--import', 'tsx', ...args) : this.#run(this.#library.cli, ...args);
  }

  async close(): Promise<void> {
    const server = this.#server;
    this.#server = undefined;
    if (server?.exitCode !== null) return;
    server.kill('SIGTERM');
    await once(server, 'exit');
  }

  async remove(): Promise<void> {
    await this.close();
    await rm(this.folder, { recursive: true, force: true });
  }

  /** The arguments of Node in a script of the page's `package.json`. */
  #script(name: string): string[] {
    const { scripts } = JSON.parse(this.#files['package.json'] ?? '{}');
    const [program, ...args] = scripts[name].split(' ');
    if (program !== 'node') throw new Error(`The script ${name} does not run Node: ${scripts[name]}`);
    return args;
  }

  async #run(...args: string[]): Promise<string> {
    const child = this.#start(...args);
    let output = '';
    for (const stream of [child.stdout, child.stderr])
      stream?.on('data', (chunk: Buffer) => {
        output += chunk;
      });
    await once(child, 'close');
    return output.trim();
  }

  /** Runs Node in the folder. The package by its name means what the sources are compiled to. */
  #start(...args: string[]): ChildProcess {
    const env = {
      ...process.env,
      NODE_TEST_CONTEXT: undefined,
      NO_COLOR: '1',
      TSX_TSCONFIG_PATH: this.#library.tsconfig,
    };
    return spawn(process.execPath, args, { cwd: this.folder, env: { ...env, MONGODB_URI: this.#uri, PORT: String(this.#port) } });
  }
}
