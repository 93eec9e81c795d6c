import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { builtinModules } from 'node:module';
import { dirname, join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import ts from 'typescript';

const src = join(import.meta.dirname, '../src');

/** The rooms of src/, from the ground up: each imports from those before it, and a file from its own room. The longest name counts. */
const rooms = [
  'admin',
  'reason-phrases.ts',
  'rules.ts',
  'errors.ts',
  'mistakes.ts',
  'hints.ts',
  'options.ts',
  'http',
  'model/value',
  'model/define',
  'model/node.ts',
  'model/read',
  'model/write',
  'model/compile',
  'mongo/query',
  'mongo/driver',
  'mongo/indexes',
  'mongo/stored-record.ts',
  'mongo/list',
  'mongo',
  'mongo/references',
  'audit',
  'store',
  'middleware/parts',
  'middleware',
  'batch',
  'resource',
  'openapi',
  'api',
  'mcp',
  'index.ts',
  'cli',
];

/** The packages, each with the rooms that know it. Everybody may know Node. */
const packages: Readonly<Record<string, readonly string[]>> = {
  '@koa/router': ['api'],
  '@modelcontextprotocol/sdk/server/mcp.js': ['mcp'],
  '@modelcontextprotocol/sdk/server/stdio.js': ['mcp'],
  '@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js': ['mcp'],
  '@modelcontextprotocol/sdk/shared/protocol.js': ['mcp'],
  '@modelcontextprotocol/sdk/types.js': ['mcp'],
  '@modelcontextprotocol/sdk/validation/ajv': ['mcp'],
  'ajv/dist/2020.js': ['model/compile'],
  'ajv-formats': ['model/compile'],
  koa: ['middleware/parts', 'middleware', 'resource', 'api', 'mcp'],
  'koa-compose': ['middleware/parts', 'middleware', 'api'],
  'lossless-json': ['http'],
  mongodb: rooms.filter((room) => /^(model|mongo|store|api|cli)/.test(room)),
  'raw-body': ['middleware/parts'],
};

const files = readdirSync(src, { recursive: true, encoding: 'utf8' }).filter((path) => path.endsWith('.ts'));

/** What each file imports, types included, however it is written. */
const imports = new Map(
  files.map((file) => {
    const { importedFiles } = ts.preProcessFile(readFileSync(join(src, file), 'utf8'));
    return [file, importedFiles.map(({ fileName }) => (fileName.startsWith('.') ? join(dirname(file), fileName) : fileName))];
  }),
);
const isOurs = (name: string) => name.endsWith('.ts');
const roomOf = (file: string) => {
  const [room] = rooms.filter((one) => file === one || file.startsWith(`${one}/`)).sort((a, b) => b.length - a.length);
  return room ?? 'no room';
};
const all = [...imports].flatMap(([file, names]) => names.map((name) => ({ file, name })));

describe('the rooms of src/', () => {
  it('hold every file', () => {
    expect(files.length).toBeGreaterThan(100);
    expect(files.filter((file) => roomOf(file) === 'no room')).toEqual([]);
  });

  it('import downwards only', () => {
    const upwards = all.filter(({ file, name }) => isOurs(name) && rooms.indexOf(roomOf(name)) > rooms.indexOf(roomOf(file)));
    expect(upwards).toEqual([]);
  });

  it('import nothing from outside of src/, and not the package by its name', () => {
    expect(all.filter(({ name }) => name.startsWith('..') || name.startsWith('koa-mongo-resource'))).toEqual([]);
  });

  it('know no package but their own', () => {
    const isNode = (name: string) => name.startsWith('node:') || builtinModules.includes(name);
    const strange = all.filter(({ file, name }) => !isOurs(name) && !isNode(name) && !packages[name]?.includes(roomOf(file)));
    expect(strange).toEqual([]);
  });

  it('have browser code in `admin`, which imports nothing else and which nothing else imports', () => {
    const own = all.filter(({ file }) => roomOf(file) === 'admin');
    expect(own.length).toBeGreaterThan(10);
    expect(own.filter(({ name }) => roomOf(name) !== 'admin')).toEqual([]);
    expect(all.filter(({ file, name }) => roomOf(name) === 'admin' && roomOf(file) !== 'admin')).toEqual([]);
  });

  it('have no circle of files, not even of types', () => {
    const done = new Set<string>();
    const circles: string[] = [];
    function visit(file: string, way: readonly string[]): void {
      if (way.includes(file)) circles.push([...way.slice(way.indexOf(file)), file].join(' → '));
      if (way.includes(file) || done.has(file)) return;
      for (const name of imports.get(file) ?? []) if (isOurs(name)) visit(name, [...way, file]);
      done.add(file);
    }
    for (const file of files) visit(file, []);
    expect(circles).toEqual([]);
  });

  it('say in a README what they are for, what they may import and where to begin', () => {
    const folders = [...new Set(files.map((file) => dirname(file)))].filter((folder) => folder !== '.');
    for (const folder of folders) {
      const readme = readFileSync(join(src, folder, 'README.md'), 'utf8');
      expect(readme).toMatch(new RegExp(`^# src/${folder}\n`));
      expect(readme).toMatch(/^Imports: /m);
      expect(readme).toMatch(/^Begin with /m);
      const named = [...readme.matchAll(/`(?:src\/)?([\w/-]+\.ts)`/g)].map(([, file = '']) => file);
      // A file of the folder itself, of the one around it, or of src/.
      const lost = named.filter((file) => ![folder, dirname(folder), '.'].some((from) => files.includes(join(from, file))));
      expect(lost).toEqual([]);
    }
  });

  it.each(['docs/about/architecture.md', 'CONTRIBUTING.md'])('are where %s says', (page) => {
    const root = join(src, '..');
    const named = [...readFileSync(join(root, page), 'utf8').matchAll(/`([\w/-]+\.ts)`/g)].map(([, file = '']) => file);
    expect(named.length).toBeGreaterThan(10);
    expect(named.filter((file) => ![root, src, join(src, 'middleware')].some((from) => existsSync(join(from, file))))).toEqual([]);
  });
});
