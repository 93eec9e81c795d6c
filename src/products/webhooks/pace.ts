/** What has become of a request to a receiver. */
interface Ended {
  /** Whether it seems that no other request could have succeeded either. */
  readonly isDown: boolean;
  /** How long the receiver asks to be left alone, in milliseconds. */
  readonly retryAfter?: number | undefined;
}

/** What is known of a receiver that has requests, or has failed. */
interface Receiver {
  /** When its requests that run have begun, the oldest first. */
  readonly running: Set<{ readonly at: number }>;
  /** How long an answer takes, in milliseconds: the last ones count most. */
  typical: number;
  /** How often in a row it was down. */
  failures: number;
  /** Until when nothing is sent to it, and when that was decided. */
  until: number;
  decidedAt: number;
  /** The time that was given to the last one who has to wait. */
  lastSlot: number;
}

/** A turn, or how long to wait for one, in milliseconds. */
type Turn = { readonly end: (how: Ended) => void } | { readonly wait: number };

/** The bounds of the distance of those who wait for the same receiver, in milliseconds. */
const [narrowest, widest] = [1, 50];
/** How much the last answer counts in what is typical. */
const weight = 0.25;

/**
 * Bounds what a process sends to each receiver, so that one which is slow or dead takes neither all the places of the
 * others nor a request for each event. What is known of a receiver is forgotten with the process.
 */
export class Pace {
  readonly #receivers = new Map<string, Receiver>();
  readonly #most: number;
  readonly #first: number;
  readonly #longest: number;

  /** The most requests to a receiver at the same time, and its shortest and its longest pause, in milliseconds. */
  constructor(most: number, first: number, longest: number) {
    this.#most = most;
    this.#first = first;
    this.#longest = longest;
  }

  /** Begins a request to a receiver, or says when to ask again. */
  begin(key: string): Turn {
    const now = performance.now();
    const receiver = this.#receivers.get(key) ?? { running: new Set(), typical: 0, failures: 0, until: 0, decidedAt: 0, lastSlot: 0 };
    this.#receivers.set(key, receiver);
    if (receiver.until > now || receiver.running.size >= this.#most) {
      receiver.lastSlot = Math.max(receiver.lastSlot, receiver.until, now) + this.#distance(receiver, now);
      return { wait: receiver.lastSlot - now };
    }
    const begun = { at: now };
    receiver.running.add(begun);
    return { end: (how) => this.#end(key, receiver, begun, how) };
  }

  /** About as long as it takes until another request may begin, but in a pause: an error may come at once. */
  #distance({ running, typical, until }: Receiver, now: number): number {
    if (until > now) return widest;
    const [oldest] = running;
    const expected = Math.max(typical, oldest ? now - oldest.at : 0) / this.#most;
    return Math.min(widest, Math.max(narrowest, expected));
  }

  #end(key: string, receiver: Receiver, begun: { readonly at: number }, { isDown, retryAfter = 0 }: Ended): void {
    receiver.running.delete(begun);
    if (!isDown) {
      const took = performance.now() - begun.at;
      receiver.typical = receiver.typical === 0 ? took : receiver.typical + weight * (took - receiver.typical);
      receiver.failures = 0;
    } else if (begun.at >= receiver.decidedAt) {
      const pause = Math.min(this.#longest, this.#first * 2 ** receiver.failures++) * (0.5 + Math.random() / 2);
      receiver.decidedAt = performance.now();
      receiver.until = receiver.decidedAt + Math.max(pause, retryAfter);
    }
    if (receiver.running.size === 0 && receiver.failures === 0) this.#receivers.delete(key);
  }
}
