import { Stream } from 'node:stream';
import type { ProblemCode } from '../errors.ts';
import { type AnswerInput, compileAnswer } from '../model/compile/compile-answer.ts';
import { asCompiled, type CompiledModel, type ModelInput } from '../model/compile/compile-model.ts';
import { foreignDuplicateKey } from '../mongo/driver/duplicate-key.ts';
import { isServerError, serverCodes } from '../mongo/driver/server-error.ts';
import { aPageBound } from '../mongo/list/page-bytes.ts';
import { aFunction, checkedLater, checkOptions, checkValue } from '../options.ts';
import { mayNameIn } from './exchange/client-sight.ts';
import { containBody } from './exchange/contain-errors.ts';
import type { Called, Context, RecordContext, ResourceMiddleware } from './exchange/context.ts';
import { described } from './exchange/descriptor.ts';
import { exchangeOf } from './exchange/exchange.ts';
import { checkCodes } from './exchange/problem-codes.ts';
import { compileWriteRecords } from './exchange/write-records.ts';
import { compileWriteResult, recordOf } from './exchange/write-result.ts';

/** Does the work of a custom operation. Its return value is the answer: a record, any JSON, or nothing. */
export type Handler<Ctx = Context> = (ctx: Ctx) => unknown;

/** Options of {@link handler}. */
export interface HandlerOptions {
  /**
   * The model whose private fields the answer must not contain, whether or not the handler loads a record.
   * @default the models of the records that it holds
   */
  readonly model?: ModelInput;
  /**
   * What the handler returns: `'record'`, `'records'` (an array of them), `'page'` (a `RecordsPage`), `'none'`, or the
   * schema of `data`. Any other result is an Error (500).
   *
   * @default anything
   */
  readonly answer?: AnswerInput;
  /**
   * The most bytes that the JSON of several records may have: with `answer: 'records'` and `'page'`, more is 400. A
   * single record may have more.
   * @default 16 MiB (16,777,216)
   */
  readonly maxPageBytes?: number;
  /**
   * The codes of problems that the function throws, or lets through from a store, for the OpenAPI description.
   * @default none
   */
  readonly problems?: readonly ProblemCode[];
}

const legal = {
  model: checkedLater,
  answer: checkedLater,
  maxPageBytes: aPageBound,
  problems: checkedLater,
};

/**
 * Runs a handler, and leaves its result in `ctx.result` for `answer`. Place it below `records`, and above `afterHooks`
 * and `answer`.
 *
 * A record that the handler returns is written as clients may read it. Any other object must not contain a key that is
 * the name of a private field of the model, or of a record that the request holds: a copy or a part of a record is an
 * Error (500), unless the schema of `answer` declares the name. The same applies to a JSON body that the handler or a
 * hook sets by hand.
 *
 * If a driver call of the handler's own fails because of a duplicate key (code 11000), the answer is 409
 * `duplicate_key` and names the fields of the model that clients may write.
 *
 * @example
 * router.post(
 *   '/orders/:id/send',
 *   records(Order, { db }),
 *   handler(sendOrder, { model: Order, answer: 'record' }),
 *   answer(),
 * );
 */
export function handler(run: Called<[ctx: RecordContext], unknown>, options: HandlerOptions = {}): ResourceMiddleware {
  checkValue('`handler`', run, aFunction);
  const { model, answer, maxPageBytes, problems: declared = [] } = checkOptions(options, legal, '`handler`');
  checkCodes(declared, '`handler`');
  const expected = answer === undefined ? undefined : compileAnswer(answer);
  const compiled = model && asCompiled(model);
  const isSeveral = expected === 'records' || expected === 'page';
  const writeData = compileWriteResult(compiled, expected);
  const writeBody = isSeveral
    ? compileWriteRecords(compiled, expected, maxPageBytes)
    : async (value: unknown, ctx: Context) => `{"data":${await writeData(value, ctx)}}`;
  const writeByHand = compileWriteResult(compiled, undefined);
  const ofRecords = isSeveral ? (['invalid_query'] as const) : [];
  const ofAnswer = (method: string) => (method === 'GET' ? (['internal'] as const) : (['internal', 'duplicate_key'] as const)); // a GET writes nothing
  const problems = (method: string) => [...ofAnswer(method), ...ofRecords, ...declared];
  return described({ problems, leaves: ['result', 'record'] }, async function handler(ctx, next) {
    ctx.exchange?.throwIfGivenUp();
    containBody(ctx);
    const value = await runHandler(run as Handler, ctx, compiled);
    if (value === undefined) requireNothing(ctx, expected !== undefined && expected !== 'none');
    else if (expected === 'none') throw new Error("An operation with `answer: 'none'` returned a value.");
    ctx.result = {
      value,
      toBody: async () => (value === undefined ? undefined : writeBody(value, ctx)),
      get entityTag() {
        return recordOf(value)?.entityTag;
      },
      get recordId() {
        const found = compiled && recordOf(value);
        return found?.isOf(compiled as CompiledModel) ? encodeURIComponent(found.id) : undefined;
      },
    };
    await next();
    if (ctx.body instanceof Stream) exchangeOf(ctx).answerBy(ctx.body);
    if (isJson(ctx.body)) ctx.body = await writeByHand(ctx.body, ctx); // set by the handler or a hook: Koa would write a record with its private fields
  });
}

/**
 * A driver call of the handler's own may meet a value that must be unique: that is 409, as in the operations of the
 * library.
 */
async function runHandler(run: Handler, ctx: Context, model: CompiledModel | undefined): Promise<unknown> {
  try {
    return await run(ctx);
  } catch (error) {
    throw isServerError(error, serverCodes.duplicateKey)
      ? foreignDuplicateKey(error, model, model && { mayName: mayNameIn(ctx, model) })
      : error;
  }
}

/** Whether Koa would write a body as JSON. */
function isJson(body: unknown): boolean {
  if (body === undefined || body === null || typeof body === 'string') return false;
  return ![Buffer, Stream, ReadableStream, Blob, Response].some((type) => body instanceof type);
}

/** A handler may set a body or a status itself, whatever `answer` says. */
function requireNothing(ctx: Context, isWrong: boolean): void {
  if (isWrong && ctx.status === 404 && ctx.respond !== false)
    throw new Error('An operation returned nothing, and its `answer` says that it returns something.');
}
