import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Db } from 'mongodb';
import { send } from '../support/http/serve.ts';
import { countOrphans } from '../support/models/race-deletes.ts';
import { useProgram } from '../support/processes/use-program.ts';
import { type Deployment, limitTransactions, startMongods } from './parts/mongods.ts';
import { rounds as factor } from './parts/random.ts';

/** `ROUNDS=5` takes some minutes. */
const rounds = 20 * factor;
const program = useProgram(join(import.meta.dirname, 'parts/references-process.ts'));

interface Service {
  readonly child: ChildProcess;
  readonly port: number;
}

let deployment: Deployment;
let db: Db;
let services: Service[] = [];

/**
 * The processes give a record different numbers of latches: what one of them has made is shut and removed by the other
 * one, too.
 */
const latches = [3, 64];

async function start(index: number): Promise<Service> {
  const child = fork(program, [deployment.uri, 'race', String(latches[index])], { execArgv: [] });
  const [port] = await once(child, 'message');
  return { child, port: port as number };
}

async function kill({ child }: Service): Promise<void> {
  const gone = once(child, 'exit');
  child.kill('SIGKILL');
  await gone;
}

beforeAll(async () => {
  deployment = await startMongods(1);
  // A minute by default: the database ends the transaction of a process that is gone.
  await limitTransactions(deployment, 1);
  db = deployment.admin.db('race');
  for (const name of ['projects', 'jobs', 'steps']) await db.createCollection(name);
  services = await Promise.all([start(0), start(1)]);
});
afterAll(async () => {
  await Promise.all(services.map(kill));
  await deployment.stop();
});

/** The status of an answer; 0 if the process was killed before it. */
async function ask(index: number, method: string, path: string, body?: object): Promise<number> {
  const { port } = services[index % services.length] as Service;
  return send(port, method, path, { body }).then(
    ({ status }) => status,
    () => 0,
  );
}

/**
 * A random moment of the round: what is killed in the midst of what is the subject of the test, and each round is
 * another case.
 */
const atRandom = (mostMS: number) => delay(Math.random() * mostMS);

describe(`references that hold, in ${rounds} rounds of two processes, one of which is killed in each`, () => {
  it('leave no orphan, and every answer is true', async () => {
    const statuses = new Set<string>();
    const lies: string[] = [];
    const has = async (name: string, _id: string) => (await db.collection<{ _id: string }>(name).countDocuments({ _id })) > 0;
    for (let round = 0; round < rounds; round++) {
      const project = `p${round}`;
      await db.collection<{ _id: string; owner: string }>('projects').insertOne({ _id: project, owner: 'ann' });
      await db.collection<{ _id: string; projectId: string }>('jobs').insertOne({ _id: `${project}-0`, projectId: project });
      const create = async (index: number) => {
        await atRandom(60);
        const id = `${project}-${index}`;
        const path = index % 4 === 0 ? 'steps' : 'jobs';
        const status = await ask(index, 'POST', `/api/${path}`, {
          id,
          ...(path === 'steps' ? { jobId: `${project}-0` } : { projectId: project }),
        });
        statuses.add(`create ${status}`);
        if (![0, 201].includes(status) && (await has(path, id))) lies.push(`${id}: answered ${status}, and is there`);
      };
      const remove = async () => {
        await atRandom(60);
        const status = await ask(round, 'DELETE', `/api/projects/${project}`);
        statuses.add(`delete ${status}`);
        if (status !== 0 && (await has('projects', project)) === (status === 204)) lies.push(`${project}: a delete answered ${status}`);
      };
      const killed = round % 2;
      const killOne = async () => {
        await atRandom(90);
        await kill(services[killed] as Service);
      };
      await Promise.all([remove(), killOne(), ...Array.from({ length: 24 }, (_, index) => create(index + 1))]);
      services[killed] = await start(killed);
      // What the killed process has locked is free again in time: also a record that it was about to delete.
      const after = await ask(1 - killed, 'POST', '/api/jobs', { id: `${project}-after`, projectId: project });
      expect([201, 422]).toContain(after);
      expect(await countOrphans(db)).toBe(0);
    }
    expect(lies).toEqual([]);
    expect([...statuses].filter((status) => !['create 0', 'create 201', 'create 422', 'delete 0', 'delete 204'].includes(status))).toEqual(
      [],
    );
  });
});
