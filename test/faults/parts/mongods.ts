import { rm } from 'node:fs/promises';
import { type Document, MongoClient, type MongoClientOptions } from 'mongodb';
import { makeDataFolder } from '../../../dev/data-folder.ts';
import { MongodProcess } from '../../../dev/mongod-process.ts';
import { mongodBinary } from '../../support/database/own-mongod.ts';

const setName = 'faults';

/**
 * What a set of its own is told: fail points, short elections, and few resources, because three of them run beside the
 * tests.
 */
const args = ['--setParameter', 'enableTestCommands=1', '--wiredTigerCacheSizeGB', '0.25', '--oplogSize', '200'];
const settings = { electionTimeoutMillis: 1_000, heartbeatIntervalMillis: 200 };

interface MongodOptions {
  readonly binary: string;
  readonly dbPath: string;
  readonly port?: number;
  readonly replSet?: string;
}

/** One mongod that a test may kill, start again and freeze. */
export class Mongod {
  readonly #options: MongodOptions;
  #running: MongodProcess;

  private constructor(options: MongodOptions, running: MongodProcess) {
    this.#options = { ...options, port: running.port };
    this.#running = running;
  }

  static async start(binary: string, replSet?: string): Promise<Mongod> {
    const options = { binary, dbPath: await makeDataFolder(), ...(replSet && { replSet }) };
    return new Mongod(options, await MongodProcess.launch({ ...options, args }));
  }

  get host(): string {
    return `127.0.0.1:${this.#running.port}`;
  }

  /** Becomes true when it is the primary of its set. */
  untilPrimary(): Promise<void> {
    return this.#running.untilPrimary();
  }

  /** Ends it as a power failure does: nothing is written or said any more. Resolves when it is gone. */
  kill(): Promise<void> {
    return this.#running.kill();
  }

  /** Starts a killed one again, on its data and its port. */
  async restart(): Promise<void> {
    this.#running = await MongodProcess.launch({ ...this.#options, args });
  }

  /** It takes nothing and answers nothing, and its connections stay open. */
  freeze(): void {
    this.#signal('SIGSTOP');
  }

  thaw(): void {
    this.#signal('SIGCONT');
  }

  async stop(): Promise<void> {
    if (this.#running.mongodProcess?.exitCode === null && this.#running.mongodProcess.signalCode === null) {
      this.thaw();
      await this.#running.stop();
    }
    await rm(this.#options.dbPath, { recursive: true, force: true });
  }

  #signal(signal: NodeJS.Signals): void {
    const pid = this.#running.mongodProcess?.pid;
    if (pid === undefined) throw new Error('this mongod has not been started');
    process.kill(pid, signal);
  }
}

/** What a test plays with: mongods of its own, and a client of the test's that no fault is meant for. */
export interface Deployment {
  readonly uri: string;
  readonly members: readonly Mongod[];
  readonly admin: MongoClient;
  /** Standalone servers write no oplog. */
  readonly hasOplog: boolean;
  /** A client as a service opens it, with the names that {@link failCommands} and {@link untilGone} look for. */
  connect(options?: MongoClientOptions, uri?: string): Promise<MongoClient>;
  /** What is to be closed before the servers are stopped. */
  onStop(close: () => Promise<unknown>): void;
  stop(): Promise<void>;
}

export const appName = 'faults';

/** Starts a standalone server, or a replica set of so many members. */
export async function startMongods(members: 'standalone' | 1 | 3): Promise<Deployment> {
  const binary = await mongodBinary();
  const replSet = members === 'standalone' ? undefined : setName;
  const count = members === 'standalone' ? 1 : members;
  const mongods = await Promise.all(Array.from({ length: count }, () => Mongod.start(binary, replSet)));
  const stopAll = async () => void (await Promise.all(mongods.map((mongod) => mongod.stop())));
  try {
    const hosts = mongods.map(({ host }) => host);
    if (replSet) await initiate(mongods);
    const uri = `mongodb://${hosts.join(',')}/?${replSet ? `replicaSet=${replSet}` : 'directConnection=true'}`;
    const admin = await MongoClient.connect(uri, { appName: 'admin', minHeartbeatFrequencyMS: 20, heartbeatFrequencyMS: 200 });
    const closing: (() => Promise<unknown>)[] = [];
    return {
      uri,
      members: mongods,
      admin,
      hasOplog: replSet !== undefined,
      async connect(options = {}, through = uri) {
        const client = new MongoClient(through, { appName, monitorCommands: true, ...options });
        closing.push(() => client.close());
        return client.connect();
      },
      onStop: (close) => closing.push(close),
      async stop() {
        for (const close of [...closing, () => admin.close()]) await close();
        await stopAll();
      },
    };
  } catch (error) {
    await stopAll();
    throw error;
  }
}

async function initiate(mongods: readonly Mongod[]): Promise<void> {
  const [first] = mongods;
  if (!first) throw new Error('a set needs members');
  const primary = mongods.length === 1 ? first.untilPrimary() : Promise.resolve();
  primary.catch(() => {}); // a failing command below is the better message
  const client = await MongoClient.connect(`mongodb://${first.host}/?directConnection=true`);
  try {
    const members = mongods.map(({ host }, _id) => ({ _id, host }));
    await client.db('admin').command({ replSetInitiate: { _id: setName, members, settings } });
    await primary;
  } finally {
    await client.close();
  }
  if (mongods.length > 1) await untilComplete(mongods);
}

/** A write that every member has is the sign that the set is up. */
async function untilComplete(mongods: readonly Mongod[]): Promise<void> {
  const client = await MongoClient.connect(`mongodb://${mongods.map(({ host }) => host).join(',')}/?replicaSet=${setName}`);
  try {
    await client
      .db('faults_start')
      .collection('members')
      .insertOne({}, { writeConcern: { w: mongods.length } });
  } finally {
    await client.close();
  }
}

/** Which commands of the service fail, how and how often, by MongoDB's own fail point. Those of the tests do not. */
export async function failCommands({ admin }: Deployment, mode: 'off' | 'alwaysOn' | Document, data: Document = {}): Promise<void> {
  await admin.db('admin').command({ configureFailPoint: 'failCommand', mode, data: { appName, ...data } });
}

/** Has every server end a transaction after some seconds: that of a process that is gone lasts a minute by default. */
export async function limitTransactions({ members }: Deployment, seconds: number): Promise<void> {
  for (const { host } of members) {
    const client = await MongoClient.connect(`mongodb://${host}/?directConnection=true`);
    await client.db('admin').command({ setParameter: 1, transactionLifetimeLimitSeconds: seconds });
    await client.close();
  }
}

/**
 * Resolves when the database has no connection of the service left: whatever it had received has then been carried out,
 * or never will be. The service's clients must be closed.
 */
export async function untilGone({ admin }: Deployment, name = appName): Promise<void> {
  const stages = [{ $currentOp: { allUsers: true, idleConnections: true } }, { $match: { appName: name } }, { $limit: 1 }];
  while ((await admin.db('admin').aggregate(stages, { readPreference: 'primary' }).toArray()).length > 0) await new Promise(setImmediate);
}
