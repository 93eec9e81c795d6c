import type { ClientSession } from 'mongodb';
import type { Told } from './duplicate-key.ts';
import type { Need, Reachability } from './reachability.ts';

/** The properties of a command that `Work.run` needs. */
export interface CommandPlan {
  readonly isWrite: boolean;
  /** The budget of the request in milliseconds, if this is its first command. */
  readonly maxTimeMS: number;
  readonly need: Need;
  readonly reachability: Reachability;
  /** The name of its collection, if it has one. */
  readonly collection?: string;
  /** Converts an error. */
  explain(error: unknown, command: FailedSending): unknown;
}

/** How far a command had come when it failed. */
export interface FailedSending {
  /** How often it was handed to a connection. */
  readonly handOvers: number;
  /** Whether it is part of a transaction, which is not committed after an error. */
  readonly isInTransaction: boolean;
  /** The writer, whom a 409 for a duplicate key tells which fields collide. */
  readonly writer?: Told | undefined;
}

/** Options of a call of the driver. */
export interface CallOptions {
  readonly maxTimeMS: number;
  readonly signal: AbortSignal;
  readonly session?: ClientSession;
  readonly readConcern?: typeof ofMajority;
}

/**
 * The read concern of reads that wait for a time of the database: a write that only the primary has may be rolled back,
 * and no change stream would tell of it.
 */
export const ofMajority = { level: 'majority' } as const;
