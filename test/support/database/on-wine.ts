/** `describe`, `it` or `it.concurrent`. */
type Block = Define & { readonly skip: Define };

type Define = (name: string, run: () => void | Promise<void>) => void;

/**
 * Tests that cannot run where MongoDB runs on Wine (see `choose-mongod.ts`): they are skipped there, and their name
 * says why.
 *
 * @example
 * unlessOnWine(it, 'Wine has no …')('answers …', async () => { … });
 */
export function unlessOnWine(block: Block, reason: string): Define {
  if (process.env.TEST_MONGODB !== '7') return block;
  return (name, run) => block.skip(`${name} (not on Wine: ${reason})`, run);
}
