import { readFile, rm } from 'node:fs/promises';
import { join, relative, resolve } from 'node:path';
import { decode, encode } from '@jridgewell/sourcemap-codec';
import { type Plugin, rollup } from '@rollup/wasm-node';
import ts from 'typescript';
import { dropUnreachedDeclarations } from './drop-unreached-declarations.ts';
import { runVisibly } from './run.ts';

/**
 * `npm run build`: writes the package's `dist/`. Its JavaScript is a few modules instead of two hundred, because
 * finding and reading each module takes most of the time of an import. It has no comments: editors read those of the
 * declarations, and debuggers show the sources. The declarations stay one file for each source file, so that an editor
 * goes from a name to its source.
 */
const root = resolve(import.meta.dirname, '..');
const source = join(root, 'src');

await rm(join(root, 'dist'), { recursive: true, force: true });
await runVisibly(process.execPath, ['node_modules/typescript/bin/tsc', '-p', 'tsconfig.build.json']);
await dropUnreachedDeclarations(root);
const { exports } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'));
const exported = Object.values<string | { readonly types: string; readonly default: string }>(exports);
/** The source of each entry point: package.json says where its declarations are, which are called after it. */
const entries: Readonly<Record<string, string>> = {
  cli: 'products/cli/main.ts',
  ...Object.fromEntries(
    exported.flatMap((one) =>
      typeof one === 'object'
        ? [[one.default.replace(/^\.\/dist\/|\.js$/g, ''), one.types.replace(/^\.\/dist\/(.*)\.d\.ts$/, '$1.ts')]]
        : [],
    ),
  ),
};
const bundle = await rollup({
  input: Object.fromEntries(Object.entries(entries).map(([name, file]) => [name, join(source, file)])),
  external: (id) => !id.startsWith('.') && !id.startsWith('/'),
  plugins: [stripTypes(), mapLines()],
  onLog(_level, { message }) {
    throw new Error(message);
  },
});
await bundle.write({
  dir: join(root, 'dist'),
  sourcemap: true,
  chunkFileNames: '[name].js',
  hoistTransitiveImports: false,
  minifyInternalExports: false,
  manualChunks: chunkOf,
});
await bundle.close();

/**
 * The module of `dist/` that a source file becomes part of. An app that imports single middlewares loads none of what
 * makes an api, and no app loads what only audits, agents, pages, admin interfaces and the command line need.
 */
function chunkOf(id: string): string | undefined {
  const file = relative(source, id).replaceAll('\\', '/');
  // The index exports none of these, and other entries need them.
  if (['api/copies.ts', 'resource/define/given.ts', 'resource/define/standard-operations.ts', 'resource/table/row.ts'].includes(file))
    return 'shared';
  // What models, lists and stores take of plug-ins, every entry needs.
  if (
    /^features\/(?:[\w-]+\/)?(?:keywords|fields?|types|kinds?|polic(?:y|ies)|models?|model-options|indexes|lists?|plan-[\w-]+|stores?)\.ts$/.test(
      file,
    )
  )
    return 'shared';
  if (file.startsWith('features/') && Object.values(entries).includes(file)) return 'shared'; // a middleware
  if (/^features\/live\/(?:kept-bytes|live-source|live-streams|watches)\.ts$/.test(file)) return 'shared'; // its middlewares need them
  const plugin = /^features\/([\w-]+)\/(?:list-|ask-|(?:mongo|work)\/)/.exec(file)?.[1];
  if (plugin !== undefined) return plugin; // the first request that needs it loads it
  if (file === 'features/delivery/deliver.ts') return 'delivery'; // the first `api.deliver` loads it
  if (/^(?:index|api\/|features\/|openapi\/|resource\/)/.test(file)) return 'index';
  if (file === 'mongo/removals/define-removals.ts') return undefined; // an entry of its own
  // The first delete in the background loads it, or the first purge.
  if (file.startsWith('mongo/removals/') || ['queues/removal-queue.ts', 'mongo/keeps/keeps.ts'].includes(file)) return 'removing';
  if (file.startsWith('queues/')) return 'delivery';
  // The first live list loads it, or the first delivery.
  if (file.startsWith('mongo/changes/') || file === 'mongo/predicate/equality.ts') return 'live';
  if (file.startsWith('mongo/ledger/') || file === 'mongo/collection/recorder.ts') return 'ledger'; // the first write of a model with a ledger
  if (file === 'mongo/collection/read-by-id.ts') return 'audit'; // the only one that needs it
  if (/^products\/admin\/(?:react-admin|refine)\.ts$/.test(file)) return undefined; // each is a module of its own
  if (file.startsWith('products/admin/')) return 'records';
  if (file.startsWith('products/cli/draft/')) return 'draft'; // the command of this name
  return /^products\/(audit|cli|client|mcp|mongoose|webhooks)\//.exec(file)?.[1] ?? 'shared';
}

/** Turns a TypeScript module into JavaScript. `tsc` has checked the types before. */
function stripTypes(): Plugin {
  const compilerOptions: ts.CompilerOptions = {
    target: ts.ScriptTarget.ES2023,
    module: ts.ModuleKind.ESNext,
    verbatimModuleSyntax: true,
    sourceMap: true,
    removeComments: true,
  };
  return {
    name: 'strip-types',
    async load(id) {
      const { outputText, sourceMapText } = ts.transpileModule(await readFile(id, 'utf8'), { compilerOptions, fileName: id });
      return { code: outputText.replace(/\n\/\/# sourceMappingURL=.*\s*$/, '\n'), map: sourceMapText };
    },
  };
}

/**
 * Keeps of the maps where each line comes from, and not each word: they have an eighth of the size, and stack traces
 * and breakpoints need no more.
 */
function mapLines(): Plugin {
  return {
    name: 'map-lines',
    generateBundle(_options, bundle) {
      for (const file of Object.values(bundle)) {
        if (file.type !== 'asset' || !file.fileName.endsWith('.js.map')) continue;
        const map = JSON.parse(String(file.source)) as { mappings: string; names: string[] };
        const lines = decode(map.mappings).map((segments) =>
          segments.filter(([, source, line], index) => {
            const [, sourceBefore, lineBefore] = segments[index - 1] ?? [];
            return source !== sourceBefore || line !== lineBefore;
          }),
        );
        file.source = JSON.stringify({ ...map, mappings: encode(lines), names: [] });
      }
    },
  };
}
