import type { BodyFrom, DocumentOf, HasFields } from '../model/define/infer.ts';
import type { AnySchema, Fields, RawSchema, TypeBoxSchema } from '../model/define/schema.ts';
import type { StandardSchema } from '../model/define/standard-schema.ts';
import { aTimeLimit, checkedLater, checkOptions, defaultOf, type LegalOptions, orUndefined, trueOrFalse } from '../options.ts';
import { problemsOfBody, readBody } from './body/read-body.ts';
import { aBodyLimit, anAmountOfValues, bodyLimits } from './body-limit.ts';
import { type BodyMiddleware, checkBody } from './check-body.ts';
import type { ResourceMiddleware } from './exchange/context.ts';
import { described, descriptorOf } from './exchange/descriptor.ts';
import { runAlone, step } from './exchange/step.ts';

/** Options of {@link jsonBody}. */
export interface JsonBodyOptions {
  /** Largest body in bytes. Nothing beyond it is buffered. @default the api's `maxBody`, or 1 MiB (1,048,576) */
  readonly limit?: number;
  /**
   * Time in which the body must arrive, in milliseconds. A slower one is 408.
   *
   * @default the api's `bodyTimeout`, or 30,000
   */
  readonly timeout?: number;
  /**
   * Most values of the body, where each array and each object counts as one more. It bounds for how long a single body
   * keeps the event loop.
   * @default the api's `maxValues`, or 25,000
   */
  readonly maxValues?: number;
  /**
   * Answers 422 to a missing body, and to JSON that is not an object. `false` leaves that to the validation below
   * `ifMatch`.
   * @default true
   */
  readonly requireObject?: boolean;
  /**
   * Whether the request may come without a body: `ctx.request.body` is then undefined. A body that is there is
   * validated as ever.
   * @default false
   */
  readonly optional?: boolean;
  /**
   * The schema of the body, an object: `t.object('Name', { … })`, a JSON Schema with `properties`, or an object of a
   * library with Standard JSON Schema, such as Zod. The body is read like that of a create (types, defaults,
   * constraints; unknown keys are refused) and left in document form: a `t.date()` is a Date.
   * @default any object
   */
  readonly schema?: AnySchema;
}

const legal: LegalOptions<JsonBodyOptions> = {
  limit: orUndefined(aBodyLimit),
  timeout: orUndefined(aTimeLimit),
  maxValues: orUndefined(anAmountOfValues),
  requireObject: trueOrFalse,
  optional: trueOrFalse,
  schema: checkedLater,
};

/**
 * Reads the request's body as a JSON object into `ctx.request.body`, without loss of precision: see `parseJson` for how
 * numbers are represented.
 *
 * Errors:
 *
 * - 413 above the limit in bytes, and above `maxValues`
 * - 408 if the body does not arrive in time
 * - 415 for a media type other than JSON (none at all is accepted), a charset other than UTF-8, or a content coding
 * - 400 for a body that is not JSON, or is nested more than 64 levels deep
 * - 422 for a missing body (unless it is `optional`), JSON that is not an object, and a body that does not fit the
 *   schema: all errors at once, each with its dotted path
 *
 * @example
 * router.post('/orders', jsonBody({ limit: 10_000 }), createOrder);
 * router.post('/orders/:id/send', jsonBody({ schema: t.object('SendOrder', { carrier: t.string() }) }), sendOrder);
 */
export function jsonBody<const F extends Fields>(
  options: JsonBodyOptions & { readonly schema: HasFields<F>; readonly optional: true },
): BodyMiddleware<DocumentOf<F> | undefined>;
export function jsonBody<Body>(
  options: JsonBodyOptions & { readonly schema: StandardSchema<unknown, Body>; readonly optional: true },
): BodyMiddleware<Body | undefined>;
export function jsonBody<const S extends RawSchema>(
  options: JsonBodyOptions & { readonly schema: S; readonly optional: true },
): BodyMiddleware<BodyFrom<S> | undefined>;
export function jsonBody(
  options: JsonBodyOptions & { readonly schema: TypeBoxSchema; readonly optional: true },
): BodyMiddleware<Record<string, unknown> | undefined>;
export function jsonBody<const F extends Fields>(
  options: JsonBodyOptions & { readonly schema: HasFields<F> },
): BodyMiddleware<DocumentOf<F>>;
export function jsonBody<Body>(options: JsonBodyOptions & { readonly schema: StandardSchema<unknown, Body> }): BodyMiddleware<Body>;
export function jsonBody<const S extends RawSchema>(options: JsonBodyOptions & { readonly schema: S }): BodyMiddleware<BodyFrom<S>>;
export function jsonBody(options: JsonBodyOptions & { readonly schema: TypeBoxSchema }): BodyMiddleware<Record<string, unknown>>;
export function jsonBody(options?: JsonBodyOptions): ResourceMiddleware;
export function jsonBody(options: JsonBodyOptions = {}): ResourceMiddleware {
  checkOptions(options, legal, '`jsonBody`');
  const { limit, timeout, maxValues, requireObject = true, optional: isOptional = false, schema } = options;
  const read = step({ problems: problemsOfBody }, async function jsonBody(ctx) {
    const bytes = limit ?? ctx.bodyLimit ?? defaultOf(bodyLimits.maxBody);
    const limits = {
      bytes,
      ms: timeout ?? ctx.bodyTimeout ?? defaultOf(bodyLimits.bodyTimeout),
      values: maxValues ?? ctx.bodyValues ?? defaultOf(bodyLimits.maxValues),
    };
    ctx.request.body = await readBody(ctx, limits);
  });
  if (schema === undefined && !requireObject) return described({ body: { schema: 'any', isOptional, parts: { read } } }, read);
  const checkPresent = checkBody(schema);
  const check = isOptional ? unlessAbsent(checkPresent) : checkPresent;
  const body = { schema: descriptorOf(checkPresent)?.body?.schema ?? 'any', isOptional, parts: { read, check } };
  return step({ problems: [...problemsOfBody, 'validation_failed'], body }, async function jsonBody(ctx) {
    await runAlone(read, ctx);
    await runAlone(check, ctx);
  });
}

function unlessAbsent(check: ResourceMiddleware): ResourceMiddleware {
  return step({ problems: ['validation_failed'] }, function checkBody(ctx) {
    return ctx.request.body === undefined ? undefined : runAlone(check, ctx);
  });
}
