export type { Letters } from '../../queues/letters.ts';
export type { QueueObservation } from '../../queues/queue-options.ts';
export { defineWebhooks, type Webhooks, type WebhooksOptions } from './define-webhooks.ts';
export type { DeliveryRow } from './delivery-rows.ts';
export type { LoadRecord, SubscriptionScope } from './fan-out.ts';
export type { OpenWebhooks, OpenWebhooksOptions } from './open-webhooks.ts';
export type { Subscription, SubscriptionFields } from './subscription.ts';
export type { LookupAll, TransportOptions } from './transport.ts';
