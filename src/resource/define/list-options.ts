import type { IncludeEntry } from '../../middleware/relations/narrowed-includes.ts';
import type { Paging, Totals } from '../../mongo/list/parse-paging.ts';

/** The options of a resource for its list. */
export interface ListOptions<Include = string> {
  /** How lists are paged: `cursorPaging()` or `offsetPaging()`. @default cursorPaging() */
  readonly paging?: Paging;
  /**
   * The relations that clients may include in list and get. A relation is named by its `as`, or by its field. Dots lead
   * into embedded objects, and to relations of the included record. Only the names in the array are allowed:
   * `author.company` alone does not allow `author`.
   *
   * An object in place of the name of a relation by `t.hasMany` shows fewer records than the model allows, or in
   * another order. Of these, clients may ask for less by `comments[limit]`, and for one of `sorts` by `comments[sort]`.
   * @default none
   *
   * @example
   * include: ['customer', 'author.company', { relation: 'comments', max: 5, sort: '-createdAt', sorts: ['createdAt'] }]
   */
  readonly include?: readonly IncludeEntry<Include>[];
  /** Whether clients may choose fields by `fields=name,address.city` in list and get. @default false */
  readonly fields?: boolean;
  /**
   * Filters that clients ask for often, with `…` in place of the values: `planIndexes` plans an index for each of their
   * alternatives. Clients may ask for others, too. @default none
   *
   * @example
   * filters: ['status = … AND total >= …']
   */
  readonly filters?: readonly string[];
}

/** Settings of {@link cursorPaging}. */
export interface CursorPagingOptions {
  /** Largest page a client can ask for; a larger `limit` is clamped to it. @default 100 */
  readonly max?: number;
  /** Page size when `limit` is omitted. @default 20, or `max` where that is smaller */
  readonly size?: number;
  /**
   * `true` allows `total=true`, which counts all matches by a second query, and `total=estimate`, which reads the
   * statistics of the collection and needs a list without filter and scope. `'estimate'` allows only the latter.
   * @default false
   */
  readonly total?: Totals;
}

/** Settings of {@link offsetPaging}. */
export interface OffsetPagingOptions extends CursorPagingOptions {
  /** How many records a page may skip. A later page is answered with 400. @default 10,000 */
  readonly maxOffset?: number;
}
