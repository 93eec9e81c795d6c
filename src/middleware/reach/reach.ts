import type { CompiledModel } from '../../model/compile/compile-model.ts';
import type { ModelCollection } from '../../mongo/collection/collection.ts';
import type { Transaction } from '../../mongo/driver/transaction.ts';
import { all, amongIds, fulfilling, type Predicate } from '../../mongo/predicate/predicate.ts';
import { readScope } from '../../mongo/predicate/read-scope.ts';
import type { StoredRecord } from '../../mongo/stored-record.ts';
import type { Context, Guard, ScopeFunction } from '../exchange/context.ts';
import { withViews } from '../views/asked-rules.ts';
import { askGuard, askScope } from './ask.ts';

/** The records that a relation leads to, and the functions that decide who sees which of them. */
export interface GuardedRecords {
  readonly model: CompiledModel;
  readonly collection: ModelCollection;
  /** The guards of Get. */
  readonly guards: readonly Guard<never>[];
  /** Undefined if every record is within reach. */
  readonly scope: ScopeFunction<never> | undefined;
}

type Answers = Map<ScopeFunction<never>, unknown>;

/** What was answered in one moment of a request: outside of its transactions, or in one attempt of one. */
interface Moment {
  readonly transaction: Transaction | undefined;
  /** What the scope of the operation has answered, whose guards have let the request pass. */
  own?: Answers;
  /** What scopes have answered behind the guards of Get. */
  related?: Answers;
  /** What scopes have answered for stores of the application, which ask no guards. */
  stores?: Answers;
  sources?: Map<GuardedRecords, Predicate | undefined>;
  /** The ids of what the stores of the caller have made in the attempt, by the collections. */
  made?: Map<string, unknown[]>;
}

/**
 * What the caller of a request may see of each model: by guards, by scopes, and by the rules of its policy. There is
 * one for each principal, for each operation of a batch, for each batch of an export and for each time that a stream
 * asks again. In it, a guard is asked once, and a scope once for each kind of reach and moment: an attempt of a
 * transaction is a moment of its own, because answers may depend on what it has written. Those of an attempt that was
 * committed count after it.
 */
export class Reach {
  /** The guards that have opened: they are not asked again. */
  readonly opened: Set<unknown>;
  readonly #ctx: Context;
  /** The guards that were asked here. */
  #guards: Map<Guard<never>, Promise<boolean>> | undefined;
  #moment: Moment = { transaction: undefined };

  constructor(ctx: Context, opened: Set<unknown>) {
    this.#ctx = ctx;
    this.opened = opened;
  }

