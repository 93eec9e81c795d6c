import { readFile } from 'node:fs/promises';
import type { LoadFnOutput, LoadHook } from 'node:module';
import { fileURLToPath } from 'node:url';
import { transform } from 'esbuild';

const sources = new URL('../../src/', import.meta.url).href;

/**
 * A hook of Node's loader: it takes nothing but the types and the comments from each file of `src/`, so that a function
 * of the source is one function here, at the address of its file. tsx would add a call to every named function.
 */
export const load: LoadHook = async (url, context, nextLoad): Promise<LoadFnOutput> => {
  if (!url.startsWith(sources)) return nextLoad(url, context);
  const { code } = await transform(await readFile(fileURLToPath(url), 'utf8'), { loader: 'ts', format: 'esm', target: 'esnext' });
  return { format: 'module', source: code, shortCircuit: true };
};
