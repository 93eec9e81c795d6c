export { defineWebhooks, type Webhooks, type WebhooksOptions } from './define-webhooks.ts';
export type { Subscription, SubscriptionFields } from './subscription.ts';
export type { LookupAll, TransportOptions } from './transport.ts';
