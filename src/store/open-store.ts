import { isProblem, notFound } from '../errors.ts';
import { methodsOfPlugins } from '../features/stores.ts';
import type { MethodsOfPlugins } from '../features/types.ts';
import { asCompiled, type CompiledModel } from '../model/compile/compile-model.ts';
import type { Model } from '../model/define/define-model.ts';
import type { DeletedOption } from '../model/define/deleted-option.ts';
import type { Document, HasFields } from '../model/define/infer.ts';
import { fromDocumentOrText } from '../model/value/leaves.ts';
import { compileDocumentChanges, compileNewDocument } from '../model/write/compile-document-writes.ts';
import type { DatabaseOptions } from '../mongo/collection/collection.ts';
import { countOf } from '../mongo/collection/summary.ts';
import { planInsert, planRemove, planRestore, planUpdate } from '../mongo/collection/write-plan.ts';
import type { Target } from '../mongo/collection/writer.ts';
import { Work } from '../mongo/driver/work.ts';
import type { Keeps } from '../mongo/keeps/keep.ts';
import { requireDeletedAt } from '../mongo/lifecycle/lifecycle.ts';
import { living, seeing, type Within } from '../mongo/lifecycle/within.ts';
import { readFilter } from '../mongo/predicate/read-scope.ts';
import { requireChangesWithin, requireRecordWithin } from '../mongo/query/require-within.ts';
import { openReferencing, type WriteOptions } from '../mongo/relations/open-referencing.ts';
import { canCheck, openUnchecked } from '../mongo/relations/open-unchecked.ts';
import type { Removals } from '../mongo/removals/begin.ts';
import { StoredRecord } from '../mongo/stored-record.ts';
import { anArrayOf, checkOptions, checkValue } from '../options.ts';
import { Invalid } from '../rules.ts';
import { compileHearing, hearAll, noteSubjects } from './hearing.ts';
import { compileSaveDocument } from './held-documents.ts';
import { legal, legalCascade, legalDeleted, legalFind, legalIfMatch, legalRemove, legalScope } from './legal-options.ts';
import { compileLimits, type Limits, type StoreReach } from './limits.ts';
import { openMany } from './many.ts';
import { compileModelReferences } from './model-references.ts';
import { loadKeeps, purge } from './purge.ts';
import type { FindManyOptions, Id, IfMatch, OpenStoreOptions, PurgeCascade, PurgeOptions, Store } from './store.ts';
import type { MethodOfStore, StoreParts } from './store-method.ts';
import { readSort, type Walk, walk } from './walk.ts';

/**
 * Opens the store of a model without an api, for a job, a seed script or a test. It sees every record. With an api, use
 * `api.store(Order)`; in a request `ctx.store(Order)`, which has the scope of the request, shares its deadline and
 * takes part in its transaction. A purge by a store without an api leaves what only an api knows of: answers that were
 * kept for an `Idempotency-Key`, and what webhooks and removals keep.
 *
 * @example
 * const orders = openStore(Order, { db });
 * const order = await orders.create({ customer, owner: 'ann', total: 5 });
 * await orders.update(order.id, { total: 7 }, { ifMatch: order.revision });
 */
export function openStore<M extends Model>(model: M, options: OpenStoreOptions<Document<M>>): Store<M> {
  checkOptions(options, legal, '`openStore`');
  const { models, scope, ...settings } = options;
  const given = Object.hasOwn(options, 'scope') ? { scope } : {};
  const compiled = asCompiled(model as Model);
  const references = models && compileModelReferences([compiled, ...models.map(asCompiled)], settings);
  const known = [compiled, ...(models ?? []).map(asCompiled)];
  const keeps = loadKeeps(known, { ...settings, references });
  const open = compileStore(compiled, { ...settings, references, keeps });
  return open(given, { work: () => new Work() }) as unknown as Store<M>;
}

/** Who uses a store. */
export interface StoreUser {
  /** The work that the next command belongs to. Throws if none may begin. */
  work(): Work;
  /**
   * The work of a page of `find` and `each`, with a time of its own if the user sends what it reads in parts. Throws if
   * the user must not read on. @default that of any other command
   */
  workOfPage?(isFirst: boolean): Work;
  /** Throws if the user may do nothing more. */
  requireOpen?(): void;
  /** Called with every document that the store gives away. */
  hold?(document: object, record: StoredRecord): void;
  /** Called with every record that the store has made. */
  makes?(record: StoredRecord): void;
  /** Called before the store changes or removes records. */
  changes?(): void;
  /** The records that the user may reach. @default every record */
  readonly reach?: StoreReach;
}

