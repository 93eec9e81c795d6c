import { existsSync } from 'node:fs';
import Koa from 'koa';
import type { Api } from 'koa-mongo-resource';
import { MongoClient } from 'mongodb';
import { listen, urlOf } from './listen.ts';

/** What {@link serve} needs to know of an example. */
export interface Example {
  /** The data folder of its MongoDB. It plays no part with `MONGODB_URI`. */
  readonly dbPath: string;
  /** Makes the api, once there is a database. */
  readonly createApi: (client: MongoClient) => Promise<Api>;
  /** What the process does beside serving, until it ends. @default nothing */
  readonly work?: (api: Api) => Promise<{ close(): Promise<unknown> }>;
  /** What stands above the api, such as a page. @default none */
  readonly middlewares?: readonly Koa.Middleware[];
}

/**
 * Serves an example, see `listen`. Ctrl-C and SIGTERM end the server when its answers in flight have ended, then
 * MongoDB, then the process with code 0. Without a MongoDB it says so in one sentence and exits 1.
 *
 * @returns the URL
 */
export async function serve({ dbPath, createApi, work, middlewares = [] }: Example): Promise<string> {
  const ending = endOnSignals();
  const { uri, stop } = await startMongo(dbPath).catch(exitWithoutMongo);
  ending.steps.push(stop);
  const client = new MongoClient(uri);
  ending.steps.push(() => client.close());
  try {
    const api = await createApi(client);
    const app = new Koa();
    for (const middleware of [...middlewares, api.routes()]) app.use(middleware);
    const server = await listen(app);
    const working = await work?.(api);
    ending.steps.push(async () => {
      await api.close({ server });
      await working?.close();
    });
    return urlOf(server);
  } catch (error) {
    if (ending.hasBegun) return new Promise(() => {}); // Ctrl-C has taken the database away; the process ends in a moment
    throw error;
  }
}

class Ending {
  /** What there is to end; the last is ended first. */
  readonly steps: (() => Promise<unknown>)[] = [];
  hasBegun = false;

  /** Once, however often it is asked: npm passes on a Ctrl-C that the terminal has sent to all already. */
  async run(): Promise<void> {
    if (this.hasBegun) return;
    this.hasBegun = true;
    for (const step of this.steps.reverse()) await step();
    process.exit(0);
  }
}

function endOnSignals(): Ending {
  const ending = new Ending();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => void ending.run());
  if (process.env.npm_lifecycle_event) endWithParent(ending);
  return ending;
}

/**
 * A signal to npm alone ends the shell between npm and us, and does not reach us: it can only be seen by who our parent
 * is.
 */
function endWithParent(ending: Ending): void {
  const parent = process.ppid;
  setInterval(() => process.ppid === parent || void ending.run(), 500).unref();
}

/** The repository finds and starts a MongoDB. The package does not have these scripts: it needs `MONGODB_URI`. */
async function startMongo(dbPath: string): Promise<{ uri: string; stop(): Promise<void> }> {
  const inRepository = new URL('../dev/replica-set.ts', import.meta.url);
  if (existsSync(inRepository)) return (await import('../dev/replica-set.ts')).startReplicaSet({ dbPath });
  const { MONGODB_URI: uri } = process.env;
  if (!uri) throw new Error('Set MONGODB_URI to a MongoDB, such as mongodb://127.0.0.1:27017.');
  return { uri, stop: async () => {} };
}

/** The message ends with what to install or set; the sources that were tried stand above it, a line each. */
function exitWithoutMongo(error: Error): never {
  const sentence = error.message.split('\n').filter((line) => !line.startsWith('- '));
  console.error(sentence.join(' '));
  process.exit(1);
}
