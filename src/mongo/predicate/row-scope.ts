import type { QueryFields } from '../../model/compile/query-fields.ts';
import { filterOf } from './filter-of.ts';
import { type Condition, type Filter, isNode, type Predicate, type PredicateNode } from './predicate.ts';

declare const isRowScope: unique symbol;

/** The row filter of a request: `ctx.scope`. */
export type RowScope = Filter & { readonly [isRowScope]: true };

/** The members of a compiled model that a scope needs. */
export interface ScopedModel {
  readonly name: string;
  readonly scopeFields: QueryFields;
}

/** What belongs to a scope. */
interface Mark {
  /** The filter that has it: a clone with all its properties is another one. */
  readonly of: Filter;
  /** The name of its model. */
  readonly name: string;
  /** What a record within it fulfils, for writes. */
  readonly bounds: readonly Condition[];
  /** What the filter was built from. */
  readonly means: Predicate;
}

/** Its place on a filter, which no command has. A WeakMap would cost three times as much for each request. */
const mark = Symbol('scope');

/**
 * The filter of a predicate, as a scope of a model, which the application may hand to the driver, and not change.
 * `bounds` are the conditions that a write must keep to.
 */
export function asRowScope(means: Predicate, { name }: ScopedModel, bounds: readonly Condition[]): RowScope {
  const built = filterOf(means);
  // What is changed in place would count for the database, and not where the tree is asked, such as in a history.
  const filter = isNode(means) ? built : { ...built };
  Object.defineProperty(filter, mark, { value: { of: filter, name, bounds, means } satisfies Mark });
  return Object.freeze(filter) as RowScope;
}

/** What a filter is known by, if it is a scope. */
export function markOf(filter: object): Mark | undefined {
  const found = (filter as { readonly [mark]?: Mark })[mark];
  return found?.of === filter ? found : undefined;
}

/** The node that a predicate is, or that a scope was built from. Undefined for an opaque filter. */
export function nodeOf(predicate: Predicate): PredicateNode | undefined {
  if (isNode(predicate)) return predicate;
  const means = markOf(predicate)?.means;
  return means && nodeOf(means);
}

/** Whether a predicate limits nothing. */
export function isEveryRecord(predicate: Predicate): boolean {
  return Object.keys(filterOf(predicate)).length === 0;
}
