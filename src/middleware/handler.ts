import { Stream } from 'node:stream';
import { type AnswerInput, compileAnswer } from '../model/compile/compile-answer.ts';
import type { CompiledModel } from '../model/compile/compile-model.ts';
import { asCompiled, type ModelInput } from '../model/compile/compile-model.ts';
import { foreignDuplicateKey } from '../mongo/driver/duplicate-key.ts';
import { isServerError, serverCodes } from '../mongo/driver/server-error.ts';
import { aFunction, checkedLater, checkOptions, checkValue, type LegalOptions } from '../options.ts';
import { canAnswer } from './parts/can-answer.ts';
import { containBody } from './parts/contain-errors.ts';
import type { Called, Context, RecordContext, ResourceMiddleware } from './parts/context.ts';
import { compileWriteResult, recordOf } from './parts/write-result.ts';

/** Does what a custom operation is for. What it returns is answered: a record, any JSON, or nothing. */
export type Handler<Ctx = Context> = (ctx: Ctx) => unknown;

/** Options of {@link handler}. */
export interface HandlerOptions {
  /** The model whose private fields it must not answer by mistake, whether it loads a record or not. @default the models of the records that it holds */
  readonly model?: ModelInput;
  /** What it returns: a `'record'`, nothing (`'none'`), or what this schema says of `data`. Anything else is an Error (500). @default anything */
  readonly answer?: AnswerInput;
}

const legal: LegalOptions<HandlerOptions> = { model: checkedLater, answer: checkedLater };

/**
 * Runs a handler, and leaves what it returned, and how that is answered, in `ctx.result`. It stands after `records`, before `afterHooks` and
 * `answer`. A record that it returns is written as clients may read it. Other objects must not have the name of a private field of the
 * records that the request holds, or of the model, unless the schema of the answer says that it is meant: a copy of a record, or a part of
 * one, is an Error (500). The same goes for a JSON body that it or a hook sets by hand.
 *
 * A duplicate key in a driver call of its own (code 11000) is 409 `duplicate_key`, naming the fields where the model has them.
 *
 * @example
 * router.post('/orders/:id/send', records(Order, { db }), handler(sendOrder, { model: Order, answer: 'record' }), answer());
 */
export function handler(run: Called<[ctx: RecordContext], unknown>, options: HandlerOptions = {}): ResourceMiddleware {
  checkValue('`handler`', run, aFunction);
  checkOptions(options, legal, '`handler`');
  const { model, answer } = options;
  const expected = answer === undefined ? undefined : compileAnswer(answer);
  const compiled = model && asCompiled(model);
  const write = compileWriteResult(compiled, expected);
  const writeBody = compileWriteResult(compiled, undefined);
  const problems = (method: string) => (method === 'GET' ? (['internal'] as const) : (['internal', 'duplicate_key'] as const)); // a GET writes nothing
  return canAnswer(problems, async function handler(ctx, next) {
    ctx.exchange?.throwIfGivenUp();
    containBody(ctx);
    const value = await runHandler(run as Handler, ctx, compiled);
    if (value === undefined) requireNothing(ctx, expected !== undefined && expected !== 'none');
    else if (expected === 'none') throw new Error("An operation with `answer: 'none'` returned a value.");
    ctx.result = {
      value,
      toText: () => (value === undefined ? undefined : write(value, ctx)),
      get entityTag() {
        return recordOf(value, ctx)?.entityTag;
      },
    };
    await next();
    if (isJson(ctx.body)) ctx.body = writeBody(ctx.body, ctx); // of the handler or a hook: Koa would write a record with all it has
  });
}

/** A driver call of the handler's own may meet a value that must be unique: that is 409, as in the operations of the library. */
async function runHandler(run: Handler, ctx: Context, model: CompiledModel | undefined): Promise<unknown> {
  try {
    return await run(ctx);
  } catch (error) {
    throw isServerError(error, serverCodes.duplicateKey) ? foreignDuplicateKey(error, model) : error;
  }
}

/** What Koa would make JSON of. */
function isJson(body: unknown): boolean {
  if (body === undefined || body === null || typeof body === 'string') return false;
  return ![Buffer, Stream, ReadableStream, Blob, Response].some((type) => body instanceof type);
}

/** A body or a status that the handler has set itself is its own affair. */
function requireNothing(ctx: Context, isWrong: boolean): void {
  if (isWrong && ctx.status === 404 && ctx.respond !== false)
    throw new Error('An operation returned nothing, and its `answer` says that it returns something.');
}
