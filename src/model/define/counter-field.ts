import { build, open } from './build-schema.ts';
import type { NumberOptions } from './leaf-options.ts';
import type { Closed, Field, FieldOptions } from './schema.ts';
import type { LeafTypes } from './value-types.ts';

/** Options of `t.counter`. Bounds are inclusive: a step that would pass one is 422. */
export interface CounterOptions extends Omit<FieldOptions<number>, 'immutable'>, Pick<NumberOptions, 'minimum' | 'maximum'> {}

/** The builder of fields that clients step. */
export const counterField = {
  /**
   * An integer that clients step by `POST …/<field>` with `{"add": -1}`, and do not set by patch and put. It is within
   * the safe range of a JavaScript number, and 0 unless `default` says otherwise. A step beyond its bounds is 422.
   *
   * @example
   * t.counter({ minimum: 0, policy: { update: ['shop', 'warehouse'] } })
   */
  counter: <const O extends CounterOptions>(
    options?: O & Closed<O, CounterOptions>,
  ): Field<LeafTypes<number, number>, O & { readonly '~counter': true }> =>
    build({ type: 'integer', ...open(options), default: open(options).default ?? 0, bsonType: 'int', counter: true }),
};
