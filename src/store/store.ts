import type { MethodsOfPlugins } from '../features/types.ts';
import type { Model } from '../model/define/define-model.ts';
import type { DeletedOption } from '../model/define/deleted-option.ts';
import type { Given } from '../model/define/given.ts';
import type { ChangesDraft, Document, HasFields, NewDocument } from '../model/define/infer.ts';
import type { Database } from '../mongo/driver/database.ts';
import type { everything, FilterOn } from '../mongo/predicate/read-scope.ts';
import type { RowScope } from '../mongo/predicate/row-scope.ts';
import type { ReferenceLimits } from '../mongo/relations/limits.ts';
import type { Removal } from '../mongo/removals/define-removals.ts';

/**
 * A filter: a value, or operators of the library, for each field of the document; dotted paths for fields of embedded
 * objects.
 */
export type StoreFilter<Doc> = FilterOn<Doc>;

/** The rows that a store is limited to: a filter, `everything`, or the `ctx.scope` of a request. */
export type StoreScope<Doc> = StoreFilter<Doc> | typeof everything | RowScope;

/** The id of a record, or its text as in a path. */
export type Id<M extends HasFields> = Document<M> extends { id: infer Value } ? Value | string : never;

/**
 * The changes of an update: a merge patch (RFC 7396) in document form. Arrays are replaced whole, and maps too, unless
 * they have `merge: true`.
 */
export type DocumentChanges<M extends HasFields> = Changes<ChangesDraft<M>>;

type Changes<Draft> = { readonly [Name in keyof Draft]?: Given<Draft[Name]> | undefined };

/** Options of a purge. */
export interface PurgeOptions {
  /** How long a record has been deleted at least, in milliseconds, or since when. */
  readonly olderThan: number | Date;
  /** The most records to remove. @default 10,000 */
  readonly max?: number;
}

/** Options of reads of many records. */
export interface FindManyOptions<Doc> extends DeletedOption {
  /** Field names; a `-` in front means descending. Records with equal values are sorted by their ids. @default by id */
  readonly sort?: readonly (`${'' | '-'}${keyof Doc & string}` | `${string}.${string}`)[];
  /** The most records to return. @default no limit */
  readonly limit?: number;
}

/** Options of writes to one record. */
export interface IfMatch {
  /** Writes only if the record still has this revision; otherwise it is 412. @default any revision */
  readonly ifMatch?: number | bigint;
}

/** Options of a delete that workers carry out. */
interface InBackground extends IfMatch {
  /** Needs `removals` of the api, and a worker: `api.deliver`. */
  readonly inBackground: true;
}

/** Options of a purge of one record, and of all that is deleted with it. */
export interface PurgeCascade {
  /** Says that it is meant. */
  readonly cascade: true;
}

/** Options of writes to many records. */
export interface MaxOptions {
  /**
   * The most records that may match. If more do, it is 422 `too_many_matches`, and nothing is written. At most 100,000.
   *
   * @default 1,000
   */
  readonly max?: number;
}

/** The result of a write to many records. */
export interface AffectedRecords {
  /** How many records have matched. */
  readonly matched: number;
  /** How many of them were changed, or deleted. */
  readonly modified: number;
}

/**
 * The outcome for one of many new records. `error` is a problem (409, 422, 503, 504), or, in a store of the
 * application, a plain Error for a value of a private field.
 */
export type Created<Doc> = { readonly record: Doc; readonly error?: undefined } | { readonly record?: undefined; readonly error: Error };

/** Options of a store. */
export interface ScopeOptions<Doc> {
  /**
   * Limits the store to these rows: a record outside of them is 404, and a write that would leave one there is 422.
   * `ctx.scope` limits it as the operation is limited; it is an error (500) if the operation has no scope. `everything`
   * does not limit it.
   *
   * In a request, what the store refers to must also be within the scopes of the resources of those records, unless the
   * scope is `everything`.
   * @default in a request the scope of the model's resource, which must be given if there is none, or several; for
   * `api.store` and `openStore` every record
   */
  readonly scope?: StoreScope<Doc> | undefined;
}

