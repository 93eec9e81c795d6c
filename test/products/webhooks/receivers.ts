import type { IncomingMessage, RequestListener } from 'node:http';
import type { Db } from 'mongodb';
import { Webhook } from 'standardwebhooks';
import { Queue } from '../../../src/delivery/queue.ts';
import type { QueueRow } from '../../../src/delivery/queue-rows.ts';
import type { TransportOptions, WebhookEvent } from '../../../src/products/webhooks/webhooks.ts';

/** Lets tests send to receivers of their own. */
export const local: TransportOptions = { allow: (address) => address === '127.0.0.1', http: true };

/** What a receiver was sent. */
export interface Received {
  readonly id: string;
  readonly body: string;
  readonly event: { readonly type: string; readonly timestamp: string; readonly data: Readonly<Record<string, unknown>> };
}

/** A receiver that verifies what it is sent by the package, as receivers of other people do, and answers with a status. */
export function receive(secret: () => string, received: Received[], statusOf: (one: Received) => number = () => 204): RequestListener {
  return async (request, response) => {
    const body = await textOf(request);
    const headers = request.headers as Record<string, string>;
    const event = new Webhook(secret()).verify(body, headers) as Received['event'];
    const one = { id: headers['webhook-id'] as string, body, event };
    const status = statusOf(one);
    if (status < 300) received.push(one);
    response.writeHead(status).end();
  };
}

/** Hands the events of an outbox on, as `api.deliver` does. */
export function deliverEvents(db: Db, handle: (event: WebhookEvent) => Promise<void>): { close(): Promise<void> } {
  const queue = new Queue<QueueRow>({
    ...{ db, collection: 'events', line: ['model', 'record'], sequence: 'revision', retry: { first: 20, longest: 100 }, poll: 500 },
    handle: (row) => handle({ ...row, id: row._id } as never),
  });
  queue.start();
  return queue;
}

/** The text of a body. */
export async function textOf(request: IncomingMessage): Promise<string> {
  let text = '';
  for await (const chunk of request.setEncoding('utf8')) text += chunk;
  return text;
}
