import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { applyIndexes } from 'koa-mongo-resource';
import { BSON, type CommandStartedEvent } from 'mongodb';
import { freePort } from '../../dev/free-port.ts';
import type { Any } from '../support/any.ts';
import { useDatabase } from '../support/database/database.ts';
import { root } from '../support/docs/pages.ts';
import { type Answer, send, useServer } from '../support/http/serve.ts';
import { byName } from './parts/by-name.ts';
import { createShop } from './parts/sharded-shop.ts';
import { useWritePage, type WrittenPage } from './parts/write-page.ts';

const writePage = useWritePage();
const page = 'docs/guides/scaling.md';
const database = useDatabase({ monitorCommands: true });
const serve = useServer();
const authenticate = byName({ ann: { tenant: 'acme' } });

let written: WrittenPage;
let port: number;
const started: CommandStartedEvent[] = [];
beforeAll(async () => {
  written = await writePage(page);
  const api = createShop(database.db, authenticate);
  await applyIndexes(api);
  ({ port } = await serve(api.routes()));
  database.client.on('commandStarted', (event) => started.push(event));
});

const ask = async (method: string, path: string, body?: unknown): Promise<Answer> => {
  const answer = await send(port, method, `/api${path}`, { headers: { authorization: 'Bearer ann' }, ...(body !== undefined && { body }) });
  expect([method, path, answer.status < 400 ? '' : answer.text]).toEqual([method, path, '']);
  return answer;
};

/** The filters of a command on the collections of the api: each of them must go to one shard. */
function filtersOf({ commandName, command }: CommandStartedEvent): object[] {
  if (commandName === 'find') return [command.filter];
  if (commandName === 'findAndModify') return [command.query];
  if (commandName === 'update') return command.updates.map(({ q }: { q: object }) => q);
  if (commandName === 'delete') return command.deletes.map(({ q }: { q: object }) => q);
  if (commandName === 'insert') return command.documents;
  if (commandName === 'aggregate') return matchesOf(command.pipeline);
  return [];
}

/** The first `$match` of a pipeline, and of each pipeline within it. */
function matchesOf(pipeline: readonly Record<string, Any>[]): object[] {
  const own = pipeline.find((stage) => '$match' in stage)?.$match ?? (pipeline[0]?.$documents ? [] : {});
  const inner = pipeline.flatMap((stage) => matchesWithin(stage.$lookup?.pipeline ?? stage.$unionWith?.pipeline));
  return [...(Array.isArray(own) ? own : [own]), ...inner];
}

const matchesWithin = (pipeline: Any) => (pipeline ? matchesOf(pipeline) : []);
const hasTenant = (filter: object) => /"tenant":(\{"\$eq":)?"acme"/.test(BSON.EJSON.stringify(filter));

describe('the guide on scaling', () => {
  it('has the shard key in each filter, but for the look-up that the page names', async () => {
    const customer = (await ask('POST', '/customers', { name: 'Jo' })).body.data.id;
    const id = (await ask('POST', '/orders', { number: 'A-1', customerId: customer, total: 1 })).body.data.id;
    await ask('POST', '/orders', { customerId: customer, total: 2 });
    const without: string[] = [];
    let filters = 0;
    const run = async (method: string, path: string, body?: unknown) => {
      started.length = 0;
      const answer = await ask(method, path, body);
      expect([method, path, started.length]).not.toEqual([method, path, 0]);
      for (const event of started) {
        const found = filtersOf(event);
        filters += found.length;
        if (found.length === 0) expect(event.commandName).toBe('commitTransaction');
        if (!found.every(hasTenant)) without.push(`${method} ${path.replaceAll(/[0-9a-f]{24}/g, ':id')}: ${event.commandName}`);
      }
      return answer;
    };
    const { page: first } = (await run('GET', '/orders?sort=-number&limit=1')).body;
    await run('GET', `/orders?sort=-number&limit=1&after=${first.next_cursor}`);
    await run('GET', '/orders?customer.name=Jo&sort=customer.name&include=customer');
    await run('GET', `/orders/${id}?include=customer`);
    await run('GET', `/customers/${customer}?include=orders`);
    await run('GET', `/customers/${customer}/orders`);
    await run('POST', '/orders', { customerId: customer, total: 3 });
    await run('PATCH', `/orders/${id}`, { total: 5, customerId: customer });
    await run('PUT', `/orders/${id}`, { number: 'A-1', customerId: customer, total: 6 });
    await run('POST', `/orders/${id}/double`);
    await run('PATCH', `/orders?customerId=${customer}`, { total: 3 });
    await run('POST', '/batch', { operations: [{ method: 'PATCH', path: `/orders/${id}`, body: { total: 9 } }] });
    await run('DELETE', `/orders/${id}`);
    await run('POST', `/customers/${customer}/orders`, { total: 4 });
    await run('DELETE', `/orders?customerId=${customer}`);
    await run('DELETE', `/customers/${customer}`);
    expect(without).toEqual(['POST /customers/:id/orders: find']);
    expect(filters).toBeGreaterThan(25);
  });

  it('goes on in another process where one has stopped', async () => {
    const others = await Promise.all([1, 2].map(() => serve(createShop(database.db, authenticate).routes())));
    const headers = { authorization: 'Bearer ann' };
    for (const name of ['a', 'b', 'c']) await ask('POST', '/customers', { name });
    const names: string[] = [];
    let after = '';
    for (let index = 0; index < 3; index++) {
      const { body } = await send(others[index % 2]?.port ?? 0, 'GET', `/api/customers?sort=name&limit=1${after}`, { headers });
      names.push(body.data[0].name);
      after = `&after=${body.page.next_cursor}`;
    }
    expect(names).toEqual(['a', 'b', 'c']);
  });

  it('runs one process for each core, and ends all of them', async () => {
    const free = await freePort();
    const env = { ...process.env, PORT: String(free), DATABASE: database.db.databaseName };
    const child = spawn(process.execPath, ['--import', 'tsx', join(written.folder, 'cluster.ts')], { cwd: root, env, stdio: 'inherit' });
    const ended = once(child, 'exit');
    const processes = new Set<unknown>();
    while (processes.size < Math.min(2, availableParallelism())) {
      const answer = await send(free, 'GET', '/notes').catch(() => undefined); // until they listen
      if (answer?.status === 200) processes.add(answer.headers['x-process']);
      else await setTimeout(50);
    }
    child.kill('SIGTERM');
    expect(await ended).toEqual([0, null]);
  });
});
