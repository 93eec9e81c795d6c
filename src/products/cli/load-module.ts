import { statSync } from 'node:fs';
import { createRequire } from 'node:module';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { UsageError } from './usage-error.ts';

type Module = Readonly<Record<string, unknown>>;

/**
 * Imports a module of the app by its path. A module in TypeScript is read by `tsx`, if the app has it, as by
 * `node --import tsx`; otherwise by what Node has: its own type stripping, or a loader of `NODE_OPTIONS`.
 */
export async function loadModule(path: string): Promise<Module> {
  const file = resolve(path);
  if (!statSync(file, { throwIfNoEntry: false })?.isFile()) throw new UsageError(`There is no file ${path}.`);
  const isTypeScript = /\.[cm]?tsx?$/.test(file);
  const tsx = isTypeScript ? findFrom(file, 'tsx') : undefined;
  if (tsx !== undefined) await import(pathToFileURL(tsx).href);
  try {
    return (await import(pathToFileURL(file).href)) as Module;
  } catch (error) {
    if (error instanceof SyntaxError && !error.stack?.includes('file:')) throw notJavaScript(path, error);
    if ((error as { readonly code?: unknown } | undefined)?.code !== 'ERR_UNKNOWN_FILE_EXTENSION') throw error;
    const advice = 'Install tsx (`npm install --save-dev tsx`), use Node 22.18 or newer, or name the compiled JavaScript.';
    throw new UsageError(`Node ${process.version} cannot read ${path}: ${(error as Error).message}. ${isTypeScript ? advice : ''}`.trim());
  }
}

/** Node says the place of such an error only when it ends the process. */
function notJavaScript(path: string, cause: SyntaxError): UsageError {
  return new UsageError(
    `${path}, or a module that it imports, is not valid JavaScript: ${cause.message}. Import it with node to see where.`,
    { cause },
  );
}

/** The path of a package's module, as a file of the app finds it. Undefined if the app does not have the package. */
function findFrom(file: string, name: string): string | undefined {
  try {
    return createRequire(file).resolve(name);
  } catch {
    return undefined;
  }
}

/**
 * An export of a module. `import()` shows the exports of a CommonJS module that was compiled from TypeScript as members
 * of its default.
 */
export function exportOf(module: Module, name: string): unknown {
  const { default: main } = module;
  if (isCompiled(main)) return Object.hasOwn(main, name) ? main[name] : undefined;
  return module[name];
}

/** The names of the exports of a module. */
export function exportsOf(module: Module): string[] {
  const { default: main } = module;
  return Object.keys(isCompiled(main) ? main : module).filter((name) => name !== '__esModule' && name !== 'module.exports');
}

function isCompiled(value: unknown): value is Module {
  return typeof value === 'object' && value !== null && '__esModule' in value;
}
