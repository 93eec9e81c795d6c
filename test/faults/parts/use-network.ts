import { type Deployment, startMongods } from './mongods.ts';
import { Network } from './network.ts';

/** Both are there from `beforeAll` on, not while a test file is being read. */
interface Between {
  readonly deployment: Deployment;
  /** Leads to its only member. */
  readonly network: Network;
}

/** Gives a test file a set of one member, and a network in front of it that can be disturbed. */
export function useNetwork(): Between {
  const between = {} as { deployment: Deployment; network: Network };
  beforeAll(async () => {
    between.deployment = await startMongods(1);
    between.network = await Network.to(between.deployment.members[0]?.host ?? '');
  });
  afterAll(async () => {
    await between.network.close();
    await between.deployment.stop();
  });
  return between;
}
