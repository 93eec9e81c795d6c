import { AsyncLocalStorage } from 'node:async_hooks';
import { writeTrace } from './detail.ts';

/**
 * The commands of one request. They are written together when the request has ended, so that those of several requests
 * do not mix.
 */
export class RequestTrace {
  readonly #what: string;
  readonly #lines: string[] = [];
  #hasEnded = false;

  /** `what` is the request line. */
  constructor(what: string) {
    this.#what = what;
  }

  /** Adds a command that has ended. One that ends after its request is written at once. */
  add(line: string): void {
    if (this.#hasEnded) writeTrace(`${this.#what}: after its end\n  ${line}`);
    else this.#lines.push(line);
  }

  /** Writes the request, with its outcome. `commandCount` is how many commands it has waited for. */
  end(outcome: string, commandCount: number): void {
    this.#hasEnded = true;
    const lines = this.#lines.splice(0);
    if (lines.length === 0 && commandCount > 0) lines.push('Its command was sent together with that of another request.');
    writeTrace([`${this.#what}: ${outcome}`, ...lines].join('\n  '));
  }
}

/** The request that a command belongs to. Nobody enters it unless `DEBUG` names the library. */
export const currentTrace = new AsyncLocalStorage<RequestTrace>();

/** Runs a function for a request that waits for others, and does not begin what it asks for itself. */
export function runFor<T>(trace: RequestTrace | undefined, run: () => T): T {
  return trace ? currentTrace.run(trace, run) : run();
}
