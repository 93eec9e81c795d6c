import { mkdir, rm } from 'node:fs/promises';
import { resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { MongoClient } from 'mongodb';
import { makeDataFolder } from './data-folder.ts';
import { findMongod } from './find-mongod.ts';
import { type Log, logToStderr } from './log.ts';
import { DataFolderInUse, type MongodOptions, MongodProcess } from './mongod-process.ts';

export interface ReplicaSetOptions {
  /**
   * The data folder; it is made where missing, and its data is there again at the next start.
   *
   * @default a temporary one, removed by `stop`
   */
  readonly dbPath?: string;
  /** @default a free one */
  readonly port?: number;
  /**
   * How long to wait for a data folder that another mongod holds, in milliseconds: that of a killed process needs up to
   * three seconds to end.
   * @default 8000
   */
  readonly patience?: number;
  /** Takes one line for each step. @default standard error */
  readonly log?: Log;
}

export interface ReplicaSet {
  /** The connection string, without a database. */
  readonly uri: string;
  /** Ends what was started; a MongoDB that ran before stays. May be called again. */
  stop(): Promise<void>;
}

/** Stable, because a data folder belongs to the replica set that it was started with. */
const name = 'rs0';

/**
 * Finds a MongoDB and starts it as a replica set with one member, for tests, examples and benchmarks alike. With
 * `MONGODB_URI` it starts nothing, ignores the other options and uses that one. See {@link findMongod} for the order of
 * the search.
 *
 * Rejects with a message that can be shown as it is: no MongoDB found, none answers at `MONGODB_URI`, the data folder
 * or port is in use.
 */
export async function startReplicaSet(options: ReplicaSetOptions = {}): Promise<ReplicaSet> {
  const { log = logToStderr } = options;
  const found = await findMongod(log);
  if ('uri' in found) {
    await assertAnswers(found.uri, log);
    return { uri: found.uri, stop: async () => {} };
  }
  return start(found.mongod, options, log);
}

async function start(binary: string, { dbPath, port, patience = 8_000 }: ReplicaSetOptions, log: Log): Promise<ReplicaSet> {
  const folder = dbPath ? resolve(dbPath) : await makeDataFolder();
  await mkdir(folder, { recursive: true });
  const removeFolder = async () => {
    if (!dbPath) await rm(folder, { recursive: true, force: true });
  };
  try {
    const mongod = await launch({ binary, dbPath: folder, port, replSet: name }, patience, log);
    const killMongod = () => mongod.mongodProcess?.kill();
    // The killer process looks every two seconds; an orderly process.exit() need not leave mongod alone so long.
    process.once('exit', killMongod);
    const stop = async () => {
      process.off('exit', killMongod);
      await mongod.stop();
      await removeFolder();
    };
    await makePrimary(mongod).catch(async (error) => {
      await stop();
      throw error;
    });
    return { uri: `mongodb://127.0.0.1:${mongod.port}/?replicaSet=${name}`, stop };
  } catch (error) {
    await removeFolder();
    throw error;
  }
}

async function launch(options: MongodOptions, patience: number, log: Log): Promise<MongodProcess> {
  const end = performance.now() + patience;
  for (let waited = false; ; waited = true) {
    try {
      return await MongodProcess.launch(options);
    } catch (error) {
      if (!(error instanceof DataFolderInUse) || performance.now() > end) throw error;
      if (!waited) log(`mongod: ${options.dbPath} is in use; waiting up to ${patience / 1000} s`);
      await delay(250);
    }
  }
}

/** Initiates a new data folder; in an old one, tells the only member its present port where that has changed. */
async function makePrimary(mongod: MongodProcess): Promise<void> {
  const host = `127.0.0.1:${mongod.port}`;
  const primary = mongod.untilPrimary();
  primary.catch(() => {}); // a failing command below is the better message, and must not leave this one unhandled
  const client = await MongoClient.connect(`mongodb://${host}/?directConnection=true`);
  try {
    const admin = client.db('admin');
    const config = await readConfig(client);
    if (!config) {
      await admin.command({ replSetInitiate: { _id: name, members: [{ _id: 0, host }] } });
    } else if (config.members[0]?.host !== host) {
      const members = [{ ...config.members[0], _id: 0, host }];
      await admin.command({ replSetReconfig: { ...config, version: config.version + 1, members }, force: true });
    }
    await primary;
  } finally {
    await client.close();
  }
}

interface ReplicaSetConfig {
  readonly version: number;
  readonly members: readonly { readonly host: string }[];
}

/**
 * From where mongod keeps it: a command would have to tell a new data folder from one whose configuration is still
 * being loaded.
 */
async function readConfig(client: MongoClient): Promise<ReplicaSetConfig | null> {
  return client.db('local').collection<ReplicaSetConfig>('system.replset').findOne();
}

/** The sentence of the README. */
const standaloneSuffices = 'A standalone server suffices for all but transactions, cascades and change streams.';

async function assertAnswers(uri: string, log: Log): Promise<void> {
  let client: MongoClient | undefined;
  try {
    client = new MongoClient(uri, { serverSelectionTimeoutMS: 5_000 });
    const hello = await client.db('admin').command({ hello: 1 });
    if (!hello.setName && hello.msg !== 'isdbgrid') log(`mongod: MONGODB_URI is no replica set. ${standaloneSuffices}`);
  } catch (error) {
    throw new Error(`MONGODB_URI is set, but no MongoDB answers there within 5 s: ${(error as Error).message}`, { cause: error });
  } finally {
    await client?.close();
  }
}
