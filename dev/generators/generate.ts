import { existsSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

/** Run a generator in the current folder, by the name of its configuration there. Each is loaded when it is needed. */
const generators: Readonly<Record<string, (config: string) => Promise<void>>> = {
  async 'openapi-ts.config.ts'(config) {
    const { createClient } = await import('@hey-api/openapi-ts');
    await createClient({ ...(await read(config)), logs: { level: 'silent' } });
  },
  async 'orval.config.ts'(config) {
    const { generate } = await import('orval');
    await generate(config);
  },
  async 'kubb.config.ts'(config) {
    const { build } = await import('@kubb/core');
    const { error, failedPlugins } = await build({ config: { ...(await read(config)), root: process.cwd() } });
    if (error) throw error;
    for (const failed of failedPlugins) throw failed.error;
  },
};

// biome-ignore lint/suspicious/noExplicitAny: the compiler checks it where it is written
async function read(config: string): Promise<any> {
  return (await import(pathToFileURL(join(process.cwd(), config)).href)).default;
}

/**
 * `node --import tsx dev/generators/generate.ts <folder> <configuration>…`: runs the generators of these configurations
 * in each folder of the given one that has them. They run one after the other, because they read paths relative to the
 * current folder.
 */
const [folder = '', ...configs] = process.argv.slice(2);
for (const entry of await readdir(folder, { withFileTypes: true })) {
  if (!entry.isDirectory()) continue;
  process.chdir(join(folder, entry.name));
  for (const config of configs) if (existsSync(config)) await generators[config]?.(config);
}
process.exit(0);
