import { Problem } from '../../../errors.ts';

/** For how long after `recheckEvery` an answer may be on its way, in milliseconds. */
const graceMS = 1_000;
/** The longest delay of a timer of Node, in milliseconds. A longer one would end at once. */
const longestDelayMS = 2 ** 31 - 1;

/**
 * For how long it counts what was last answered about the rights of a caller: for `recheckEvery` and one second, from
 * the moment in which it was asked. Whatever keeps the next answer away, nothing is sent because of an older one.
 */
export class AnsweredRights {
  readonly #every: number;
  readonly #whenDue: () => void;
  readonly #whenLapsed: () => void;
  #asked = performance.now();
  #took = 0;
  #due: NodeJS.Timeout | undefined;
  #lapse: NodeJS.Timeout | undefined;
  #isWatched = false;

  /** `whenDue` is called when it is time to ask again, and `whenLapsed` when the last answer counts no more. */
  constructor(recheckEvery: number, whenDue: () => void, whenLapsed: () => void) {
    this.#every = recheckEvery;
    this.#whenDue = whenDue;
    this.#whenLapsed = whenLapsed;
  }

  /** Whether the last answer counts no more. The clock decides, because timers may be late. */
  get haveLapsed(): boolean {
    return performance.now() >= this.#asked + this.#every + graceMS;
  }

  /** Notes an answer that has just come, and when it was asked for. */
  renew(asked: number): void {
    this.#asked = asked;
    this.#took = performance.now() - asked;
    if (this.#isWatched) this.watch();
  }

  /**
   * Calls the functions when their time has come, until it is stopped. What took long to answer is asked for as much
   * earlier.
   */
  watch(): void {
    this.stop();
    this.#isWatched = true;
    const since = performance.now() - this.#asked;
    this.#due = setTimeout(this.#whenDue, Math.max(jittered(this.#every) - this.#took - since, 0));
    this.#lapse = setTimeout(this.#whenLapsed, Math.min(this.#every + graceMS - since, longestDelayMS));
  }

  stop(): void {
    this.#isWatched = false;
    clearTimeout(this.#due);
    clearTimeout(this.#lapse);
  }
}

/** Up to a tenth less, so that clients that came at once do not go at once. */
export function jittered(ms: number): number {
  return ms * (0.9 + Math.random() * 0.1);
}

/** Why a stream ends whose caller could not be asked for in time. */
export function notAsked(): Problem {
  const detail = 'The service could not ask in time whether the caller may still see this; open another stream in a few seconds.';
  return new Problem({ code: 'overloaded', detail, headers: { 'retry-after': '5' } });
}

/** Why a stream ends at its `maxAge`. */
export function tooOld(): Problem {
  return new Problem({ code: 'too_old', detail: 'The stream has lasted as long as it may; open another one.' });
}
