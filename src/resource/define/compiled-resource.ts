import type { LimitsOfLists, OptionsOfLists } from '../../features/list-types.ts';
import type { CachingOptions } from '../../middleware/caching.ts';
import type { ServerFields } from '../../middleware/check-create.ts';
import type { Context, Guard, ScopeFunction } from '../../middleware/exchange/context.ts';
import type { AnswersAgain } from '../../middleware/exchange/replays.ts';
import type { Includes } from '../../middleware/relations/compile-includes.ts';
import type { Through, ThroughLimits } from '../../middleware/relations/compile-through.ts';
import type { IncludeEntry } from '../../middleware/relations/narrowed-includes.ts';
import type { CompiledModel } from '../../model/compile/compile-model.ts';
import type { QueryField } from '../../model/compile/query-fields.ts';
import type { Database } from '../../mongo/driver/database.ts';
import type { FilterLimits } from '../../mongo/list/parse-list-query.ts';
import type { Paging } from '../../mongo/list/parse-paging.ts';
import type { ReferenceLimits } from '../../mongo/relations/limits.ts';
import type { References } from '../../mongo/relations/references.ts';
import type { CompiledOperation } from './compile-operations.ts';
import type { DeclaredFilter } from './declared-filters.ts';
import type { FunctionTables } from './function-tables.ts';
import type { NestedEndpoint } from './relation-endpoints.ts';
import type { Operation } from './standard-operations.ts';

/** The settings that an api gives to each of its resources. */
export interface ApiSettings {
  readonly db: Database;
  /** The path prefix of all its routes. */
  readonly prefix: string;
  readonly maxBody: number;
  /** The most values of a body. */
  readonly maxValues: number;
  readonly bodyTimeout: number;
  readonly maxTimeMS: number;
  readonly maxPageBytes: number;
  readonly filterLimits: FilterLimits;
  readonly throughLimits: Required<ThroughLimits>;
  /** The limits of plug-ins for its lists. */
  readonly listLimits: Required<LimitsOfLists>;
  readonly referenceLimits: Required<ReferenceLimits>;
  readonly warnOnScan: boolean;
  readonly shareRoundTrips: boolean;
  /** What plug-ins share among all resources, by the functions that make it: see `sharedOf`. */
  readonly shared: ReadonlyMap<unknown, unknown>;
  /** Whether its writes may be carried out in a transaction of a plug-in. */
  readonly isCarried: boolean;
  /** Answers requests that come again as the first time, if the api does. */
  readonly again: AnswersAgain | undefined;
}

/** A resource by itself: its options with their defaults, checked. */
export interface UnlinkedResource extends FunctionTables {
  readonly path: string;
  readonly description: string;
  readonly model: CompiledModel;
  readonly ops: readonly Operation[];
  /**
   * The operation whose guards decide who may see a record: Get, or List if there is no Get. Undefined if the resource
   * shows none.
   */
  readonly shownBy: Operation | undefined;
  readonly operations: readonly CompiledOperation[];
  readonly scope: ScopeFunction<never>;
  /** Whether the definition has a scope. */
  readonly isScoped: boolean;
  /** Whether the scope also applies to what clients write. */
  readonly scopeWrites: boolean;
  /** The options of plug-ins for its list. */
  readonly listOptions: OptionsOfLists;
  /** The fields that every index of its list begins with; undefined if they were not declared. */
  readonly scopeFields: readonly string[] | undefined;
  /** The functions of `serverFields`; a function alone is `create`. */
  readonly serverFields: { readonly create?: ServerFields<never>; readonly update?: ServerFields<never> };
  readonly explicitWrites: boolean;
  readonly mergePatch: boolean;
  readonly preconditionRequired: boolean;
  /** The most records that a write to many may affect. */
  readonly maxAffected: number;
  /** The caching headers of its answers. */
  readonly caching: CachingOptions;
  readonly paging: Paging;
  /** The filters that clients ask for often, as the definition has them. */
  readonly filters: readonly string[];
  /** Whether clients may choose fields by `fields=`. */
  readonly fields: boolean;
  /** The relations that list and get may include, as the definition names them. */
  readonly include: readonly IncludeEntry[];
  /** The relations through which the list can be filtered and sorted, as the definition names them. */
  readonly through: readonly string[];
  /** The relations whose records are served below each record, as the definition names them. */
  readonly nested: readonly string[];
  /** What plug-ins have made of it, by the functions that made it: see `facetOf`. */
  readonly facets: ReadonlyMap<unknown, unknown>;
  /** The guards of the parameter `deleted`. Undefined if clients may not ask for deleted records. */
  readonly deletedGuards: readonly Guard<never>[] | undefined;
}

/** A resource whose records are served below those of another one, to which they refer. */
export interface NestedResource {
  /** The name of the relation, and the segment of the path. */
  readonly name: string;
  /** The field that refers. */
  readonly via: QueryField;
  readonly target: CompiledResource;
  /** The operations that the other resource serves. */
  readonly operations: readonly NestedEndpoint[];
}

/** A resource with the settings of its api, and linked to the other resources: the input of the chains. */
export interface CompiledResource extends Omit<UnlinkedResource, 'nested' | 'through' | 'filters'>, ApiSettings {
  /** The relations that list and get may include. */
  readonly includes: Includes;
  /** The relations through which the list can be filtered and sorted. Undefined if there are none. */
  readonly through: Through | undefined;
  /** The filters that clients ask for often. */
  readonly filters: readonly DeclaredFilter[];
  /** The resources that are served below its records. */
  readonly nested: readonly NestedResource[];
  /** Returns the path of a new record, whose id is percent-encoded. @default below the path of the request */
  readonly location?: (ctx: Context, id: string) => string;
  /** The checked references of all models of the api. Undefined if there are none. */
  readonly references: References | undefined;
}
