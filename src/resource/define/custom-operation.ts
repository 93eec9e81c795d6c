import type Koa from 'koa';
import type { ProblemCode } from '../../errors.ts';
import type { BodyType } from '../../middleware/check-body.ts';
import type { AnswersProblems, Slots } from '../../middleware/exchange/context.ts';
import type { KoaContext, KoaNext } from '../../middleware/exchange/koa-context.ts';
import type { RecordsPage } from '../../middleware/exchange/write-records.ts';
import type { View } from '../../middleware/views/view.ts';
import type { DocumentOf } from '../../model/define/infer.ts';
import type { AnySchema, Fields } from '../../model/define/schema.ts';
import type { RunTransaction, StoreOf } from '../../store/store.ts';
import type { OperationGroup } from './standard-operations.ts';

/** The methods that a custom operation may have. */
export const customMethods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const;

/** A method of a custom operation. */
export type CustomMethod = (typeof customMethods)[number];

/**
 * The Koa context of guards, scopes, hooks and server fields, with the principal that `authenticate` has returned.
 * `App` is the context of the app in which the api is mounted, with `ctx.session` for example: `authenticate` declares
 * it.
 */
export type RequestContext<Principal, App = KoaContext> = ContextOf<Principal, App> &
  Pick<Slots, 'typedQuery'> & {
    readonly params: AnyParams;
    /** `body` is what was sent, and may be anything: its schema is checked where it is read. */
    readonly request: { readonly body?: unknown };
  };

// biome-ignore lint/suspicious/noExplicitAny: one function may stand for several paths
type AnyParams = Readonly<Record<string, any>>;

/** The parameters of the path of a custom operation: those with a colon. By default it is `/:id/<name>`. */
type ParamsOf<Path> = unknown extends Path ? ParamsOf<'/:id'> : { readonly [Name in ParameterIn<Path>]: string };

type ParameterIn<Path> = Path extends `${infer First}/${infer Rest}`
  ? ParameterIn<First> | ParameterIn<Rest>
  : Path extends `:${infer Name}`
    ? Name
    : never;

/** What the message of TypeScript shows in place of another text. */
type NoPath = 'a path begins with `/`';

/** A function that asks for less than Koa has says nothing about the app. */
type Declared<App> = App extends Koa.ExtendableContext ? App : KoaContext;

type ContextOf<Principal, App> = Declared<App> &
  Omit<Slots, 'principal' | 'load' | 'save' | 'signal' | 'store' | 'transaction' | 'typedQuery'> & {
    /** Opens the store of a model. Its commands share the deadline of the request. */
    readonly store: StoreOf;
    /** Runs a function in a transaction, of which `ctx.store`, `ctx.load` and `ctx.save` are a part meanwhile. */
    readonly transaction: RunTransaction;
    /**
     * Aborted when the client has disconnected or the request was given up. Pass it to what your function waits for.
     */
    readonly signal: AbortSignal;
    /** The caller; undefined for an anonymous request. */
    readonly principal: Principal | undefined;
    /** Returns the caller; throws 401 for an anonymous request. */
    requirePrincipal(): Principal;
  };

/** The access to the record of a custom operation. */
export interface RecordAccess<Doc> {
  /** What the caller may see of the model: `ctx.view.shows('margin')`. `load` and stores see everything. */
  readonly view: View;
  /**
   * Reads the record of `:id`. Throws 404 if the scope has no such record, and 412 if `If-Match` names another
   * revision.
   *
   * @example
   * shop.resource({
   *   model: Order,
   *   operations: { total: { method: 'GET', handler: async (ctx) => ({ total: (await ctx.load()).total }) } },
   * });
   */
  load(): Promise<Doc>;
  /**
   * Writes the changes of a record that `load()` has returned: one command, which increments the revision by one. The
   * record is updated in place. Throws 412 if another request has written the record since, 422 for a value that the
   * model does not allow, and 409 for a duplicate of a unique value. The policies for clients do not apply.
   *
   * @example
   * const handler: Handler<RecordAccess<Document<typeof Order>>> = async (ctx) => {
   *   const order = await ctx.load();
   *   order.status = 'sent';
   *   return ctx.save(order);
   * };
   */
  save(record: Doc): Promise<Doc>;
}

/**
 * The Koa context of the handler of a custom operation, with access to its record and with the types of its body, of
 * its `query` and of the parameters of its path.
 */
export type HandlerContext<Principal, Doc, Body = unknown, Query = unknown, Path = unknown, App = KoaContext> = ContextOf<Principal, App> &
  RecordAccess<Doc> & { readonly request: { readonly body: Body }; readonly params: ParamsOf<Path> } & QueryValues<Query>;

/** The values of a `query`, in document form. */
type QueryValues<Query> = unknown extends Query
  ? Pick<Slots, 'typedQuery'>
  : { readonly typedQuery: Query extends Fields ? Readonly<DocumentOf<Query>> : never };

/**
 * A middleware of a custom operation: one of this library, or any Koa middleware. It has `load()` and `save()` unless
 * it comes before the `jsonBody` of its `use`, where `If-Match` has not been read yet.
 */
