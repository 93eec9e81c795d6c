import type Koa from 'koa';
import rawBody from 'raw-body';
import { Problem, validationFailed } from '../errors.ts';
import { decodeUtf8, parseJson } from '../http/json.ts';
import { classifyMediaType } from '../http/media-type.ts';
import { compileBody } from '../model/compile-body.ts';
import type { DocumentOf, HasFields } from '../model/infer.ts';
import type { ObjectNode } from '../model/node.ts';
import type { Field, Fields, RawSchema } from '../model/schema.ts';
import { checkBodyLimit } from './body-limit.ts';
import type { Context, ResourceMiddleware } from './context.ts';

/** Options of {@link jsonBody}. */
export interface JsonBodyOptions {
  /** Largest body, in bytes; nothing is buffered past it. @default the api's `maxBody`, or 1 MiB (1,048,576) */
  readonly limit?: number;
  /** Whether JSON that is no object, and no body, are 422 here. `false` leaves that to the validation behind `ifMatch`. @default true */
  readonly requireObject?: boolean;
  /**
   * What the body must be, as an object: `t.object('Name', { … })`, or a JSON Schema with `properties`. It is read as the body of a create is
   * (types, defaults, constraints; unknown keys are refused), and left as handlers hold documents: a `t.date()` is a Date.
   * @default any object
   */
  readonly schema?: Field | RawSchema;
}

/** The type of the body that a middleware reads: what a handler behind it finds in `ctx.request.body`. `~body` exists in types only. */
export interface BodyType<Body> {
  readonly '~body': Body;
}

/** A `jsonBody` with a schema. Not an interface: TypeScript would not infer from its result what stands beside it in an operation. */
export type BodyMiddleware<Body> = ResourceMiddleware & BodyType<Body>;

/** What a `jsonBody` knows of its body, for the description of the api. */
interface Described {
  readonly body: ObjectNode | 'any';
}

/**
 * Reads the request's body as a JSON object into `ctx.request.body`, exactly: see `parseJson` for what a number becomes.
 *
 * Errors: 413 above the limit; 415 for another media type than JSON (an absent one is accepted), another charset than UTF-8 or a content
 * coding; 400 for what is not JSON or nested more than 64 levels deep; 422 for JSON that is no object, for no body, and for what does not
 * fit the schema, all errors at once, each with its dotted path.
 *
 * @example
 * router.post('/orders', jsonBody({ limit: 10_000 }), createOrder);
 * router.post('/orders/:id/send', jsonBody({ schema: t.object('SendOrder', { carrier: t.string() }) }), sendOrder);
 */
export function jsonBody<const F extends Fields>(
  options: JsonBodyOptions & { readonly schema: HasFields<F> },
): BodyMiddleware<DocumentOf<F>>;
export function jsonBody(options: JsonBodyOptions & { readonly schema: RawSchema }): BodyMiddleware<Record<string, unknown>>;
export function jsonBody(options?: JsonBodyOptions): ResourceMiddleware;
export function jsonBody({ limit, requireObject = true, schema }: JsonBodyOptions = {}): ResourceMiddleware {
  if (limit !== undefined) checkBodyLimit(limit);
  const compiled = schema === undefined ? undefined : compileBody(schema);
  const described: Described = { body: compiled?.node ?? 'any' };
  return Object.assign(async function jsonBody(ctx: Context, next: Koa.Next) {
    const bytes = await readBody(ctx, limit ?? ctx.bodyLimit ?? 1_048_576);
    checkMediaType(ctx);
    const text = decodeUtf8(bytes);
    const body = text.trim() === '' ? undefined : parseJson(text);
    if (requireObject && !isObject(body)) throw validationFailed([{ field: '', message: 'the body must be a JSON object' }]);
    ctx.request.body = compiled ? compiled.read(body) : body;
    await next();
  }, described);
}

/** The body that a middleware reads: its schema, or any object; undefined where it reads none. */
export function bodyOf(middleware: ResourceMiddleware): ObjectNode | 'any' | undefined {
  return (middleware as ResourceMiddleware & Partial<Described>).body;
}

function isObject(body: unknown): boolean {
  return typeof body === 'object' && body !== null && Object.getPrototypeOf(body) === Object.prototype;
}

function checkMediaType(ctx: Context): void {
  const media = classifyMediaType(ctx.get('content-type'));
  if (media === 'other') throw new Problem('unsupported_media_type', 'The body must be JSON: send `content-type: application/json`.');
  if (media === 'charset') throw new Problem('unsupported_media_type', 'JSON is UTF-8: leave the charset out.');
  const coding = ctx.get('content-encoding').toLowerCase();
  if (coding !== '' && coding !== 'identity') throw new Problem('unsupported_media_type', 'The body must come without a content coding.');
}

async function readBody(ctx: Context, limit: number): Promise<Buffer> {
  if (ctx.req.readableEnded) return readAgain(ctx, limit);
  try {
    return await rawBody(ctx.req, { limit, length: ctx.request.length ?? null });
  } catch (error) {
    throw toBodyProblem(error, limit);
  }
}

/** What a body parser of the app, such as koa-bodyparser, has read before and kept as text. */
function readAgain({ request }: Context, limit: number): Buffer {
  const { rawBody } = request as { readonly rawBody?: unknown };
  if (typeof rawBody === 'string') {
    const bytes = Buffer.from(rawBody);
    if (bytes.length > limit) throw tooLarge(limit);
    return bytes;
  }
  if (request.length)
    throw new Error(
      'The body was read before `jsonBody`: mount it above the body parser of the app, or let that keep `ctx.request.rawBody`.',
    );
  return Buffer.alloc(0);
}

function toBodyProblem(error: unknown, limit: number): unknown {
  const type = error instanceof Error && 'type' in error ? error.type : undefined;
  if (type === 'entity.too.large') return tooLarge(limit);
  // The client has gone, or sent another length than it said: it gets no answer, but the log shows no bug either.
  const isBroken = type === 'request.aborted' || type === 'request.size.invalid' || type === 'stream.not.readable';
  return isBroken ? new Problem('malformed_json', 'The body ended too early.') : error;
}

function tooLarge(limit: number): Problem {
  return new Problem('body_too_large', `The body may have at most ${limit} bytes.`);
}
