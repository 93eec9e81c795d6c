import type { Api } from '../../api/api.ts';
import { checkApi } from '../../api/copies.ts';
import { ConfigurationError, isProblem } from '../../errors.ts';
import { compileModel } from '../../model/compile/compile-model.ts';
import type { Model } from '../../model/define/define-model.ts';
import type { HasFields } from '../../model/define/infer.ts';
import { aFunction, aWholeNumber, byDefault, checkedLater, checkOptions, orUndefined, required } from '../../options.ts';
import { type Event, outboxesOf } from '../../queues/outbox.ts';
import { Queue } from '../../queues/queue.ts';
import { legalRetry, Postponed, type QueueObservation, queueOptions, type RetryOptions } from '../../queues/queue-options.ts';
import { textOfError } from '../../queues/text-of-error.ts';
import type { Store } from '../../store/store.ts';
import { bodyOf, type DeliveryRow, DeliveryRows, deliveriesTo, eventOf } from './delivery-rows.ts';
import { compileAudience, compileFanOut, modelsOf, type SubscriptionScope } from './fan-out.ts';
import { Pace } from './pace.ts';
import { compileSend, type Outcome } from './send.ts';
import { loadSigner } from './sign.ts';
import { hearsOf, type Subscription, secretsOf } from './subscription.ts';
import type { TransportOptions } from './transport.ts';

/** Options of `open`. */
export interface OpenWebhooksOptions<M extends Model> {
  /** The api whose events are sent. It need not be served by this process. */
  readonly api: Pick<Api, 'store'>;
  /**
   * Returns which subscriptions may hear of an event: a filter of subscriptions, `everything`, or undefined for none.
   * There is no default, because an event names a record, and who has changed it: in a service with several tenants,
   * each must hear of its own records only. `load` reads the record as it is now. It is asked when an event comes, and
   * again before each request, so that a subscription which has moved to another tenant meanwhile gets nothing.
   *
   * @example
   * scope: async (event, load) => {
   *   const record = await load<{ tenant: string }>();
   *   return record && { tenant: record.tenant };
   * }
   */
  readonly scope: SubscriptionScope<M>;
  /** How many requests are under way at the same time. @default 50 */
  readonly concurrency?: number;
  /** How many of them go to the same subscription. @default 5 */
  readonly concurrencyOfOne?: number;
  /**
   * When an event that a receiver has not taken is sent again. @default after a second at first, later after up to an
   * hour, for three days
   */
  readonly retry?: RetryOptions;
  /** How long the rows of what was delivered are kept: `'30d'` are 30 days. @default '30d' */
  readonly keep?: `${number}d`;
  /**
   * Is told what becomes of each attempt, and of errors of the database. If it fails, the process is warned.
   *
   * @default warnings of the process about dead letters and errors
   */
  readonly observe?: (what: QueueObservation<DeliveryRow>) => unknown;
}

/** Webhooks that are being sent. */
export interface OpenWebhooks {
  /** Writes down who is to hear of an event: the `handle` of `api.deliver`. The same event may come again. */
  readonly handle: (event: Event) => Promise<void>;
  /** Sends nothing more, and waits for the requests that are under way, at most for `timeout` milliseconds. */
  close(options?: { readonly timeout?: number }): Promise<void>;
}

const legal = {
  api: checkedLater,
  scope: required(aFunction),
  concurrency: byDefault(50, aWholeNumber(1, 10_000)),
  concurrencyOfOne: byDefault(5, aWholeNumber(1, 10_000)),
  retry: checkedLater,
  keep: queueOptions.keep,
  observe: orUndefined(aFunction),
};

/** The longest pause of a receiver that is down, in milliseconds, unless it asks for more. */
const longestPause = 300_000;

