import type { DeliverOptions, Delivery } from './deliver.ts';

/** The method of an api that delivers. */
export interface Delivers {
  /**
   * Hands the events of the outboxes over to a function, at least once, in the order of each record's changes, until it
   * is closed. Any number of processes may do so: they share the events. `close` of the api closes it, too.
   *
   * Rejects with a {@link ConfigurationError} for an invalid option, and if no model of the api has an `outbox`.
   *
   * @example
   * const delivery = await api.deliver({
   *   handle: (event) => console.log(event.type, event.subject, event.revision),
   * });
   */
  deliver(options: DeliverOptions): Promise<Delivery>;
}
