import type { CreateIndexesOptions, IndexDescription } from 'mongodb';
import type { CompiledModel } from '../../model/compile/compile-model.ts';
import type { IndexKey } from '../../model/compile/model-index.ts';
import type { FieldEntry } from '../../model/node.ts';

/** The options of an index, as the driver's `createIndex` takes them. */
export type IndexOptions = CreateIndexesOptions & Omit<IndexDescription, 'key'>;

/** An index that an api needs, with the reasons. */
export interface PlannedIndex {
  /** The key of the index, as the driver's `createIndex` takes it. */
  readonly key: IndexKey;
  readonly options: IndexOptions;
  /** The declarations and lists that need the index, such as `orders: sort by createdAt`. */
  readonly reasons: readonly string[];
}

/**
 * A model whose indexes are planned, the list of a resource that serves it, and the relations that lead to its records
 * by `t.hasMany`.
 */
export interface IndexSource {
  readonly model: CompiledModel;
  /** Filters that are asked for often. */
  readonly filtered?: readonly FilterUse[];
  readonly list?: { readonly resource: string; readonly scopeFields: readonly string[]; readonly showsDeleted?: boolean };
  /** The reads of records that refer to others. */
  readonly reverse?: readonly ReverseRead[];
  /**
   * The fields by which queries for lists of other models find its records, or by which a list finds related records.
   */
  readonly through?: readonly ThroughUse[];
}

/** A read of the records that refer to another one, in their order. */
interface ReverseRead {
  readonly reason: string;
  /** The fields that the scope of the records compares with a value. */
  readonly scopeFields: readonly string[];
  /** The stored path of the reference. */
  readonly path: string;
  /** The paths of the sort, which ends with the id. */
  readonly sort: ReadonlyMap<string, 1 | -1>;
}

/** An alternative of a filter: the paths that it compares with single values, and those with bounds. */
interface FilterUse {
  readonly equal: readonly string[];
  readonly ranged: readonly string[];
  readonly scopeFields: readonly string[];
  readonly reason: string;
}

/** A field that filters through relations use. */
export interface ThroughUse {
  /** The name of the field in the model. */
  readonly field: string;
  readonly scopeFields: readonly string[];
  /** Whether it is compared with ids. */
  readonly isReference: boolean;
  readonly reason: string;
}

/** A filter of a field for one value. */
interface Point {
  readonly path: string;
  /** The paths that are compared with one value each. */
  readonly equal: ReadonlySet<string>;
  /** Whether it shows living records only. */
  readonly isOfLiving: boolean;
}

/** An index that a list needs. */
export interface Wanted extends PlannedIndex {
  /**
   * Set if the filter of the field asks only for single values, and never for null: then every unique index of the
   * field suffices.
   */
  readonly point?: Point;
}

/** The fields of the scope of a list, or of a query for related records. */
export function scopeOf({ fieldTable }: CompiledModel, names: readonly string[]): FieldEntry[] {
  return names.map((name) => fieldTable.get(name) as FieldEntry);
}
