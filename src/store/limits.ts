import type { CompiledModel } from '../model/compile/compile-model.ts';
import type { Writer } from '../mongo/collection/writer.ts';
import type { Work } from '../mongo/driver/work.ts';
import type { Predicate } from '../mongo/predicate/predicate.ts';
import { everything, readAnyScope } from '../mongo/predicate/read-scope.ts';

/** A row filter, and the conditions that a record which is written must fulfil. */
export type ReadScope = ReturnType<typeof readAnyScope>;

/** The records that a request may reach by its stores. */
export interface StoreReach extends Pick<Required<Writer>, 'scopeOf' | 'scopeOfMade' | 'reads'> {
  /**
   * Finds the scope of a model's records, which is asked for when it is needed. Throws a plain Error if no single
   * resource has it.
   */
  findScope(model: CompiledModel): () => Promise<ReadScope>;
  /** Finds out what the client sees of a model, to tell it of an error. */
  see(model: CompiledModel): Promise<unknown>;
}

/** The limits of one operation of a store. */
export interface Limits {
  readonly scope: Predicate | undefined;
  /** Undefined for the application itself, if nothing limits it. */
  readonly writer: Writer | undefined;
}

/** Runs an operation of a store within its limits. */
export type Within = <T>(run: (limits: Limits) => Promise<T>) => Promise<T>;

interface LimitedUser {
  work(): Work;
  readonly reach?: StoreReach;
}

/**
 * Compiles what the operations of a store are limited to. Limits that are known begin an operation at once. A scope
 * that has to be asked for is a part of the transaction, if there is one: it is not committed before the operation has
 * begun.
 */
export function compileLimits(model: CompiledModel, given: { readonly scope?: unknown }, { work, reach }: LimitedUser): Within {
  const application: Writer = {
    mayName: () => true,
    mayWrite: (name) => model.clientFields.has(name),
    isToldAll: reach !== undefined,
  };
  const client = reach && { ...application, ...reach, boundsServer: true };
  const limit = ({ filter, bounds }: ReadScope): Limits => ({ scope: filter, writer: { ...(client ?? application), writeScope: bounds } });

  if ('scope' in given || !reach) {
    const isUnlimited = !('scope' in given) || given.scope === everything;
    const limits = isUnlimited ? { scope: undefined, writer: reach && application } : limit(readAnyScope(given.scope, model));
    return (run) => run(limits);
  }

  const ask = reach.findScope(model);
  return async function within(run) {
    const begin = async () => ({ running: run(limit(await ask())) }); // in an object, so that it is begun and not awaited
    const { transaction } = work();
    const { running } = await (transaction ? transaction.join(begin) : begin());
    return running;
  };
}
