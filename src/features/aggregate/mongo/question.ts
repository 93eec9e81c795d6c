import type { QueryField } from '../../../model/compile/query-fields.ts';
import type { Leaf } from '../../../model/value/leaf.ts';
import type { Position, SortKey } from '../../../mongo/query/position.ts';
import type { Expression } from '../../../mongo/through/expression.ts';
import type { Matching } from '../../../mongo/through/plan-through.ts';
import type { Aggregate, DateUnit } from '../types.ts';

/** A field whose values make the groups. */
export interface GroupKey {
  /** As clients write it: `status`, `createdAt[month]`. */
  readonly name: string;
  readonly field: QueryField;
  /** The span of a date. */
  readonly unit?: DateUnit;
}

/** A number about the values of a field. */
export interface Figure {
  readonly kind: Aggregate;
  readonly field: QueryField;
  /** Its place among all figures that the caller may ask for. */
  readonly index: number;
  /** False if only `sort` or `having` names it. */
  readonly isShown: boolean;
  /** Whether `sort` or `having` names it. */
  readonly isCompared: boolean;
}

/** The query string of an aggregate, validated and cast. */
export interface AggregateQuery extends Matching, AskedOfGroups {
  /** Without any, all records are one group. */
  readonly groups: readonly GroupKey[];
  readonly figures: readonly Figure[];
  readonly isCounted: boolean;
  /** The time zone of the spans of dates. */
  readonly timeZone: string;
  /** The page that is asked for. Undefined if all groups are one answer. */
  readonly window: GroupWindow | undefined;
}

/** The part of the groups that a request asks for. */
export interface GroupWindow {
  /** The most groups of the page. */
  readonly size: number;
  /** The groups behind it are asked for. Without it, those from the first one on. */
  readonly from: Position | undefined;
  /** Binds cursors to the question. */
  readonly list: string;
}

/** What a request asks of the groups themselves. */
export interface AskedOfGroups {
  /** The order of the groups: no two of them are equal in it. */
  readonly sort: readonly SortKey[];
  /** What they fulfil. */
  readonly having: Expression | undefined;
}

/** The key of a figure in the groups of the database. */
export function keyOfFigure({ index }: Figure): string {
  return `f${index}`;
}

/** The type of a field in the form in which groups and figures have its values. */
export function typeOf({ leaf }: QueryField): Leaf {
  return (leaf?.ownForm ? leaf.base : leaf) as Leaf;
}
