import type { Model } from '../../model/define/define-model.ts';
import type { Fields } from '../../model/define/schema.ts';
import { asDb, type Database } from '../../mongo/driver/database.ts';
import { checkedLater, checkOptions } from '../../options.ts';
import { type Letters, openLetters } from '../../queues/letters.ts';
import { type DeliveryRow, deliveriesTo } from './delivery-rows.ts';
import { type OpenWebhooks, type OpenWebhooksOptions, openWebhooks } from './open-webhooks.ts';
import { compileOperations } from './operations.ts';
import { defineSubscriptions, type SubscriptionFields, type SubscriptionOptions } from './subscription.ts';
import { legalTransport, type TransportOptions } from './transport.ts';

/** Options of {@link defineWebhooks}. */
export interface WebhooksOptions<F extends Fields> extends SubscriptionOptions<F>, TransportOptions {}

/** What an api needs for webhooks. */
export interface Webhooks<F extends Fields> {
  /** The model of subscriptions, for a resource of the api. */
  readonly model: Model<SubscriptionFields & F>;
  /**
   * The `operations` of that resource: `secret` makes a new secret and shows it once, and `test` sends a test event to
   * the receiver.
   */
  readonly operations: ReturnType<typeof compileOperations>;
  /**
   * Begins to send events to subscriptions, in a worker process. Hand its `handle` to `api.deliver`. It creates the
   * indexes of its collection, which is called `<collection>_deliveries`. Throws a `ConfigurationError` for an invalid
   * option, and if the package `standardwebhooks` is missing.
   *
   * @example
   * const open = await webhooks.open({ api, scope: () => everything }); // there is one tenant
   * const worker = await api.deliver({ handle: open.handle });
   */
  open(options: OpenWebhooksOptions<Model<SubscriptionFields & F>>): Promise<OpenWebhooks>;
  /**
   * The dead letters: each stops its record for its subscription until it is released or skipped.
   *
   * @example
   * const letters = webhooks.letters(db);
   * for (const { _id, lastError } of await letters.findDead(100)) console.log(_id, lastError);
   * await letters.release();
   */
  letters(db: Database): Letters<DeliveryRow>;
}

/**
 * Defines webhooks: a model whose records are subscriptions, the operations of its resource, and how receivers are
 * reached. Throws a `ConfigurationError` for an invalid option.
 *
 * @example
 * export const webhooks = defineWebhooks('Subscription', { collection: 'subscriptions', fields: { tenant } });
 * shop.resource({ model: webhooks.model, operations: webhooks.operations, guards: [isAdmin], scope: ofTenant });
 */
export function defineWebhooks<const F extends Fields = Record<never, never>>(name: string, options: WebhooksOptions<F>): Webhooks<F> {
  checkOptions(options, { collection: checkedLater, fields: checkedLater, history: checkedLater, ...legalTransport }, '`defineWebhooks`');
  const model = defineSubscriptions(name, options, options);
  return {
    model,
    operations: compileOperations(options),
    open: (given) => openWebhooks(model, given, options),
    letters: (db) => openLetters({ db: asDb(db), ...deliveriesTo(model) }),
  };
}
