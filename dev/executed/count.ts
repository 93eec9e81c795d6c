import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Coverage, RanFile } from './coverage.ts';

/** What a request of a kind has run. */
export interface Measured {
  readonly name: string;
  /** The files of which at least one function was called, in the order of their names. */
  readonly files: readonly string[];
  /** How many functions were called. */
  readonly functions: number;
  /**
   * The tokens of these functions, without those of functions in them that were not called. Types are no tokens of a
   * function.
   */
  readonly tokens: number;
  /** The tokens of the sources of the files, with types. */
  readonly fileTokens: number;
}

/**
 * Counts what ran for each kind. It loads TypeScript, whose functions would be counted with every request otherwise.
 */
export async function countAll(folder: string, coverage: Coverage, runs: ReadonlyMap<string, readonly RanFile[]>): Promise<Measured[]> {
  const { countRan, tokenPlaces } = await import('./tokens.ts');
  const known = new Map<string, { readonly places: readonly number[]; readonly ofSource: number }>();

  async function read(ran: RanFile): Promise<{ readonly places: readonly number[]; readonly ofSource: number }> {
    const { file } = ran;
    const tokens = known.get(file) ?? {
      places: tokenPlaces(await coverage.sourceOf(ran)),
      ofSource: tokenPlaces(await readFile(join(folder, file), 'utf8')).length,
    };
    known.set(file, tokens);
    return tokens;
  }

  const measured: Measured[] = [];
  for (const [name, ran] of runs) {
    let [functions, tokens, fileTokens] = [0, 0, 0];
    for (const one of ran) {
      const { places, ofSource } = await read(one);
      functions += one.functions.filter((each) => each.ran).length;
      tokens += countRan(places, one.functions);
      fileTokens += ofSource;
    }
    measured.push({ name, files: ran.map(({ file }) => file).sort(), functions, tokens, fileTokens });
  }
  return measured;
}
