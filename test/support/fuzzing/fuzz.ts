import { givenSeed, rounds } from './rounds.ts';

/**
 * The settings of a fuzz test: one seed, so that a run says the same as the one before it, and more runs or another
 * seed by the environment. What a run has found stays as an example of its test.
 */
export const fuzz = { seed: givenSeed ?? 20_260_131, numRuns: 1_000 * rounds };
