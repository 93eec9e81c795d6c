import { randomBytes } from 'node:crypto';
import { type Db, MongoClient, type MongoClientOptions } from 'mongodb';

/** Both are there from `beforeAll` on, not while a test file is being read. */
export interface TestDatabase {
  readonly client: MongoClient;
  readonly db: Db;
}

/**
 * Gives a test file an empty database of its own, and drops it after the last test.
 */
export function useDatabase(options: MongoClientOptions = {}): TestDatabase {
  let client: MongoClient | undefined;
  const name = `test_${randomBytes(6).toString('hex')}`;
  const connected = () => {
    if (!client) throw new Error('useDatabase(): the database is there in hooks and tests only');
    return client;
  };

  beforeAll(async () => {
    const uri = process.env.MONGODB_URI;
    if (!uri) throw new Error('useDatabase(): no replica set runs for this suite, see `globalSetup` in jest.config.ts');
    client = await MongoClient.connect(uri, { serverSelectionTimeoutMS: 5_000, ...options });
  });

  afterAll(async () => {
    if (!client) return;
    await client.db(name).dropDatabase();
    await client.close();
  });

  return {
    get client() {
      return connected();
    },
    get db() {
      return connected().db(name);
    },
  };
}
