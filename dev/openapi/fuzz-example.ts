import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import type { Duplex } from 'node:stream';
import Koa from 'koa';
import { type Api, applyIndexes, openStore } from 'koa-mongo-resource';
import { type Db, MongoClient } from 'mongodb';
import { createAtlas } from '../../examples/atlas/api.ts';
import { loadAtlas, readAtlasData } from '../../examples/atlas/load.ts';
import { createBilling } from '../../examples/billing/api.ts';
import { importTasks } from '../../examples/billing/import-tasks.ts';
import { User } from '../../examples/billing/model.ts';
import { hash } from '../../examples/billing/password.ts';
import { createHelpdesk } from '../../examples/custom-operations/api.ts';
import { createShop } from '../../examples/orders/api.ts';
import { createProjects } from '../../examples/projects/api.ts';
import { seed } from '../../examples/projects/seed.ts';
import { everyApi } from '../../test/openapi/every-api.ts';
import { startReplicaSet } from '../replica-set.ts';
import { runVisibly } from '../run.ts';

/** What Schemathesis is let loose upon. */
interface Subject {
  readonly create: (db: Db) => Api;
  /** Fills the database. @default it begins empty */
  readonly load?: (db: Db) => Promise<void>;
  /** What every request carries: a token, where the api knows tokens. */
  readonly headers: readonly string[];
  /** Further arguments. @default none */
  readonly more?: readonly string[];
}

/** Not `missing_test_data`: whether an invented id is that of a record is a matter of chance. */
const withoutTestData = '--warnings=missing_auth,unsupported_regex,method_not_allowed';

const subjects: Readonly<Record<string, Subject>> = {
  atlas: {
    create: createAtlas,
    load: (db) => loadAtlas(db, () => {}, readLiechtenstein),
    headers: [],
  },
  billing: {
    create: createBilling,
    load: async (db) => {
      const password = await hash('correct horse', 2); // each request verifies it: at the usual cost, four fifths of the time
      await openStore(User, { db }).create({ email: 'ann@acme.example', password, tenant: 'acme' });
      await importTasks(db, 'acme', 'Design;90;done\nReview;30');
    },
    more: [
      '--exclude-path=/api/batch', // the generator comes to no end with it: each operation of a batch is one of many closed objects
      withoutTestData,
    ],
    headers: [`Authorization: Basic ${Buffer.from('ann@acme.example:correct horse').toString('base64')}`],
  },
  'custom-operations': {
    create: (db) => createHelpdesk(db, () => {}),
    headers: ['Authorization: Bearer agent-fay'], // for whom all rules hold, as for whom the description is
    more: [withoutTestData], // a ticket is released only by the agent who has taken it
  },
  'every-builder': {
    create: everyApi,
    headers: ['Authorization: Bearer ann-token'],
    more: [withoutTestData],
  },
  orders: {
    create: createShop,
    headers: ['Authorization: Bearer root-token'],
  },
  projects: {
    create: createProjects,
    load: (db) => seed(createProjects(db)),
    headers: ['Authorization: Bearer ann-token'],
    more: [withoutTestData],
  },
};

/** All countries, and so few cities that a load costs nothing. */
function readLiechtenstein(): ReturnType<typeof readAtlasData> {
  const { countries, cities } = readAtlasData();
  return { countries, cities: cities.filter(({ country }) => country === 'LI') };
}

/**
 * Serves an example on a free port with a database of its own, and runs Schemathesis (`SCHEMATHESIS` is its path)
 * against it; further arguments are passed on. Ends with 1 when it finds a failure, and when the service had an error
 * of its own.
 */
async function fuzzExample(name: string, ...more: string[]): Promise<void> {
  const subject = subjects[name];
  if (!subject) throw new Error(`No example is called ${name}: ${Object.keys(subjects).join(', ')}.`);
  const replicaSet = await startReplicaSet();
  const client = new MongoClient(replicaSet.uri);
  try {
    const db = client.db(`fuzz_${name}`);
    await db.dropDatabase();
    await subject.load?.(db);
    const api = subject.create(db);
    await applyIndexes(api);
    const app = new Koa();
    const errors: Error[] = [];
    app.on('error', (error: Error) => errors.push(error));
    app.use(api.routes());
    // A list of more values than are allowed is a URL beyond Node's own limit, which answers 431 before the api can say
    // 400.
    const server = createServer({ maxHeaderSize: 1_048_576 }, app.callback()).on('clientError', refuseGently).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/api/openapi.json`;
    await runVisibly(process.env.SCHEMATHESIS ?? 'schemathesis', [
      `--config-file=${join(import.meta.dirname, '../../.ci/tools/schemathesis.toml')}`,
      'run',
      url,
      ...subject.headers.map((header) => `--header=${header}`),
      ...(subject.more ?? []),
      ...more,
    ]);
    for (const error of errors) console.error(error);
    if (errors.length > 0) throw new Error(`The service reported ${errors.length} errors; see above.`);
  } finally {
    await client.close();
    await replicaSet.stop();
  }
}

/**
 * What Node answers by itself to a header that it cannot read. Node also closes at once, which resets the connection if
 * the body arrives later (RFC 9112 §9.6): whether the client then sees the answer or a network error is a matter of
 * chance.
 */
function refuseGently(_: Error, socket: Duplex): void {
  if (!socket.writable) return;
  socket.on('error', () => {});
  socket.end('HTTP/1.1 400 Bad Request\r\nConnection: close\r\nContent-Length: 0\r\n\r\n');
  setTimeout(() => socket.destroy(), 1_000).unref();
}

const [name = '', ...more] = process.argv.slice(2);
try {
  await fuzzExample(name, ...more);
  process.exit(0);
} catch (error) {
  console.error((error as Error).message);
  process.exit(1);
}
