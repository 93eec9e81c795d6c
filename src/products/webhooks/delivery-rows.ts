import { type Collection, type Db, type IndexDescription, ObjectId } from 'mongodb';
import type { CompiledModel } from '../../model/compile/compile-model.ts';
import type { Model } from '../../model/define/define-model.ts';
import type { Deliveries } from '../../model/define/deliveries.ts';
import { askWithin } from '../../mongo/driver/ask-within.ts';
import { bsonOptions } from '../../mongo/driver/bson-options.ts';
import { type Commands, planCommands } from '../../mongo/driver/commands.ts';
import { runTransaction } from '../../mongo/driver/run-transaction.ts';
import { Work } from '../../mongo/driver/work.ts';
import type { Event } from '../../queues/outbox.ts';
import type { QueueRow } from '../../queues/queue-rows.ts';

/** An event on its way to one subscription. */
export interface DeliveryRow extends QueueRow, Pick<Event, 'type' | 'model' | 'subject' | 'life' | 'revision' | 'at' | 'actor'> {
  /** The event and the subscription, so that there is one row for each pair. */
  readonly _id: string;
  readonly subscription: string;
  readonly event: string;
  /** The collection of the record. */
  readonly collection: string;
  readonly operation?: string;
  readonly requestId?: string;
}

/** The queue of a model of subscriptions. What one is sent about a record, from birth to end, is sent in order. */
export function deliveriesTo({ collection }: Pick<Model, 'collection'>): Deliveries {
  return {
    collection: `${collection}_deliveries`,
    line: ['subscription', 'collection', 'subject', 'life'],
    sequence: 'revision',
    enabled: 'isEnabled',
    switchedAt: 'switchedAt',
  };
}

/** How long a command may take, in milliseconds. */
const patienceMS = 10_000;

/** As those of an outbox. The third finds the rows of a record that is purged. */
const indexes: IndexDescription[] = [
  { key: { state: 1, dueAt: 1, _id: 1 }, partialFilterExpression: { deliveredAt: null } },
  { key: { subscription: 1, collection: 1, subject: 1, life: 1, deliveredAt: 1, revision: 1 } },
  { key: { model: 1, subject: 1 } },
  { key: { expiresAt: 1 }, expireAfterSeconds: 0 },
];

/** The database of an api, and what it knows of the collections of events. */
interface DeliveryRowsOptions {
  readonly db: Db;
  /** The model of subscriptions. */
  readonly model: CompiledModel;
  /** The collections of events. */
  readonly outboxes: readonly string[];
}

interface TouchedEvent {
  readonly _id: ObjectId;
  readonly actor: string | null;
  readonly collection: string;
  /** Grows with each transaction that writes rows of the event. */
  readonly fanOuts?: number;
}

/** Writes deliveries into their queue. */
export class DeliveryRows {
  readonly #db: Db;
  readonly #rows: Collection<DeliveryRow>;
  readonly #outboxes: readonly Collection<TouchedEvent>[];
  readonly #write: Commands['write'];

  constructor({ db, model, outboxes }: DeliveryRowsOptions) {
    this.#db = db;
    this.#rows = db.collection(deliveriesTo(model).collection, bsonOptions);
    this.#outboxes = outboxes.map((name) => db.collection(name, bsonOptions));
    this.#write = planCommands(model, db, this.#rows, patienceMS).write;
  }

  /** Creates the indexes. It does nothing where they exist. */
  async createIndexes(): Promise<void> {
    await askWithin(patienceMS, (signal) => this.#rows.createIndexes(indexes, { maxTimeMS: patienceMS, signal } as object));
  }

  /**
   * Writes the rows of an event for some subscriptions, by their ids, unless the event is gone. Those that are there
   * stay as they are.
   *
   * The transaction changes the event, too. So one that purges its record, or another write that changes its actor,
   * comes before it or after it, and nothing stays of a record that is gone, or of an actor who is forgotten.
   */
  async add(event: Event, subscriptions: readonly string[]): Promise<void> {
    const work = new Work();
    await runTransaction(this.#db, work, patienceMS, async () => {
      const touched = await this.#touch(event, work);
      if (!touched) return;
      const [first, ...others] = subscriptions.map((subscription) => toUpsert(rowOf(event, touched, subscription)));
      if (!first) return;
      await this.#write(work, (command) => {
        const handedOver = { ...first, filter: command.handOver(first.filter) };
        const upserts = [handedOver, ...others].map((updateOne) => ({ updateOne }));
        return this.#rows.bulkWrite(upserts, { ...command.options, ordered: false });
      });
    });
  }

  /** Changes an event, which no other transaction can change at the same time. Undefined if it is gone. */
  async #touch({ id }: Event, work: Work): Promise<TouchedEvent | undefined> {
    for (const events of this.#outboxes) {
      const touched = await this.#write(work, (command) =>
        events.findOneAndUpdate(command.handOver({ _id: new ObjectId(id) }), { $inc: { fanOuts: 1 } }, command.options),
      );
      if (touched) return touched;
    }
    return undefined;
  }
}

function toUpsert({ _id, ...row }: DeliveryRow) {
  return { filter: { _id }, update: { $setOnInsert: row }, upsert: true };
}

function rowOf(given: Event, { actor, collection }: TouchedEvent, subscription: string): DeliveryRow {
  const { id: event, type, model, subject, life, revision, at, operation, requestId } = given;
  const how = { ...(operation !== undefined && { operation }), ...(requestId !== undefined && { requestId }) };
  const change = { event, type, model, subject, collection, life, revision, at, actor, ...how };
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
