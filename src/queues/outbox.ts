import type { CompiledModel } from '../model/compile/compile-model.ts';
import type { EventRow } from '../mongo/ledger/entry.ts';
import type { QueueRow } from './queue-rows.ts';

/** An event as it is stored, with what the queue keeps of it. */
export type StoredEvent = Omit<EventRow, 'state'> & QueueRow;

/** A change of a record, as it is delivered. It has no values: whoever needs them reads the record. */
export interface Event {
  /** The id of the event. It stays the same however often it is delivered. */
  readonly id: string;
  /** What has happened to a record of which model: `order.created`, `.patched`, `.deleted` or `.restored`. */
  readonly type: string;
  /** The name of the model. */
  readonly model: string;
  /** The id of the record, as it stands in a path. */
  readonly subject: string;
  /**
   * Tells the record from an earlier one that had the same id, and is gone for good. Null if the record was there
   * before its model had an outbox.
   */
  readonly life: string | null;
  /**
   * The revision that the change has led to. It grows with every change of the record, so that a receiver can drop what
   * is older than what it has.
   */
  readonly revision: number;
  readonly at: Date;
  /** Who has made the change. Null for nobody, and outside of a request. */
  readonly actor: string | null;
  /** The operation of the request. Undefined outside of a request. */
  readonly operation: string | undefined;
  /** The id of the request. Undefined if requests have none. */
  readonly requestId: string | undefined;
}

/** The event of a row. */
export function toEvent({ _id, type, model, subject, life, revision, at, actor, operation, request }: StoredEvent): Event {
  const time = { revision: Number(revision), at };
  return { id: String(_id), type, model, subject, life: life && String(life), ...time, actor, operation, requestId: request };
}

/** The events of one record, from its birth to its end, are delivered one after the other, whichever model wrote. */
export const lines = { line: ['record', 'collection', 'life'], sequence: 'revision' } as const;

/** The collections of the outboxes of models, each with the names of its models. */
export function outboxesOf(models: readonly CompiledModel[]): Map<string, ReadonlySet<string>> {
  const outboxes = new Map<string, Set<string>>();
  for (const { name, ledger } of models) {
    const { collection } = ledger?.outbox ?? {};
    if (collection !== undefined) outboxes.set(collection, (outboxes.get(collection) ?? new Set()).add(name));
  }
  return outboxes;
}