  get #transaction(): Transaction | undefined {
    return this.#ctx.exchange?.work.transaction;
  }

  get #now(): Moment {
    const transaction = this.#transaction;
    const known = this.#moment.transaction;
    const isPast = transaction === undefined ? known?.isCommitted === false : transaction !== known;
    if (isPast) this.#moment = { transaction };
    return this.#moment;
  }

  /** Keeps what the scope of the operation has answered at its place in the chain. */
  keepOwn(scope: ScopeFunction<never>, answer: unknown): void {
    const moment = this.#now;
    moment.own ??= new Map();
    moment.own.set(scope, answer);
  }

  /** What the scope of the operation answers in this moment. */
  own(scope: ScopeFunction<never>): Promise<unknown> {
    return this.#once('own', scope, () => askScope(this.#ctx, scope));
  }

  /**
   * What a scope answers for stores. Its function gets a context of its own, by which a store is known that would need
   * the answer to find it: both would wait for each other.
   */
  ofStores(scope: ScopeFunction<never>, ctx: Context): Promise<unknown> {
    return this.#once('stores', scope, () => {
      const asked = askedIn.get(ctx) ?? [];
      if (asked.includes(scope))
        throw new Error(
          'A `scope` function opens a store that has the same scope: give that store a scope of its own, a filter or `everything`.',
        );
      const own = Object.create(ctx) as Context;
      askedIn.set(own, [...asked, scope]);
      return askScope(own, scope);
    });
  }

  /**
   * The row filter of related records. Undefined if they show this caller nothing: a guard does not open, or a guard or
   * the scope throws a 4xx.
   */
  async related(source: GuardedRecords): Promise<Predicate | undefined> {
    const moment = this.#now;
    moment.sources ??= new Map();
    const { sources } = moment;
    if (!sources.has(source)) sources.set(source, await unlessRefused(() => this.#askRelated(source)));
    return sources.get(source);
  }

  /** The row filters of related records that are known by now. */
  get seen(): ReadonlyMap<GuardedRecords, Predicate | undefined> {
    return this.#now.sources ?? new Map();
  }

  /** Remembers a record that a store of the request has made, for as long as its transaction lasts. */
  noteMade({ model: { collection }, stored }: StoredRecord): void {
    if (!this.#transaction) return;
    const moment = this.#now;
    moment.made ??= new Map();
    const ids = moment.made.get(collection);
    if (ids) ids.push(stored._id);
    else moment.made.set(collection, [stored._id]);
  }

  /**
   * Which records of a source a handler may refer to because the same transaction has made them: no client can have
   * chosen one of them. They must be within the scope, which is asked anew, because what it answers may depend on what
   * the transaction has written since. Guards are about operations. A caller whom the scope refuses, such as one who
   * signs up, has none to be outside of.
   */
  async made({ model, scope }: GuardedRecords): Promise<Predicate | undefined> {
    const ids = this.#transaction && this.#now.made?.get(model.collection);
    if (!ids) return undefined;
    const seen = await unlessRefused(async () => (scope ? within(await askScope(this.#ctx, scope), model) : {}));
    return all(amongIds(ids), seen);
  }

  /** A model as the caller sees it. */
  see(model: CompiledModel): Promise<CompiledModel> {
    return withViews(this.#ctx, (see) => see(model));
  }

  /** Whether the caller reads a field of a model. */
  async reads(model: CompiledModel, name: string): Promise<boolean> {
    const { fieldTable } = await this.see(model);
    return fieldTable.get(name)?.isPrivate === false;
  }

  async #once(kind: 'own' | 'related' | 'stores', scope: ScopeFunction<never>, ask: () => unknown): Promise<unknown> {
    const moment = this.#now;
    moment[kind] ??= new Map();
    const answers = moment[kind];
    if (!answers.has(scope)) answers.set(scope, await ask());
    return answers.get(scope);
  }

  async #askRelated({ guards, scope, model }: GuardedRecords): Promise<Predicate | undefined> {
    for (const guard of guards) if (!(await this.#opens(guard))) return undefined;
    return scope ? within(await this.#once('related', scope, () => askScope(this.#ctx, scope)), model) : {};
  }

  async #opens(guard: Guard<never>): Promise<boolean> {
    if (this.opened.has(guard)) return true;
    this.#guards ??= new Map();
    const guards = this.#guards;
    const asked = guards.get(guard) ?? (async () => askGuard(this.#ctx, guard))();
    guards.set(guard, asked); // before it has answered: others wait for the same answer
    try {
      if ((await asked) !== true) return false;
    } catch (error) {
      if (!isRefusal(error)) guards.delete(guard); // it has not answered
      throw error;
    }
    this.opened.add(guard);
    return true;
  }
}

/** What a caller may see. Undefined if a guard or a scope refuses the caller. */
export async function unlessRefused<Seen>(ask: () => Promise<Seen>): Promise<Seen | undefined> {
  try {
    return await ask();
  } catch (error) {
    if (isRefusal(error)) return undefined;
    throw error;
  }
}

/**
 * Whether an error refuses the client, as `Unauthorized` does. Other errors, such as a database that is down, do not
 * say whether the client may see the record.
 */
export function isRefusal(error: unknown): boolean {
  if (!(error instanceof Error) || !('expose' in error) || error.expose !== true || !('status' in error)) return false;
  return typeof error.status === 'number' && error.status >= 400 && error.status < 500;
}

function within(answer: unknown, { scopeFields }: CompiledModel): Predicate {
  return fulfilling(readScope(answer, scopeFields));
}

/** The scopes that are being asked for stores where a context is used. */
const askedIn = new WeakMap<object, readonly ScopeFunction<never>[]>();

/**
 * The reach of the caller. It is forgotten with the guards that have opened, if the request is authenticated again:
 * whoever resets them asks everything again. It has a slot, because a WeakMap costs 2 µs for each request.
 */
export function reachOf(ctx: Context): Reach {
  ctx.openedGuards ??= new Set();
  const { reach: known, openedGuards } = ctx;
  if (known instanceof Reach && known.opened === openedGuards) return known;
  const reach = new Reach(ctx, openedGuards);
  ctx.reach = reach;
  return reach;
}

/** Has everything asked again that was asked since: `then` is what the request had when its stream began. */
export function renewReach(ctx: Context, then: { readonly [Slot in 'openedGuards' | 'rules']?: Context[Slot] | undefined }): void {
  ctx.openedGuards = new Set(then.openedGuards);
  if (then.rules) ctx.rules = then.rules.renew();
}
