import type { Model } from '../../model/define/define-model.ts';
import type { Fields } from '../../model/define/schema.ts';
import { checkedLater, checkOptions } from '../../options.ts';
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
  return { model: defineSubscriptions(name, options, options), operations: compileOperations(options) };
}
