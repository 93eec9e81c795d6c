/** The most controllers that are kept. */
const mostKept = 128;

/**
 * An `AbortController` for one command after the other, with a genuine signal. A new one for each command, and the
 * driver's three listeners in an `EventTarget`, would cost a twentieth of a patch.
 */
class ReusedController {
  readonly #controller = new AbortController();
  /** Kept, as `#isAborted` is: Node checks at each access of a controller or a signal what it is. */
  readonly signal: AbortSignal = this.#controller.signal;
  /** Called once, when it aborts: the only kind of listener that the driver adds. */
  readonly #listeners: ((this: AbortSignal, event: Event) => void)[] = [];
  #hasOthers = false;
  #isAborted = false;

  constructor() {
    const { signal } = this;
    const { addEventListener, removeEventListener } = signal;
    addEventListener.call(signal, 'abort', (event) => {
      for (const listener of this.#listeners.splice(0)) listener.call(signal, event);
    });
    signal.addEventListener = (type: string, listener: unknown, options?: unknown) => {
      if (type === 'abort' && typeof listener === 'function' && isOnceOnly(options) && !this.#isAborted) {
        if (!this.#listeners.includes(listener as never)) this.#listeners.push(listener as never);
        return;
      }
      this.#hasOthers = true;
      addEventListener.call(signal, type, listener as never, options as never);
    };
    signal.removeEventListener = (type: string, listener: unknown, options?: unknown) => {
      const index = this.#listeners.indexOf(listener as never);
      if (index === -1) removeEventListener.call(signal, type, listener as never, options as never);
      else this.#listeners.splice(index, 1);
    };
  }

  /** Whether no one listens any more, so that it may belong to another command. */
  get isFree(): boolean {
    return this.#listeners.length === 0 && !this.#hasOthers && !this.#isAborted;
  }

  abort(reason: unknown): void {
    this.#isAborted = true;
    this.#controller.abort(reason);
  }
}

export type { ReusedController };

function isOnceOnly(options: unknown): boolean {
  if (typeof options !== 'object' || options === null) return false;
  for (const name in options) if (name !== 'once') return false;
  return (options as { readonly once?: unknown }).once === true;
}

/** The controllers of this process that no command has. */
const free: ReusedController[] = [];

/** Takes a controller that has not been aborted. */
export function takeController(): ReusedController {
  return free.pop() ?? new ReusedController();
}

/** Gives a controller back, whose command has its answer. One on which someone still listens is not used again. */
export function giveBack(controller: ReusedController): void {
  if (controller.isFree && free.length < mostKept) free.push(controller);
}
