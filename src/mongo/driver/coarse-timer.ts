/** How late an alarm may ring. */
const tickMS = 50;

/** Something that is to happen when a time has passed, unless it is cancelled before. */
export interface Alarm {
  cancel(): void;
}

interface Waiting {
  readonly due: number;
  readonly ring: () => void;
}

/**
 * Calls functions when their time has come, up to 50 ms late. One timer of Node serves all of them, and only while somebody waits: every request
 * and every command has a deadline, and hardly any is reached. It does not keep the process alive.
 */
class CoarseTimer {
  readonly #waiting = new Set<Waiting>();
  #ticking: NodeJS.Timeout | undefined;

  /** Calls `ring` when `ms` milliseconds have passed. It must not throw. */
  after(ms: number, ring: () => void): Alarm {
    const waiting: Waiting = { due: performance.now() + ms, ring };
    this.#waiting.add(waiting);
    this.#ticking ??= setInterval(() => this.#tick(), tickMS).unref();
    return { cancel: () => void this.#waiting.delete(waiting) };
  }

  #tick(): void {
    const now = performance.now();
    for (const waiting of this.#waiting) {
      if (waiting.due > now) continue;
      this.#waiting.delete(waiting);
      waiting.ring();
    }
    if (this.#waiting.size > 0) return;
    clearInterval(this.#ticking);
    this.#ticking = undefined;
  }
}

/** The one of this process. */
export const coarseTimer = new CoarseTimer();
