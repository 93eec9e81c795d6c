import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import startDatabase from '../support/database/start-database.ts';
import { filesOf, root } from '../support/docs/pages.ts';
import { generated, generators, runScript } from './generators.ts';

const examples = join(root, 'examples/clients');

/** What the tests use of React and TanStack Query, from the folder in which they are installed. */
const harness = `export { InfiniteQueryObserver, MutationObserver, QueryClientProvider, QueryObserver } from '@tanstack/react-query';
export { createElement } from 'react';
export { renderToStaticMarkup } from 'react-dom/server';
`;

/** The same of Vue, for the page about live lists. */
const liveHarness = `${harness}export { QueryClient } from '@tanstack/react-query';
export { effectScope, nextTick, ref } from 'vue';
`;

/** Runs once before the tests: the compiler and each test need the clients of all generators. */
export default async function start(): Promise<void> {
  await rm(generated, { recursive: true, force: true });
  await runScript('dev/openapi/write-documents.ts', generated);
  const programs = [...Object.entries(filesOf('docs/clients/generated.md')), ...(await readExamples())];
  for (const file of await readdir(generated)) {
    const name = basename(file, '.json');
    await write(name, name === 'orders' ? programs : programs.filter(([path]) => !/^(?:with|refused)-/.test(path)));
    await rename(join(generated, file), join(generated, name, 'shop.json'));
  }
  await write('tanstack-query', [
    ...Object.entries(filesOf('docs/clients/typed-client.md')).filter(([path]) => path === 'orders.ts'),
    ...Object.entries(filesOf('docs/clients/tanstack-query.md')),
    ['harness.js', harness],
    ['shop.json', await readFile(join(generated, 'orders/shop.json'), 'utf8')],
  ]);
  await write('live-lists', [...Object.entries(filesOf('docs/clients/live-lists.md')), ['harness.js', liveHarness]]);
  const generate = (...configs: string[]) => runScript(join(generators, 'generate.ts'), generated, ...configs);
  const clients = [generate('kubb.config.ts'), generate('openapi-ts.config.ts', 'orval.config.ts').then(writeTypes)];
  await Promise.all([startDatabase(), ...clients]);
}

/** The programs for the generators that the page only names. */
async function readExamples(): Promise<[string, string][]> {
  const names = (await readdir(examples)).filter((name) => /^(?:with|refused)-/.test(name));
  return Promise.all(names.map(async (name): Promise<[string, string]> => [name, await readFile(join(examples, name), 'utf8')]));
}

async function write(folder: string, files: readonly (readonly [string, string])[]): Promise<void> {
  await mkdir(join(generated, folder), { recursive: true });
  // tsx looks only at the tsconfig.json of the root, which does not know this folder.
  const pragmaOf = (path: string) => (path.endsWith('.tsx') ? '/** @jsxRuntime automatic */\n' : '');
  for (const [path, text] of files) await writeFile(join(generated, folder, path), pragmaOf(path) + text);
}

async function writeTypes(): Promise<void> {
  const document = join(generated, 'tanstack-query/shop.json');
  for (const folder of ['tanstack-query', 'live-lists'])
    await runScript('node_modules/openapi-typescript/bin/cli.js', document, '--output', join(generated, folder, 'shop.d.ts'));
}
