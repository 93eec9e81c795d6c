import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import { MongoClient } from 'mongodb';
import { unlessOnWine } from '../support/database/on-wine.ts';

// The first start on a machine may have to fetch the binary.

const script = join(import.meta.dirname, '../support/processes/hold-replica-set.ts');

interface Stage {
  /** An empty folder, which is also the one for temporary files. */
  readonly folder: string;
  readonly dbPath: string;
  /**
   * Starts a replica set in a process of its own, and waits for the line it prints: the connection string or why there
   * is none.
   */
  hold(dbPath: string, env?: NodeJS.ProcessEnv, patience?: number): Promise<{ holder: ChildProcess; said: string }>;
}

describe('startReplicaSet', () => {
  unlessOnWine(it, 'it writes a process id into its folder that is not its own')(
    'holds a folder alone, and keeps its data over a restart, on another port',
    onStage(async ({ dbPath, hold }) => {
      const first = await hold(dbPath);
      await withClient(first.said, (client) => client.db('kept').collection('things').insertOne({ name: 'a' }));
      const { said } = await hold(dbPath, {}, 500);
      expect(said).toMatch(
        /^The data folder \S+ is in use by another mongod, process \d+ of `.*`, process \d+\. Stop that process, or choose another folder\.$/,
      );
      expect(said).toContain(dbPath);
      expect(said).toContain('hold-replica-set.ts');
      expect(said).toContain(`process ${first.holder.pid}.`);
      await end(first.holder);
      expect(first.holder.exitCode).toBe(0);

      const second = await hold(dbPath);
      expect(second.said).not.toBe(first.said);
      const names = await withClient(second.said, async (client) => {
        await client.db('kept').collection('things').insertOne({ name: 'b' });
        return client.db('kept').collection('things').distinct('name');
      });
      expect(names).toEqual(['a', 'b']);
    }),
  );

  it(
    'can do transactions, leaves a MongoDB alone that ran before, and removes its temporary data folder when it stops',
    onStage(async ({ folder, hold }) => {
      const dataFolders = async () => (await readdir(folder)).filter((name) => name.startsWith('koa-mongo-resource-'));
      const running = await hold('');
      expect(await dataFolders()).toHaveLength(1);
      const { holder, said } = await hold('', { MONGODB_URI: running.said });
      expect(said).toBe(running.said);
      await end(holder);
      const inserted = await withClient(running.said, (client) =>
        client.withSession((session) =>
          session.withTransaction(() => client.db('a').collection<{ _id: number }>('b').insertOne({ _id: 1 }, { session })),
        ),
      );
      expect(inserted.insertedId).toBe(1);
      await end(running.holder);
      expect(await dataFolders()).toEqual([]);
    }),
  );

  it(
    'leaves no mongod behind, however its process ends, and starts again on the folder',
    onStage(async ({ dbPath, hold }) => {
      let held = await hold(dbPath);
      for (const signal of ['SIGKILL', 'SIGTERM', 'SIGINT'] as const) {
        const { holder, said } = held;
        holder.kill(signal);
        await once(holder, 'exit');
        held = await hold(dbPath);
        expect([signal, held.said]).toEqual([signal, expect.stringMatching(/^mongodb:/)]);
        expect([signal, await isListening(said)]).toEqual([signal, false]);
      }
    }),
  );

  it(
    'says that nothing answers at MONGODB_URI',
    onStage(async ({ hold }) => {
      const { said } = await hold('', { MONGODB_URI: 'mongodb://127.0.0.1:1' });
      expect(said).toMatch(/^MONGODB_URI is set, but no MongoDB answers there within 5 s: /);
    }),
  );
});

function onStage(play: (stage: Stage) => Promise<void>): () => Promise<void> {
  return async () => {
    const folder = await mkdtemp(join(tmpdir(), 'koa-mongo-resource-test-'));
    const holders: ChildProcess[] = [];
    const hold: Stage['hold'] = async (dbPath, env, patience) => {
      const holder = spawn(process.execPath, ['--import', 'tsx', script, dbPath, ...(patience === undefined ? [] : [`${patience}`])], {
        env: { ...process.env, MONGODB_URI: '', TMPDIR: folder, ...env },
        stdio: ['pipe', 'pipe', 'ignore'],
      });
      holders.push(holder);
      const [said] = await once(createInterface(holder.stdout), 'line');
      return { holder, said };
    };
    try {
      await play({ folder, dbPath: join(folder, 'data'), hold });
    } finally {
      await Promise.all(holders.map(end));
      await rm(folder, { recursive: true, force: true });
    }
  };
}

async function end(holder: ChildProcess): Promise<void> {
  if (holder.exitCode !== null || holder.signalCode !== null) return;
  holder.stdin?.end();
  await once(holder, 'exit');
}

async function withClient<T>(uri: string, work: (client: MongoClient) => Promise<T>): Promise<T> {
  const client = await MongoClient.connect(uri);
  try {
    return await work(client);
  } finally {
    await client.close();
  }
}

async function isListening(uri: string): Promise<boolean> {
  const socket = connect(Number(new URL(uri).port), '127.0.0.1');
  const answer = await Promise.race([
    once(socket, 'connect').then(
      () => true,
      () => false,
    ),
    delay(2_000, false),
  ]);
  socket.destroy();
  return answer;
}
