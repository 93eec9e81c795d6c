import type { ProblemCode } from '../../errors.ts';
import type { QueryParameter } from '../../http/query-string.ts';
import type { CompiledModel } from '../../model/compile/compile-model.ts';
import type { SelectedFields } from '../../model/read/select-fields.ts';
import type { Included } from '../../model/relations/included.ts';
import type { Changes } from '../../model/write/plan-changes.ts';
import type { Affected } from '../../mongo/collection/write-many.ts';
import type { CascadedRecord } from '../../mongo/collection/writer.ts';
import type { Visible } from '../../mongo/lifecycle/lifecycle.ts';
import type { Page } from '../../mongo/list/build-page.ts';
import type { FilterQuery } from '../../mongo/list/parse-filter-query.ts';
import type { NarrowedByPath } from '../../mongo/list/parse-include.ts';
import type { ListQuery } from '../../mongo/list/parse-list-query.ts';
import type { Condition } from '../../mongo/predicate/predicate.ts';
import type { RowScope } from '../../mongo/predicate/row-scope.ts';
import type { Precondition } from '../../mongo/query/precondition.ts';
import type { ReferredRecord, ShownRecord, ShownRecords } from '../../mongo/shown-record.ts';
import type { StoredRecord } from '../../mongo/stored-record.ts';
import type { RunTransaction, StoreOf } from '../../store/store.ts';
import type { Stores } from '../../store/stores.ts';
import type { AskedRules } from '../views/asked-rules.ts';
import type { View } from '../views/view.ts';
import type { Exchange } from './exchange.ts';
import type { KoaContext, KoaNext } from './koa-context.ts';
import type { Sought } from './require-seen.ts';

/** What is known of a request before its operation begins, and for as long as it lasts. */
interface RequestSlots {
  /** @internal Set by the first middleware that needs it. */
  exchange?: Exchange;
  /**
   * Set by the library's middlewares. Aborted when the client has gone or the request was given up, and when the api
   * shuts down while the stream of a handler is sent: pass it to what a function of yours awaits.
   */
  readonly signal?: AbortSignal;
  /** Set by `requestId`: the id of the request. */
  requestId?: string;
  /** Set by the api: the operation that the request addresses, its resource (by path) and its route. */
  operation?: { readonly resource: string; readonly name: string; readonly route: string };
  /** Set by `fetch`: the principal, which replaces what `authenticate` would find. */
  givenPrincipal?: { readonly principal: unknown };
  /** Set by `fetch`: how many bytes a page may have for this request. */
  pageBytes?: number;
  /** Set by `bodyLimit`: the largest body in bytes, for a `jsonBody` without a `limit`. */
  bodyLimit?: number;
  /** Set by `bodyLimit`: the time that a body may take in milliseconds, for a `jsonBody` without a `timeout`. */
  bodyTimeout?: number;
  /** Set by `bodyLimit`: the most values of a body, for a `jsonBody` without `maxValues`. */
  bodyValues?: number;
}

/** Who sends a request, and which records it may reach. */
interface CallerSlots {
  /** Set by `authenticate`: the principal; undefined if the request is anonymous. */
  principal?: unknown;
  /** @internal Set by `rules`, and by an api that has some: what is known of the rules for this caller. */
  rules?: AskedRules | undefined;
  /** Set by `records`, and by an api with rules: what the caller may see of the model. */
  view?: View;
  /** Set by `guards`: the guards that have opened for this request. `authenticate` resets it. */
  openedGuards?: Set<unknown> | undefined;
  /** @internal Set by `reachOf`: what the caller may see, for as long as these are the opened guards. */
  reach?: { readonly opened: ReadonlySet<unknown> };
  /** Set by `scope`: the row filter of every query of this request. Several scopes narrow each other. */
  scope?: RowScope;
  /** Set by `scope`: the conditions that a record which a client writes must fulfil. */
  writeScope?: readonly Condition[];
  /** Set by `checkCreate`, `checkPatch` and `checkPut`: whether the client may write the field of a dotted name. */
  mayWrite?: (name: string) => boolean;
}

/** What the path of a request names besides its record. */
interface PathSlots {
  /**
   * @internal Set by `findParent`: the id of the record below which an operation is served, as `readReference` returns
   * it.
   */
  parentId?: unknown;
  /**
   * @internal Set by `findParent` and `findOther`: the name of the field whose reference the path of the request names.
   */
  pathField?: string;
}

