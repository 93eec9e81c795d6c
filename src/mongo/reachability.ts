import type { MongoClient, TopologyDescription } from 'mongodb';

/** Whether a client knows a server that takes commands, by what the driver tells of its topology. */
export interface Reachability {
  /**
   * The present time without such a server, as a token that is the same for as long as it lasts; undefined while there is one, and before
   * the driver has told anything.
   */
  awaySpell(): object | undefined;
}

/** One listener for a client, however many models it serves. */
const watched = new WeakMap<MongoClient, Reachability>();

/**
 * Watches a client: its own time limit for finding a server (30 s by default) is longer than ours for a command, so when ours has passed
 * this tells a database that is away from one that is slow.
 */
export function watchReachability(client: MongoClient): Reachability {
  const known = watched.get(client);
  if (known) return known;
  let spell: object | undefined;
  client.on('topologyDescriptionChanged', ({ newDescription }) => {
    spell = takesCommands(newDescription) ? undefined : (spell ?? {});
  });
  const reachability = { awaySpell: () => spell };
  watched.set(client, reachability);
  return reachability;
}

const writable = new Set<string>(['RSPrimary', 'Standalone', 'Mongos', 'LoadBalancer']);

function takesCommands({ servers }: TopologyDescription): boolean {
  return [...servers.values()].some(({ type }) => writable.has(type));
}
