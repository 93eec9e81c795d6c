import type { OptionsOfLists } from '../../features/list-types.ts';
import type { FieldOperations, OptionsOfPlugins, ReadsOfPlugins } from '../../features/types.ts';
import type { AfterHook } from '../../middleware/after-hooks.ts';
import type { BeforeHook } from '../../middleware/before-hooks.ts';
import type { Called, Guard } from '../../middleware/exchange/context.ts';
import type { KoaContext } from '../../middleware/exchange/koa-context.ts';
import type { Written } from '../../middleware/within-transaction.ts';
import type { Model } from '../../model/define/define-model.ts';
import type { Given } from '../../model/define/given.ts';
import type { ChangesDraft, Document } from '../../model/define/infer.ts';
import type { NamesOr, RelationNames } from '../../model/define/relation-names.ts';
import type { Fields } from '../../model/define/schema.ts';
import type { CustomOperation, RequestContext } from './custom-operation.ts';
import type { OfDeleted } from './deleted-options.ts';
import type { ListOptions } from './list-options.ts';
import type { GroupsAround, GroupsOf, HasKeys, NamedBy, NeedsHandler } from './operation-groups.ts';
import type { RelationOptions } from './relation-options.ts';
import type { OnlyFields, ScopeResult } from './scope-result.ts';
import type { Operation, WriteOfMany, WriteOperation } from './standard-operations.ts';

type IdOf<Doc> = Doc extends { readonly id: infer Id } ? Id : never;

/**
 * A hook of a custom operation gets the result of the handler as `unknown`: TypeScript cannot infer it in the same
 * object literal as the type of the body. The hook may declare another type.
 */
type Hook<Op extends string, Ctx, Doc> = [Op] extends [Operation]
  ? AfterHook<Ctx, ResultOf<Op, Doc>>
  : Called<[ctx: Ctx, result: unknown], unknown>;

/** The arguments of the hooks after an operation; for several operations, those of any of them. */
type ResultOf<Op, Doc> = Op extends 'list' ? readonly Doc[] : Op extends WriteOfMany ? readonly IdOf<Doc>[] : Doc;

/** Values for some fields of a record, each of them whole. */
type Values<F extends Fields> = Given<Partial<Document<Model<F>>>, 'whole'>;

type SetFields<Ctx, F extends Fields> = (ctx: Ctx) => Values<F> | Promise<Values<F>>;

/** The functions that return values of the server, for each kind of write. */
export interface ServerFieldsOf<Ctx, F extends Fields> {
  readonly create?: SetFields<Ctx, F>;
  /** For patch, put, patchMany and the operations of plug-ins for fields, such as steps of counters. */
  readonly update?: SetFields<Ctx, F>;
}

/** What lists and records also have: keys of `guardsFor` alone. */
type OfReads = 'query' | ReadsOfPlugins;

/** The operations that write, those of plug-ins for fields, and their groups. */
type Writes<Ops, F extends Fields> = (Ops & WriteOperation) | FieldOperations<F> | GroupsOf<(Ops & WriteOperation) | Patched<F>>;

/** All that a key of `guardsFor` and `after` may name, beside custom operations. */
type Named<Ops, F extends Fields> = Ops | FieldOperations<F> | GroupsOf<Ops | Patched<F>>;

/** Where plug-ins have operations for fields, these are changes as patches are. */
type Patched<F extends Fields> = [FieldOperations<F>] extends [never] ? never : 'patch';

/** The operations that a key means: that of a plug-in for a field has what a patch has. */
type Meant<Key, Ops, F extends Fields> = Key extends FieldOperations<F> ? 'patch' : NamedBy<Key, Ops | Patched<F>>;

type DraftOf<Op, F extends Fields> = Op extends 'create'
  ? Document<Model<F>>
  : Op extends 'patch' | 'put' | 'patchMany'
    ? ChangesDraft<Model<F>>
    : undefined;

/** Whether a key means custom operations, too: their functions get no draft, and any result. */
type MeansCustom<Key, Names extends keyof Groups, Groups> = Key extends Names | GroupsOfCustom<Groups, Names> ? true : false;

/** The groups to which custom operations say that they belong. */
type GroupsOfCustom<Groups, Names extends keyof Groups> = { [Name in Names]: GroupsAround<Groups[Name]> }[Names];

/** The custom operations that can write: a GET has no hooks before it, nor a transaction. */
export type WritingNames<Methods, Names extends keyof Methods> = { [Name in Names]: Methods[Name] extends 'GET' ? never : Name }[Names];

/** What a key of `before` and `within` may name. */
export type WriteKeys<Ops, F extends Fields, Names extends keyof Groups, Groups> = Names | Writes<Ops, F> | GroupsOfCustom<Groups, Names>;

