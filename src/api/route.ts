import type { ResourceMiddleware } from '../middleware/exchange/context.ts';
import type { Endpoint } from '../resource/define/endpoints.ts';

/** The method and path of an operation, and the middleware that runs there. */
export interface Route extends Endpoint {
  readonly name: string;
  /** Its name in `ctx.operation`, if that is another one. */
  readonly operation?: string;
  readonly run: ResourceMiddleware;
  /** Runs the operation as one of a batch. Undefined if a batch cannot have it. */
  readonly runInBatch?: ResourceMiddleware;
  /** Runs what a caller passes to see the answer of the operation again, as one of a batch. */
  readonly readmit?: ResourceMiddleware;
  /** Whether the path may also be that of a record, for other methods. */
  readonly mayBeRecord?: boolean;
  /** Whether every caller knows it: 405 and OPTIONS, which ask no rules, name no others. @default it does */
  isKnownToAll?(): boolean;
  /** Whether it reads a JSON body. */
  readonly readsJson?: boolean;
  /** How long the database may work for it, in milliseconds. Undefined if its first command decides. */
  readonly maxTimeMS?: number;
}

/** What a route runs: for a request of its own, or for an operation of a batch. */
export type Way = 'run' | 'runInBatch' | 'readmit';
