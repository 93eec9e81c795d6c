import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { builtinModules } from 'node:module';
import { basename, dirname, join } from 'node:path';
import ts from 'typescript';
import { crossings } from '../dev/plugins/crossings.ts';

const root = join(import.meta.dirname, '..');
const src = join(root, 'src');

/**
 * The rooms of src/, from the ground up: each imports from those before it, and a file from its own room. The longest
 * name counts.
 */
const rooms = [
  'marks.ts',
  'reason-phrases.ts',
  'rules.ts',
  'errors.ts',
  'mistakes.ts',
  'hints.ts',
  'options.ts',
  'keep-latest.ts',
  'http',
  'filter',
  'model/value',
  'model/operators',
  'model/define',
  'model/node.ts',
  'model/fold',
  'model/shown-value.ts',
  'model/relations',
  'model/read',
  'model/write',
  'model/compile',
  'mongo/predicate',
  'mongo/lifecycle',
  'mongo/query',
  'mongo/driver',
  'mongo/indexes',
  'mongo/stored-record.ts',
  'mongo/through',
  'mongo/list',
  'mongo/keeps/keep.ts',
  'mongo/ledger',
  'mongo/changes',
  'mongo/collection',
  'mongo',
  'mongo/relations/include',
  'mongo/relations/check/latches',
  'mongo/relations',
  'mongo/removals',
  'mongo/keeps',
  'store',
  'middleware/views',
  'middleware/exchange',
  'middleware/reach',
  'middleware/body',
  'middleware/relations',
  'middleware/hooks',
  'queues',
  'middleware',
  'resource/define',
  'resource/relations',
  'resource/table',
  'resource',
  'openapi/document.ts',
  'openapi/components.ts',
  'openapi/api-description.ts',
  'openapi/schemas',
  'openapi/operations',
  'openapi/relations',
  'openapi',
  'api',
  'index.ts',
  'products/admin',
  'products/client',
  'products/audit',
  'products/mcp',
  'products/mongoose',
  'products/webhooks',
  'products/cli',
];