/** What a client asks for by the query string and by headers. */
interface QuerySlots {
  /**
   * Set by `deleted`: whether a read shows the living records, deleted ones only, or both. Without it, deleted records
   * do not exist.
   */
  deleted?: Visible;
  /** Set by `fields`: the fields of one record that the client chose to read. */
  fields?: SelectedFields;
  /** Set by `fields`: the fields of included records that the client chose to read, by the names of `include`. */
  includedFields?: ReadonlyMap<string, SelectedFields>;
  /** Set by `ifMatch`: the condition of the write's own filter, or of the record that is read. */
  precondition?: Precondition;
  /** Set by `queryBody`: the parameters of a body, which stand for those of a query string. */
  queryParameters?: readonly QueryParameter[];
  /** Set by `listQuery`: the parsed query string. */
  listQuery?: ListQuery;
  /** Set by `filterQuery`: the parsed query string of a write to many records. */
  filterQuery?: FilterQuery;
  /** Set by `typedQuery`: the parameters of the operation, in document form. */
  typedQuery?: Readonly<Record<string, unknown>> | undefined;
  /** Set by `include`: the relations to include in one record, if there are any. Those of a list are in `listQuery`. */
  include?: readonly string[];
  /**
   * Set by `include`: of which included relations the client asks for less, or for another order. Those of a list are
   * in `listQuery`.
   */
  narrowed?: NarrowedByPath;
}

/** What a client sends to be written, once it has been checked. */
interface BodySlots {
  /**
   * @internal Set by `jsonBody` if the body is large: other requests then run between its parser, its validation and
   * its write.
   */
  isLargeBody?: true | undefined;
  /** Set by `checkCreate`: the document to insert, in stored form. `beforeHooks` replaces it. */
  created?: Record<string, unknown>;
  /** Set by `checkCreate`: whether required fields are still missing, which hooks of `beforeHooks` must set. */
  isIncomplete?: boolean;
  /** Set by `checkPatch` and `checkPut`: the changes of the update. `beforeHooks` replaces them. */
  changes?: Changes;
}

/** What an operation has read or written, for the hooks and the answer. */
interface RecordSlots {
  /** Set by the middleware that reads or writes: the record of the operation. */
  record?: StoredRecord;
  /** Set by `updateMany` and `removeMany`: how many records were written to, and their ids in document form. */
  affected?: Affected;
  /** @internal Set by `remove` and `removeMany`: the records that the delete has changed, but did not address. */
  cascaded?: readonly CascadedRecord[];
  /** Set by `findPage`: the page of a list, until `page` has written it. */
  page?: Page | undefined;
  /** Set by `findIncluded`: the included records, until `page` has written them. */
  included?: Included | undefined;
  /** Set by `handler`: what it returned. */
  result?: HandlerResult;
}

/** What the functions of the application use to read and to write. */
interface StoreSlots {
  /** Set by `records`: loads the record of the path, within the scope. */
  load?: () => Promise<unknown>;
  /** Set by `records`: saves a record that `load` has returned. */
  save?: (record: never) => Promise<unknown>;
  /** @internal Set by `records`: the record as it was before the first `save`. */
  savedFrom?: StoredRecord;
  /** @internal Set by `records` and `stores`: the models whose records the request holds. */
  heldModels?: Set<CompiledModel>;
  /** Set by `stores`: opens the store of a model. */
  store?: StoreOf;
  /** Set by `stores`: runs a function in a transaction. */
  transaction?: RunTransaction;
  /** @internal Set by an api: its stores, which know of everything that is kept of its records. */
  storesOfApi?: (() => Stores) | undefined;
  /** @internal Set by `stores`: finds the resources of a model, by which the stores of a request are limited. */
  findResources?: FindResources | undefined;
  /** @internal Set by `stores`: whether the request has changed or removed records by a store. */
  hasChanged?: boolean;
}

/** What a batch and an `Idempotency-Key` know of an operation. */
interface ReplaySlots {
  /** @internal Set by a batch, and by an `Idempotency-Key`: carries out the write of the operation in a transaction. */
  carryOut?: CarryOut;
  /** @internal Set above `idempotency`: who may see the answer of the operation again. */
  replays?: Replays | undefined;
  /** @internal Set by a batch, and by an `Idempotency-Key`: collects the records that a handler loads or answers. */
  noted?: Set<StoredRecord> | undefined;
  /** @internal Set by `stores` beside `noted`: the ids that a handler has read, of records and what they refer to. */
  readIds?: ReferredRecord[] | undefined;
  /** @internal Set by a batch: what the answers of its operations show. */
  shown?: readonly ShownRecords[] | undefined;
}

/**
 * The properties of Koa's context by which the middlewares pass on their results. Each slot has one writer;
 * `docs/reference/middleware.md` names the writer and the readers of each. `order.ts` has those without which a
 * middleware cannot work.
 */
