import type { MongoClient, ReadPreferenceMode, ServerDescription, TopologyDescription } from 'mongodb';
import { type Alarm, coarseTimer } from './coarse-timer.ts';

/** The kind of server that a command needs: one that takes writes, any that may be read from, or a secondary. */
export type Need = 'primary' | 'any' | 'secondary';

/** A command that waits for its answer. */
interface Waiting {
  readonly need: Need;
  /** Called when no server that it could use has been known for a second. */
  giveUpOnServers(): void;
}

/** How long a command waits while no server is known, in milliseconds: an election may bring a new primary. */
const patienceMS = 1000;

const writable = ['RSPrimary', 'Standalone', 'Mongos', 'LoadBalancer'];
const usable: Readonly<Record<Need, ReadonlySet<string>>> = {
  primary: new Set(writable),
  any: new Set([...writable, 'RSSecondary']),
  secondary: new Set([...writable.slice(1), 'RSSecondary']),
};
const needs = Object.keys(usable) as Need[];

/** The kind of server that a read with this read preference needs. */
export function needOf(mode: ReadPreferenceMode = 'primary'): Need {
  return mode === 'primary' || mode === 'secondary' ? mode : 'any';
}

/**
 * Knows from the driver's own monitoring whether a client has a server for a command. Requests fail at once while it
 * has none. The driver itself would look for a server for 30 seconds by default.
 */
export class Reachability {
  readonly #client: MongoClient;
  readonly #waiting = new Set<Waiting>();
  /** Since when no server of a kind is known. Empty until the client has connected. */
  readonly #lostAt = new Map<Need, number>();
  #description: TopologyDescription | undefined;
  /**
   * Whether any server has ever answered, even one that takes no writes. Until then the client has not lost a server.
   */
  #hasConnected = false;
  #hasTransactionNumbers = false;
  #alarm: Alarm | undefined;
  #isAsking = false;
  /** Functions that wait until a server has answered. */
  readonly #untilKnown: (() => void)[] = [];

  constructor(client: MongoClient) {
    this.#client = client;
    const present = presentDescription(client);
    if (present) this.#learn(present);
    client.on('topologyDescriptionChanged', ({ newDescription }) => this.#learn(newDescription));
  }

  /** Whether commands pass through a router, whose network errors do not say what a shard has done. */
  get isRouted(): boolean {
    const type = this.#description?.type;
    return type === 'Sharded' || type === 'LoadBalanced';
  }

  /** Whether the client is known to be connected to one server that belongs to no replica set. */
  get isStandalone(): boolean {
    return [...(this.#description?.servers.values() ?? [])].some(({ type }) => type === 'Standalone');
  }

  /**
   * Whether writes may have a transaction number, by which they can be retried: only a standalone server takes none.
   * False until a server is known.
   */
  get hasTransactionNumbers(): boolean {
    return this.#hasTransactionNumbers;
  }

  /** Calls a function if the client is connected to a standalone server: at once, or when a server has answered. */
  whenStandalone(run: () => void): void {
    if (!this.#hasConnected) this.#untilKnown.push(run);
    else if (this.isStandalone) run();
  }

  /** Whether no server that could take the command is known at the moment. */
  isWithout(need: Need): boolean {
    return this.#description !== undefined && !hasServer(this.#description, need);
  }

  /** The addresses of the servers that could take the command. */
  addressesFor(need: Need): string[] {
    return this.#description ? serversFor(this.#description, need).map(({ address }) => address) : [];
  }

  /**
   * Whether no server that could take the command has been known for more than a second. If so, it also starts a ping
   * in the background: the driver looks for servers only every ten seconds unless a command waits for one.
   */
  isAway(need: Need): boolean {
    const lostAt = this.#lostAt.get(need);
    if (lostAt === undefined || performance.now() - lostAt <= patienceMS) return false;
    void this.#askAgain();
    return true;
  }

  /** Tells the command when its servers have been away for too long. It stops with {@link forget}. */
  watch(waiting: Waiting): void {
    this.#waiting.add(waiting);
  }

  /** Stops what {@link watch} has started. */
  forget(waiting: Waiting): void {
    this.#waiting.delete(waiting);
  }

  #learn(description: TopologyDescription): void {
    this.#description = description;
    this.#hasConnected ||= hasAnswered(description);
    const known = [...description.servers.values()].filter(({ type }) => type !== 'Unknown');
    if (known.length > 0) this.#hasTransactionNumbers = known.every(({ type }) => type !== 'Standalone');
    if (this.#hasConnected) for (const run of this.#untilKnown.splice(0)) this.whenStandalone(run);
    for (const need of needs) {
      if (hasServer(description, need)) this.#lostAt.delete(need);
      else if (this.#hasConnected && !this.#lostAt.has(need)) this.#lose(need);
    }
  }

  #lose(need: Need): void {
    this.#lostAt.set(need, performance.now());
    this.#alarm ??= coarseTimer.after(patienceMS + 1, () => this.#tellWaiting());
  }

  #tellWaiting(): void {
    this.#alarm = undefined;
    for (const waiting of this.#waiting) if (this.isAway(waiting.need)) waiting.giveUpOnServers();
    const isWaitedFor = [...this.#lostAt.values()].some((lostAt) => performance.now() - lostAt <= patienceMS);
    if (isWaitedFor) this.#alarm = coarseTimer.after(patienceMS, () => this.#tellWaiting());
  }

  async #askAgain(): Promise<void> {
    if (this.#isAsking) return;
    this.#isAsking = true;
    try {
      await this.#client.db('admin').command({ ping: 1 }, { signal: AbortSignal.timeout(patienceMS) });
    } catch {
      // It is still away.
    } finally {
      this.#isAsking = false;
    }
  }
}

/** One `Reachability` for each client, even if it serves many models. */
const watched = new WeakMap<MongoClient, Reachability>();

/** The `Reachability` of a client. */
export function reachabilityOf(client: MongoClient): Reachability {
  const known = watched.get(client) ?? new Reachability(client);
  watched.set(client, known);
  return known;
}

/**
 * The description that a connected client has already. The driver does not publish it; if it is missing, the next
 * change brings one.
 */
function presentDescription(client: MongoClient): TopologyDescription | undefined {
  return (client as { readonly topology?: { readonly description?: TopologyDescription } }).topology?.description;
}

function hasAnswered({ servers }: TopologyDescription): boolean {
  return [...servers.values()].some(({ type }) => type !== 'Unknown' && type !== 'PossiblePrimary');
}

function hasServer(description: TopologyDescription, need: Need): boolean {
  return serversFor(description, need).length > 0;
}

function serversFor({ type, servers }: TopologyDescription, need: Need): ServerDescription[] {
  const all = [...servers.values()];
  if (type === 'Single') return all.filter((one) => one.type !== 'Unknown'); // the driver uses a single server for every command
  return all.filter((one) => usable[need].has(one.type));
}
