import { ConfigurationError } from '../errors.ts';
import { type AnswerInput, compileAnswer } from '../model/compile-answer.ts';
import { asCompiled, type ModelInput } from '../model/model-input.ts';
import { isObject } from '../model/plain-object.ts';
import { StoredRecord } from '../mongo/stored-record.ts';
import { checkedLater, checkOptions, type LegalOptions } from './check-options.ts';
import type { Called, Context, RecordContext, ResourceMiddleware } from './context.ts';
import { compileWriteResult } from './write-result.ts';

/** Does what a custom operation is for. What it returns is answered: a record, any JSON, or nothing. */
export type Handler<Ctx = Context> = (ctx: Ctx) => unknown;

/** Options of {@link handler}. */
export interface HandlerOptions {
  /** The model of the records that it holds: what is private in them is then not answered by mistake. @default none */
  readonly model?: ModelInput;
  /** What it returns: a `'record'`, nothing (`'none'`), or what this schema says of `data`. Anything else is an Error (500). @default anything */
  readonly answer?: AnswerInput;
}

const legal: LegalOptions<HandlerOptions> = { model: checkedLater, answer: checkedLater };

/**
 * Runs a handler, and leaves what it returned, and how that is answered, in `ctx.result`. It stands after `records`, before `afterHooks` and
 * `answer`. A record that it returns is written as clients may read it. Other objects must not have the name of a private field of the model,
 * unless the schema of the answer says that it is meant: a copy of a record, or a part of one, is an Error (500).
 *
 * @example
 * router.post('/orders/:id/send', records(Order, { db }), handler(sendOrder, { model: Order, answer: 'record' }), answer());
 */
export function handler(run: Called<[ctx: RecordContext], unknown>, options: HandlerOptions = {}): ResourceMiddleware {
  if (typeof run !== 'function') throw new ConfigurationError('`handler` must be a function.');
  checkOptions(options, legal, '`handler`');
  const { model, answer } = options;
  const expected = answer === undefined ? undefined : compileAnswer(answer);
  const compiled = model && asCompiled(model);
  const write = compileWriteResult(compiled, expected);
  const writeBody = compileWriteResult(compiled, undefined);
  return async function handler(ctx, next) {
    const value = await (run as Handler)(ctx);
    if (value === undefined) requireNothing(ctx, expected !== undefined && expected !== 'none');
    else if (expected === 'none') throw new Error("An operation with `answer: 'none'` returned a value.");
    const text = value === undefined ? undefined : write(value, ctx.loaded);
    if (isObject(ctx.body) || Array.isArray(ctx.body)) ctx.body = writeBody(ctx.body, ctx.loaded); // Koa would write a record with all it has
    ctx.result = { value, text, entityTag: (value instanceof StoredRecord ? value : ctx.loaded?.get(value))?.entityTag };
    await next();
  };
}

/** A body or a status that the handler has set itself is its own affair. */
function requireNothing(ctx: Context, isWrong: boolean): void {
  if (isWrong && ctx.status === 404 && ctx.respond !== false)
    throw new Error('An operation returned nothing, and its `answer` says that it returns something.');
}
