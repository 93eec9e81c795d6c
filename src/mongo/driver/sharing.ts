import { inParts, type Sizes } from './in-parts.ts';
import { roomAfter } from './rough-size.ts';
import { currentTrace, type RequestTrace, runFor } from './trace/request-trace.ts';
import type { Command } from './work.ts';

/** One that waits to share a round trip. */
export interface Waiting<Item, Result> {
  readonly item: Item;
  readonly command: Command;
  readonly trace: RequestTrace | undefined;
  readonly resolve: (result: Result | PromiseLike<Result>) => void;
  readonly reject: (error: unknown) => void;
}

/** The most that share a round trip. More would not save more. */
const mostShared = 64;
/** The most bytes that are written by a shared round trip, estimated. What is larger goes alone. */
const mostBytes = 1_048_576;

/** The sizes of documents that are written together. */
export const roughSizes: Sizes<object> = { most: mostBytes, of: (document) => mostBytes - roomAfter(document, mostBytes) };

/** Divides those that wait into parts for one round trip each. */
export function shares<Item, Result>(
  waiting: readonly Waiting<Item, Result>[],
  sizes?: Sizes<Item>,
): Iterable<readonly Waiting<Item, Result>[]> {
  return inParts(waiting, mostShared, sizes && { most: sizes.most, of: ({ item }) => sizes.of(item) });
}

/**
 * Sends what arrives while others are under way together, instead of one round trip each. It waits until the event loop
 * has handled the requests that have already arrived (`setImmediate`), never for an answer of the database.
 *
 * One that was aborted meanwhile is left out. The others are sent for the request of the first of them.
 */
export class Sharing<Item, Result> {
  readonly #send: (members: readonly Waiting<Item, Result>[]) => Promise<void>;
  readonly #sizes: Sizes<Item> | undefined;
  #underWay = 0;
  #waiting: (Waiting<Item, Result> & { readonly group: unknown })[] = [];

  constructor(send: (members: readonly Waiting<Item, Result>[]) => Promise<void>, sizes?: Sizes<Item>) {
    this.#send = send;
    this.#sizes = sizes;
  }

  /** Whether others are under way. */
  get isBusy(): boolean {
    return this.#underWay > 0;
  }

  /** Sends something, which is under way until it is answered. */
  async count<T>(send: () => Promise<T>): Promise<T> {
    this.#underWay++;
    try {
      return await send();
    } finally {
      this.#underWay--;
    }
  }

  /** Waits for those of the same group that arrive in this turn, and is sent with them. */
  join(item: Item, command: Command, group: unknown): Promise<Result> {
    return new Promise((resolve, reject) => {
      if (this.#waiting.length === 0) setImmediate(() => this.#flush());
      this.#waiting.push({ item, command, group, trace: currentTrace.getStore(), resolve, reject });
    });
  }

  #flush(): void {
    const groups = new Map<unknown, Waiting<Item, Result>[]>();
    for (const one of this.#waiting.splice(0)) {
      const { aborted } = one.command;
      const group = groups.get(one.group);
      if (aborted) one.reject(aborted.reason);
      else if (group) group.push(one);
      else groups.set(one.group, [one]);
    }
    for (const group of groups.values())
      for (const members of shares(group, this.#sizes)) void runFor(members[0]?.trace, () => this.#send(members));
  }
}
