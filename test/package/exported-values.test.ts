import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as all from 'koa-mongo-resource';
import { type PackageManager, Stranger, yarn } from './stranger.ts';

const root = join(import.meta.dirname, '../..');
/** An app that exports what every public function returns, without annotations. It has no types of Koa. */
const app = readFileSync(join(import.meta.dirname, 'exported-values.ts'), 'utf8');

const compilerOptions = {
  strict: true,
  exactOptionalPropertyTypes: true,
  noUncheckedIndexedAccess: true,
  skipLibCheck: true,
  target: 'es2023',
  lib: ['es2023'],
  types: ['node'],
  module: 'nodenext',
  declaration: true,
  emitDeclarationOnly: true,
  outDir: 'out',
};

it('the app uses every value and every entry of the package', () => {
  expect(Object.keys(all).filter((name) => !new RegExp(`all\\.${name}\\b|[{ ]${name}[, ].*\\} = all;`).test(app))).toEqual([]);
  const { exports } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { exports: Record<string, unknown> };
  const entries = Object.keys(exports).filter((path) => !/^\.\/(?:middleware\/|package\.json$)/.test(path));
  expect(entries.filter((path) => !app.includes(`from 'koa-mongo-resource${path.slice(1)}'`))).toEqual([]);
});

const both = { typescript: '5.9.3', 'typescript-newest': 'npm:typescript@7.0.2' };
const managers: readonly [PackageManager, Record<string, string>][] = [
  ['npm', both],
  ['pnpm', both],
  ['yarn', { typescript: both.typescript }], // with Plug'n'Play, which the newest does not know
];

describe.each(managers)('an app that %s has installed', (by, compilers) => {
  let stranger: Stranger;
  beforeAll(async () => {
    stranger = await Stranger.install({
      by,
      dependencies: {
        koa: '^3.3.0',
        mongodb: '^7.0.0',
        mongoose: '^9.12.1',
        standardwebhooks: '^1.1.0',
        '@modelcontextprotocol/server': '^2.4.0',
        '@types/node': '^20.19.0',
        ...compilers,
      },
      files: { 'app.ts': app, 'tsconfig.json': JSON.stringify({ compilerOptions, files: ['app.ts'] }) },
    });
  });
  afterAll(() => stranger.remove());

  it.each(Object.keys(compilers))('can export what each function returns, with declarations by %s', async (compiler) => {
    const [program, ...args] = by === 'yarn' ? [...yarn, 'tsc'] : [process.execPath, `node_modules/${compiler}/bin/tsc`];
    expect(await stranger.run(program, [...args, '--project', '.'])).toEqual({ code: 0, output: '' });
  });
});
