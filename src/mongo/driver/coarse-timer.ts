/** The longest delay of an alarm, in milliseconds. */
const tickMS = 50;

/** A function that waits for its time. `cancel` prevents the call. */
export interface Alarm {
  cancel(): void;
}

interface Waiting {
  readonly due: number;
  readonly ring: () => void;
}

/**
 * Calls functions after a time, up to 50 ms late. All of them share one timer of Node, which runs only while a function
 * waits: every request and every command has a deadline, and few deadlines are reached. The timer does not keep the
 * process alive.
 */
class CoarseTimer {
  readonly #waiting = new Set<Waiting>();
  #ticking: NodeJS.Timeout | undefined;

  /** Calls `ring` after `ms` milliseconds. `ring` must not throw. */
  after(ms: number, ring: () => void): Alarm {
    const waiting: Waiting = { due: performance.now() + ms, ring };
    this.#waiting.add(waiting);
    this.#ticking ??= setInterval(() => this.#tick(), tickMS).unref();
    return { cancel: () => void this.#waiting.delete(waiting) };
  }

  #tick(): void {
    const now = performance.now();
    const due = [...this.#waiting].filter((waiting) => waiting.due <= now);
    // After a pause of the whole process, what has arrived meanwhile comes first: it may cancel the alarm.
    if (due.length > 0) setImmediate(() => this.#ring(due));
    if (this.#waiting.size > 0) return;
    clearInterval(this.#ticking);
    this.#ticking = undefined;
  }

  #ring(due: readonly Waiting[]): void {
    for (const waiting of due) if (this.#waiting.delete(waiting)) waiting.ring();
  }
}

/** The timer of this process. */
export const coarseTimer = new CoarseTimer();
