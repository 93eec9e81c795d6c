import { build, open } from '../../model/define/build-schema.ts';
import type { NumberOptions } from '../../model/define/leaf-options.ts';
import type { Closed, Field, FieldOptions } from '../../model/define/schema.ts';
import type { LeafTypes } from '../../model/define/value-types.ts';

/** Options of `t.counter`. Bounds are inclusive: a step that would pass one is 422. */
export interface CounterOptions extends Omit<FieldOptions<number>, 'immutable'>, Pick<NumberOptions, 'minimum' | 'maximum'> {}

/**
 * The builder of fields that clients step. Its type is written out, or declarations would name a path that packages
 * lack.
 */
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
  ): Field<LeafTypes<number, number>, O & { readonly '~kind': 'counter'; readonly default: number }> =>
    build({ type: 'integer', ...open(options), default: open(options).default ?? 0, bsonType: 'int', counter: true }),
};
