import type { Collection, Db, IndexDescription, MongoBulkWriteError } from 'mongodb';
import type { Event } from '../../delivery/outbox.ts';
import type { QueueRow } from '../../delivery/queue-rows.ts';
import { askWithin } from '../../mongo/driver/ask-within.ts';
import { bsonOptions } from '../../mongo/driver/bson-options.ts';

/** An event on its way to one subscription. */
export interface DeliveryRow extends QueueRow, Pick<Event, 'type' | 'model' | 'subject' | 'life' | 'revision' | 'at' | 'actor'> {
  /** The event and the subscription, so that there is one row for each pair. */
  readonly _id: string;
  readonly subscription: string;
  readonly event: string;
  readonly operation?: string;
  readonly requestId?: string;
}

/** What a subscription is sent about one record, from its birth to its end, is sent in order. */
export const lines = { line: ['subscription', 'model', 'subject', 'life'], sequence: 'revision' } as const;

/** How long a command may take, in milliseconds. */
const patienceMS = 10_000;
const writeOptions = { writeConcern: { w: 'majority' }, maxTimeMS: patienceMS } as const;

/** As those of an outbox. The third finds the rows of a record that is purged. */
const indexes: IndexDescription[] = [
  { key: { state: 1, dueAt: 1, _id: 1 }, partialFilterExpression: { deliveredAt: null } },
  { key: { subscription: 1, model: 1, subject: 1, life: 1, deliveredAt: 1, revision: 1 } },
  { key: { model: 1, subject: 1 } },
  { key: { expiresAt: 1 }, expireAfterSeconds: 0 },
];

/** What is written about deliveries apart from their queue. */
export class DeliveryRows {
  readonly #rows: Collection<DeliveryRow>;

  constructor(db: Db, collection: string) {
    this.#rows = db.collection(collection, bsonOptions);
  }

  /** Creates the indexes. It does nothing where they exist. */
  async createIndexes(): Promise<void> {
    await askWithin(patienceMS, (signal) => this.#rows.createIndexes(indexes, { maxTimeMS: patienceMS, signal } as object));
  }

  /** Writes the rows of an event for some subscriptions, by their ids. Those that are there stay as they are. */
  async add(event: Event, subscriptions: readonly string[]): Promise<void> {
    if (subscriptions.length === 0) return;
    const rows = subscriptions.map((subscription) => rowOf(event, subscription));
    try {
      await askWithin(patienceMS, (signal) => this.#rows.insertMany(rows, { ...writeOptions, ordered: false, signal } as object));
    } catch (error) {
      if (!isOnlyRepeated(error as BulkError)) throw error;
    }
  }

  /** Removes the rows of an event. */
  async eraseEvent(event: Event): Promise<void> {
    await askWithin(patienceMS, (signal) => this.#rows.deleteMany(ofEvent(event), { ...writeOptions, signal } as object));
  }

  /** Replaces the actor in the rows of an event. */
  async replaceActor(event: Event, actor: string | null): Promise<void> {
    const change = { $set: { actor } };
    await askWithin(patienceMS, (signal) => this.#rows.updateMany(ofEvent(event), change, { ...writeOptions, signal } as object));
  }

  /** Removes the rows of records, whatever their state is. */
  async erase(model: string, subjects: readonly string[]): Promise<void> {
    const filter = { model, subject: { $in: [...subjects] } };
    await askWithin(patienceMS, (signal) => this.#rows.deleteMany(filter, { ...writeOptions, signal } as object));
  }
}

type BulkError = Partial<Pick<MongoBulkWriteError, 'writeErrors' | 'result'>>;

/** Whether every row that was not written is there already. */
function isOnlyRepeated({ writeErrors = [], result }: BulkError): boolean {
  const errors = [writeErrors].flat();
  return errors.length > 0 && errors.every(({ code }) => code === 11000) && !result?.getWriteConcernError();
}

/** By the index of the rows of a record. */
function ofEvent({ id: event, model, subject }: Event) {
  return { model, subject, event };
}

function rowOf(given: Event, subscription: string): DeliveryRow {
  const { id: event, type, model, subject, life, revision, at, actor, operation, requestId } = given;
  const how = { ...(operation !== undefined && { operation }), ...(requestId !== undefined && { requestId }) };
  const change = { event, type, model, subject, life, revision, at, actor, ...how };
  return { _id: `${event}:${subscription}`, subscription, ...change, state: 'pending' };
}

/** The event of a row. */
export function eventOf({ event: id, type, model, subject, life, revision, at, actor, operation, requestId }: DeliveryRow): Event {
  return { id, type, model, subject, life, revision, at, actor, operation, requestId };
}

/** The JSON text that a receiver is sent: no value of the record is in it. */
export function bodyOf({ type, model, subject, life, revision, at, operation, actor }: DeliveryRow): string {
  const change = type.slice(type.lastIndexOf('.') + 1);
  const data = { id: subject, model, life, revision, change, ...(operation !== undefined && { operation }), actor };
  return JSON.stringify({ type, timestamp: at.toISOString(), data });
}
