import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import type { Duplex } from 'node:stream';
import Koa from 'koa';
import { applyIndexes } from 'koa-mongo-resource';
import { MongoClient } from 'mongodb';
import { startReplicaSet } from '../replica-set.ts';
import { runVisibly } from '../run.ts';
import { fuzzedApis } from './fuzzed-apis.ts';

/**
 * Serves an example on a free port with a database of its own, and runs Schemathesis (`SCHEMATHESIS` is its path)
 * against it; further arguments are passed on. Ends with 1 when it finds a failure, and when the service had an error
 * of its own.
 */
async function fuzzExample(name: string, ...more: string[]): Promise<void> {
  const subject = fuzzedApis[name];
  if (!subject) throw new Error(`No example is called ${name}: ${Object.keys(fuzzedApis).join(', ')}.`);
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
      ...(subject.excluded ?? []).map((path) => `--exclude-path=${path}`),
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
