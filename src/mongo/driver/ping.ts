import type { Db, MongoClient } from 'mongodb';
import { askWithin } from './ask-within.ts';
import { type Need, needOf, type Reachability, reachabilityOf } from './reachability.ts';

/** How long the database has to answer whether it is there, in milliseconds. */
const limitMS = 1_000;

/**
 * Asks the database whether it is there: false where it has not answered within a second. Those who ask while another one waits get the same
 * answer, so that probes cost one command at a time, however many there are.
 */
export function compilePing(db: Db): () => Promise<boolean> {
  const pools = poolsOf(db.client);
  let asked: Promise<boolean> | undefined;
  return function ping() {
    asked ??= isThere(db, pools).finally(() => {
      asked = undefined;
    });
    return asked;
  };
}

async function isThere(db: Db, pools: Pools): Promise<boolean> {
  const readPreference = db.readPreference ?? 'primary'; // of the commands of an api: a secondary may suffice for them
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
 * Knows of a client whether a ping has waited for a connection only: slow queries that hold all of them are no reason to take an instance out
 * of a balancer, and with it all the others, while the database is well.
 */
class Pools {
  readonly #client: MongoClient;
  readonly #reachability: Reachability;
  /** The connections of each server, by its address, that a command has. */
  readonly #inUse = new Map<string, Set<number | '<monitor>'>>();
  /** When the driver's monitor last heard from a server, by its address. */
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

  /** Whether all connections to a server that could have answered are in use, and the driver hears from it. */
  isAnyBusy(need: Need): boolean {
    const { maxPoolSize } = this.#client.options;
    return this.#reachability
      .addressesFor(need)
      .some((address) => this.#inUse.get(address)?.size === maxPoolSize && this.#isHeardOf(address));
  }

  /** A monitor hears from a server that is well at least once in each period of the driver's heartbeat. */
  #isHeardOf(address: string): boolean {
    const heardAt = this.#heardAt.get(address) ?? this.#begunAt;
    return performance.now() - heardAt <= this.#client.options.heartbeatFrequencyMS + limitMS;
  }
}

/** One for each client, so that many apis do not listen to it many times. */
const known = new WeakMap<MongoClient, Pools>();

function poolsOf(client: MongoClient): Pools {
  const pools = known.get(client) ?? new Pools(client);
  known.set(client, pools);
  return pools;
}
