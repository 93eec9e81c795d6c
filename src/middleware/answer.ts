import { aFunction, checkOptions, type Legal, type LegalOptions, orUndefined } from '../options.ts';
import type { Context, HandlerResult, ResourceMiddleware } from './exchange/context.ts';
import { described } from './exchange/descriptor.ts';
import { exchangeOf, setHeader, setJson } from './exchange/exchange.ts';
import { missing } from './exchange/order.ts';

/** Options of {@link answer}. */
export interface AnswerOptions {
  /**
   * The status of the answer, such as 201 or 202, unless the handler has set one.
   *
   * @default 200, or 204 if nothing was returned
   */
  readonly status?: number;
  /**
   * Returns the path of a record that is answered with 201, for `Location`. `id` is percent-encoded.
   * @default no `Location`
   */
  readonly location?: (ctx: Context, id: string) => string;
}

/** A status of an answer. 205 and 206 promise what this library does not do. */
export const aSuccess: Legal = [
  (status) => Number.isInteger(status) && (status as number) >= 200 && (status as number) < 300 && status !== 205 && status !== 206,
  'a status from 200 to 299, other than 205 and 206',
];

const legal: LegalOptions<AnswerOptions> = { status: orUndefined(aSuccess), location: aFunction };

/**
 * Answers with what a handler returned: `{"data": …}`, with an `ETag` if it is a record with a revision, or 204 if the
 * handler returned nothing. The answer is written after the hooks have run, so it shows what is stored by then. A
 * status, headers or a body that the handler has set are kept.
 *
 * @example
 * router.get(
 *   '/orders/:id/total',
 *   records(Order, { db }),
 *   handler(async (ctx) => ({ total: (await ctx.load()).total })),
 *   answer(),
 * );
 * router.post('/orders/:id/send', records(Order, { db }), handler(sendOrder), answer({ status: 202 }));
 */
export function answer(options: AnswerOptions = {}): ResourceMiddleware {
  checkOptions(options, legal, '`answer`');
  const { status, location } = options;
  return described({ needs: ['result'] }, async function answer(ctx) {
    exchangeOf(ctx).throwIfGivenUp();
    const result = ctx.result ?? missing('result', 'answer');
    const body = await result.toBody();
    if (body !== undefined) {
      if (status !== undefined && isUnset(ctx)) ctx.status = status;
      if (location) setLocation(ctx, result, location);
      if (result.entityTag !== undefined) setHeader(ctx, 'ETag', result.entityTag);
      setJson(ctx, body);
    } else if (isUnset(ctx)) answerNothing(ctx, status);
  });
}

/** Unless the body is null, Koa would write the name of the status, and with the type of JSON the text `null`. */
function answerNothing(ctx: Context, status = 204): void {
  if (status !== 204) {
    ctx.remove('Content-Type');
    ctx.body = null;
  }
  ctx.status = status;
}

/** Koa starts with 404. */
function isUnset({ status, respond }: Context): boolean {
  return status === 404 && respond !== false;
}

function setLocation(ctx: Context, { recordId }: HandlerResult, location: NonNullable<AnswerOptions['location']>): void {
  if (ctx.status === 201 && recordId !== undefined && !ctx.res.hasHeader('Location')) ctx.set('Location', location(ctx, recordId));
}