export interface Slots extends RequestSlots, CallerSlots, PathSlots, QuerySlots, BodySlots, RecordSlots, StoreSlots, ReplaySlots {}

/**
 * Carries out a step in a transaction, and resolves when it has been committed. The step writes, and then makes the
 * answer. It is run again if the transaction was lost. Rejects if nothing was written, or if that is unknown.
 */
export type CarryOut = (step: () => Promise<void>) => Promise<void>;

/** Finds all resources of a model. */
export type FindResources = (model: Pick<CompiledModel, 'name' | 'collection'>) => readonly ServedModel[];

/** A model as a resource serves it. */
export interface ServedModel {
  readonly path: string;
  readonly model: CompiledModel;
  readonly scope: ScopeFunction<never>;
  /** Whether the scope also applies to what is written. */
  readonly scopeWrites: boolean;
  readonly explicitWrites: boolean;
}

/** The records that an operation has shown, and those that it has taken from its caller. */
export interface NotedRecords extends ShownRecords {
  /** The records that it has deleted, or taken out of the scope. */
  readonly left?: readonly ShownRecord[];
}

/** Who may see a kept answer again. */
export interface Replays {
  /** What the answer shows that the request has just made: of a batch, for each operation. */
  note(ctx: Context): Promise<readonly NotedRecords[]>;
  /**
   * Throws what keeps the caller from the answer now: 401, 403 or 404. Returns the records that the caller has to see
   * too.
   */
  admit(ctx: Context, shown: readonly ShownRecords[]): Promise<readonly Sought[]>;
  /** Reads the record of an answer as the caller sees it now. Undefined if the answer is not one record. */
  read(ctx: Context, shown: readonly ShownRecords[]): Promise<StoredRecord | undefined>;
}

/** The result of a handler. */
export interface HandlerResult {
  readonly value: unknown;
  /**
   * Writes the body of the answer, with the records as they are stored by now and as the caller sees them. Undefined if
   * nothing was returned.
   */
  toBody(): Promise<string | Buffer | undefined>;
  /** The current entity tag, if a record was returned. */
  readonly entityTag: string | undefined;
  /** The id, percent-encoded as a path segment, if a record of the handler's model was returned. */
  readonly recordId: string | undefined;
}

/** Koa's context with the library's slots, and the body that `jsonBody` reads. */
export type Context = KoaContext & Slots & { readonly request: { body?: unknown } };

/** The problems that a middleware or a guard can answer, for the OpenAPI description. */
export interface AnswersProblems {
  /**
   * Codes of the library's problems. They appear in the OpenAPI description of every operation whose chain has the
   * function. If the method (`GET`, `POST`, …) decides, a function of it. A problem with a code of your own is not
   * described.
   * @default none
   *
   * @example
   * const quota = Object.assign(countRequests, { problems: ['overloaded'] as const });
   */
  readonly problems?: readonly ProblemCode[] | ((method: string) => readonly ProblemCode[]);
}

/** A Koa middleware that uses the library's slots. It fits into any Koa app. */
export type ResourceMiddleware = ((ctx: Context, next: KoaNext) => Promise<void>) & AnswersProblems;

// biome-ignore lint/suspicious/noExplicitAny: `unknown` has no fields, and no type tells the model
type AnyRecord = any;

/** Koa's context as a handler in a chain of your own receives it, with the functions that `records` sets. */
export type RecordContext = KoaContext &
  Omit<Slots, 'load' | 'save' | 'signal' | 'store' | 'transaction' | 'view'> & {
    readonly view: View;
    readonly store: StoreOf;
    readonly transaction: RunTransaction;
    /**
     * Aborted when the client has gone or the request was given up, and when the api shuts down while the stream of a
     * handler is sent.
     */
    readonly signal: AbortSignal;
    load(): Promise<AnyRecord>;
    save(record: object): Promise<AnyRecord>;
    readonly request: { readonly body?: unknown };
  };

/**
 * A function of the user's that a middleware calls. Without an annotation, its context is `Ctx`. With one, it may be a
 * more specific context, for example with the type of the principal. TypeScript allows that for methods only (parameter
 * bivariance).
 */
export type Called<Parameters extends readonly unknown[], Result> = { call(...given: Parameters): Result }['call'];

/** Decides whether the request may continue: only `true` lets it pass. It may throw `Unauthorized` (401). */
export type Guard<Ctx = Context> = ((ctx: Ctx) => boolean | Promise<boolean>) & AnswersProblems;

/** Returns the rows that this request may touch: a filter of values or the library's own operators, or `everything`. */
export type ScopeFunction<Ctx = Context> = (ctx: Ctx) => unknown;
