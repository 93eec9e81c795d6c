import { startReplicaSet } from '../../../dev/replica-set.ts';
import { afterRun } from '../jest/after-run.ts';
import chooseMongod from './choose-mongod.ts';

/**
 * Runs once before the tests with a database. The end of the run ends the replica set, and forgets its address: the
 * next run of a watch starts its own.
 */
export default async function startDatabase(): Promise<void> {
  await chooseMongod();
  const given = process.env.MONGODB_URI;
  const set = await startReplicaSet();
  process.env.MONGODB_URI = set.uri;
  afterRun(async () => {
    if (given) return;
    await set.stop();
    delete process.env.MONGODB_URI;
  });
}
