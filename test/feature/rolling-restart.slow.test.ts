import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { Agent, request as httpRequest, type IncomingMessage } from 'node:http';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { useDatabase } from '../support/database/database.ts';
import { type Balancer, startBalancer } from '../support/http/balancer.ts';
import { readAnswer } from '../support/http/serve.ts';
import { useProgram } from '../support/processes/use-program.ts';

const program = useProgram(join(import.meta.dirname, '../support/processes/serve-until-signal.ts'));
const database = useDatabase();

/** A process that serves, and its port. */
interface Service {
  readonly child: ChildProcess;
  readonly port: number;
}

const children: ChildProcess[] = [];
let balancer: Balancer;
beforeAll(async () => {
  balancer = await startBalancer();
});
afterAll(async () => {
  balancer.close();
  for (const child of children) {
    child.stdin?.end();
    if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
  }
});

async function startService(): Promise<Service> {
  const child = spawn(process.execPath, [program, database.db.databaseName], { stdio: ['pipe', 'pipe', 'inherit'] });
  children.push(child);
  const [line] = await once(createInterface(child.stdout as NodeJS.ReadableStream), 'line');
  return { child, port: Number(line) };
}

async function putInService({ port }: Service): Promise<void> {
  balancer.add(port);
  await balancer.untilReady(port);
}

async function end({ child, port }: Service): Promise<void> {
  child.kill('SIGTERM');
  const [code] = await once(child, 'exit');
  expect(code).toBe(0);
  balancer.remove(port);
}

const requests = [
  ['POST', '/api/docs', 201],
  ['GET', '/api/docs?limit=2', 200],
  ['GET', '/slow', 200],
] as const;

it('a rolling restart of two processes behind a balancer fails no request', async () => {
  const [a, b, nextA, nextB] = (await Promise.all([1, 2, 3, 4].map(startService))) as [Service, Service, Service, Service];
  await Promise.all([a, b].map(putInService));
  const agent = new Agent({ keepAlive: true });
  const failures: string[] = [];
  let count = 0;
  let created = 0;
  let isOver = false;

  async function client(offset: number): Promise<void> {
    for (let n = offset; !isOver; n++) {
      const [method, path, expected] = requests[n % requests.length] as (typeof requests)[number];
      const headers = { 'content-type': 'application/json' };
      const outgoing = httpRequest({ port: balancer.port, host: '127.0.0.1', method, path, agent, headers });
      outgoing.end(method === 'POST' ? '{"text":"x"}' : undefined);
      count++;
      const answer = await once(outgoing, 'response').then(
        ([response]) => readAnswer(response as IncomingMessage),
        (error: Error) => ({ status: 0, text: String(error) }),
      );
      if (answer.status === 201) created++;
      if (answer.status !== expected) failures.push(`${method} ${path}: ${answer.status} ${answer.text}`);
    }
  }

  const load = Array.from({ length: 12 }, (_, offset) => client(offset));
  await putInService(nextA);
  await end(a);
  await putInService(nextB);
  await end(b);
  isOver = true;
  await Promise.all(load);
  agent.destroy();
  expect(failures).toEqual([]);
  expect(count).toBeGreaterThan(100);
  expect(await database.db.collection('docs').countDocuments()).toBe(created);
  if (process.env.SHOW_FIGURES) console.log(`${count} requests, ${failures.length} failed`);
});
