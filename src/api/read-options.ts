import type { Db } from 'mongodb';
import { ConfigurationError } from '../errors.ts';
import { apiPlugins } from '../features/apis.ts';
import { showName } from '../hints.ts';
import { hasMark, markOf } from '../marks.ts';
import { bodyLimits } from '../middleware/body-limit.ts';
import type { Guard } from '../middleware/exchange/context.ts';
import { limitsOfLists } from '../middleware/exchange/further-parameters.ts';
import { filterLimits } from '../middleware/list-query.ts';
import { throughLimits } from '../middleware/relations/compile-through.ts';
import { tryAll } from '../mistakes.ts';
import type { Model } from '../model/define/define-model.ts';
import { isObject } from '../model/value/plain-object.ts';
import { checkWriteConcern } from '../mongo/driver/commands.ts';
import { asDb } from '../mongo/driver/database.ts';
import { timeLimit } from '../mongo/driver/time-limit.ts';
import { isDevelopment } from '../mongo/indexes/watch-scans.ts';
import { aPageBound } from '../mongo/list/page-bytes.ts';
import { referenceLimits } from '../mongo/relations/limits.ts';
import {
  aFunction,
  anArrayOf,
  aWholeNumber,
  byDefault,
  checkOptions,
  checkValue,
  type LegalOptions,
  pickOptions,
  refuseMisspelt,
  required,
  trueOrFalse,
} from '../options.ts';
import type { ApiSettings } from '../resource/define/compiled-resource.ts';
import type { ResourceDefinition } from '../resource/define/resource-options.ts';
import { type ApiOptions, apiOptionNames, type ConcurrencyOptions, type OpenapiOptions } from './api-options.ts';

type Options = ApiOptions<ResourceDefinition>;

/** The limits of an api that stand alone, with their defaults. */
export const limitsOfApi = {
  ...timeLimit,
  ...bodyLimits,
  maxPageBytes: aPageBound,
  shareRoundTrips: byDefault(true, trueOrFalse),
};

/** Reads the options that every resource of the api gets. */
export function readSettings(options: Options): Omit<ApiSettings, 'prefix' | 'isCarried' | 'again' | 'shared'> {
  const { warnOnScan = isDevelopment() } = options;
  const [db, ofFilters, ofThrough, ofLists, ofReferences, limits] = tryAll([
    () => {
      const db = readDatabase(options);
      checkWriteConcern(db);
      return db;
    },
    () => pickOptions(options, filterLimits),
    () => pickOptions(options, throughLimits),
    () => pickOptions(options, limitsOfLists),
    () => pickOptions(options, referenceLimits),
    () => pickOptions(options, limitsOfApi),
    () => checkValue('`warnOnScan`', warnOnScan, trueOrFalse),
  ]);
  return {
    db,
    ...limits,
    warnOnScan,
    filterLimits: ofFilters,
    throughLimits: ofThrough,
    listLimits: ofLists,
    referenceLimits: ofReferences,
  };
}

/** Reads `maxConcurrency` of an api: the places of all clients together, and of each. */
export function readConcurrency({ maxConcurrency }: Options): Partial<ConcurrencyOptions<never>> {
  if (maxConcurrency === undefined) return {};
  if (typeof maxConcurrency !== 'object') return { total: maxConcurrency };
  checkOptions(maxConcurrency, legalConcurrency, '`maxConcurrency`');
  const { total = Number.POSITIVE_INFINITY, each } = maxConcurrency;
  if (each >= total) throw new ConfigurationError('`each` of `maxConcurrency` must be less than `total`, or it would limit nothing.');
  return maxConcurrency;
}

const legalConcurrency: LegalOptions<ConcurrencyOptions<never>> = {
  total: aWholeNumber(1),
  each: required(aWholeNumber(1)),
  by: required(aFunction),
};

