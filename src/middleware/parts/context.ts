import type Koa from 'koa';
import type { ProblemCode } from '../../errors.ts';
import type { Included } from '../../model/read/included.ts';
import type { SelectedFields } from '../../model/read/select-fields.ts';
import type { Changes } from '../../model/write/plan-changes.ts';
import type { Page } from '../../mongo/list/build-page.ts';
import type { ListQuery } from '../../mongo/list/parse-list-query.ts';
import type { Condition, Filter } from '../../mongo/query/filter.ts';
import type { Precondition } from '../../mongo/query/precondition.ts';
import type { StoredRecord } from '../../mongo/stored-record.ts';
import type { Exchange } from './exchange.ts';

/**
 * What the middlewares leave for each other on Koa's context. Each slot has one writer; `docs/middleware.md` says who writes it and who
 * reads it.
 */
export interface Slots {
  /** @internal By whichever middleware asks for it first. */
  exchange?: Exchange;
  /** Aborted when the client has gone or the request was given up: for what a function of yours waits for. By the library's middlewares. */
  readonly signal?: AbortSignal;
  /** By `fetch`: who is calling, in place of what `authenticate` would find. */
  givenPrincipal?: { readonly principal: unknown };
  /** By `authenticate`: the authenticated identity; undefined when anonymous. */
  principal?: unknown;
  /** By `guards`: those that opened for this request; `authenticate` forgets them. */
  openedGuards?: Set<unknown> | undefined;
  /** By `scope`: the row filter of every query of this request. Several narrow each other. */
  scope?: Filter;
  /** By `scope`: what a record that a client writes must fulfil. */
  writeScope?: readonly Condition[];
  /** By `checkCreate`, `checkPatch` and `checkPut`: whether the client may write the field of a dotted name. */
  mayWrite?: (name: string) => boolean;
  /** By `fields`: what the client chose to read of one record. */
  fields?: SelectedFields;
  /** By `ifMatch`: what the write's own filter must find, or the record that is read must fulfil. */
  precondition?: Precondition;
  /** By `listQuery`. */
  listQuery?: ListQuery;
  /** By `include`: the relations to include in one record; not there when it names none. Those of a list stand in `listQuery`. */
  include?: readonly string[];
  /** By `checkCreate`: the document to insert, in stored form. */
  created?: Record<string, unknown>;
  /** By `checkPatch`: what the update changes. */
  changes?: Changes;
  /** By the persistence step: the record that the operation is about. */
  record?: StoredRecord;
  /** By `findPage`: the page of a list, until `page` has written it. */
  page?: Page | undefined;
  /** By `findIncluded`: the included records, until `page` has written them. */
  included?: Included | undefined;
  /** By the api: which operation the request addresses, and of which resource (its path). */
  operation?: { readonly resource: string; readonly name: string; readonly route: string };
  /** By `requestId`. */
  requestId?: string;
  /** By `bodyLimit`: the largest body, in bytes, where `jsonBody` has no `limit` of its own. */
  bodyLimit?: number;
  /** By `bodyLimit`: how long a body may take, in milliseconds, where `jsonBody` has no `timeout` of its own. */
  bodyTimeout?: number;
  /** By `records`: loads the record of the path, within the scope. */
  load?: () => Promise<unknown>;
  /** By `records`: saves a record that `load` gave. */
  save?: (record: never) => Promise<unknown>;
  /** By `records`: the records that a handler holds, each with what was stored when it was loaded or last saved. */
  loaded?: Map<unknown, StoredRecord>;
  /** By `handler`: what it returned. */
  result?: HandlerResult;
}

/** What a handler returned, and how it is answered. */
export interface HandlerResult {
  readonly value: unknown;
  /** Its JSON, as all is stored by now; undefined where nothing was returned. */
  toText(): string | undefined;
  /** Of a returned record, by now. */
  readonly entityTag: string | undefined;
}

/** Koa's context with the library's slots, and the body that `jsonBody` reads. */
export type Context = Koa.Context & Slots & { readonly request: { body?: unknown } };

/** What a middleware or a guard says of the problems that it can answer. */
export interface AnswersProblems {
  /**
   * Codes of the library's problems, for the OpenAPI description of the operations that it stands in; a function of the method (`GET`, `POST`,
   * …) where that decides. A problem with a code of your own is not described. @default none
   *
   * @example
   * const quota = Object.assign(countRequests, { problems: ['overloaded'] as const });
   */
  readonly problems?: readonly ProblemCode[] | ((method: string) => readonly ProblemCode[]);
}

/** A Koa middleware that uses the library's slots. It fits into any Koa app. */
export type ResourceMiddleware = ((ctx: Context, next: Koa.Next) => Promise<void>) & AnswersProblems;

// biome-ignore lint/suspicious/noExplicitAny: no type tells a handler which model's `records` stands above it; `unknown` would forbid it every field
type AnyRecord = any;

/** Koa's context as a handler in a chain of your own sees it: what `records` has left above it, of whatever model. */
export type RecordContext = Koa.Context &
  Omit<Slots, 'load' | 'save' | 'signal'> & {
    /** Aborted when the client has gone or the request was given up. */
    readonly signal: AbortSignal;
    load(): Promise<AnyRecord>;
    save(record: object): Promise<AnyRecord>;
    readonly request: { readonly body?: unknown };
  };

/**
 * A function of the deployer's that a middleware calls. Without an annotation its context is `Ctx`; with one it may know more of it than the
 * middleware does, such as whose principal it has. That is what TypeScript allows of methods, and of nothing else.
 */
export type Called<Parameters extends readonly unknown[], Result> = { call(...given: Parameters): Result }['call'];

/** Decides whether the request may go on: only `true` opens. It may throw `Unauthorized` (401). */
export type Guard<Ctx = Context> = ((ctx: Ctx) => boolean | Promise<boolean>) & AnswersProblems;

/** Returns the rows that this request may touch: a filter of values or the library's own operators, or `everything`. */
export type ScopeFunction<Ctx = Context> = (ctx: Ctx) => unknown;

/** A slot that the chain needs: a plain Error (500) names the middleware that was left out before it. */
export function needed<T>(slot: T | undefined, middleware: string, by: string): T {
  if (slot !== undefined) return slot;
  throw new Error(`\`${by}\` needs \`${middleware}\` before it in the chain.`);
}
