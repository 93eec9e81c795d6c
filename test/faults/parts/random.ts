/** The seed of a run: what has failed is played again by `FAULT_SEED=<seed> npm run test:faults`. */
export const seed = Number(process.env.FAULT_SEED ?? Date.now() % 2 ** 31);

/** How long a run is; the one of CI is 1. */
export const rounds = Number(process.env.FAULT_ROUNDS ?? 1);

export function pick<T>(random: () => number, from: readonly T[]): T {
  return from[Math.floor(random() * from.length)] as T;
}
