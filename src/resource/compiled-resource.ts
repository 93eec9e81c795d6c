import type { AfterHook } from '../middleware/after-hooks.ts';
import type { CachingOptions } from '../middleware/caching.ts';
import type { ServerFields } from '../middleware/check-create.ts';
import type { Includes } from '../middleware/parts/compile-includes.ts';
import type { Guard, ScopeFunction } from '../middleware/parts/context.ts';
import type { CompiledModel } from '../model/compile/compile-model.ts';
import type { Database } from '../mongo/driver/database.ts';
import type { FilterLimits } from '../mongo/list/parse-list-query.ts';
import type { Paging } from '../mongo/list/parse-paging.ts';
import type { CompiledOperation } from './compile-operations.ts';
import type { Operation } from './resource-options.ts';

/** What an api gives to each of its resources. */
export interface ApiSettings {
  readonly db: Database;
  readonly maxBody: number;
  readonly bodyTimeout: number;
  readonly maxTimeMS: number;
  readonly maxPageBytes: number;
  readonly filterLimits: FilterLimits;
  readonly warnOnScan: boolean;
}

/** A resource with its defaults filled in and its mistakes found: what the chains are made of. */
export interface CompiledResource extends ApiSettings {
  readonly path: string;
  readonly description: string;
  readonly model: CompiledModel;
  readonly ops: readonly Operation[];
  readonly operations: readonly CompiledOperation[];
  readonly scope: ScopeFunction<never>;
  /** Whether it has a scope of its own, which may ask who is calling. */
  readonly isScoped: boolean;
  /** Whether the scope bounds what clients write. */
  readonly scopeWrites: boolean;
  /** The fields that every index of its list begins with; undefined where they were not declared. */
  readonly scopeFields: readonly string[] | undefined;
  readonly serverFields: ServerFields<never> | undefined;
  readonly explicitWrites: boolean;
  readonly mergePatch: boolean;
  readonly preconditionRequired: boolean;
  /** Who may keep its answers. */
  readonly caching: CachingOptions;
  readonly paging: Paging;
  /** The relations that list and get may include; none until `linkResources` has found where they lead. */
  readonly includes: Includes;
  /** Whether clients may choose what they read. */
  readonly fields: boolean;
  /** By the name of an operation, standard or custom. */
  guardsOf(operation: string): readonly Guard<never>[];
  hooksOf(operation: string): readonly AfterHook<never, never>[];
}