/** Reads `removals` of an api: the models of removals and of their steps. */
export function readRemovals({ removals }: Options): { readonly model: Model; readonly steps: Model } | undefined {
  if (removals === undefined) return undefined;
  const mark = markOf('removals');
  if (!hasMark(removals, mark)) throw new ConfigurationError('`removals` must be what `defineRemovals()` returns.');
  return { model: removals as unknown as Model, steps: (removals as unknown as Record<symbol, Model>)[mark] as Model };
}

/** The names of the options of an api. */
export const optionNames = [...apiOptionNames, ...apiPlugins.flatMap(({ options }) => options)];

/** Reads the database. */
export function readDatabase(options: Options): Db {
  refuseMisspelt('db', options, optionNames, 'an api');
  return asDb(options.db);
}

/** Reads the definitions of the resources. */
export function readResources(options: Options): readonly ResourceDefinition[] {
  refuseMisspelt('resources', options, optionNames, 'an api');
  checkValue('`resources` of an api', options.resources, anArrayOf('what `resource()` of its service returns', isObject));
  return options.resources;
}

/** Reads the path prefix of all routes. */
export function readPrefix({ prefix = '' }: Options): string {
  const isPrefix = typeof prefix === 'string' && /^(?:(?:\/(?!\.{1,2}(?:\/|$))[\w.~-]+)+)?$/.test(prefix);
  if (isPrefix) return prefix;
  throw new ConfigurationError(
    `\`prefix\` must begin with a slash and end without one, such as \`/api\`, and have no segment \`.\` or \`..\`; it is \`${showName(prefix)}\`.`,
  );
}

/** The other things that an api serves beside its resources. */
export interface Extras {
  /** The guards of the OpenAPI description: empty if it is open to everybody, undefined if it is not served. */
  readonly documentGuards: readonly Guard<never>[] | undefined;
  /** Whether each caller gets the description of what it sees. */
  readonly isPerCaller: boolean;
  readonly docs: boolean;
  readonly health: boolean;
}

/** Reads what the api serves beside its resources. */
export function readExtras({ openapi = true, docs = false, health = false }: Options): Extras {
  const [document] = tryAll([
    () => readDocument(openapi),
    () => checkValue('`docs`', docs, trueOrFalse),
    () => checkValue('`health`', health, trueOrFalse),
  ]);
  if (docs && !document) throw new ConfigurationError('`docs` shows the description: it needs `openapi`.');
  return { documentGuards: document?.guards, isPerCaller: document?.perCaller ?? false, docs, health };
}

const [isArrayOfFunctions] = anArrayOf('functions', aFunction[0]);
const legalOpenapi: LegalOptions<OpenapiOptions<unknown>> = {
  guards: [(guards) => isArrayOfFunctions(guards) && (guards as unknown[]).length > 0, 'an array of at least one function'],
  perCaller: trueOrFalse,
};

interface DocumentOptions {
  readonly guards: readonly Guard<never>[];
  readonly perCaller: boolean;
}

/** Undefined if the description is not served. */
function readDocument(openapi: unknown): DocumentOptions | undefined {
  if (typeof openapi === 'boolean') return openapi ? { guards: [], perCaller: false } : undefined;
  if (!isObject(openapi)) throw new ConfigurationError('`openapi` must be true, false or `{ guards: […], perCaller: true }`.');
  const options = openapi as unknown as OpenapiOptions<unknown>;
  checkOptions(options, legalOpenapi, '`openapi`');
  if (Object.keys(options).length === 0)
    throw new ConfigurationError('The options of `openapi` must have `guards` or `perCaller`: `true` serves it to everybody.');
  return { guards: options.guards ?? [], perCaller: options.perCaller ?? false };
}

/** Whether every request gets an id: by default if the api has observers. */
export function readRequestIds({ observe, requestIds = observe !== undefined }: Options): boolean {
  checkValue('`requestIds`', requestIds, trueOrFalse);
  return requestIds;
}
