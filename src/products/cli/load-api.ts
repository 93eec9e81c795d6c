import { inspect } from 'node:util';
import { isApi } from '../../api/copies.ts';
import { listNames } from '../../hints.ts';
import type { Api } from '../../index.ts';
import { type DatabaseArguments, openDatabase } from './database.ts';
import { type Library, libraryOf } from './library.ts';
import { exportOf, exportsOf, loadModule } from './load-module.ts';
import { UsageError } from './usage-error.ts';

/** An api, and the copy of the library that has made it. */
export interface LoadedApi {
  readonly api: Api;
  readonly library: Library;
}

/** Which export of which module has the api, and with which database. */
export interface ApiArguments extends DatabaseArguments {
  readonly path: string;
  readonly exportName: string;
  readonly needsDatabase: boolean;
}

/**
 * Gets the api of a module: the export is an api, which has its database, or a function that takes a database and
 * returns an api. Both may be promises.
 */
export async function loadApi(given: ApiArguments): Promise<LoadedApi> {
  const { path, exportName, needsDatabase } = given;
  const module = await loadModule(path);
  const found = await exportOf(module, exportName);
  const what = exportName === 'default' ? 'default export' : `export \`${exportName}\``;
  if (found === undefined) {
    const names = exportsOf(module);
    const others = names.length > 0 ? `Its exports are ${listNames(names)}: name one by --export.` : 'It exports nothing.';
    throw new UsageError(`${path} has no ${what}. ${others}`);
  }
  if (typeof found !== 'function' && given.isGiven)
    throw new UsageError(
      `The ${what} of ${path} is an api with a database of its own: leave --uri and --db out, or export a function that takes the database.`,
    );
  const api: unknown = typeof found === 'function' ? await found(await openDatabase(given, needsDatabase)) : found;
  if (isApi(api)) return { api, library: libraryOf(api, path) };
  const got = typeof found === 'function' ? 'it returns' : 'it is';
  throw new UsageError(
    `The ${what} of ${path} must be an api, which \`api()\` of a service returns, or a function that takes a database and returns one; ${got} ${inspect(api, { depth: -1 })}.`,
  );
}
