import type { Operator } from '../../model/define/policy.ts';

/** The value that a filter compares with: of an array, that of an element. */
export type Elements<Value> = Value extends readonly (infer Element)[] ? Element : Value;

/** A value that a field must have, or operators of the library. */
export type ConditionOn<Value> =
  | Value
  | ({ readonly [Name in Exclude<Operator, 'in' | 'nin' | 'exists'>]?: Value } & {
      readonly in?: readonly Value[];
      readonly nin?: readonly Value[];
      readonly exists?: boolean;
    });
