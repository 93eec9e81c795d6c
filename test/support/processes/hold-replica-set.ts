/**
 * A process of its own for the tests of `startReplicaSet`: `hold-replica-set.ts [data folder [patience]]`.
 * It prints the connection string, or the message of the failure, and stops when its standard input ends.
 */
import { once } from 'node:events';
import { startReplicaSet } from '../../../dev/replica-set.ts';

const [dbPath, patience = '30000'] = process.argv.slice(2);
try {
  const replicaSet = await startReplicaSet(dbPath ? { dbPath, patience: Number(patience) } : {});
  console.log(replicaSet.uri);
  await once(process.stdin.resume(), 'end');
  await replicaSet.stop();
} catch (error) {
  console.log((error as Error).message);
  process.exitCode = 1;
}
