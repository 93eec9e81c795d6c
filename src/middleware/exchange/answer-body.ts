import { Stream } from 'node:stream';
import { stringifyJson } from '../../http/json.ts';
import type { Context } from './context.ts';

/**
 * The body of an answer that is made within a transaction, as bytes; undefined if it has none. Throws a plain Error
 * (500) for an answer that is not there as a whole: a stream, or a response that a function has taken over.
 */
export function answerBody(ctx: Context): Buffer | undefined {
  const { body, res, respond } = ctx;
  if (respond === false || res.headersSent || res.writableEnded)
    throw new Error('An operation in a batch or with an Idempotency-Key has taken over the response: its answer cannot be kept.');
  if (body === undefined || body === null) return undefined;
  if (typeof body === 'string') return Buffer.from(body);
  if (body instanceof Uint8Array) return Buffer.from(body.buffer, body.byteOffset, body.byteLength);
  if (body instanceof Stream) Reflect.get(body, 'destroy')?.call(body);
  if ([Stream, ReadableStream, Blob, Response].some((type) => body instanceof type))
    throw new Error('An operation in a batch or with an Idempotency-Key answers with a stream: its answer cannot be kept.');
  return Buffer.from(stringifyJson(body));
}
