import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { lint } from '../support/lint.ts';

const rule = 'lint/style/noRestrictedImports';

/** The rooms of src/, and what each may import. */
const rooms: Record<string, readonly string[]> = {
  http: ['errors'],
  model: ['errors', 'http'],
  mongo: ['errors', 'http', 'model'],
  middleware: ['errors', 'http', 'model', 'mongo'],
  resource: ['errors', 'http', 'model', 'mongo', 'middleware', 'openapi'],
  openapi: ['errors', 'model', 'resource'],
};
const names = Object.keys(rooms);
const neverFromSrc = [
  '../../test/support/a.ts',
  '../../dev/a.ts',
  '../../examples/a.ts',
  '../index.ts',
  'koa-mongo-resource',
  'koa-mongo-resource/middleware/a',
];

const pathTo = (target: string) => (target === 'errors' ? '../errors.ts' : `../${target}/a.ts`);

const roomCases = names.flatMap((room) =>
  ['errors', ...names.filter((name) => name !== room)].map((target) => {
    const allowed = rooms[room]?.includes(target) ?? false;
    return {
      name: `src/${room}/ ${allowed ? 'may import' : 'does not import'} ${target}`,
      file: `src/${room}/to-${target}.ts`,
      from: pathTo(target),
      allowed,
    };
  }),
);

const outsideCases = [...names, 'errors', 'rules', 'index'].flatMap((room) =>
  neverFromSrc.map((from, number) => {
    const file = room in rooms ? `src/${room}/out-${number}.ts` : `src/${room}.ts`;
    return { name: `${file} does not import ${from}`, file, from, allowed: false };
  }),
);

const packageCases = [
  ...['errors', 'http', 'model', 'mongo', 'openapi'].map((room) => ({ room, from: 'koa', allowed: false })),
  ...['http', 'model', 'mongo', 'openapi'].map((room) => ({ room, from: '@koa/router', allowed: false })),
  ...['errors', 'http', 'openapi'].map((room) => ({ room, from: 'mongodb', allowed: false })),
  ...['middleware', 'resource'].map((room) => ({ room, from: 'koa', allowed: true })),
  ...['model', 'mongo'].map((room) => ({ room, from: 'mongodb', allowed: true })),
  ...['http', 'model', 'middleware'].map((room) => ({ room, from: 'koa-compose', allowed: true })),
].map(({ room, from, allowed }) => {
  const file = room === 'errors' ? 'src/errors.ts' : `src/${room}/package-${from.replaceAll('/', '-')}.ts`;
  return { name: `${file} ${allowed ? 'may import' : 'does not import'} ${from}`, file, from, allowed };
});

/** Every way to write an import that goes up. */
const formCases = [
  ["export * from '../mongo/a.ts';", 'star'],
  ["export { a } from '../mongo/a.ts';", 'named'],
  ["import type { A } from '../mongo/a.ts';\nexport type B = A;", 'type'],
  ["export type { A } from '../mongo/a.ts';", 'exported-type'],
  ["export const a = () => import('../mongo/a.ts');", 'dynamic'],
].map(([text = '', form = '']) => ({
  name: `src/http/ does not import mongo: ${text.split('\n')[0]}`,
  file: `src/http/form-${form}.ts`,
  text,
}));

describe('the rooms of src/', () => {
  // One run of Biome for all cases that fit; src/errors.ts and src/index.ts are one file each and take every forbidden import at once.
  let found = new Map<string, string[]>();
  const cases = [...roomCases, ...outsideCases, ...packageCases];
  beforeAll(async () => {
    const files: Record<string, string> = {
      'src/reason-phrases.ts': "import './rules.ts';\nimport './http/a.ts';",
      'src/http/deep/up.ts': "import '../../mongo/a.ts';",
      'src/http/deep/within.ts': "import '../a.ts';\nimport './model/a.ts';",
    };
    for (const { file, from } of cases) files[file] = `${files[file] ?? ''}import '${from}';\n`;
    for (const { file, text } of formCases) files[file] = text;
    found = await lint(files);
  });
  const rulesOf = (file: string) => (found.get(file) ?? []).filter((name) => name === rule);

  it.each(roomCases)('$name', ({ file, allowed }) => {
    expect(rulesOf(file)).toEqual(allowed ? [] : [rule]);
  });

  it.each([...outsideCases, ...packageCases].filter(({ file }) => file.split('/').length > 2))('$name', ({ file, allowed }) => {
    expect(rulesOf(file)).toEqual(allowed ? [] : [rule]);
  });

  it.each(['src/errors.ts', 'src/rules.ts', 'src/index.ts'])('%s imports nothing of all that', (file) => {
    const imports = cases.filter((one) => one.file === file && one.from !== '../index.ts').length;
    expect(rulesOf(file).length).toBeGreaterThanOrEqual(imports);
  });

  it('src/errors.ts and the files beside it import each other, and nothing else', () => {
    expect(rulesOf('src/reason-phrases.ts')).toEqual([rule]);
  });

  it.each(formCases)('$name', ({ file }) => {
    expect(rulesOf(file)).toEqual([rule]);
  });

  it('judges a folder inside a room as the room', () => {
    expect(rulesOf('src/http/deep/up.ts')).toEqual([rule]);
    expect(rulesOf('src/http/deep/within.ts')).toEqual([]);
  });

  it('are all the folders there are, so that no new one stays without a rule', async () => {
    const entries = await readdir(join(import.meta.dirname, '../../src'), { withFileTypes: true });
    const folders = entries.filter((entry) => entry.isDirectory()).map(({ name }) => name);
    expect(names).toEqual(expect.arrayContaining(folders));
    const files = entries.filter((entry) => entry.isFile()).map(({ name }) => name);
    expect(['errors.ts', 'index.ts', 'reason-phrases.ts', 'rules.ts']).toEqual(expect.arrayContaining(files));
  });
});