/** A hook in the transaction of a write. */
type Within<Op extends string, Ctx, Doc> = [Op] extends [Operation]
  ? (ctx: Ctx, written: WrittenBy<Op, Doc>) => unknown
  : Called<[ctx: Ctx, written: Written<Doc | null, Doc | null>], unknown>;

/** A create has no record before it, and a delete none after it. */
type WrittenBy<Op, Doc> = Op extends 'create'
  ? Written<null, Doc>
  : Op extends 'delete' | 'deleteMany'
    ? Written<Doc, null>
    : Written<Doc, Doc>;

type RelationPath<F extends Fields> = NamesOr<'the model has no relations', RelationNames<F>['paths'], F>;

/** The names of custom operations, by the types that TypeScript infers for each of them. */
export type CustomNames<Bodies, Queries, Paths, Groups, Methods> = keyof Bodies &
  keyof Queries &
  keyof Paths &
  keyof Groups &
  keyof Methods &
  string;

/**
 * Options of a resource: a model, its operations, and who may do what. `Names` are the names of custom operations,
 * and `Bodies` the types of their bodies. `Hooked` are the keys of `before` and `within`.
 */
export interface ResourceOptions<
  Principal,
  F extends Fields,
  Ops extends Operation = Operation,
  Bodies = Record<never, never>,
  Queries = Record<string, unknown>,
  Paths = Record<string, unknown>,
  Groups = Record<string, unknown>,
  Methods = Record<string, unknown>,
  Names extends CustomNames<Bodies, Queries, Paths, Groups, Methods> = CustomNames<Bodies, Queries, Paths, Groups, Methods>,
  Scope = ScopeResult<Document<Model<F>>> | Promise<ScopeResult<Document<Model<F>>>>,
  App = KoaContext,
  Hooked extends WriteKeys<NoInfer<Ops>, F, WritingNames<NoInfer<Methods>, NoInfer<Names>>, NoInfer<Groups>> = never,