export type OperationMiddleware<Principal, Doc = unknown, App = KoaContext> = ((
  ctx: RequestContext<Principal, App> & RecordAccess<Doc>,
  next: KoaNext,
) => Promise<void>) &
  AnswersProblems;

/** The groups to which an operation with this method can belong: a GET changes nothing. */
type GroupOf<Method> = Method extends 'GET' ? 'read' : OperationGroup;

/** What a custom operation has, whatever it answers. */
interface OperationParts<Principal, Doc, Body, Query, Path, Group, App, Method> {
  /** The method of the operation. A GET may only read. @default 'POST' */
  readonly method?: Method & CustomMethod;
  /**
   * The path below the resource: literal segments, and parameters such as `:line`, which are in `ctx.params`. A path
   * that begins with `/:id` addresses one record. A literal segment wins over a parameter: `/overdue` over `/:id`,
   * `/:id/lines/last` over `/:id/lines/:line`.
   * @default '/:id/<name>'
   */
  readonly path?: (Path & `/${string}`) | NoPath;
  /**
   * The group that it belongs to: `change`, `remove`, `write` or `read`; a GET can only `read`. What is given for the
   * group in `guardsFor`, `before`, `within` and `after` is then given for the operation, too.
   * @default none: it has only what is given for its own name
   *
   * @example
   * group: 'remove'
   */
  readonly group?: Group & GroupOf<Method>;
  /** A short description of the operation, for the OpenAPI description. @default the name of the operation */
  readonly summary?: string;
  /**
   * Middlewares before the handler, or instead of one. The limit of `jsonBody` is `maxBody` of the api. `If-Match` is
   * read after the body and before its validation: middlewares before `jsonBody` run before `If-Match`, and all others
   * after it, where they can `load()` and `save()`.
   * @default none
   */
  readonly use?: readonly (OperationMiddleware<Principal, Doc, App> | (OperationMiddleware<Principal, Doc, App> & BodyType<Body>))[];
  /**
   * The parameters of the query string: single values, and arrays of them. They are cast as those of a list, and are in
   * `ctx.typedQuery` in document form. A parameter is required unless it is `t.optional` or has a default. 400 for a
   * value that does not fit, and for any other parameter.
   * @default none: the query string is not read, and any parameter is accepted
   *
   * @example
   * query: { q: t.string({ minLength: 1 }), limit: t.int({ minimum: 1, maximum: 50, default: 20 }) }
   */
  readonly query?: Query & Fields;
  /**
   * The codes of problems of the library that the handler throws, or lets through from a store, for the OpenAPI
   * description. Those of `ctx.load`, `ctx.save` and of the middlewares in `use` are known. @default none
   *
   * @example
   * problems: ['not_found', 'duplicate_key', 'replica_set_required']
   */
  readonly problems?: readonly ProblemCode[];
  /**
   * The status of the answer, unless the handler sets one: 200 to 299, but not 205 and 206; 204 only with
   * `answer: 'none'`. With 201 and a record of the resource's model, `Location` is its path.
   * @default 200, or 204 if the handler returns nothing
   *
   * @example
   * status: 201
   */
  readonly status?: number;
}

/** A function that runs an operation, and what it returns. */
interface Runs<Ctx, Answer, Result> {
  /**
   * Runs the operation. If it returns a record, the answer is `{"data": …}` with an `ETag`; any other value is answered
   * as `{"data": …}`. If it returns undefined, the answer is 204, or what the handler has set as `ctx.body` or
   * `ctx.status`.
   * @default none: the middlewares of `use` answer, and hooks run if they call `next()`
   */
  readonly handler?: (ctx: Ctx) => Result;
  /**
   * What the handler returns, for TypeScript, for the OpenAPI description and for the answer. If the handler returns
   * something else, the answer is 500. A body that the handler sets as `ctx.body` is not checked.
   *
   * - `'record'`: a record of the resource's model
   * - `'records'`: an array of them, answered as `{"data": […]}`
   * - `'page'`: a `RecordsPage`, answered as `{"data": […], "page": {…}}`
   * - `'none'`: nothing (204)
   * - the schema of `data`
   *
   * @default unknown: the description allows any `data`, and 204
   */
  readonly answer: Answer;
}

type Promised<Value> = Value | Promise<Value>;

/** The results of a handler by its `answer`. One that sets a body itself returns nothing. */
type RunsAny<Ctx, Doc> =
  | Partial<Runs<Ctx, 'record' | 'none' | AnySchema, unknown>>
  | (Partial<Runs<Ctx, 'records', Promised<readonly Doc[] | undefined>>> & { readonly answer: 'records' })
  | (Partial<Runs<Ctx, 'page', Promised<RecordsPage<Doc> | undefined>>> & { readonly answer: 'page' });

/**
 * A custom operation. It runs after the guards and the scope of its resource.
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
export type CustomOperation<
  Principal,
  Doc,
  Body = unknown,
  Query = unknown,
  Path = unknown,
  Group = unknown,
  App = KoaContext,
  Method = unknown,
> = OperationParts<Principal, Doc, Body, Query, Path, Group, App, Method> &
  RunsAny<HandlerContext<Principal, Doc, Body, Query, Path, App>, Doc>;
