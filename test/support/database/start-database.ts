import { type ReplicaSet, startReplicaSet } from '../../../dev/replica-set.ts';

declare global {
  /** Jest runs the setup and the teardown as two modules in one process. */
  var replicaSetOfTests: ReplicaSet | undefined;
}

/** Runs once before the tests with a database, and not at all when none of them is asked for. */
export default async function startDatabase(): Promise<void> {
  if (process.env.MONGODB_URI) return void (await startReplicaSet());
  globalThis.replicaSetOfTests = await startReplicaSet();
  process.env.MONGODB_URI = globalThis.replicaSetOfTests.uri;
}
