/** The seed of a run: what has failed is played again by `FAULT_SEED=<seed> npm run test:faults`. */
export const seed = Number(process.env.FAULT_SEED ?? Date.now() % 2 ** 31);

/** How long a run is; the one of CI is 1. */
export const rounds = Number(process.env.FAULT_ROUNDS ?? 1);

/** Numbers from 0 to 1, always the same for a seed (mulberry32). */
export function randomFrom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let bits = Math.imul(state ^ (state >>> 15), state | 1);
    bits ^= bits + Math.imul(bits ^ (bits >>> 7), bits | 61);
    return ((bits ^ (bits >>> 14)) >>> 0) / 2 ** 32;
  };
}

export function pick<T>(random: () => number, from: readonly T[]): T {
  return from[Math.floor(random() * from.length)] as T;
}
