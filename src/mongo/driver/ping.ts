import type { Db, MongoClient } from 'mongodb';
import { askWithin } from './ask-within.ts';
import { type Need, needOf, type Reachability, reachabilityOf } from './reachability.ts';

/** The time limit of a ping, in milliseconds. */
const limitMS = 1_000;

/**
 * Compiles a ping of the database. It returns false if the database does not answer within a second. Concurrent calls
 * share one command and its answer, so that any number of probes costs one command at a time.
 */
export function compilePing(db: Db): () => Promise<boolean> {
  const pools = poolsOf(db.client);
  let running: Promise<boolean> | undefined;
  return function ping() {
    running ??= answers(db, pools).finally(() => {
      running = undefined;
    });
    return running;
  };
}

async function answers(db: Db, pools: Pools): Promise<boolean> {
  const readPreference = db.readPreference ?? 'primary'; // as for the api's own reads, for which a secondary may suffice
  let isHandedOver = false;
  const value = {
    toBSON() {
      isHandedOver = true;
      return 1;
    },
  };
  try {
    await askWithin(limitMS, (signal) => db.command({ ping: value }, { signal, readPreference }));
    return true;
  } catch {
    return !isHandedOver && pools.isAnyBusy(needOf(db.readPreference?.mode));
  }
}

/**
 * Tells whether a ping of a client has failed only because no connection was free. Slow queries that use all
 * connections are no reason to take an instance out of a load balancer while the database is healthy: all other
 * instances would follow.
 */
class Pools {
  readonly #client: MongoClient;
  readonly #reachability: Reachability;
  /** The ids of the connections in use, by the address of their server. */
  readonly #inUse = new Map<string, Set<number | '<monitor>'>>();
  /** The time of the last successful heartbeat, by the address of the server. */
  readonly #heardAt = new Map<string, number>();
  readonly #begunAt = performance.now();

  constructor(client: MongoClient) {
    this.#client = client;
    this.#reachability = reachabilityOf(client);
    client.on('connectionCheckedOut', ({ address, connectionId }) => {
      const ids = this.#inUse.get(address) ?? new Set();
      this.#inUse.set(address, ids.add(connectionId));
    });
    client.on('connectionCheckedIn', ({ address, connectionId }) => this.#inUse.get(address)?.delete(connectionId));
    client.on('serverHeartbeatSucceeded', ({ connectionId }) => this.#heardAt.set(connectionId, performance.now()));
  }

  /** Whether a server that could have answered has all its connections in use, and is still heard of. */
  isAnyBusy(need: Need): boolean {
    const { maxPoolSize } = this.#client.options;
    return this.#reachability
      .addressesFor(need)
      .some((address) => this.#inUse.get(address)?.size === maxPoolSize && this.#isHeardOf(address));
  }

  /** The driver's monitor hears from a healthy server at least once in each period of its heartbeat. */
  #isHeardOf(address: string): boolean {
    const heardAt = this.#heardAt.get(address) ?? this.#begunAt;
    return performance.now() - heardAt <= this.#client.options.heartbeatFrequencyMS + limitMS;
  }
}

/** One `Pools` for each client, so that several apis do not add listeners several times. */
const known = new WeakMap<MongoClient, Pools>();

function poolsOf(client: MongoClient): Pools {
  const pools = known.get(client) ?? new Pools(client);
  known.set(client, pools);
  return pools;
}
