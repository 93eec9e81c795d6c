import { resolve } from 'node:path';
import { defineConfig } from 'vitest/config';
import { sources } from '../../vitest.config.ts';

/** What Stryker runs for one file; `run.ts` names the tests. */
export default defineConfig({
  root: resolve(import.meta.dirname, '../..'),
  resolve: { alias: sources },
  test: { include: process.env.MUTATION_TESTS?.split(',') ?? [], setupFiles: ['dev/mutation/fix-seed.ts'] },
});
