import { ConfigurationError } from '../../errors.ts';
import { listNames } from '../../hints.ts';
import type { CompiledModel } from '../../model/compile/compile-model.ts';
import type { Model } from '../../model/define/define-model.ts';
import { aFunction, anArrayOf, checkOptions } from '../../options.ts';
import { openLetters } from '../../queues/letters.ts';
import { type Event, lines, outboxesOf, type StoredEvent, toEvent } from '../../queues/outbox.ts';
import { Queue } from '../../queues/queue.ts';
import {
  type Attempt,
  legalClose,
  legalRetry,
  type QueueObservation,
  type QueueOptions,
  queueOptions,
  type RetryOptions,
} from '../../queues/queue-options.ts';
import type { OpenRemovals } from '../../queues/removal-queue.ts';
import { textOfError } from '../../queues/text-of-error.ts';

/** What a delivery tells of, for logs and metrics. */
export type DeliveryObservation =
  | (Delivered & { readonly kind: 'delivered' })
  /** The handler has thrown, and gets the event again in `retryIn` milliseconds. */
  | (Delivered & { readonly kind: 'failed'; readonly error: unknown; readonly retryIn: number })
  /** The handler has thrown, and the event has become a dead letter. */
  | (Delivered & { readonly kind: 'dead'; readonly error: unknown })
  /** The lease was lost, or the record was purged, while the handler ran. */
  | (Delivered & { readonly kind: 'lost' })
  /** The database could not be reached, or has refused a command. It is asked again. */
  | { readonly kind: 'error'; readonly error: unknown };

/** One run of a handler. */
interface Delivered {
  readonly event: Event;
  readonly attempt: number;
  /** Milliseconds from the change until the handler had ended. */
  readonly lag: number;
  /** How long the handler has taken, in milliseconds. */
  readonly duration: number;
}

/** Options of `api.deliver()`. */
export interface DeliverOptions {
  /**
   * Hands over one event. Whoever gets it must take the same event twice: a worker that dies after the call, and before
   * it has noted that, leaves the event to another one. If it throws, the event comes again later; if it throws a
   * `PermanentFailure`, the event is a dead letter at once. It may only be missing if no model has an outbox, and the
   * worker carries out the api's `removals`.
   */
  handle?(event: Event, given: Attempt): unknown;
  /** Only the outboxes of these models. @default all models of the api that have one */
  readonly models?: readonly Pick<Model, 'name'>[];
  /** How many events are handed over at the same time, each of another record. @default 10 */
  readonly concurrency?: number;
  /**
   * How long a worker has an event before another one may take it, in milliseconds. It is renewed while `handle` runs:
   * it is the time after which a worker counts as dead.
   * @default 30,000
   */
  readonly lease?: number;
  /** When an event comes again whose `handle` has thrown. */
  readonly retry?: RetryOptions;
  /** How long delivered events are kept: `'30d'` are 30 days. @default '30d' */
  readonly keep?: `${number}d`;
  /**
   * How often the worker looks for events of which no change stream has told, in milliseconds, on average. Events that
   * come again are found so.
   * @default 5,000
   */
  readonly poll?: number;
  /** Called for every event that was handed over, and for errors of the database. @default warnings of the process */
  observe?(observation: DeliveryObservation): unknown;
}

/** A delivery that is under way. */
export interface Delivery {
  /**
   * Ends it: waits for the handlers that are under way, and aborts their signals after `timeout` milliseconds. What is
   * not handed over then is left to other workers at once.
   */
  close(options?: { readonly timeout?: number }): Promise<void>;
  /** Counts the events that wait, and the dead letters. */
  count(): Promise<{ readonly pending: number; readonly dead: number }>;
}

const legal = {
  handle: aFunction,
  models: anArrayOf('models', (one) => typeof (one as Partial<Model> | null)?.name === 'string'),
  ...queueOptions,
  observe: aFunction,
};

/** What a worker of an api does. */
export interface Delivering extends Pick<QueueOptions<StoredEvent>, 'db'> {
  readonly models: readonly CompiledModel[];
  /** Opens the queue of what is deleted in the background. @default nothing is */
  readonly openRemovals: OpenRemovals | undefined;
}

/** Hands the events of outboxes over to a function, and carries out removals, until it is closed. */
export function deliver({ db, models, openRemovals }: Delivering, options: DeliverOptions): Delivery {
  const { handle, models: chosen, retry: given = {}, observe = warn, ...others } = checkOptions(options, legal, '`deliver`');
  const retry = checkOptions(given, legalRetry, '`retry` of `deliver`');
  const collections = collectionsOf(models, chosen, openRemovals !== undefined);
  if (!handle && collections.length > 0) throw new ConfigurationError('`deliver` needs `handle`, which gets the events of the outboxes.');
  const shared = { db, ...others, retry };
  const events = collections.map((collection) => {
    const given = { ...shared, collection, ...lines, observe: (what: QueueObservation<StoredEvent>) => observe(toObservation(what)) };
    return new Queue<StoredEvent>({ ...given, handle: async (row, about) => void (await handle?.(toEvent(row), about)) });
  });
  const queues = [...events, ...(openRemovals ? [openRemovals({ ...shared, observe })] : [])];
  for (const queue of queues) queue.start();
  return {
    async close(given = {}) {
      const { timeout } = checkOptions(given, legalClose, '`close` of a delivery');
      await Promise.all(queues.map((queue) => queue.close(timeout)));
    },
    async count() {
      const counts = await Promise.all(collections.map((collection) => openLetters({ db, collection, ...lines }).count()));
      const sum = (state: 'pending' | 'dead') => counts.reduce((total, one) => total + one[state], 0);
      return { pending: sum('pending'), dead: sum('dead') };
    },
  };
}

/** The outboxes to deliver. A collection is delivered as a whole. */
function collectionsOf(models: readonly CompiledModel[], chosen: DeliverOptions['models'], hasOtherWork: boolean): string[] {
  const all = outboxesOf(models);
  if (all.size === 0 && !(hasOtherWork && !chosen))
    throw new ConfigurationError('`deliver` needs a model with `outbox`, and no model of the api has one.');
  if (!chosen) return [...all.keys()];
  const names = new Set(chosen.map(({ name }) => name));
  const without = [...names].filter((name) => ![...all.values()].some((ofOne) => ofOne.has(name)));
  if (without.length > 0)
    throw new ConfigurationError(`\`models\` of \`deliver\` names ${listNames(without)}: no model of the api with an \`outbox\`.`);
  const found = [...all].filter(([, ofOne]) => [...names].some((name) => ofOne.has(name)));
  for (const [collection, ofOne] of found) {
    const left = [...ofOne].filter((name) => !names.has(name));
    if (left.length > 0)
      throw new ConfigurationError(
        `\`models\` of \`deliver\` leaves out ${listNames(left)}, whose events are in the same collection \`${collection}\`: give its \`outbox\` a \`collection\` of its own.`,
      );
  }
  return found.map(([collection]) => collection);
}

function toObservation(what: QueueObservation<StoredEvent>): DeliveryObservation {
  if (what.kind === 'error') return what;
  const { row, ...rest } = what;
  return { ...rest, event: toEvent(row), lag: Date.now() - row.at.getTime() };
}

/** Without `observe`, nobody would learn of what needs somebody. */
function warn(what: DeliveryObservation): void {
  if (what.kind !== 'dead' && what.kind !== 'error') return;
  const subject = what.kind === 'dead' ? `The event ${what.event.id} (${what.event.type}) is a dead letter` : 'A delivery has failed';
  process.emitWarning(`${subject}: ${textOfError(what.error)}`, 'KoaMongoResourceWarning');
}
