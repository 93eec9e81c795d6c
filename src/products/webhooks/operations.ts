import { randomUUID } from 'node:crypto';
import { Problem, type ProblemCode } from '../../errors.ts';
import { t } from '../../model/define/t.ts';
import { compileSend } from './send.ts';
import { loadSigner, newSecret } from './sign.ts';
import { type Subscription, secretsOf } from './subscription.ts';
import type { TransportOptions } from './transport.ts';

/** What the operations need of a request. */
interface SubscriptionContext {
  readonly signal: AbortSignal;
  load(): Promise<Subscription>;
  save(record: Subscription): Promise<Subscription>;
  set(name: string, value: string): void;
}

/** The most tests of a process at the same time, and how long each may take, in milliseconds. */
const mostTests = 10;
const longestTest = 10_000;

const newSecretAnswer = t.object('WebhookSecret', {
  secret: t.string({ description: 'Verifies the signatures. No other operation shows it.' }),
});
const testAnswer = t.object('WebhookTest', {
  status: t.optional(t.int({ description: 'The status that the receiver has answered with.' })),
  failure: t.optional(t.enum(['timeout', 'address', 'certificate', 'connection'], { description: 'Why there was no answer.' })),
  duration: t.int({ description: 'How long it took, in milliseconds.' }),
});

/** The operations of a resource of subscriptions. They run after its guards, and within its scope. */
export function compileOperations({ timeout = longestTest, ...transport }: TransportOptions) {
  let running = 0;
  return {
    secret: {
      method: 'POST',
      path: '/:id/secret',
      group: 'change',
      summary: 'Make a new secret, and show it',
      answer: newSecretAnswer,
      async handler(ctx: SubscriptionContext) {
        const subscription = await ctx.load();
        const { secret: previousSecret } = subscription;
        const secret = newSecret();
        await ctx.save(Object.assign(subscription, { secret, previousSecret, secretChangedAt: new Date() }));
        ctx.set('cache-control', 'no-store');
        return { secret };
      },
    },
    test: {
      method: 'POST',
      path: '/:id/test',
      group: 'change', // whoever may change where events are sent may try it
      summary: 'Send a test event, and tell what the receiver has answered',
      answer: testAnswer,
      problems: ['too_many_requests'] satisfies ProblemCode[],
      async handler(ctx: SubscriptionContext) {
        if (running >= mostTests)
          throw new Problem({ code: 'too_many_requests', detail: 'Other tests are running. Try again.', headers: { 'retry-after': '10' } });
        running++;
        try {
          const { url, ...subscription } = await ctx.load();
          const send = compileSend({ ...transport, timeout: Math.min(timeout, longestTest) }, await loadSigner());
          const body = JSON.stringify({ type: 'webhook.test', timestamp: new Date().toISOString(), data: {} });
          const secrets = secretsOf({ url, ...subscription }, Date.now());
          const { status, failure, duration } = await send({ id: `test_${randomUUID()}`, body, url, secrets }, ctx.signal);
          return { ...(status !== undefined && { status }), ...(failure && { failure }), duration };
        } finally {
          running--;
        }
      },
    },
  } as const;
}
