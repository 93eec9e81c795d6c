import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { buildSync } from 'esbuild';

const root = join(import.meta.dirname, '../../..');

/** The sources as JavaScript, until the last test of the file. */
export interface Library {
  /** Where its modules are, as in `dist/`. */
  readonly folder: string;
  /** Tells tsx that the package by its name means this library: the value of `TSX_TSCONFIG_PATH`. */
  readonly tsconfig: string;
  /** The program of the command line. */
  readonly cli: string;
}

/**
 * Gives a test file the library as a user has it, in a few modules: with tsx, each process would load the hundreds of
 * modules of `src/` anew.
 */
export function useLibrary(): Library {
  mkdirSync(join(root, '.tmp'), { recursive: true });
  const outdir = mkdtempSync(join(root, '.tmp/library-')); // in the repository, so that packages are found from there
  afterAll(() => rmSync(outdir, { recursive: true, force: true }));
  const middlewares = readdirSync(join(root, 'src/middleware')).filter((name) => name.endsWith('.ts'));
  const files = [
    'index.ts',
    'products/mcp/mcp.ts',
    'products/webhooks/webhooks.ts',
    'products/cli/main.ts',
    ...middlewares.map((name) => `middleware/${name}`),
  ];
  const entryPoints = files.map((file) => join(root, 'src', file));
  const format = { format: 'esm', platform: 'node', packages: 'external', outbase: join(root, 'src'), logLevel: 'warning' } as const;
  buildSync({ entryPoints, outdir, bundle: true, splitting: true, ...format });
  const paths = {
    'koa-mongo-resource': ['./index.js'],
    'koa-mongo-resource/mcp': ['./products/mcp/mcp.js'],
    'koa-mongo-resource/webhooks': ['./products/webhooks/webhooks.js'],
    'koa-mongo-resource/middleware/*': ['./middleware/*.js'],
  };
  const tsconfig = join(outdir, 'tsconfig.json');
  writeFileSync(tsconfig, JSON.stringify({ extends: join(root, 'tsconfig.json'), compilerOptions: { paths } }));
  return { folder: outdir, tsconfig, cli: join(outdir, 'products/cli/main.js') };
}
