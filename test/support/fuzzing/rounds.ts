/**
 * `ROUNDS=20` before a command has every random, fuzz and fault test play 20 times as much as in CI, where it is 1.
 * `PART=4` has them play a fourth: `npm run test:power` finds out by it whether fewer rounds would notice as much.
 */
export const rounds = (readWhole('ROUNDS', 1) ?? 1) / (readWhole('PART', 1) ?? 1);

/** `SEED=7` before a command plays other cases, or those of a run that has failed. */
export const givenSeed = readWhole('SEED', 0);

/** A whole number of the environment; undefined if there is none. What is no number would play nothing, and pass. */
export function readWhole(name: string, least: number, environment: NodeJS.ProcessEnv = process.env): number | undefined {
  const { [name]: text = '' } = environment;
  if (text === '') return undefined;
  const number = Number(text);
  if (!/^\d+$/.test(text) || number < least || number >= 2 ** 31) {
    throw new Error(`${name} must be a whole number from ${least} to ${2 ** 31 - 1}: \`${text}\`.`);
  }
  return number;
}
