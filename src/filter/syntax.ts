/** The comparison of a field with a value. */
export const comparisons = ['=', '!=', '<', '<=', '>', '>='] as const;

/** An operator between a field and a value. */
export type ComparisonSign = (typeof comparisons)[number];

/** A filter as it is written, with the places of its parts. Nothing says whether its fields exist. */
export type FilterSyntax =
  | { readonly kind: 'and' | 'or'; readonly of: readonly FilterSyntax[] }
  | { readonly kind: 'not'; readonly of: FilterSyntax }
  | { readonly kind: 'compare'; readonly field: FieldName; readonly operator: ComparisonSign; readonly value: Literal }
  | { readonly kind: 'in'; readonly field: FieldName; readonly values: readonly Literal[] }
  | {
      readonly kind: 'call';
      /** The name of the function. */
      readonly name: string;
      readonly field: FieldName;
      /** The text behind the field. Undefined for a function that takes none. */
      readonly value: Literal | undefined;
    }
  | {
      readonly kind: 'any' | 'none';
      readonly field: FieldName;
      /** What one item or related record must fulfil. Undefined if there need only be one. */
      readonly of: FilterSyntax | undefined;
    }
  | {
      readonly kind: 'count';
      readonly field: FieldName;
      /** What the items or related records fulfil that are counted. Undefined for all of them. */
      readonly of: FilterSyntax | undefined;
      readonly operator: ComparisonSign;
      /** Undefined for a blank. */
      readonly number: number | undefined;
    };

/** The name of a field or of a relation, dotted, and where it begins. */
export interface FieldName {
  readonly name: string;
  readonly position: number;
}

/** A JSON literal. */
export interface Literal {
  /**
   * The value of a string, the digits of a number as they are written, `true`, `false`; null for `null`. Undefined for
   * `…`, which stands for any value in a definition.
   */
  readonly text: string | null | undefined;
  readonly position: number;
}

/**
 * What is wrong with the text of a filter. Positions count characters (Unicode code points) from 1.
 */
export class FilterSyntaxError extends Error {
  readonly rule: 'syntax' | 'ambiguous' | 'too_complex';
  readonly params: Readonly<Record<string, unknown>>;

  constructor(rule: FilterSyntaxError['rule'], message: string, params: Readonly<Record<string, unknown>>) {
    super(message);
    this.rule = rule;
    this.params = params;
  }
}
