import type Koa from 'koa';
import type { BodyType } from '../middleware/check-body.ts';
import type { AnswersProblems } from '../middleware/parts/context.ts';
import type { FieldSchema } from '../model/define/schema.ts';
import type { RequestContext } from './request-context.ts';

/** The methods that a custom operation may have. */
export const customMethods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const;

/** A method of a custom operation. */
export type CustomMethod = (typeof customMethods)[number];

/** Koa's context as the handler of a custom operation sees it: with the record that it is about, and the body as its schema says. */
export type HandlerContext<Principal, Doc, Body = unknown> = RequestContext<Principal> & {
  /** The record of the path's `:id`, within the scope: 404 where there is none, 412 where `If-Match` names another revision. */
  load(): Promise<Doc>;
  /**
   * Writes what has changed in a record of `load()`, in one command and one revision step, and brings it up to date in place. 412 when somebody was
   * faster, 422 for a value that the model does not allow, 409 for one that must be unique. The client's policy does not count.
   */
  save(record: Doc): Promise<Doc>;
  readonly request: { readonly body: Body };
};

/** A middleware of a custom operation: one of the library's, or any of Koa's. */
export type OperationMiddleware<Principal> = ((ctx: RequestContext<Principal>, next: Koa.Next) => Promise<void>) & AnswersProblems;

/**
 * An operation of your own, behind the guards and the scope of its resource.
 *
 * @example
 * send: {
 *   summary: 'Mark the order as sent',
 *   use: [jsonBody({ schema: t.object('SendOrder', { carrier: t.string() }) })],
 *   async handler(ctx) {
 *     const order = await ctx.load();
 *     order.status = 'sent';
 *     order.carrier = ctx.request.body.carrier;
 *     return ctx.save(order);
 *   },
 * }
 */
export interface CustomOperation<Principal, Doc, Body = unknown> {
  /** @default 'POST' */
  readonly method?: CustomMethod;
  /**
   * Its path below the resource: literal segments, and parameters such as `:line`, which `ctx.params` has. With `/:id` first it is about one
   * record. A literal segment goes before a parameter: `/overdue` before `/:id`, `/:id/lines/last` before `/:id/lines/:line`.
   * @default '/:id/<name>'
   */
  readonly path?: string;
  /** What it does, in a few words, for the OpenAPI description. @default its name */
  readonly summary?: string;
  /**
   * Middlewares before the handler, or instead of one. `jsonBody` takes the api's `maxBody` for its limit. `If-Match` is read when a body has
   * been: what a `jsonBody` validates, and all that follows it, comes behind; without one, all of them come first.
   * @default none
   */
  readonly use?: readonly (OperationMiddleware<Principal> | (OperationMiddleware<Principal> & BodyType<Body>))[];
  /**
   * Does it. A record that it returns is answered as `{"data": …}` with its `ETag`, any other JSON as `{"data": …}`; nothing is 204, unless it
   * has set `ctx.body` or `ctx.status` itself.
   * @default none: the middlewares of `use` answer, and hooks run where they call `next()`
   */
  readonly handler?: (ctx: HandlerContext<Principal, Doc, Body>) => unknown;
  /**
   * What it answers: `'record'`, `'none'` (204), or the schema of what stands in `data`. It stands in the OpenAPI description, and a handler
   * that returns anything else is an error (500). A body that it sets by hand is not held to it.
   * @default unknown: described as anything, or nothing
   */
  readonly answer?: 'record' | 'none' | FieldSchema;
}