type Many = Pick<Store<HasFields>, 'createMany' | 'updateMany' | 'removeMany'>;

/** Opens the store of a compiled model for the application or for one request. */
export type OpenStore = (options: { readonly scope?: unknown }, user: StoreUser) => Store<HasFields>;

/** What the stores of a model share. */
export interface StoreSettings extends WriteOptions {
  /**
   * What is kept of records beside them: a purge erases it. It is loaded when the first one begins.
   * @default what is kept of the records of the model itself
   */
  readonly keeps?: (() => Promise<Keeps>) | undefined;
  /** What begins deletes in the background. It is loaded when the first one begins. */
  readonly removals?: (() => Promise<Removals>) | undefined;
}

/** Compiles what all stores of a model share. */
export function compileStore(model: CompiledModel, { keeps: ofAll, removals, ...options }: StoreSettings): OpenStore {
  const collection = (canCheck(model, options.references) ? openReferencing : openUnchecked)(model, options);
  const readNew = compileNewDocument(model);
  const readChanges = compileDocumentChanges(model);
  const save = compileSaveDocument(model, collection);
  const database: DatabaseOptions = options;
  const everyRecord = seeing(model, 'with', undefined);
  const keeps = ofAll ?? loadKeeps([model], options);

  return function open(given, user) {
    checkOptions(given, legalScope, '`store`');
    const { work, workOfPage = work, hold: tell } = user;
    const within = compileLimits(model, given, user);
    const hearing = compileHearing(model, user.reach);
    const change: typeof within = (run) => {
      user.changes?.();
      return within(run);
    };

    function hold(document: object, record: StoredRecord): void {
      StoredRecord.hold(document, record);
      tell?.(document, record);
    }

    function give(record: StoredRecord): unknown {
      if (record.isNew) user.makes?.(record);
      const document = record.document as object;
      hold(document, record);
      return document;
    }

    async function* each(filter: unknown, options: FindManyOptions<unknown> = {}): AsyncGenerator<unknown, void, undefined> {
      const read = readWalk(model, filter, options);
      const plan = await within(async (limits) => ({ ...read, within: seen(options)(limits) }));
      for await (const records of walk(collection, plan, workOfPage)) {
        for (const record of records) yield give(record);
      }
    }

    const read: StoreParts['read'] = async (id, options, asked) => {
      const [seenBy, sought] = [seen(options), readId(model, id)];
      return within(async (limits) => ({ scope: limits.scope, record: await collection.findOne(sought, seenBy(limits), asked, work()) }));
    };

    function seen({ deleted }: DeletedOption): (limits: Limits) => Within {
      if (deleted !== undefined) requireDeletedAt(model, 'The option `deleted` of a store', Error);
      return ({ scope }) => seeing(model, deleted ?? 'live', scope);
    }

    function readTarget(id: unknown, options: IfMatch = {}): (limits: Limits) => Target {
      checkOptions(options, legalIfMatch, 'a write of a store');
      const { ifMatch } = options;
      const precondition = ifMatch === undefined ? undefined : { ifMatch: [{ weak: false, tag: String(ifMatch) }] };
      const read = readId(model, id);
      return ({ scope, writer }) => ({ id: read, within: living(model, scope), precondition, writer });
    }

    const write: StoreParts['write'] = async (id, options, plan) => {
      const target = readTarget(id, options as IfMatch | undefined);
      return give(await change((limits) => collection.write(plan(target(limits), limits), work())));
    };

    const writeNew: StoreParts['writeNew'] = async (id, document, plan) => {
      const stored = readNew(document, { id: readNewId(model, id) });
      const write = async ({ scope, writer }: Limits) => {
        requireRecordWithin(writer, stored);
        return collection.write(plan({ id: stored._id, within: living(model, scope), precondition: undefined, writer }, stored), work());
      };
      try {
        const record = await change(write);
        return { record: give(record), isNew: record.isNew };
      } catch (error) {
        if (isProblem(error)) noteSubjects(error, { model }, () => document);
        throw error;
      }
    };

    async function begin(kind: 'remove' | 'purge', target: (limits: Limits) => Target): Promise<unknown> {
      if (!removals) throw new Error('A delete in the background needs `removals` of an api.');
      const { begin } = await removals();
      return change((limits) => begin(kind, model, target(limits), work()));
    }

    const own: Omit<Store<HasFields>, keyof OfPlugins> = {
      ...(openMany({ model, collection, within, change, readNew, readChanges, give, work, hearing }) as object as Many),
      async get(id: unknown, options: DeletedOption = {}) {
        checkOptions(options, legalDeleted, '`get`');
        const [seenBy, read] = [seen(options), readId(model, id)];
        return give(await within((limits) => collection.findOne(read, seenBy(limits), { fetchPrivate: true }, work()))) as never;
      },
      async find(filter: unknown, options: FindManyOptions<unknown> = {}) {
        const found: unknown[] = [];
        for await (const one of each(filter, options)) found.push(one);
        return found as never;
      },
      each: each as never,
      async count(filter: unknown, options: DeletedOption = {}) {
        checkOptions(options, legalDeleted, '`count`');
        const [seenBy, conditions] = [seen(options), readFilter(filter, model.scopeFields)];
        return within((limits) => collection.summarize({ query: { conditions, through: [] }, within: seenBy(limits) }, countOf(), work()));
      },
      async create(document: unknown) {
        const stored = readNew(document);
        const insert = async ({ writer }: Limits) => {
          requireRecordWithin(writer, stored);
          return collection.write(planInsert(stored, everyRecord, writer), work());
        };
        return give(await within(insert)) as never;
      },
      async update(id: unknown, changes: unknown, options?: IfMatch) {
        const read = readChanges(changes);
        const plan = (target: Target, { writer }: Limits) => planUpdate(model, target, requireChangesWithin(writer, read));
        return write(id, options, plan) as never;
      },
      async save(document: object) {
        const before = StoredRecord.of(document);
        if (!before?.isOf(model))
          throw new Error(
            `\`save()\` of a store of ${model.name} takes a document that a store of it has returned, and no other object: not a copy of it either.`,
          );
        await change(({ scope, writer }) => save({ document, before, within: living(model, scope), hold, writer }, work()));
        return document as never;
      },
      async remove(id: unknown, options: IfMatch & { readonly inBackground?: boolean } = {}) {
        checkOptions(options, legalRemove, 'a write of a store');
        const { inBackground = false, ...rest } = options;
        if (inBackground) return begin('remove', readTarget(id, rest)) as never;
        return write(id, rest, (target) => planRemove(model, target)) as never;
      },
      async restore(id: unknown, options?: IfMatch) {
        requireDeletedAt(model, '`restore` of a store', Error);
        const target = readTarget(id, options);
        return give(await within((limits) => collection.write(planRestore(model, target(limits)), work()))) as never;
      },
      async purge(given: unknown, options?: PurgeCascade) {
        if (options !== undefined) {
          checkOptions(options, legalCascade, '`purge`');
          return begin('purge', readTarget(given)) as never;
        }
        requireDeletedAt(model, '`purge` of a store', Error);
        const purging = { model, collection, keeps: await keeps() };
        return change(({ scope }) => purge(purging, seeing(model, 'with', scope), given as PurgeOptions, work)) as never;
      },
    };
    return hearAll({ ...own, ...methodsWith({ model, database, read, write, writeNew, workOfPage }) }, hearing);
  };
}

