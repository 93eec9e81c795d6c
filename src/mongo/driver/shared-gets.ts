import type { Document as BsonDocument } from 'mongodb';
import { coarseTimer } from './coarse-timer.ts';
import type { FirstBatch, ReadFirstBatch, Sending } from './read-batches.ts';
import { Sharing, type Waiting } from './sharing.ts';
import { runFor } from './trace/request-trace.ts';
import type { Command } from './work.ts';

/** A request for one record by its id. */
export interface Get {
  readonly id: unknown;
  /**
   * The id as a text, to find the record in a shared result. Undefined if equal ids may have different texts: such a
   * get is not shared.
   */
  readonly idText: string | undefined;
  /**
   * Whether an id that is not in a complete result does not exist. Otherwise a collation may call ids of different
   * texts equal.
   */
  readonly isExact: boolean;
  /** Gets with the same group may share a command. Undefined: the get is not shared. */
  readonly group: string | undefined;
  /** Makes the `find` command, for one id or for `{ $in: ids }`. */
  build(id: unknown): BsonDocument;
  /** The text of the id of a record that was found. */
  idTextIn(bytes: Uint8Array): string | undefined;
}

type Found = Uint8Array | undefined;

interface Shared {
  readonly get: Get;
  readonly idText: string;
}

/** The most time that a shared command may take. Gets by id take less, unless something is wrong. */
const mostMS = 250;
/** For how long nothing is shared after a shared command has failed. */
const pauseMS = 1_000;
/** A reply of more bytes is not kept alive by a record that is a small part of it. */
const largeReply = 65_536;

/**
 * Sends gets that arrive while others are under way as one `find` with `$in`, instead of one round trip each. A get
 * that arrives alone is sent at once, and the others wait as {@link Sharing} says. A get never joins a command that was
 * sent before it arrived, so that a client reads what it has written.
 *
 * Every get keeps its own deadline. A client that leaves does not abort the command of the others; it is aborted when
 * no request waits for it any more. A shared command has a quarter of the time of one get, and 250 ms at most. If it
 * fails, its records are read alone in the rest of their time, and nothing is shared for a second: no request suffers
 * for another, and an overloaded database is not asked twice.
 */
export class SharedGets {
  readonly #read: ReadFirstBatch;
  readonly #sharing = new Sharing<Shared, Found>((members) => this.#together(members));
  #pausedUntil = 0;

  constructor(read: ReadFirstBatch) {
    this.#read = read;
  }

  /** The BSON bytes of the record; undefined if there is no such record. */
  find(get: Get, command: Command): Promise<Found> {
    if (!this.#sharing.isBusy || command.session || command.causal || performance.now() < this.#pausedUntil)
      return this.#alone(get, command);
    const { idText, group } = get; // only now: most gets arrive alone
    if (idText === undefined || group === undefined) return this.#alone(get, command);
    return this.#sharing.join({ get, idText }, command, `${command.maxTimeMS} ${group}`);
  }

  async #alone(get: Get, command: Command): Promise<Found> {
    const body = get.build(get.id);
    body.filter = command.handOver(body.filter);
    body.limit = 1;
    body.singleBatch = true;
    body.maxTimeMS = command.timeLeft;
    const { found } = await this.#send(body, command);
    return found[0];
  }

  #send(body: BsonDocument, sending: Sending): Promise<FirstBatch> {
    return this.#sharing.count(() => this.#read(body, sending));
  }

  async #together(group: readonly Waiting<Shared, Found>[]): Promise<void> {
    const shared = group.length > 1 ? await this.#findAll(group) : undefined;
    for (const { item, command, trace, resolve, reject } of group) {
      const { get, idText } = item;
      const bytes = shared?.byId.get(idText);
      if (bytes) resolve(bytes);
      else if (command.aborted) reject(command.aborted.reason);
      else if (shared?.isComplete && get.isExact) resolve(undefined);
      else resolve(runFor(trace, () => this.#alone(get, command)));
    }
  }

  /** Finds the records of a group by one command. Undefined if the command fails. */
  async #findAll(group: readonly Waiting<Shared, Found>[]) {
    const [{ item, command }] = group as readonly [Waiting<Shared, Found>];
    const { get } = item;
    const controller = new AbortController();
    const waits = Math.max(1, Math.min(mostMS, Math.floor(command.maxTimeMS / 4)));
    const alarm = coarseTimer.after(waits, () => controller.abort(new Error(`A shared command took more than ${waits} ms.`)));
    let left = group.length;
    for (const one of group) {
      one.command.whenAborted = (reason) => {
        if (--left === 0) controller.abort(reason);
      };
    }
    try {
      const ids = [...new Map(group.map((one) => [one.item.idText, one.item.get.id])).values()];
      const body = { ...get.build({ $in: ids }), batchSize: ids.length + 1, maxTimeMS: waits };
      const { found, isCut } = await this.#send(body, controller);
      const byId = new Map<string | undefined, Uint8Array>();
      for (const bytes of found) {
        const text = get.idTextIn(bytes);
        if (!byId.has(text)) byId.set(text, detach(bytes)); // a view may have several records with one id
      }
      return { byId, isComplete: !isCut };
    } catch {
      if (left > 0) this.#pausedUntil = performance.now() + pauseMS;
      return undefined;
    } finally {
      alarm.cancel();
      for (const one of group) one.command.whenAborted = undefined;
    }
  }
}

function detach(bytes: Uint8Array): Uint8Array {
  const { byteLength } = bytes.buffer;
  return byteLength > largeReply && byteLength > 4 * bytes.byteLength ? new Uint8Array(bytes) : bytes;
}
