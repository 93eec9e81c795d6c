import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { build } from 'esbuild';
import type Koa from 'koa';

/** Bundles a page, and returns a middleware that answers with it: `/` and `/admin.js`. */
export async function buildPage(entry = 'admin.tsx'): Promise<Koa.Middleware> {
  const [html, bundle] = await Promise.all([
    readFile(join(import.meta.dirname, 'index.html')),
    build({
      absWorkingDir: import.meta.dirname,
      entryPoints: [entry],
      bundle: true,
      minify: true,
      format: 'esm',
      jsx: 'automatic',
      define: { 'process.env.NODE_ENV': '"production"' },
      write: false,
      logLevel: 'error',
    }),
  ]);
  const script = Buffer.from(bundle.outputFiles[0]?.contents ?? []);
  return function page(ctx, next) {
    if (ctx.path === '/') ctx.type = 'html';
    else if (ctx.path === '/admin.js') ctx.type = 'js';
    else return next();
    ctx.body = ctx.path === '/' ? html : script;
    return undefined;
  };
}