/** Options of {@link openStore}. */
export interface OpenStoreOptions<Doc> extends ScopeOptions<Doc>, ReferenceLimits {
  /** The database of the collections. */
  readonly db: Database;
  /**
   * How long the database may work for one operation, in milliseconds. `maxTimeMS` of the model wins over it.
   *
   * @default 10,000
   */
  readonly maxTimeMS?: number;
  /**
   * The other models whose references are checked: the models that this one refers to by `exists` or `onDelete`, and
   * the models that refer to it, at any depth. A model that is not named here is not touched by a delete.
   * Without them, a store of a model that refers to others so can only read. @default none
   */
  readonly models?: readonly Model[];
}

/**
 * The records of a model, for the application's own code: jobs, seeds, handlers, tests. It has the server's access.
 * Checks, defaults, timestamps, revisions and unique values of the model apply; the policies for clients do not, and
 * hooks of a resource do not run.
 *
 * Records come and go as documents, as handlers and hooks know them. Errors are the problems of the routes: 404, 409,
 * 412, 422, 503, 504. In a request, they name every field, and are told to the client in its view; otherwise a
 * value that does not fit a private field is a plain Error.
 */
export interface Store<M extends HasFields> extends MethodsOfPlugins<M, Id<M>, IfMatch> {
  /** Reads a record. Throws `not_found` (404) if there is none. */
  get(id: Id<M>, options?: DeletedOption): Promise<Document<M>>;
  /** Reads all records that match, at most 500 with each command. `{}` matches every record within the scope. */
  find(filter: StoreFilter<Document<M>>, options?: FindManyOptions<Document<M>>): Promise<Document<M>[]>;
  /**
   * Reads all records that match one after the other, at most 500 with each command, in bounded memory. A record whose
   * sort value changes meanwhile may come twice, or not at all. In the stream that a handler answers with, each of
   * these commands has `maxTimeMS`.
   *
   * @example
   * for await (const order of orders.each({ status: 'open' })) await remind(order);
   */
  each(filter: StoreFilter<Document<M>>, options?: FindManyOptions<Document<M>>): AsyncGenerator<Document<M>, void, undefined>;
  /** Counts all records that match. */
  count(filter: StoreFilter<Document<M>>, options?: DeletedOption): Promise<number>;
  /** Creates a record. Throws 422 or 409. */
  create(document: NewDocument<M>): Promise<Document<M>>;
  /**
   * Creates many records, each by itself, with one command for up to 1,000 of them. Returns what became of each, in
   * order: the record, or the error. With `all`, it creates all of them in one transaction, or throws the error of one,
   * whose fields have its place in front (`3.total`), and creates none. Within a transaction, every error of the
   * database is thrown.
   *
   * @example
   * const created = await orders.createMany(rows);
   * const failed = created.flatMap(({ error }, index) => (error ? [{ row: rows[index], error }] : []));
   */
  createMany(documents: readonly NewDocument<M>[], options: { readonly all: true }): Promise<Document<M>[]>;
  createMany(documents: readonly NewDocument<M>[], options?: { readonly all?: false }): Promise<Created<Document<M>>[]>;
  /**
   * Applies changes to a record in one atomic command. Members that are undefined count as left out; null removes an
   * optional value. Throws 404, 409, 412 or 422.
   */
  update(id: Id<M>, changes: DocumentChanges<M>, options?: IfMatch): Promise<Document<M>>;
  /**
   * Applies the same changes to every record that matches, in one transaction: all of them or none. `{}` matches every
   * record. Throws 409 or 422; a record that cannot take the changes is named by its id.
   *
   * @example
   * await orders.updateMany({ status: 'open', createdAt: { lt: lastYear } }, { status: 'expired' });
   */
  updateMany(filter: StoreFilter<Document<M>>, changes: DocumentChanges<M>, options?: MaxOptions): Promise<AffectedRecords>;
  /**
   * Writes what has changed in a document that this or another store of the model has returned, if nothing else has
   * written it meanwhile (412). Updates the document in place, and returns it.
   */
  save(document: Document<M>): Promise<Document<M>>;
  /**
   * Deletes a record, and returns it as it was. With `t.deletedAt()` it is marked, and can be restored. Throws 404 or
   * 412.
   */
  remove(id: Id<M>, options?: IfMatch): Promise<Document<M>>;
  /**
   * Deletes a record at once, and leaves what refers to it to workers, however much it is. Returns how far that has
   * come, as a record of the model of `removals` of the api. What the record is marked with, all others are marked with
   * too, so that a restore brings them back. Throws 404, 412 or 409 `still_referenced`.
   *
   * @example
   * const { id: removal, status, removed } = await api.store(Order).remove(id, { inBackground: true });
   */
  remove(id: Id<M>, options: InBackground): Promise<Removal>;
  /** Deletes every record that matches, in one transaction: all of them or none. `{}` matches every record. */
  removeMany(filter: StoreFilter<Document<M>>, options?: MaxOptions): Promise<AffectedRecords>;
  /**
   * Brings back a deleted record of a model with `t.deletedAt()`, and returns it. Throws 404 if there is none, also if
   * the record is not deleted, 409 if another record has taken a value that must be unique, and 412.
   */
  restore(id: Id<M>, options?: IfMatch): Promise<Document<M>>;
  /**
   * Removes records of a model with `t.deletedAt()` for good that have been deleted for some time, at most 1,000 with
   * each command, and returns how many. If it returns `max`, there may be more. Their ids are free. A store of an api
   * erases all that is kept of them beside them, wherever it is reached. One of `openStore` or of the middleware
   * `stores` belongs to no api: it knows only of what its own model, and `models` of `openStore`, keep.
   *
   * @example
   * await orders.purge({ olderThan: 30 * 24 * 3_600_000 });
   */
  purge(options: PurgeOptions): Promise<number>;
  /**
   * Removes a record for good, deleted or not, and leaves to workers what a delete of it takes along: all of that is
   * removed for good too, with what the ledger keeps of it. Throws 404 or 409 `still_referenced`.
   *
   * @example
   * const { id: removal } = await api.store(Order).purge(id, { cascade: true });
   */
  purge(id: Id<M>, options: PurgeCascade): Promise<Removal>;
}

/** Opens the store of a model. */
export type StoreOf = <M extends Model>(model: M, options?: ScopeOptions<Document<M>>) => Store<M>;

/** What takes part in a transaction. It refuses to be used after the end of the transaction. */
export interface TransactionContext {
  /** Opens the store of a model, whose operations are part of the transaction. */
  readonly store: StoreOf;
  /** Runs a function as a part of the transaction: if it throws, nothing of the whole is stored. */
  readonly transaction: RunTransaction;
}

/**
 * Runs a function in a transaction: what it writes by `tx`, or by `ctx.store`, `ctx.load` and `ctx.save` of the same
 * request, is stored when it returns, all of it or nothing. If it throws, nothing is stored, and the error is thrown
 * on.
 *
 * The function is run again if another write was in its way, or a server went away: it must not do what cannot be done
 * twice. What it loads, it should load inside. Its operations run one after the other, and it must await all of them.
 *
 * Throws `write_outcome_unknown` (504) if the database did not say what became of the commit, and
 * `replica_set_required` (501) on a standalone server. After every other error nothing is stored. A request has one
 * transaction at a time: for a part of it, use `tx.transaction`.
 */
export type RunTransaction = <T>(run: (tx: TransactionContext) => Promise<T>) => Promise<T>;
