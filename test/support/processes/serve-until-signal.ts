/**
 * A process of its own for the test of a rolling restart: `serve-until-signal.ts <database>` serves an api in an app
 * with a route of its own, as the README says, and prints its port. SIGTERM ends it without losing a request; so does
 * the end of its standard input.
 */
import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import Koa from 'koa';
import { MongoClient } from 'mongodb';
import { defineModel, service, t } from '../../../src/index.ts';

const client = new MongoClient(process.env.MONGODB_URI ?? '');
const Doc = defineModel('Doc', { collection: 'docs', fields: { text: t.string(), revision: t.revision() } });
const shop = service();
const api = shop.api({ db: client.db(process.argv[2]), prefix: '/api', health: true, resources: [shop.resource({ model: Doc })] });

const app = new Koa().use(async (ctx, next) => {
  if (ctx.path !== '/slow') return next();
  await delay(30);
  ctx.body = 'slow';
});
const server = app.use(api.routes()).listen(0, '127.0.0.1', () => console.log((server.address() as AddressInfo).port));

async function end(): Promise<void> {
  await api.close({ server, delay: 500 });
  await client.close();
  process.stdin.destroy();
}
process.once('SIGTERM', () => void end());
process.stdin.resume().once('end', () => void end());
