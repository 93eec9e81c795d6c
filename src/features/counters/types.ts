import type { Document, HasFields, Is } from '../../model/define/infer.ts';
import type { Fields } from '../../model/define/schema.ts';

/** The names of the counters among these fields. */
export type CountersOf<F extends Fields> = {
  [K in keyof F]: Is<F[K], { readonly '~kind': 'counter' }> extends true ? K : never;
}[keyof F] &
  string;

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

/** The method of a store for the counters of its records. */
export interface StepsCounters<M extends HasFields, Id, Options> {
  /**
   * Adds to a counter of a record, or takes away from it, in one atomic command. Throws 404, 412, or 422 if the sum
   * would pass a bound of the counter.
   *
   * @example
   * const Product = defineModel('Product', { collection: 'products', fields: { stock: t.counter({ minimum: 0 }) } });
   * const { stock } = await openStore(Product, { db }).step(id, 'stock', -1);
   */
  step(id: Id, counter: CountersOf<M['~fields']>, add: number, options?: Options): Promise<Document<M>>;
}
