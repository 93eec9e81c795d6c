import { givenSeed, rounds } from './rounds.ts';

/** A run says the same as the one before it. */
export const seed = givenSeed ?? 20_260_131;

/**
 * The settings of a random test that plays `count` cases in CI. What a run has found stays as an example of its test.
 * One without settings plays 100.
 */
export function cases(count: number): { readonly seed: number; readonly numRuns: number } {
  return { seed, numRuns: Math.ceil(count * rounds) };
}
