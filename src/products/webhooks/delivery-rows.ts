import type { Collection, Db, IndexDescription, MongoBulkWriteError } from 'mongodb';
import type { QueueRow } from '../../delivery/queue-rows.ts';
import { askWithin } from '../../mongo/driver/ask-within.ts';
import { bsonOptions } from '../../mongo/driver/bson-options.ts';

/** An event as the outbox hands it on. */
export interface WebhookEvent {
  readonly id: unknown;
  readonly type: string;
  readonly model: string;
  /** The id of the record as a path segment. */
  readonly subject: string;
  /** Tells the record from an earlier one that had the same id. */
  readonly life?: unknown;
  readonly revision: number | bigint;
  readonly at: Date;
  readonly change: string;
  readonly operation?: string | undefined;
  readonly actor?: string | null | undefined;
}

/** An event on its way to one subscription. */
export interface DeliveryRow extends QueueRow {
  /** The event and the subscription, so that there is one row for each pair. */
  readonly _id: string;
  readonly subscription: string;
  readonly event: string;
  readonly type: string;
  readonly model: string;
  readonly subject: string;
  readonly order: { readonly life: unknown; readonly revision: number | bigint };
  readonly at: Date;
  readonly change: string;
  readonly operation?: string;
  readonly actor: string | null;
}

/** The rows of one receiver and one record are sent in order. */
export const line = ['subscription', 'model', 'subject'] as const;
export const sequence = 'order';

/** How long a command may take, in milliseconds. */
const patienceMS = 10_000;
const options = { writeConcern: { w: 'majority' }, maxTimeMS: patienceMS } as const;

const indexes: IndexDescription[] = [
  { key: { subscription: 1, model: 1, subject: 1, deliveredAt: 1, order: 1 } },
  { key: { state: 1, deliveredAt: 1, dueAt: 1, _id: 1 } },
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

  /** Writes the rows of an event for some subscriptions, by their ids. Those that were written before stay as they are. */
  async add(event: WebhookEvent, subscriptions: readonly string[]): Promise<void> {
    if (subscriptions.length === 0) return;
    const rows = subscriptions.map((subscription) => rowOf(event, subscription));
    try {
      await askWithin(patienceMS, (signal) => this.#rows.insertMany(rows, { ...options, ordered: false, signal } as object));
    } catch (error) {
      if (!isOnlyRepeated(error as BulkError)) throw error;
    }
  }

  /** Removes the rows of records, whatever their state is. */
  async erase(model: string, subjects: readonly string[]): Promise<void> {
    await askWithin(patienceMS, (signal) =>
      this.#rows.deleteMany({ model, subject: { $in: [...subjects] } }, { ...options, signal } as object),
    );
  }
}

type BulkError = Partial<Pick<MongoBulkWriteError, 'writeErrors' | 'result'>>;

/** Whether every row that was not written is there already. */
function isOnlyRepeated({ writeErrors = [], result }: BulkError): boolean {
  const errors = [writeErrors].flat();
  return errors.length > 0 && errors.every(({ code }) => code === 11000) && !result?.getWriteConcernError();
}

function rowOf({ id, life = null, revision, operation, actor = null, ...event }: WebhookEvent, subscription: string): DeliveryRow {
  const { type, model, subject, at, change } = event;
  const [_id, order] = [`${String(id)}:${subscription}`, { life, revision }];
  const common = { _id, subscription, event: String(id), type, model, subject, order, at, change, actor, state: 'pending' } as const;
  return operation === undefined ? common : { ...common, operation };
}

/** The JSON text that a receiver is sent: no value of the record is in it. */
export function bodyOf({ type, model, subject, order, at, change, operation, actor }: DeliveryRow): string {
  const data = { id: subject, model, revision: Number(order.revision), change, ...(operation !== undefined && { operation }), actor };
  return JSON.stringify({ type, timestamp: at.toISOString(), data });
}
