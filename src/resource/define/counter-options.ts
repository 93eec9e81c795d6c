import type { CountersOf } from '../../model/define/infer.ts';
import type { Fields } from '../../model/define/schema.ts';

/** The option of a resource for the counters of its records. */
export interface OfCounters<F extends Fields> {
  /**
   * The counters that clients may step, each at `POST <record>/<counter>` with `{"add": 1}`. `guardsFor`, `before`,
   * `within` and `after` have their names as keys, and the groups `change` and `write` include them. See
   * `docs/reference/custom-operations.md`.
   * @default all that `policy.update` does not close, where `patch` is served, otherwise none
   */
  readonly counters?: readonly CountersOf<F>[];
}
