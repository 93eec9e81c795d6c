import './start-database.ts';

/** Ends what the setup has started, and forgets its address: the next run of a watch starts its own. */
export default async function stopDatabase(): Promise<void> {
  if (!globalThis.replicaSetOfTests) return;
  await globalThis.replicaSetOfTests.stop();
  globalThis.replicaSetOfTests = undefined;
  delete process.env.MONGODB_URI;
}
