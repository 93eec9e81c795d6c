import { bodyNoObject } from '../errors.ts';
import { compileBody } from '../model/compile/compile-body.ts';
import type { BodyFrom, DocumentOf, HasFields } from '../model/define/infer.ts';
import type { AnySchema, Fields, RawSchema, TypeBoxSchema } from '../model/define/schema.ts';
import type { StandardSchema } from '../model/define/standard-schema.ts';
import { isObject } from '../model/value/plain-object.ts';
import { pause } from '../mongo/driver/turn.ts';
import type { ResourceMiddleware } from './exchange/context.ts';
import { step } from './exchange/step.ts';

/**
 * The type of the body that a middleware leaves in `ctx.request.body` for the handler below it. `~body` exists in types
 * only.
 */
export interface BodyType<Body> {
  readonly '~body': Body;
}

/**
 * A middleware that knows the type of its body. It is not an interface, because TypeScript could not infer the
 * handler's context from one.
 */
export type BodyMiddleware<Body> = ResourceMiddleware & BodyType<Body>;

/**
 * Requires the body that `jsonBody({ requireObject: false })` has read to be an object that fits the schema, and leaves
 * it in document form in `ctx.request.body`. A schema of another library, such as Zod, is accepted too. Without a
 * schema, any object is. 422 lists all errors at once, each with its dotted path.
 *
 * `jsonBody({ schema })` does both steps. Use the two middlewares to place `ifMatch` between them, where it belongs
 * (RFC 9110 §13.2.1).
 *
 * @example
 * router.post(
 *   '/orders/:id/send',
 *   jsonBody({ requireObject: false }),
 *   ifMatch({ required: true }),
 *   checkBody(SendOrder),
 *   sendOrder,
 * );
 */
export function checkBody<const F extends Fields>(schema: HasFields<F>): BodyMiddleware<DocumentOf<F>>;
export function checkBody<Body>(schema: StandardSchema<unknown, Body>): BodyMiddleware<Body>;
export function checkBody<const S extends RawSchema>(schema: S): BodyMiddleware<BodyFrom<S>>;
export function checkBody(schema: TypeBoxSchema): BodyMiddleware<Record<string, unknown>>;
export function checkBody(schema?: AnySchema): ResourceMiddleware;
export function checkBody(schema?: unknown): ResourceMiddleware {
  const compiled = schema === undefined ? undefined : compileBody(schema as AnySchema);
  return step({ problems: ['validation_failed'], body: { schema: compiled?.node ?? 'any' } }, async function checkBody(ctx) {
    const { body } = ctx.request;
    if (!isObject(body)) throw bodyNoObject();
    if (compiled) ctx.request.body = compiled.read(body);
    if (ctx.isLargeBody) await pause();
  });
}
