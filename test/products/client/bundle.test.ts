import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';

it('the client is code for browsers without dependencies, and minified and compressed it has less than 3 kB', async () => {
  const { outputFiles, metafile } = await build({
    entryPoints: [join(import.meta.dirname, '../../../src/products/client/live.ts')],
    bundle: true,
    minify: true,
    format: 'esm',
    platform: 'browser', // a module of Node would not be found
    target: 'es2022',
    write: false,
    metafile: true,
    logLevel: 'silent',
  });
  expect(Object.keys(metafile.inputs).filter((path) => !path.startsWith('src/products/client/'))).toEqual([]);
  const [bundle] = outputFiles;
  expect(gzipSync(bundle?.contents ?? '').length).toBeLessThan(3000);
});
