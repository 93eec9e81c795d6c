import type { CompiledModel } from '../../model/compile/compile-model.ts';
import type { Told } from '../driver/duplicate-key.ts';
import type { Within } from '../lifecycle/within.ts';
import { type Condition, fulfilling, type Predicate } from '../predicate/predicate.ts';
import type { Precondition } from '../query/precondition.ts';
import type { WriteBounds } from '../query/require-within.ts';
import type { StoredRecord } from '../stored-record.ts';

/** The records of a model, as one resource shows them. */
interface RecordsOf {
  readonly model: CompiledModel;
}

/**
 * Who writes: the client of a request, or the application, and what its write must keep to. A write without a writer is
 * one of the application without any limit.
 */
export interface Writer extends Told, WriteBounds {
  readonly writeScope?: WriteBounds['writeScope'];
  /**
   * Which records the client of a request may see of a source, for the references that it writes. Undefined if it may
   * see nothing there. The application itself has no such function: it sees every record, and is told of every
   * reference that is not private.
   */
  scopeOf?(source: RecordsOf): Promise<Predicate | undefined>;
  /** Which of the records that the transaction itself has made a handler may refer to. @default none */
  scopeOfMade?(source: RecordsOf): Promise<Predicate | undefined>;
  /** Whether the client of a request reads a field of a model, by its dotted name. The application reads them all. */
  reads?(model: CompiledModel, name: string): Promise<boolean>;
  /** Whether also the references that the server sets must lead to what the client may see. @default false */
  readonly boundsServer?: boolean;
  /** Observes what a delete or a restore does to records that it does not address. */
  readonly observer?: CascadeObserver | undefined;
}

/** The most bytes of records that the hooks of one write get: as many as one reply of the database has. */
export const mostHookBytes = 16 * 1024 * 1024;

/**
 * The effect of a delete or a restore on a record that it does not address: it is deleted too, loses a reference, or is
 * restored too.
 */
export type CascadedChange = 'deleted' | 'changed' | 'restored';

/** A record that a delete or a restore has changed, but did not address. */
export interface CascadedRecord {
  readonly source: RecordsOf;
  readonly change: CascadedChange;
  readonly before: StoredRecord;
  /** Undefined if the record was deleted. */
  readonly after: StoredRecord | undefined;
}

/** Observes what a delete or a restore does to records of other models, or of the same one. */
export interface CascadeObserver {
  /** Whether it needs the records of a source that are changed in this way. Otherwise they are not read whole. */
  wants(source: RecordsOf, change: CascadedChange): boolean;
  /** Called in the transaction, after its last command. It is called again if the transaction is tried again. */
  happened(records: readonly CascadedRecord[]): Promise<void>;
}

/**
 * The record that a write addresses. Its id, what the write reaches and the precondition are all part of its filter.
 */
export interface Target {
  readonly id: unknown;
  readonly within: Within;
  readonly precondition: Precondition | undefined;
  /** @default the application itself */
  readonly writer?: Writer | undefined;
}

/**
 * Records that a write of many addresses by their ids: a part of a larger write, which has the transaction. A 409 names
 * no field to anybody.
 */
export interface KnownTargets {
  readonly ids: readonly unknown[];
  readonly within: Within;
}

/** Whether the ids of the records are known. */
export function areKnown(targets: Targets | KnownTargets): targets is KnownTargets {
  return 'ids' in targets;
}

/** Those of the records within reach that a write of many addresses by conditions. */
export function matching({ conditions, within }: Targets): Within {
  return within.and(fulfilling(conditions));
}

/** The records that a write of many addresses by conditions. Together they are written in one transaction. */
export interface Targets {
  readonly conditions: readonly Condition[];
  readonly within: Within;
  /** The most records that may match. If more do, it is 422, and nothing is written. */
  readonly max: number;
  /** @default the application itself */
  readonly writer?: Writer | undefined;
}