/** Begins to send what `handle` writes down. */
export async function openWebhooks<M extends Model>(
  model: M,
  options: OpenWebhooksOptions<M>,
  transport: TransportOptions,
): Promise<OpenWebhooks> {
  const checked = checkOptions(options, legal, '`open` of webhooks');
  checkApi(options.api, '`open` of webhooks');
  const { scope, concurrency, concurrencyOfOne, retry: given, keep, observe = warn } = checked;
  const retry = checkOptions(given ?? {}, { ...legalRetry, longest: byDefault(3_600_000, legalRetry.longest) }, '`retry` of webhooks');
  const api = options.api as Api;
  requireKnown(model as Model, api);
  const { db } = api.indexing;
  const rows = new DeliveryRows({ db, model: compileModel(model as Model), outboxes: [...outboxesOf(modelsOf(api)).keys()] });
  const send = compileSend(transport, await loadSigner());
  const subscriptions = api.store(model as Model);
  const findAudience = compileAudience(api, model, scope);
  const pace = new Pace(concurrencyOfOne, retry.first, Math.min(longestPause, retry.longest));

  async function handle(row: DeliveryRow, { signal }: { readonly signal: AbortSignal }): Promise<void> {
    const turn = pace.begin(row.subscription);
    if ('wait' in turn) throw new Postponed(turn.wait);
    let outcome: Outcome | undefined;
    try {
      const subscription = await find(await findAudience(eventOf(row)), row.subscription);
      if (!subscription || !hearsOf(subscription, row)) return; // nobody waits for it any more, or may hear of it
      const { url } = subscription;
      outcome = await send({ id: row.event, body: bodyOf(row), url, secrets: secretsOf(subscription, Date.now()) }, signal);
      if (outcome.status === 410) await disable(subscriptions, subscription);
      else requireTaken(outcome);
    } finally {
      turn.end({ isDown: outcome !== undefined && isDown(outcome), retryAfter: outcome?.retryAfter });
    }
  }

  await rows.createIndexes();
  const queue = new Queue<DeliveryRow>({ db, ...deliveriesTo(model), handle, concurrency, retry, keep, observe });
  queue.start();
  return { handle: compileFanOut(findAudience, rows), close: ({ timeout } = {}) => queue.close(timeout) };
}

/** An api that does not know the subscriptions would keep their deliveries when it purges records. */
function requireKnown({ name, collection }: Model, api: Api): void {
  if (modelsOf(api).some((one) => one.deliveries && one.collection === collection)) return;
  throw new ConfigurationError(`The api of \`open\` of webhooks does not know ${name}: add it to its \`resources\` or \`models\`.`);
}

async function find(store: Store<HasFields> | undefined, id: string): Promise<Subscription | undefined> {
  try {
    return (await store?.get(id as never)) as Subscription | undefined;
  } catch (error) {
    if (isProblem(error) && error.status === 404) return undefined;
    throw error;
  }
}

/** Stops a subscription whose receiver is gone, unless it was changed since it was read: it may lead elsewhere now. */
async function disable(store: Store<HasFields>, { id, revision }: Subscription): Promise<void> {
  try {
    await store.update(id as never, { isEnabled: false, disabledAt: new Date(), disabledFor: 'gone' } as never, { ifMatch: revision });
  } catch (error) {
    if (!isProblem(error) || ![404, 412].includes(error.status)) throw error;
  }
}

/** Throws unless the receiver has taken what it was sent. What an answer says apart from its status is not kept. */
function requireTaken({ status = 0, failure, detail }: Outcome): void {
  if (failure) throw new Error(`${failure}: ${detail}`);
  if (status < 200 || status > 299) throw new Error(`The receiver has answered with ${status}.`);
}

/** A 500 may be about one event. These are about the receiver, or about all that is in front of it. */
function isDown({ status, failure }: Outcome): boolean {
  return failure !== undefined || (status !== undefined && [429, 502, 503, 504].includes(status));
}

/** Without `observe`, nobody would learn of what needs somebody. */
function warn(what: QueueObservation<DeliveryRow>): void {
  if (what.kind !== 'dead' && what.kind !== 'error') return;
  const subject = what.kind === 'dead' ? `The webhook ${what.row._id} (${what.row.type}) is a dead letter` : 'A webhook has failed';
  process.emitWarning(`${subject}: ${textOfError(what.error)}`, 'KoaMongoResourceWarning');
}
