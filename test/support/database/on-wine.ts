/** `describe`, `it` or `it.concurrent`. */
type Block<Run> = Define<Run> & { readonly skip: Define<Run> };

type Define<Run> = (name: string, run: Run) => void;

/**
 * Tests that cannot run where MongoDB runs on Wine (see `choose-mongod.ts`): they are skipped there, and their name
 * says why.
 *
 * @example
 * unlessOnWine(it, 'Wine has no …')('answers …', async () => { … });
 */
export function unlessOnWine<Run>(block: Block<Run>, reason: string): Define<Run> {
  if (process.env.TEST_MONGODB !== '7') return block;
  return (name, run) => block.skip(`${name} (not on Wine: ${reason})`, run);
}
