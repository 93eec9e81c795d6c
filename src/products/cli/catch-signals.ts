import { constants } from 'node:os';

/** A signal that has come. */
interface Caught {
  readonly signal: NodeJS.Signals;
  /** The exit status of a program that the signal has ended. */
  readonly status: number;
}

/**
 * Catches the first SIGINT and SIGTERM, so that a command can come to an end by itself. The second one ends the process
 * at once.
 */
export function catchSignals(): { readonly caught: Caught | undefined } {
  const seen: { caught: Caught | undefined } = { caught: undefined };
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    const status = 128 + constants.signals[signal];
    process.on(signal, () => {
      if (seen.caught) process.exit(status);
      seen.caught = { signal, status };
    });
  }
  return seen;
}
