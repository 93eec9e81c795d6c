import { createHash } from 'node:crypto';
import type { OutgoingHttpHeader } from 'node:http';
import { Problem } from '../../errors.ts';
import { stringifyJson } from '../../http/json.ts';
import { answerBody } from '../../middleware/exchange/answer-body.ts';
import type { Called, Context, ResourceMiddleware } from '../../middleware/exchange/context.ts';
import { described } from '../../middleware/exchange/descriptor.ts';
import { exchangeOf, workOf } from '../../middleware/exchange/exchange.ts';
import { ofRead, ofWrite } from '../../middleware/exchange/problem-codes.ts';
import { rememberAnswer } from '../../middleware/exchange/remember-state.ts';
import { reportError } from '../../middleware/exchange/report-error.ts';
import { requireSeen } from '../../middleware/exchange/require-seen.ts';
import { rulesOf } from '../../middleware/views/asked-rules.ts';
import { parseIdempotencyKey } from './idempotency-key.ts';
import { type IdempotencyKeys, inProgress, type KeptAnswer, type KeptKey, KeyTaken } from './keys.ts';

/** The dependencies of the middleware besides the keys. */
export interface IdempotencySettings {
  readonly principal: Called<[ctx: Context], unknown>;
  readonly required: boolean;
  readonly maxAnswerBytes: number;
}

/** What is sent of an answer. */
type Answer = Pick<KeptAnswer, 'status' | 'headers' | 'body'>;

/** Headers of an answer that are made anew each time, or are for one client and one time only. */
const notKept = new Set(['content-length', 'set-cookie', 'date', 'connection', 'transfer-encoding']);

/**
 * Answers a request whose `Idempotency-Key` was answered before with the same bytes, and carries out any other one in a
 * transaction that also keeps its key and its answer. What the chain below does before its write is not part of that.
 *
 * Errors: 400 for a malformed or missing key, 409 while another request with the key runs, 422 for a key of another
 * request, 413 for an answer that is too large to be kept. After an error nothing is written, and the key is free.
 */
export function idempotency(keys: IdempotencyKeys, { principal, required, maxAnswerBytes }: IdempotencySettings): ResourceMiddleware {
  const ofRequired = required ? (['idempotency_key_required'] as const) : [];
  const own = ['malformed_header', 'idempotency_in_progress', 'idempotency_key_reused', 'body_too_large', 'replica_set_required'] as const;
  return described({ problems: [...ofRequired, ...own, ...ofRead, ...ofWrite, 'request_given_up'] }, async function idempotency(ctx, next) {
    const key = ctx.carryOut ? undefined : readKey(ctx, required); // a batch has a key for all of its operations
    if (key === undefined) return next();
    const id = digest([requireText(await principal(ctx)), key]);
    ctx.exchange?.throwIfGivenUp();
    const request = digest([ctx.method, ctx.originalUrl, stringifyJson(ctx.request.body)]);
    const work = workOf(ctx);
    const takeBack = rememberAnswer(ctx);
    const before = ctx.res.getHeaders();

    const known = await keys.find(id, work);
    if (known) return replay(known);
    let kept: KeptAnswer | undefined;
    let isTaken = false;
    ctx.noted = new Set();
    ctx.carryOut = async (step) => {
      try {
        kept = await keys.keep(id, request, work, async () => {
          await step();
          const answer = captureAnswer(ctx, before, maxAnswerBytes);
          const noted = (await ctx.replays?.note(ctx)) ?? [];
          return { ...answer, shown: noted.map(({ records, refers, hasLeft }) => ({ records, refers, hasLeft })), view: ctx.rules?.view };
        });
      } catch (error) {
        isTaken = error instanceof KeyTaken;
        throw error;
      }
    };
    let failure: { readonly error: unknown } | undefined;
    try {
      await next();
    } catch (error) {
      failure = { error };
    }
    exchangeOf(ctx).throwIfGivenUp();
    if (isTaken) return replay(await keys.find(id, work));
    if (failure && !kept) throw failure.error;
    if (failure) reportError(ctx, failure.error); // of a hook of `after`, which cannot change the answer
    if (kept) send(kept, ctx.res.getHeader('set-cookie'));

    /**
     * What the caller may not do or see any more is refused; what the request itself has taken from its caller is not
     * shown. An answer that was made in another view of the same caller is made anew if it is one record, and otherwise
     * not shown either.
     */
    async function replay(found: KeptKey | undefined): Promise<void> {
      if (!found) throw inProgress(); // committed, and not yet by a majority
      if (found.request !== request) throw reused();
      const { shown, view } = found.answer;
      await requireSeen((await ctx.replays?.admit(ctx, shown)) ?? [], work);
      const hasLeft = shown.some((one) => one.hasLeft);
      if (!hasLeft && (!view || (await rulesOf(ctx).isIn(view)))) return send(found.answer);
      const record = hasLeft ? undefined : await ctx.replays?.read(ctx, shown);
      if (!record) return send({ status: 204, headers: { 'Idempotency-Replayed': 'true' }, body: undefined });
      const { status, headers } = found.answer;
      const tag = record.entityTag === undefined ? {} : { etag: record.entityTag };
      send({ status, headers: { ...headers, ...tag }, body: Buffer.from(`{"data":${record.toText()}}`) });
    }

    function send({ status, headers, body }: Answer, cookies?: OutgoingHttpHeader): void {
      takeBack();
      if (cookies !== undefined) ctx.res.setHeader('set-cookie', cookies);
      ctx.status = status;
      ctx.set({ ...headers });
      if (body) ctx.body = body;
    }
  });
}

/** The key of a request; undefined if it has none, and needs none. */
function readKey({ req }: Context, required: boolean): string | undefined {
  const header = req.headers['idempotency-key'];
  if (header !== undefined) return parseIdempotencyKey(String(header));
  if (!required) return undefined;
  const detail = 'Send an Idempotency-Key of your own making, and the same one if you have to send the request again.';
  throw new Problem({ code: 'idempotency_key_required', detail });
}

/** Without a name, all clients would share their keys. */
function requireText(principal: unknown): string {
  if (typeof principal === 'string' && principal !== '') return principal;
  throw new Error(
    '`principal` of `idempotency` must return a string that names the caller: clients share their keys, and answers, with no other.',
  );
}

function digest(parts: readonly string[]): string {
  return createHash('sha256').update(JSON.stringify(parts)).digest('base64url');
}

function reused(): Problem {
  const detail = 'This Idempotency-Key was used for another request: use a new key for each request.';
  return new Problem({ code: 'idempotency_key_reused', detail });
}

/** The answer that the operation has made: its status, the headers that it has set, and its body. */
function captureAnswer(ctx: Context, before: Readonly<Record<string, unknown>>, maxBytes: number): Answer {
  const body = answerBody(ctx);
  if (body && body.length > maxBytes) {
    const detail = `The answer would have more than ${maxBytes} bytes, which cannot be kept for an Idempotency-Key: nothing was written.`;
    throw new Problem({ code: 'body_too_large', detail });
  }
  const headers = Object.entries(ctx.res.getHeaders()).filter(([name, value]) => !notKept.has(name) && value !== before[name]);
  return { status: ctx.status, headers: Object.fromEntries(headers.map(([name, value]) => [name, String(value)])), body };
}