type OfPlugins = MethodsOfPlugins<HasFields, unknown, unknown>;

/** The methods of plug-ins, as those of one store. */
function methodsWith(store: StoreParts): OfPlugins {
  const bind = ([name, method]: [string, MethodOfStore]) => [name, (...given: readonly never[]) => method(store, ...given)];
  return Object.fromEntries(Object.entries(methodsOfPlugins).map(bind));
}

function readWalk(model: CompiledModel, filter: unknown, options: FindManyOptions<unknown>): Omit<Walk, 'within'> {
  checkOptions(options, legalFind, '`find`');
  const { sort = [], limit = Number.POSITIVE_INFINITY } = options;
  checkValue(
    '`sort` of a store',
    sort,
    anArrayOf('field names', (one) => typeof one === 'string'),
  );
  return { conditions: readFilter(filter, model.scopeFields), sort: readSort(model, sort), limit };
}

/** Reads an id, or its text. As in a path, one that no record can have is 404. */
export function readId({ id: { leaf } }: CompiledModel, given: unknown): Id<HasFields> {
  const read = fromDocumentOrText(leaf, given);
  if (read instanceof Invalid) throw notFound();
  return read as never;
}

/** Reads an id, or its text, into document form. One that no record can have is refused with the rest of the record. */
function readNewId({ id: { leaf } }: CompiledModel, given: unknown): unknown {
  const read = fromDocumentOrText(leaf, given);
  return read instanceof Invalid ? given : leaf.toDocument(read);
}
