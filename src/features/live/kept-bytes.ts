import { Problem } from '../../errors.ts';

/** What takes memory for as long as somebody keeps it. */
export interface Kept {
  /** About how many bytes it takes. */
  readonly bytes: number;
}

/** A stream that waits for its client, and since when: a time of `performance`. */
export interface WaitingStream {
  readonly since: number;
  /** Breaks off its connection. */
  destroy(): void;
}

/** For how long a client may take an event while the streams keep too much, in milliseconds. */
const patienceMS = 15_000;

/** How many bytes streams keep, and how many they may keep. What several of them keep is counted once. */
export class KeptBytes {
  readonly #max: number;
  readonly #keepers = new Map<Kept, number>();
  /** In the order in which they began to wait. */
  readonly #sending = new Set<WaitingStream>();
  #bytes = 0;

  constructor(max: number) {
    this.#max = max;
  }

  get bytes(): number {
    return this.#bytes;
  }

  keep(one: Kept): void {
    const keepers = this.#keepers.get(one) ?? 0;
    if (keepers === 0) this.#bytes += one.bytes;
    this.#keepers.set(one, keepers + 1);
  }

  release(one: Kept): void {
    const keepers = this.#keepers.get(one) ?? 0;
    if (keepers > 1) this.#keepers.set(one, keepers - 1);
    else if (this.#keepers.delete(one)) this.#bytes -= one.bytes;
  }

  begin(sending: WaitingStream): void {
    this.#sending.add(sending);
  }

  end(sending: WaitingStream): void {
    this.#sending.delete(sending);
  }

  /**
   * Throws `overloaded` (503) if the streams keep more than they may. Those whose clients are slow to take an event are
   * broken off first, so that slow clients do not keep others from being served.
   */
  refuseIfExceeded(): void {
    if (this.#bytes <= this.#max) return;
    const latest = performance.now() - patienceMS;
    for (const one of this.#sending) {
      if (one.since > latest || this.#bytes <= this.#max) break;
      one.destroy();
    }
    if (this.#bytes > this.#max) throw tooManyBytes(this.#max);
  }
}

/** Keeps one thing at a time. */
export class Keeper<One extends Kept> {
  readonly #kept: KeptBytes;
  #one: One | undefined;

  constructor(kept: KeptBytes) {
    this.#kept = kept;
  }

  get one(): One | undefined {
    return this.#one;
  }

  /** Keeps another one from now on, or none. */
  keep(one: One | undefined): void {
    const before = this.#one;
    if (one) this.#kept.keep(one);
    if (before) this.#kept.release(before);
    this.#one = one;
  }
}

function tooManyBytes(max: number): Problem {
  const detail = `The live lists that are open keep as many bytes as they may (${max}); try again in a few seconds.`;
  return new Problem({ code: 'overloaded', detail, headers: { 'retry-after': '5' } });
}
