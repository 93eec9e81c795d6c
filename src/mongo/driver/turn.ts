import { setTimeout as delay, setImmediate } from 'node:timers/promises';
import { once } from '../../mistakes.ts';

/** Lets other requests run. */
export function pause(): Promise<void> {
  return setImmediate();
}

/** Lets one at a time in, or a few; the others wait in the order in which they came. */
export class Lane {
  readonly #width: number;
  readonly #waiting: (() => void)[] = [];
  #inside = 0;

  constructor(width = 1) {
    this.#width = width;
  }

  /** Resolves when it is this one's turn, with a function that lets the next one in. */
  async enter(): Promise<() => void> {
    if (this.#inside < this.#width) this.#inside++;
    else await new Promise<void>((resolve) => this.#waiting.push(resolve));
    return once(() => {
      const wake = this.#waiting.shift();
      if (wake) wake();
      else this.#inside--;
    });
  }
}

/** Lanes by their keys: whoever has the same key goes one after the other. A lane is there while somebody is in it. */
export class Lanes {
  readonly #lanes = new Map<string, { readonly lane: Lane; users: number }>();

  /** Runs a function when its turn comes, or without a turn after `longestMS`: what is in front may be held up. */
  async run<T>(key: string, longestMS: number, run: () => Promise<T>): Promise<T> {
    const one = this.#lanes.get(key) ?? { lane: new Lane(), users: 0 };
    this.#lanes.set(key, one);
    one.users++;
    const entering = one.lane.enter();
    const stop = new AbortController();
    try {
      if (one.users > 1)
        await Promise.race([entering, delay(longestMS, undefined, { signal: stop.signal, ref: false }).catch(() => undefined)]);
      return await run();
    } finally {
      stop.abort();
      void entering.then((leave) => leave());
      if (--one.users === 0) this.#lanes.delete(key);
    }
  }
}

/** How long a request may work without a pause if it does so in many steps, in milliseconds. */
const mostMS = 10;

/**
 * The time for which a request keeps the event loop while it works in many steps. Promises alone let no other request
 * run: only timers, sockets and `setImmediate` do.
 */
export class Turn {
  #since = performance.now();

  /** Called between two steps. Lets other requests run if this one has worked for 10 ms. */
  async pass(): Promise<void> {
    if (performance.now() - this.#since < mostMS) return;
    await setImmediate();
    this.#since = performance.now();
  }
}
