import type { AfterHook } from '../middleware/after-hooks.ts';
import type { Called, Guard } from '../middleware/parts/context.ts';
import type { Model } from '../model/define/define-model.ts';
import type { Document } from '../model/define/infer.ts';
import type { Operator } from '../model/define/policy.ts';
import type { Fields } from '../model/define/schema.ts';
import type { Paging, Totals } from '../mongo/list/parse-paging.ts';
import type { everything } from '../mongo/query/filter.ts';
import type { CustomOperation } from './custom-operation.ts';
import type { RequestContext } from './request-context.ts';

/** The operations that a resource can serve. */
export const operations = ['list', 'get', 'create', 'patch', 'put', 'delete'] as const;

/** An operation of a resource: a key of `ops`, `guardsFor` and `after`. */
export type Operation = (typeof operations)[number];

type OperatorsOn<Value> = { readonly [Name in Exclude<Operator, 'in' | 'nin' | 'exists'>]?: Value } & {
  readonly in?: readonly Value[];
  readonly nin?: readonly Value[];
  readonly exists?: boolean;
};
type Elements<Value> = Value extends readonly (infer Element)[] ? Element : Value;

/** A row filter of values or the library's own operators, by the fields of the stored document; nested ones by dotted path. */
export type ScopeFilter<Doc> = { readonly [Name in keyof Doc]?: Elements<Doc[Name]> | OperatorsOn<Elements<Doc[Name]>> } & {
  readonly [path: `${string}.${string}`]: unknown;
};

/** What a scope function returns, or promises. */
export type ScopeResult<Doc> = ScopeFilter<Doc> | typeof everything;

/** Makes a type of each key that is not a field, which nothing fits: TypeScript lets functions return more keys than they should. */
type OnlyFields<Result, Doc> =
  Result extends PromiseLike<infer Value>
    ? PromiseLike<OnlyFields<Value, Doc>>
    : Result extends object
      ? { readonly [Name in keyof Result]: Name extends keyof ScopeFilter<Doc> ? Result[Name] : never }
      : Result;

/**
 * What a custom operation's handler returns is not known to the hooks beside it: TypeScript cannot infer it in the same literal as the type
 * of its body. So it is unknown, and a hook may say what it takes it for.
 */
type Hook<Op extends string, Ctx, Doc> = Op extends 'list'
  ? AfterHook<Ctx, readonly Doc[]>
  : Op extends Operation
    ? AfterHook<Ctx, Doc>
    : Called<[ctx: Ctx, result: unknown], unknown>;

/**
 * A resource: a model, bound to operations, and who may do what. Plain data with functions in named places.
 * `Bodies` are the types of the bodies of custom operations, by `Names`, their names.
 */
export interface ResourceOptions<
  Principal,
  F extends Fields,
  Ops extends Operation = Operation,
  Bodies = Record<never, never>,
  Names extends keyof Bodies & string = keyof Bodies & string,
  Scope = ScopeResult<Document<Model<F>>> | Promise<ScopeResult<Document<Model<F>>>>,
> {
  /** The model whose records are served. */
  readonly model: Model<F>;
  /** The resource's path segment. @default the model's collection */
  readonly path?: string;
  /** What its records are, in Markdown, for the OpenAPI description. @default 'Records of <model>.' */
  readonly description?: string;
  /** The operations served; `put` only when it is listed. @default ['list', 'get', 'create', 'patch', 'delete'] */
  readonly ops?: readonly Ops[];
  /** Who may call any operation: every guard must return true. @default none */
  readonly guards?: readonly Guard<RequestContext<Principal>>[];
  /** Guards of single operations, asked after those of all. @default none */
  readonly guardsFor?: { readonly [Op in NoInfer<Ops | Names>]?: readonly Guard<RequestContext<Principal>>[] };
  /**
   * The row filter of every query; a record outside is 404. It also bounds what clients write: a create, patch or put whose record would lie
   * outside is 422 on the fields at fault, or 500 where clients may not write them. It does not bind `ctx.save`.
   * @default every record
   */
  readonly scope?: (ctx: RequestContext<Principal>) => Scope & OnlyFields<Scope, Document<Model<F>>>;
  /**
   * Whether the scope bounds what clients write, too. Without that they may put records out of their own reach, and into that of others.
   * @default true
   */
  readonly scopeWrites?: boolean;
  /**
   * The fields that the scope compares with a value (or `in` a list) in every request, in the order of an index: they come first in each
   * index that `planIndexes` plans for the list. A scope is a function, of which nobody else can know it.
   * @default none: indexes are planned as if there were no scope
   */
  readonly scopeFields?: readonly ((keyof Document<Model<F>> & string) | `${string}.${string}`)[];
  /** Values that the server sets on create. @default none */
  readonly serverFields?: (ctx: RequestContext<Principal>) => Partial<Document<Model<F>>> | Promise<Partial<Document<Model<F>>>>;
  /** A field is writable only where its policy says so. @default false */
  readonly explicitWrites?: boolean;
  /** PATCH merges into embedded objects (RFC 7396); false: it replaces them. @default true */
  readonly mergePatch?: boolean;
  /** A write without `If-Match` is 428. @default false */
  readonly preconditionRequired?: boolean;
  /** `Cache-Control` of answers with records, where the app and the handler have set none. @default 'private, no-cache' */
  readonly cacheControl?: string;
  /** Names of request headers that decide what a client may see: appended to `Vary`. @default ['Authorization', 'Cookie'] */
  readonly vary?: readonly string[];
  /** How lists are paged: `cursorPaging()` or `offsetPaging()`. @default cursorPaging() */
  readonly paging?: Paging;
  /**
   * The relations that list and get may show by `include`: each by its `as`, or the name of its field; dotted where it stands in an embedded
   * object, and for what a relation leads on to. Only what is listed is allowed: `author.company` alone does not allow `author`.
   * @default none
   *
   * @example
   * include: ['customer', 'author', 'author.company']
   */
  readonly include?: readonly string[];
  /** Clients may choose what they read: `fields=name,address.city` on List and Get. @default false */
  readonly fields?: boolean;
  /** Operations of your own, by name: a key of `guardsFor` and `after` too. @default none */
  readonly operations?: { readonly [Name in Names]: CustomOperation<Principal, Document<Model<F>>, Bodies[Name]> };
  /**
   * Hooks after operations, in order. After one of your own a hook is given what the handler returned, as `unknown`, unless it says itself what
   * that is: `(ctx, order: Document<typeof Order>) => …`.
   * @default none
   */
  readonly after?: {
    readonly [Op in NoInfer<Ops | Names>]?: readonly Hook<Op, RequestContext<Principal>, Document<Model<F>>>[];
  };
}

/** What a resource is defined by, with its TypeScript parameters forgotten: `service().resource()` checked them. */
export type ResourceDefinition = ResourceOptions<never, never, Operation, Record<string, unknown>>;

/** Settings of {@link cursorPaging}. */
export interface CursorPagingOptions {
  /** Largest page a client can ask for; a larger `limit` is clamped to it. @default 100 */
  readonly max?: number;
  /** Page size when `limit` is omitted. @default 20, or `max` where that is smaller */
  readonly size?: number;
  /**
   * `true` allows `total=true`, a second query that counts every match, and `total=estimate`, the collection's own statistics, where there
   * is neither filter nor scope. `'estimate'` allows the latter only. @default false
   */
  readonly total?: Totals;
}

/** Settings of {@link offsetPaging}. */
export interface OffsetPagingOptions extends CursorPagingOptions {
  /** How many records a page may skip; a deeper page is 400. @default 10,000 */
  readonly maxOffset?: number;
}
