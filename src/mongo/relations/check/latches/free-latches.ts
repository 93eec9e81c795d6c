import { Problem } from '../../../../errors.ts';

/** A latch that one writer of this process has. */
export interface TakenLatch {
  readonly n: number;
  /** Gives the latch back. */
  release(): void;
  /** Says that another process has written the latch at the same time. */
  isContended(): void;
  /** Says that the record does not have the latch any more. */
  isLost(): void;
}

/** One that waits for a latch. */
type Waiting = (n: number) => void;

/** The latches of one record, as far as this process knows them. */
interface Known {
  /** How many latches the record has, as far as this process knows: one until two writers meet. */
  count: number;
  /**
   * The latches that are free in this process. The last one is taken first: another process is likely to use the
   * others.
   */
  free: number[];
  /** How often the record has lost its latches. */
  losses: number;
  /** Whether more latches could not be made, or are being made. */
  isGrowing: boolean;
  /** Whether another process has written a latch at the same time. */
  isContended: boolean;
  /** How many have a latch or wait for one. */
  users: number;
  readonly waiting: Set<Waiting>;
}

/** The most records to remember while their latches are unused. */
const mostRemembered = 1_000;

/**
 * The latches that are free in this process: two writers of one process never have the same one. A record has one latch
 * until two writers meet at it, and then all. A writer that finds none free waits for one.
 */
export class FreeLatches {
  readonly #used = new Map<string, Known>();
  /** Records whose latches are all unused, the most recently used last. */
  readonly #unused = new Map<string, Known>();

  /**
   * Takes a latch of a record, which gets up to `most`. `grow` makes the missing ones, and returns how many there are
   * then; 0 if there can be none. Throws a 503 after `maxTimeMS`.
   */
  async take(key: string, most: number, grow: () => Promise<number>, maxTimeMS: number): Promise<TakenLatch> {
    const known = this.#used.get(key) ?? this.#unused.get(key) ?? newRecord();
    this.#unused.delete(key);
    this.#used.set(key, known);
    known.users++;
    if (known.count < most && (known.free.length === 0 || known.isContended)) this.#grow(key, known, grow);
    try {
      const n = known.free.pop() ?? (await waitFor(known, maxTimeMS));
      return this.#taken(key, known, n);
    } catch (error) {
      this.#leave(key, known);
      throw error;
    }
  }

  #taken(key: string, known: Known, n: number): TakenLatch {
    const { losses } = known;
    let [isContended, isReleased] = [false, false];
    return {
      n,
      release: () => {
        if (isReleased) return;
        isReleased = true;
        if (n === 0 || losses === known.losses) giveBack(known, n, isContended);
        this.#leave(key, known);
      },
      isContended() {
        isContended = true;
        known.isContended = true;
      },
      isLost() {
        if (losses !== known.losses) return;
        Object.assign(known, { losses: losses + 1, count: 1, free: known.free.filter((one) => one === 0) });
      },
    };
  }

  /** Gives new latches to the waiting writes. If none can be made, they wait for the first free one. */
  #grow(key: string, known: Known, grow: () => Promise<number>): void {
    if (known.isGrowing) return;
    known.isGrowing = true;
    known.users++;
    const { losses } = known;
    grow()
      .then((count) => {
        if (count === 0 || losses !== known.losses) return;
        const made = shuffled(known.count, count);
        Object.assign(known, { count, isGrowing: false, isContended: false });
        for (const n of made) giveBack(known, n, true);
      })
      .catch(() => undefined) // the record may be locked for long: the first latch is enough
      .finally(() => this.#leave(key, known));
  }

  #leave(key: string, known: Known): void {
    known.users--;
    if (known.users > 0) return;
    this.#used.delete(key);
    if (known.count === 1) return;
    this.#unused.set(key, known);
    const [oldest = key] = this.#unused.keys();
    if (this.#unused.size > mostRemembered) this.#unused.delete(oldest);
  }
}

function newRecord(): Known {
  return { count: 1, free: [0], losses: 0, isGrowing: false, isContended: false, users: 0, waiting: new Set() };
}

/** Gives a latch to the first that waits. One that another process uses is taken last the next time. */
function giveBack(known: Known, n: number, isTakenLast: boolean): void {
  const [first] = known.waiting;
  if (first) {
    known.waiting.delete(first);
    first(n);
  } else if (isTakenLast) known.free.unshift(n);
  else known.free.push(n);
}

function waitFor({ waiting }: Known, maxTimeMS: number): Promise<number> {
  return new Promise((resolve, reject) => {
    const wake: Waiting = (n) => {
      clearTimeout(timer);
      resolve(n);
    };
    const timer = setTimeout(() => {
      waiting.delete(wake);
      const detail =
        'Other writes that refer to the same record have not ended within the time of this one; nothing was written. Try again.';
      reject(new Problem({ code: 'write_conflict', detail }));
    }, maxTimeMS);
    waiting.add(wake);
  });
}

/** The numbers of latches from the first new one on, in an order that another process does not have. */
function shuffled(first: number, count: number): number[] {
  const numbers = Array.from({ length: count - first }, (_, index) => first + index);
  for (let last = numbers.length - 1; last > 0; last--) {
    const other = Math.floor(Math.random() * (last + 1));
    [numbers[last], numbers[other]] = [numbers[other] as number, numbers[last] as number];
  }
  return numbers;
}
