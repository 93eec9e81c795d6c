import { bodyNoObject } from '../errors.ts';
import { compileBody } from '../model/compile/compile-body.ts';
import type { DocumentOf, HasFields } from '../model/define/infer.ts';
import type { FieldSchema, Fields, RawSchema, TypeBoxSchema } from '../model/define/schema.ts';
import { isObject } from '../model/value/plain-object.ts';
import { canAnswer } from './parts/can-answer.ts';
import type { ResourceMiddleware } from './parts/context.ts';

/** The type of the body that a middleware leaves: what a handler behind it finds in `ctx.request.body`. `~body` exists in types only. */
export interface BodyType<Body> {
  readonly '~body': Body;
}

/** A middleware that knows its body. Not an interface: TypeScript would not infer from its result what stands beside it in an operation. */
export type BodyMiddleware<Body> = ResourceMiddleware & BodyType<Body>;

/**
 * Requires the body that `jsonBody({ requireObject: false })` has read to be an object that fits a schema, and leaves it in `ctx.request.body`
 * as handlers hold documents: 422, all errors at once, each with its dotted path. Without a schema it may be any object. `jsonBody` does the
 * same at once; apart, `ifMatch` can stand between the two, where it belongs (RFC 9110 §13.2.1).
 *
 * @example
 * router.post('/orders/:id/send', jsonBody({ requireObject: false }), ifMatch({ required: true }), checkBody(SendOrder), sendOrder);
 */
export function checkBody<const F extends Fields>(schema: HasFields<F>): BodyMiddleware<DocumentOf<F>>;
export function checkBody(schema: RawSchema | TypeBoxSchema): BodyMiddleware<Record<string, unknown>>;
export function checkBody(schema?: FieldSchema): ResourceMiddleware;
export function checkBody(schema?: unknown): ResourceMiddleware {
  const compiled = schema === undefined ? undefined : compileBody(schema as FieldSchema);
  const check = canAnswer(['validation_failed'], async function checkBody(ctx, next) {
    const { body } = ctx.request;
    if (!isObject(body)) throw bodyNoObject();
    if (compiled) ctx.request.body = compiled.read(body);
    await next();
  });
  return Object.assign(check, { body: compiled?.node ?? 'any' });
}
