/** The longest delay of an alarm, in milliseconds. */
const tickMS = 50;

/** A function that waits for its time. */
export class Alarm {
  readonly due: number;
  #ring: (() => void) | undefined;

  constructor(due: number, ring: () => void) {
    this.due = due;
    this.#ring = ring;
  }

  /** Whether it has neither rung nor been cancelled. */
  get isSet(): boolean {
    return this.#ring !== undefined;
  }

  /** Prevents the call. */
  cancel(): void {
    this.#ring = undefined;
  }

  /** Calls the function, once. */
  ring(): void {
    const ring = this.#ring;
    this.#ring = undefined;
    ring?.();
  }
}

/**
 * Calls functions after a time, up to 50 ms late. All of them share one timer of Node, which runs only while a function
 * waits: every request and every command has a deadline, and few deadlines are reached. The timer does not keep the
 * process alive.
 */
class CoarseTimer {
  /** With those that were cancelled since the last tick: taking each out would cost more than all the rest. */
  #alarms: Alarm[] = [];
  #ticking: NodeJS.Timeout | undefined;

  /** Calls `ring` after `ms` milliseconds. `ring` must not throw. */
  after(ms: number, ring: () => void): Alarm {
    const alarm = new Alarm(performance.now() + ms, ring);
    this.#alarms.push(alarm);
    this.#ticking ??= setInterval(() => this.#tick(), tickMS).unref();
    return alarm;
  }

  #tick(): void {
    const now = performance.now();
    const set = this.#alarms.filter(({ isSet }) => isSet);
    const due = set.filter((alarm) => alarm.due <= now);
    this.#alarms = due.length > 0 ? set.filter((alarm) => alarm.due > now) : set;
    // After a pause of the whole process, what has arrived meanwhile comes first: it may cancel the alarm.
    if (due.length > 0) setImmediate(() => ringAll(due));
    if (this.#alarms.length > 0) return;
    clearInterval(this.#ticking);
    this.#ticking = undefined;
  }
}

function ringAll(alarms: readonly Alarm[]): void {
  for (const alarm of alarms) alarm.ring();
}

/** The timer of this process. */
export const coarseTimer = new CoarseTimer();
