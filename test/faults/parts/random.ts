import { givenSeed } from '../../support/fuzzing/rounds.ts';

export { rounds } from '../../support/fuzzing/rounds.ts';

/** The seed of a run: what has failed is played again by `SEED=<seed> npm run test:faults`. */
export const seed = givenSeed ?? Date.now() % 2 ** 31;

export function pick<T>(random: () => number, from: readonly T[]): T {
  return from[Math.floor(random() * from.length)] as T;
}
