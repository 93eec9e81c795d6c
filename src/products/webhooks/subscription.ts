import { ConfigurationError } from '../../errors.ts';
import { defineModel, type Model, type ModelOptions } from '../../model/define/define-model.ts';
import { withDeliveries } from '../../model/define/deliveries.ts';
import type { Document } from '../../model/define/infer.ts';
import type { Fields } from '../../model/define/schema.ts';
import { t } from '../../model/define/t.ts';
import { wasOn } from '../../mongo/query/switch-times.ts';
import type { Event } from '../../queues/outbox.ts';
import { deliveriesTo } from './delivery-rows.ts';
import { newSecret } from './sign.ts';
import { type TransportOptions, urlPattern } from './transport.ts';

const byServer = { insert: false, update: false } as const;

/** The fields of every subscription. */
function fieldsOf(transport: TransportOptions) {
  return {
    url: t.string({
      pattern: urlPattern(transport),
      maxLength: 2_048,
      description: 'Where events are sent: a URL with a name, without credentials and without a fragment.',
      examples: ['https://example.com/hooks'],
    }),
    types: t.array(t.string({ pattern: '^(\\*|[A-Za-z0-9._-]{1,100}\\.(\\*|created|patched|deleted|restored))$', maxLength: 120 }), {
      minItems: 1,
      maxItems: 50,
      uniqueItems: true,
      description: 'Which events are sent: `order.patched`, all of a model as `order.*`, or all as `*`.',
    }),
    isEnabled: t.boolean({ default: true, description: 'Whether events are sent. Those of the time in which it is false are not.' }),
    switchedAt: t.optional(t.array(t.date(), { policy: { private: true } })),
    disabledAt: t.optional(t.date({ policy: byServer, description: 'When the service last stopped sending by itself.' })),
    disabledFor: t.optional(t.enum(['gone'], { policy: byServer, description: 'Why: `gone` if the receiver has answered with 410.' })),
    secret: t.string({ default: newSecret, policy: { private: true } }),
    previousSecret: t.optional(t.string({ policy: { private: true } })),
    secretChangedAt: t.optional(t.date({ policy: byServer, description: 'When the secret was last changed.' })),
    revision: t.revision(),
    createdAt: t.createdAt(),
    updatedAt: t.updatedAt(),
  };
}

/** The fields that every subscription has. */
export type SubscriptionFields = ReturnType<typeof fieldsOf>;

/** What deliveries and operations need of a subscription. */
export type Subscription = Document<Model<SubscriptionFields>>;

/** The options of the model of subscriptions. */
export interface SubscriptionOptions<F extends Fields> extends Pick<ModelOptions<F>, 'collection'> {
  /** Fields of your own, such as the tenant that a subscription belongs to. @default none */
  readonly fields?: F;
  /** Whether the changes of subscriptions are kept, as of every model. @default false */
  readonly history?: Model['history'];
}

/** Defines the model of subscriptions. */
export function defineSubscriptions<F extends Fields>(
  name: string,
  { collection, fields, history = false }: SubscriptionOptions<F>,
  transport: TransportOptions,
): Model<SubscriptionFields & F> {
  const own: Fields = fieldsOf(transport);
  const taken = Object.keys(fields ?? {}).find((field) => Object.hasOwn(own, field));
  if (taken !== undefined)
    throw new ConfigurationError(`\`fields\` of \`defineWebhooks\` cannot have \`${taken}\`: every subscription has it.`);
  const indexes = [{ fields: ['types'] }] as const;
  const model = defineModel(name, { collection, fields: { ...own, ...fields }, history: history as boolean, indexes });
  return withDeliveries(model, deliveriesTo(model)) as never;
}

/** Whether a subscription is sent an event: it is on, and was so at the time of the event. */
export function hearsOf({ isEnabled, switchedAt = [] }: Subscription, { at }: Pick<Event, 'at'>): boolean {
  return isEnabled && wasOn(switchedAt, at);
}

/** For how long a secret that was changed signs beside the new one, in milliseconds: receivers change at leisure. */
const overlap = 24 * 3_600_000;

/** The secrets that sign what a subscription is sent, the present one first. */
export function secretsOf({ secret, previousSecret, secretChangedAt }: Subscription, now: number): string[] {
  const isRecent = secretChangedAt !== undefined && now - secretChangedAt.getTime() < overlap;
  return previousSecret !== undefined && isRecent ? [secret, previousSecret] : [secret];
}