/** A part of a plug-in is in the room that takes it, and so is the list of such parts. */
const takers: readonly (readonly [RegExp, string])[] = [
  [/^features\/(?:[\w-]+\/)?(?:keywords|fields?|(?:policy-|model-)?types|model-options)\.ts$/, 'model/define'],
  [/^features\/(?:[\w-]+\/)?(?:kinds?|polic(?:y|ies)|models?)\.ts$/, 'model/compile'],
  [/^features\/(?:[\w-]+\/)?indexes\.ts$/, 'mongo/indexes'],
  [/^features\/(?:[\w-]+\/)?(?:lists?|list-types|ask-[\w-]+)\.ts$/, 'middleware/exchange'],
  [/^features\/[\w-]+\/list-[\w-]+\.ts$/, 'mongo/list'],
  [/^features\/(?:[\w-]+\/)?facets?\.ts$/, 'resource/relations'],
  [/^features\/[\w-]+\/plan-[\w-]+\.ts$/, 'mongo/collection'],
  [/^features\/[\w-]+\/mongo\//, 'mongo'],
  [/^features\/(?:[\w-]+\/)?stores?\.ts$/, 'store'],
  [/^features\/(?:[\w-]+\/)?schemas\.ts$/, 'openapi/schemas'],
  [/^features\/(?:[\w-]+\/)?descriptions?\.ts$/, 'openapi/operations'],
  [/^features\/[\w-]+\/keys\.ts$/, 'mongo'],
  [/^features\/[\w-]+\/describe\.ts$/, 'openapi/operations'],
  [/^features\/(?:apis|[\w-]+\/(?:api|chain))\.ts$/, 'api'],
  [/^features\//, 'resource/table'],
];

/** The packages, each with the rooms that know it. Everybody may know Node. */
const packages: Readonly<Record<string, readonly string[]>> = {
  '@koa/router': ['api'],
  '@modelcontextprotocol/server': ['products/mcp'],
  '@modelcontextprotocol/server/stdio': ['products/mcp'],
  '@modelcontextprotocol/server/validators/ajv': ['products/mcp'],
  'ajv/dist/2020.js': ['model/compile'],
  'ajv-formats': ['model/compile'],
  koa: ['middleware/exchange', 'middleware/body', 'middleware', 'resource/define', 'resource', 'api', 'products/mcp'],
  'koa-compose': ['middleware/exchange'],
  'lossless-json': ['http'],
  mongodb: rooms.filter((room) => /^(model|mongo|store|queues|api|products\/(cli|webhooks))/.test(room)),
  'raw-body': ['middleware/body'],
  standardwebhooks: ['products/webhooks'],
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
  const [, taker] = takers.find(([parts]) => parts.test(file)) ?? [];
  if (taker) return taker;
  const [room] = rooms.filter((one) => file === one || file.startsWith(`${one}/`)).sort((a, b) => b.length - a.length);
  return room ?? 'no room';
};
/** The folder of the plug-in that a file belongs to. */
const pluginOf = (file: string) => /^features\/[\w-]+(?=\/)/.exec(file)?.[0];
const folders = [...new Set(files.map((file) => dirname(file)))].filter((folder) => folder !== '.').sort();
const readPage = (page: string) => readFileSync(join(root, page), 'utf8');
const entries = Object.keys(JSON.parse(readPage('package.json')).exports);
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

  it('know a plug-in by the lists of `features/` only, and the package by its name for what it exports', () => {
    const knowing = all.filter(({ file, name }) => pluginOf(name) && pluginOf(name) !== pluginOf(file));
    expect(knowing.filter(({ file }) => dirname(file) !== 'features' && file !== 'index.ts')).toEqual([]);
  });

  it('import nothing from outside of src/, and not the package by its name', () => {
    expect(all.filter(({ name }) => name.startsWith('..') || name.startsWith('koa-mongo-resource'))).toEqual([]);
  });

  it('know no package but their own', () => {
    const isNode = (name: string) => name.startsWith('node:') || builtinModules.includes(name);
    const strange = all.filter(({ file, name }) => !isOurs(name) && !isNode(name) && !packages[name]?.includes(roomOf(file)));
    expect(strange).toEqual([]);
  });

  it('have what is a product of its own in `products/`, which no other room imports', () => {
    const own = all.filter(({ file }) => file.startsWith('products/'));
    expect(own.length).toBeGreaterThan(100);
    expect(all.filter(({ file, name }) => name.startsWith('products/') && !file.startsWith('products/'))).toEqual([]);
  });

  it.each(['products/admin', 'products/client'])(
    'have browser code in `%s`, which imports nothing else and which nothing else imports',
    (room) => {
      const own = all.filter(({ file }) => roomOf(file) === room);
      expect(own.length).toBeGreaterThan(7);
      expect(own.filter(({ name }) => roomOf(name) !== room)).toEqual([]);
      expect(all.filter(({ file, name }) => roomOf(name) === room && roomOf(file) !== room)).toEqual([]);
    },
  );

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

  it('say in a README what they are for, what they import and where to begin', () => {
    for (const folder of folders) {
      const readme = readFileSync(join(src, folder, 'README.md'), 'utf8');
      expect(readme).toMatch(new RegExp(`^# src/${folder}\n`));
      expect(readme).toMatch(/^Imports: /m);
      expect(readme).toMatch(/^Begin with /m);
    }
  });

  it.each(folders)('import what the README of src/%s names, and name what they import', (folder) => {
    const readme = readFileSync(join(src, folder, 'README.md'), 'utf8');
    const [line = ''] = /^Imports: .*$/m.exec(readme) ?? [];
    const named = inCode(line).map((name) => ({ name, paths: meaningsOf(name, folder) }));
    // A room imports for all of its folders, but for plug-ins. A name of a room inside it says that the files around
    // that room use it.
    const isOfRoom = (file: string) => file.startsWith(`${folder}/`) && (folder !== 'features' || !pluginOf(file));
    const leaving = all.filter(({ file, name }) => isOurs(name) && isOfRoom(file) && !name.startsWith(`${folder}/`));
    const inside = all.filter(({ file, name }) => dirname(file) === folder && name.startsWith(`${folder}/`));
    const isNamed = (file: string) => named.some(({ paths }) => paths.some((path) => covers(path, file)));
    expect([...new Set(leaving.filter(({ name }) => !isNamed(name)).map(({ name }) => name))]).toEqual([]);
    const isImported = (path: string) => [...leaving, ...inside].some(({ name }) => covers(path, name));
    expect(named.filter(({ paths }) => !paths.some(isImported)).map(({ name }) => name)).toEqual([]);
  });

  it('are drawn in the architecture page, which draws nothing else', () => {
    const drawing = /^```\n(.*?)^```$/ms.exec(readPage('docs/about/architecture.md'))?.[1] ?? '';
    const drawn: string[] = [];
    const lost: string[] = [];
    let outer = '';
    for (const line of drawing.split('\n')) {
      const [, bar, name = ''] = /^( *[├└] )?([\w./-]+(?:, [\w-]+\.ts)*) +\S/.exec(line) ?? [];
      if (bar === undefined && name) outer = name;
      for (const one of name.split(', ').filter(Boolean)) drawn.push(bar ? join(outer, one) : one.replace(/\/$/, ''));
      const mentioned = [...line.slice(name.length + (bar?.length ?? 0)).matchAll(/[\w/-]+\.ts\b/g)].map(([file]) => file);
      lost.push(...mentioned.filter((file) => !files.includes(join(outer, file)) && !files.includes(file)));
    }
    const paths = drawn.map((path) => path.replace(/\/$/, ''));
    expect([...lost, ...paths.filter((path) => !existsSync(join(src, path)))]).toEqual([]);
    expect(
      folders.filter((folder) => folder.split('/').length < 3 && !/^(?:products\/cli|features)\//.test(folder) && !paths.includes(folder)),
    ).toEqual([]);
    expect(files.filter((file) => dirname(file) === '.' && !paths.includes(file))).toEqual([]);
  });
});

const pages = [
  'docs/about/architecture.md',
  'CONTRIBUTING.md',
  'test/support/README.md',
  ...folders.map((folder) => `src/${folder}/README.md`),
];

describe.each(pages)('%s', (page) => {
  const text = readPage(page);
  const from = dirname(page);

  it('names only files and folders that exist', () => {
    const tokens = inCode(text).flatMap((code) => (code.startsWith('<') ? [] : code.split(' ')));
    const lost = tokens.filter((token) => isPath(token) && !placesOf(token, from).some((path) => existsSync(path) || isPattern(path)));
    expect(lost).toEqual([]);
    const links = [...text.matchAll(/\]\((?!https?:)([^)#]+)/g)].map(([, path = '']) => path);
    expect(links.filter((path) => !existsSync(join(root, from, path)))).toEqual([]);
  });

  it('names only functions that the file beside them has', () => {
    const pairs = [...text.matchAll(/`(\w+)`(?: of | in | by |, from | \()`([\w./-]+\.ts)`/g)];
    const lost = pairs.filter(([, name = '', file = '']) => {
      const path = placesOf(file, from).find((one) => existsSync(one));
      return path && !new RegExp(`\\b${name}\\b`).test(readFileSync(path, 'utf8'));
    });
    expect(lost.map(([whole]) => whole)).toEqual([]);
  });
});

describe('CONTRIBUTING.md', () => {
  const text = readPage('CONTRIBUTING.md');

  it('names each file of src/ that knows the operators of filters by name', () => {
    const [paragraph = ''] = /^\*\*A filter operator\.\*\*(?:.+\n)+/m.exec(text) ?? [];
    const named = new Set(inCode(paragraph));
    const knowing = files.filter((file) => {
      const words = wordsOf(readFileSync(join(src, file), 'utf8'));
      return words.has('nin') && words.has('prefix');
    });
    expect(knowing.length).toBeGreaterThan(2);
    expect(knowing.filter((file) => !named.has(file))).toEqual([]);
  });

  it('says where the tests of each room are', () => {
    const testsOf = (folder: string) => join(root, 'test', folder.replace(/^features(?=\/)/, 'feature'));
    const isThere = (tests: string) => existsSync(tests) || existsSync(`${tests}.test.ts`);
    const ofPlugin = (folder: string) => crossings[/^features\/([\w-]+)/.exec(folder)?.[1] ?? '']?.own ?? [];
    const without = folders.filter((folder) => ![testsOf(folder), ...ofPlugin(folder)].some(isThere));
    expect(without.filter((folder) => !inCode(text).includes(`src/${folder}/`))).toEqual([]);
    const others = readdirSync(join(root, 'test'), { withFileTypes: true }).filter(
      (one) => one.isDirectory() && !folders.some((folder) => `${folder}/`.startsWith(`${one.name}/`)),
    );
    expect(others.filter(({ name }) => !inCode(text).includes(`test/${name}/`)).map(({ name }) => name)).toEqual([]);
  });
});

/** What stands in code quotes, outside of blocks. */
function inCode(text: string): string[] {
  return [...text.replace(/^```.*?^```$/gms, '').matchAll(/`([^`\n]+)`/g)].map(([, code = '']) => code);
}

/**
 * A path has a slash or the ending of a file. What the build writes, and what another package exports, is not one of
 * ours.
 */
function isPath(token: string): boolean {
  if (!/^(?:\.\.\/)*[\w.-]+(?:\/[\w.-]+)*\/?$/.test(token) || /^(?:dist\/|\.)/.test(token)) return false;
  return token.includes('/') || /\.(?:ts|md|json)$/.test(token);
}

/** Where a path may lead: from the page's folder, from the one around it, from src/, or from the repository. */
function placesOf(path: string, from: string): string[] {
  const entry = /^koa-mongo-resource\/(.+)$/.exec(path)?.[1];
  if (entry) return entries.includes(`./${entry}`) ? [src] : [];
  return [join(root, from), join(root, dirname(from)), src, root].map((base) => join(base, path));
}

/** Whether a path is the beginning of one that exists, as Jest takes it: `test/feature/scope`. */
function isPattern(path: string): boolean {
  return (
    path.startsWith(join(root, 'test/')) &&
    existsSync(dirname(path)) &&
    readdirSync(dirname(path)).some((name) => name.startsWith(basename(path)))
  );
}

/**
 * What a name in the line of imports may mean, from src/: something in the folder, beside it, or in src/. '' is src/
 * itself.
 */
function meaningsOf(name: string, folder: string): string[] {
  const [, absolute] = /^src\/(.*)$/.exec(name) ?? [];
  const candidates = absolute === undefined ? [join(folder, name), join(dirname(folder), name), name] : [absolute];
  return candidates.map((path) => path.replace(/^\.$|\/$/g, '')).filter((path) => existsSync(join(src, path)));
}

function covers(path: string, file: string): boolean {
  return path === '' ? !file.includes('/') : file === path || file.startsWith(`${path}/`);
}

/** The identifiers and texts of a source, without comments. */
function wordsOf(text: string): ReadonlySet<string> {
  const scanner = ts.createScanner(ts.ScriptTarget.Latest, true, ts.LanguageVariant.Standard, text);
  const words = new Set<string>();
  while (scanner.scan() !== ts.SyntaxKind.EndOfFileToken) words.add(scanner.getTokenValue());
  return words;
}
