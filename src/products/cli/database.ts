import { type Db, MongoClient, type TopologyDescriptionChangedEvent } from 'mongodb';
import { UsageError } from './usage-error.ts';

/** Where the database is, by the arguments and the environment. */
export interface DatabaseArguments {
  readonly uri: string | undefined;
  readonly name: string | undefined;
  /** Whether there are arguments about it, and not only the environment. */
  readonly isGiven: boolean;
}

/** How long to look for a server, in milliseconds. */
const patienceMS = 5_000;

/** The same if no database was named. */
const noPatienceMS = 500;

/**
 * No host has this name (RFC 2606 §2): a function that uses its database, and was given no address, must not write to a
 * real one.
 */
const nowhere = 'mongodb://no-uri-was-given.invalid/none';

/**
 * Opens the database that a function of the app gets. Without `isNeeded`, nothing connects to it, unless the function
 * does, and it may be one that does not exist.
 */
export async function openDatabase({ uri, name }: Omit<DatabaseArguments, 'isGiven'>, isNeeded: boolean): Promise<Db> {
  if (isNeeded && uri === undefined) throw new UsageError('This command needs a database: give --uri, or set MONGODB_URI.');
  const databaseName = name ?? nameIn(uri ?? nowhere);
  if (isNeeded && databaseName === undefined)
    throw new UsageError('This command needs the name of the database: give --db, or a URI that ends with it.');
  const client = open(uri ?? nowhere);
  if (isNeeded) await connect(client);
  return client.db(databaseName);
}

function open(uri: string): MongoClient {
  try {
    return new MongoClient(uri, { serverSelectionTimeoutMS: uri === nowhere ? noPatienceMS : patienceMS });
  } catch (cause) {
    throw new UsageError(`The URI of the database is not valid: ${(cause as Error).message}`, { cause });
  }
}

async function connect(client: MongoClient): Promise<void> {
  try {
    await Promise.race([client.connect(), refusal(client)]);
  } catch (cause) {
    await client.close();
    throw new UsageError(`The database cannot be reached: ${(cause as Error).message}`, { cause });
  }
}

/**
 * Rejects when all servers that the driver knows of have refused its connection: it would try again until its time
 * limit.
 */
function refusal(client: MongoClient): Promise<never> {
  return new Promise((_resolve, reject) => {
    client.on('topologyDescriptionChanged', ({ newDescription }: TopologyDescriptionChangedEvent) => {
      const errors = [...newDescription.servers.values()].map(({ error }) => error);
      if (errors.length > 0 && errors.every(isRefused)) reject(errors[0]);
    });
  });
}

function isRefused(error: Error | null): boolean {
  const { code } = (error?.cause ?? {}) as NodeJS.ErrnoException;
  return code === 'ECONNREFUSED' || code === 'ENOTFOUND';
}

/** The database that a URI names after its hosts. */
function nameIn(uri: string): string | undefined {
  const [, name] = /^mongodb(?:\+srv)?:\/\/[^/?]*\/([^?]+)/.exec(uri) ?? [];
  return name && decodeURIComponent(name);
}
