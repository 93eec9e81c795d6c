import { UsageError } from './usage-error.ts';

/** Reads the value of an option that is a whole number. */
export function readCount(name: string, text: string | undefined, least: number): number | undefined {
  if (text === undefined) return undefined;
  const count = /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN;
  if (count >= least) return count;
  throw new UsageError(`--${name} must be a whole number of at least ${least}; it is ${JSON.stringify(text)}.`);
}
