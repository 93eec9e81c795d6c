import { once } from 'node:events';
import Koa from 'koa';
import { applyIndexes, ConfigurationError } from 'koa-mongo-resource';
import { MongoClient, MongoError } from 'mongodb';
import createApi from './api.ts';
import { log, logError, logRequest } from './log.ts';
import { host, isProduction, mongodbUri, port } from './settings.ts';

try {
  const client = new MongoClient(mongodbUri, { serverSelectionTimeoutMS: 5_000 });
  const api = createApi(client.db(), { observe: logRequest });
  if (!isProduction) await applyIndexes(api); // in production, `npm run release` creates them before the new version starts

  const app = new Koa().use(api.routes()).on('error', logError);
  const server = app.listen(port, host);
  await once(server, 'listening');
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    process.once(signal, async () => {
      await api.close({ server }); // answers in flight end
      await client.close();
    });
  }
  const url = `http://${host}:${port}/api`;
  log.info(isProduction ? `Serving ${url}` : `Open ${url}/docs, or call ${url}/notes.`);
} catch (error) {
  console.error('The server cannot start:', explain(error));
  process.exit(1);
}

/**
 * The message alone, where it says enough: a mistake of the api's definition, or a database or port that cannot be
 * used.
 */
function explain(error: unknown): unknown {
  if (!(error instanceof Error)) return error;
  if ('code' in error && error.code === 'EADDRINUSE')
    return `port ${port} is taken. Set PORT to another one, in .env or in the environment.`;
  return error instanceof ConfigurationError || error.cause instanceof MongoError || 'syscall' in error ? error.message : error;
}