> extends ListOptions<RelationPath<F>>,
    RelationOptions<RelationPath<F>, NamesOr<'the model has no relation by `t.hasMany` without `count`', RelationNames<F>['lists'], F>>,
    OfDeleted<Principal, App>,
    OptionsOfPlugins<F, RequestContext<Principal, App>>,
    OptionsOfLists<RequestContext<Principal, App>, IdOf<Document<Model<F>>>> {
  /** The model whose records are served. */
  readonly model: Model<F>;
  /** The path segment of the resource. @default the collection of the model */
  readonly path?: string;
  /** A description of its records for the OpenAPI description, in Markdown. @default 'Records of <model>.' */
  readonly description?: string;
  /** The operations that are served. @default ['list', 'get', 'create', 'patch', 'delete'] */
  readonly ops?: readonly Ops[];
  /** Guards of all operations: each must return true, or the answer is 403. @default none */
  readonly guards?: readonly Guard<RequestContext<Principal, App>>[];
  /**
   * Guards of single operations, or of groups of them: `read` (list, get), `change` (patch, put, patchMany, links,
   * steps of counters, restore), `remove` (delete, deleteMany) and `write` (create, and those of `change` and
   * `remove`). They are asked after `guards`, those of groups first. Those of `patch` are not asked for `put`: the api
   * warns if an operation lacks a guard that another one of its group has. `put: []` says that this is meant. Those of
   * `query` (the list whose parameters stand in a body), `export` and `aggregate` are asked after those of `list`,
   * those of `history` after those of `get`, and those of `live` after those of `list` or `get`.
   * @default none
   *
   * @example
   * guardsFor: { change: [signedIn], remove: [isAdmin] }
   */
  readonly guardsFor?: {
    readonly [Key in Named<NoInfer<Ops>, F> | NoInfer<Names> | GroupsOfCustom<NoInfer<Groups>, NoInfer<Names>> | OfReads]?: readonly Guard<
      RequestContext<Principal, App>
    >[];
  };
  /**
   * Returns the row filter of every query: a record outside of it is answered with 404. It also applies to what clients
   * write. If the new record would be outside, create, patch and put are answered with 422 that names the fields, or
   * with 500 if clients may not write them. It does not apply to `ctx.save`.
   * @default every record
   */
  readonly scope?: (ctx: RequestContext<Principal, App>) => Scope & OnlyFields<Scope, Document<Model<F>>>;
  /**
   * Whether the scope also applies to what clients write. If not, clients can move records out of their own scope, and
   * into the scope of others.
   * @default true
   */
  readonly scopeWrites?: boolean;
  /**
   * The fields that the scope compares with a value (or by `in`) in every request, in the order of an index. They come
   * first in each index that `planIndexes` plans for the list, which cannot find them out itself: a scope is a
   * function.
   * @default none: indexes are planned as if there were no scope
   */
  readonly scopeFields?: readonly ((keyof Document<Model<F>> & string) | `${string}.${string}`)[];
  /**
   * Returns values that the server sets: on create, or, as an object, on `create` and on `update`, which is every patch
   * and put. They replace what the client sends. The functions run before the body is validated, and see it as it was
   * sent. On update the values are written only if the client changes anything else.
   * @default none
   *
   * @example
   * serverFields: {
   *   create: (ctx) => ({ owner: ctx.requirePrincipal().name }),
   *   update: (ctx) => ({ updatedBy: ctx.requirePrincipal().name }),
   * }
   */
  readonly serverFields?: SetFields<RequestContext<Principal, App>, F> | ServerFieldsOf<RequestContext<Principal, App>, F>;
  /** Whether clients may write a field only if its policy says so. @default false */
  readonly explicitWrites?: boolean;
  /**
   * Whether PATCH merges embedded objects (RFC 7396), or replaces them. Maps and arrays are always replaced whole.
   *
   * @default true
   */
  readonly mergePatch?: boolean;
  /** Whether a write to one record without `If-Match` is answered with 428. @default false */
  readonly preconditionRequired?: boolean;
  /**
   * The most records that one `patchMany` or `deleteMany` may write to, at most 100,000. Clients may ask for less by
   * `max_affected`. If more match, the answer is 422, and nothing is written.
   * @default 1,000
   */
  readonly maxAffected?: number;
  /** `Cache-Control` of answers with records, unless the app or a handler has set it. @default 'private, no-cache' */
  readonly cacheControl?: string;
  /** Request headers on which answers depend. They are added to `Vary`. @default ['Authorization', 'Cookie'] */
  readonly vary?: readonly string[];
  /**
   * Custom operations, by their names, which `guardsFor`, `before`, `within` and `after` may have as keys too.
   * @default none
   */
  readonly operations?: {
    readonly [Name in Names]: CustomOperation<
      Principal,
      Document<Model<F>>,
      Bodies[Name],
      Queries[Name],
      Paths[Name],
      Groups[Name],
      App,
      Methods[Name]
    > &
      NeedsHandler<Name, NoInfer<Groups>[Name], NoInfer<Hooked>>;
  };
  /**
   * Hooks that run before a write, in order, after the validation: also if the record turns out not to exist, or not to
   * fulfil `If-Match`. Each may change the draft, which the model validates again with the server's access, and may
   * throw a `Problem`. The draft of a create is the new record. That of a patch or put is its changes, with null where
   * a key is removed. A delete, a restore and a custom operation have none. The keys are operations that write, and the
   * groups `change`, `remove` and `write`, as in `guardsFor`.
   * @default none
   *
   * @example
   * before: { create: [async (_ctx, draft) => { draft.password = await hash(draft.password); }] }
   */
  readonly before?: {
    readonly [Key in WriteKeys<NoInfer<Ops>, F, WritingNames<NoInfer<Methods>, NoInfer<Names>>, NoInfer<Groups>>]?: readonly BeforeHook<
      RequestContext<Principal, App>,
      DraftOf<Meant<Key, Ops, F>, F> | (MeansCustom<Key, Names, Groups> extends true ? undefined : never)
    >[];
  } & HasKeys<Hooked>;
  /**
   * Hooks that run in the transaction of a write, in order: what they write by `tx.store(…)` is stored exactly when the
   * write is. If one throws, nothing is written. They run if something is written, and for each record of a write to
   * many; those of a custom operation run once, after its handler. They may run several times for one request. The keys
   * are those of `before`, and custom operations. See `docs/reference/writes.md`.
   * @default none: the write is one command without a transaction
   *
   * @example
   * within: {
   *   delete: [(ctx, { before, tx }) =>
   *     tx.store(Entry, { scope: everything }).create({ order: before.id, by: ctx.requirePrincipal().name })],
   * }
   */
  readonly within?: {
    readonly [Key in WriteKeys<NoInfer<Ops>, F, WritingNames<NoInfer<Methods>, NoInfer<Names>>, NoInfer<Groups>>]?: readonly Within<
      MeansCustom<Key, Names, Groups> extends true ? string : Meant<Key, Ops, F>,
      RequestContext<Principal, App>,
      Document<Model<F>>
    >[];
  } & HasKeys<Hooked>;
  /**
   * Hooks that run after operations, in order. A hook of a custom operation gets the result of the handler as
   * `unknown`, unless it declares another type: `(ctx, order: Document<typeof Order>) => …`. The keys are those of
   * `guardsFor`.
   * @default none
   */
  readonly after?: {
    readonly [Key in Named<NoInfer<Ops>, F> | NoInfer<Names> | GroupsOfCustom<NoInfer<Groups>, NoInfer<Names>>]?: readonly Hook<
      MeansCustom<Key, Names, Groups> extends true ? string : Meant<Key, Ops, F>,
      RequestContext<Principal, App>,
      Document<Model<F>>
    >[];
  };
}

/** Options of a resource without their type parameters, which `service().resource()` has checked. */
export type ResourceDefinition = ResourceOptions<never, never, Operation, Record<string, unknown>>;
