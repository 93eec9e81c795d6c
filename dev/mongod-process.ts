import { type ChildProcess, execFile } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { MongoInstance } from 'mongodb-memory-server';
import { freePort } from './free-port.ts';

/** A mongod that cannot start because another process holds its data folder. */
export class DataFolderInUse extends Error {}

export interface MongodOptions {
  readonly binary: string;
  readonly dbPath: string;
  /** The replica set that it belongs to. @default none: a standalone server */
  readonly replSet?: string;
  /** @default a free one */
  readonly port?: number | undefined;
  /** Arguments beside those that every mongod here is started with. @default none */
  readonly args?: readonly string[];
}

/**
 * One mongod on 127.0.0.1, as a child that cannot outlive this process: mongodb-memory-server's killer process sees to
 * that.
 */
export class MongodProcess extends MongoInstance {
  /** The start of a log line whose end is still to come. */
  private partialLine = '';

  /**
   * Starts mongod and waits until it listens; it is no member of a replica set yet.
   *
   * Rejects with {@link DataFolderInUse}, or with an error that names the folder and mongod's own reason.
   */
  static async launch(options: MongodOptions): Promise<MongodProcess> {
    const port = options.port ?? (await freePort());
    const { dbPath, replSet } = options;
    const args = [...mongodArgs, ...(options.args ?? [])];
    const instance = new MongodProcess({
      instance: { port, ip: '127.0.0.1', dbPath, ...(replSet && { replSet }), storageEngine: 'wiredTiger', args, launchTimeout },
      binary: { systemBinary: options.binary },
      // Ctrl-C in a terminal goes to the whole process group: mongod must still be there for an orderly stop.
      spawn: { detached: true },
    });
    try {
      await instance.start();
    } catch (error) {
      await instance.stop();
      throw await startError(error as Error, options);
    }
    return instance;
  }

  get port(): number {
    return this.instanceOpts.port ?? 0;
  }

  /** Becomes true when mongod writes that it is the primary. Rejects when it ends before, or after half a minute. */
  async untilPrimary(): Promise<void> {
    if (this.isInstancePrimary) return;
    const limit = new AbortController();
    const timer = setTimeout(() => limit.abort(new Error('mongod has not become the primary within 30 s')), 30_000);
    const closed = once(this, 'instanceClosed', { signal: limit.signal }).then(() => {
      throw new Error('mongod ended before it became the primary');
    });
    try {
      await Promise.race([once(this, 'instancePrimary', { signal: limit.signal }), closed]);
    } finally {
      clearTimeout(timer);
      limit.abort();
      await closed.catch(() => {});
    }
  }

  /**
   * Ends mongod by a signal. The base class would first connect to send a command, and look five seconds for a mongod
   * that could not start.
   */
  override async stop(): Promise<boolean> {
    this.isReplSet = false;
    const { mongodProcess } = this;
    const isStopped = await super.stop();
    if (mongodProcess) closeOutput(mongodProcess);
    return isStopped;
  }

  /** Ends it as a power failure does: nothing is written or said any more. Resolves when it is gone. */
  async kill(): Promise<void> {
    const { mongodProcess } = this;
    if (!mongodProcess) throw new Error('this mongod has not been started');
    const gone = once(mongodProcess, 'exit');
    mongodProcess.kill('SIGKILL');
    await gone;
    closeOutput(mongodProcess);
  }

  /**
   * The base class reads JSON from what it takes for one line, and throws out of the stream when a chunk holds more or
   * less.
   */
  override stdoutHandler(message: string | Buffer): void {
    const lines = (this.partialLine + message.toString()).split('\n');
    this.partialLine = lines.pop() ?? '';
    for (const line of lines) super.stdoutHandler(line);
  }
}

/** On Wine, the services that the first program starts inherit its output, and keep it open when it has ended. */
function closeOutput({ stdout, stderr }: ChildProcess): void {
  stdout?.destroy();
  stderr?.destroy();
}

/** A net: several that start at once on a busy machine need more than the ten seconds that they usually have. */
const launchTimeout = 60_000;

const mongodArgs = [
  // Without it, a mongod whose parent was killed waits 15 s for a secondary to take over, and holds its data folder so
  // long.
  '--setParameter',
  'shutdownTimeoutMillisForSignaledShutdown=0',
  // No metrics in the data folder: nobody reads them.
  '--setParameter',
  'diagnosticDataCollectionEnabled=false',
  // A socket file would stay in the temporary folder after a crash.
  ...(process.platform === 'win32' ? [] : ['--nounixsocket']),
];

async function startError(error: Error, { dbPath, binary }: MongodOptions): Promise<Error> {
  if (/DBPathInUse/.test(error.message)) {
    const holder = await findHolder(dbPath);
    return new DataFolderInUse(`The data folder ${dbPath} is in use by ${holder}. Stop that process, or choose another folder.`);
  }
  return new Error(`mongod (${binary}) could not start on ${dbPath}: ${error.message}`, { cause: error });
}

/**
 * Who holds a data folder: mongod writes its process id into it. Its parent is what somebody has started, and can stop.
 */
async function findHolder(dbPath: string): Promise<string> {
  const pid = (await readFile(join(dbPath, 'mongod.lock'), 'utf8').catch(() => '')).trim();
  const mongod = pid && (await findProcess(pid));
  const parent = mongod && (await findProcess(mongod.parent));
  const process = pid ? `another mongod, process ${pid}` : 'another mongod';
  return mongod && parent && mongod.parent !== '1' ? `${process} of \`${parent.command}\`, process ${mongod.parent}` : process;
}

/** What `ps` says of a process; undefined where it is gone, or there is no `ps`. */
async function findProcess(pid: string): Promise<{ readonly parent: string; readonly command: string } | undefined> {
  const { stdout } = await promisify(execFile)('ps', ['-o', 'ppid=,args=', '-p', pid]).catch(() => ({ stdout: '' }));
  const [, parent, command] = /^\s*(\d+)\s+(.*\S)/.exec(stdout) ?? [];
  return parent && command ? { parent, command } : undefined;
}
