import type { IncomingMessage, RequestListener } from 'node:http';
import { Webhook } from 'standardwebhooks';
import type { TransportOptions } from '../../../src/products/webhooks/webhooks.ts';

/** Lets tests send to receivers of their own. */
export const local: TransportOptions = { allow: (address) => address === '127.0.0.1', http: true };

/** What a receiver was sent. */
export interface Received {
  readonly id: string;
  readonly body: string;
  readonly event: { readonly type: string; readonly timestamp: string; readonly data: Readonly<Record<string, unknown>> };
}

/** A receiver that verifies what it is sent by the package, as those of other people do, and answers with a status. */
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

/** The text of a body. */
export async function textOf(request: IncomingMessage): Promise<string> {
  let text = '';
  for await (const chunk of request.setEncoding('utf8')) text += chunk;
  return text;
}
