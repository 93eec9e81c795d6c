import type { ConditionFor, everything, FilterOn } from '../../mongo/predicate/read-scope.ts';

/**
 * A row filter: a value or operators of this library for each field of the document; dotted paths for fields of
 * embedded objects.
 */
export type ScopeFilter<Doc> = FilterOn<Doc>;

/** The result of a scope function. */
export type ScopeResult<Doc> = ScopeFilter<Doc> | typeof everything;

/** What a scope function may return before {@link OnlyFields} checks it, so that its message is the one shown. */
export type ScopeGiven<Doc> = Unchecked<Doc> | Promise<Unchecked<Doc>>;

type Unchecked<Doc> =
  | { readonly [Name in keyof ScopeFilter<Doc>]?: ScopeFilter<Doc>[Name] | NonNullable<unknown> | null | undefined }
  | typeof everything;

/**
 * What a scope function must return: each key a field, and each value one of the field. TypeScript does not check
 * excess keys in what a function returns, and explains a wrong value by the last member of a union, here a promise.
 */
export type OnlyFields<Result, Doc> =
  Result extends PromiseLike<infer Value>
    ? PromiseLike<OnlyFields<Value, Doc>>
    : Result extends object
      ? { readonly [Name in keyof Result]: Name extends keyof ScopeFilter<Doc> ? ConditionFor<Result[Name], Doc, Name> : never }
      : Result;
