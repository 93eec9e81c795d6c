import { markOf } from '../../marks.ts';

/**
 * A queue of what is delivered to the records of a model about those of others. Each row names the other record by
 * `model` and `subject`, its id as in a path, and by `actor` who has changed it.
 */
export interface Deliveries {
  readonly collection: string;
  /** The fields whose values name a line: its rows are delivered one after the other. */
  readonly line: readonly string[];
  /** The field that orders the rows of a line. */
  readonly sequence: string;
  /** The field that says whether a record is delivered to. */
  readonly enabled: string;
  /** A private field: the times at which that has changed, also by a delete that can be undone. */
  readonly switchedAt: string;
}

const mark = markOf('deliveries');

/** Tells an api that knows the model of the queue, so that it purges its rows with the records that they are about. */
export function withDeliveries<M extends object>(model: M, deliveries: Deliveries): M {
  return { ...model, [mark]: deliveries };
}

/** The queue of a model. Undefined for almost all models. */
export function deliveriesOf(model: object): Deliveries | undefined {
  return (model as { readonly [key: symbol]: Deliveries | undefined })[mark];
}
