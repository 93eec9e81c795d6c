import type { CompiledModel } from '../../model/compile/compile-model.ts';
import type { DatabaseOptions } from '../../mongo/collection/collection.ts';
import type { Replays, ResourceMiddleware, ScopeFunction } from './context.ts';
import { descriptorOf } from './descriptor.ts';
import { step } from './step.ts';

/** What answers a request that comes again as the first time. */
export interface AnswersAgain {
  /** Stands before a write: it keeps the answer, or sends the one that is kept. */
  readonly middleware: ResourceMiddleware;
  /** Compiles who may see the answers of an operation again. */
  replaysOf(model: CompiledModel, options: ReplaysOptions): Replays;
}

/** What is known of an operation whose answers are kept. */
export interface ReplaysOptions extends DatabaseOptions {
  /** The row filter of the resource. @default every record */
  readonly scope?: ScopeFunction<never> | undefined;
  /** Middlewares that refuse callers, below the one that keeps answers. */
  readonly guards: readonly ResourceMiddleware[];
  /** Whether the operation deletes its record, and answers nothing. */
  readonly isDelete: boolean;
  /** Whether a handler answers for the record of the path, and may have read it in any way. */
  readonly hasAddress: boolean;
  /** Whether its answer is one record, and nothing else. */
  readonly isRecord: boolean;
}

/** Leaves in `ctx.replays` who may see the answer of the operation again, for what keeps answers. */
export function setReplays(replays: Replays): ResourceMiddleware {
  return step({ problems: ['not_found', 'internal'], kind: 'replays' }, function setReplays(ctx) {
    ctx.replays = replays;
  });
}

/** The part of a chain that a repeated request runs through: up to {@link setReplays}. */
export function upToReplays(chain: readonly ResourceMiddleware[]): readonly ResourceMiddleware[] {
  return chain.slice(0, chain.findIndex((middleware) => descriptorOf(middleware)?.kind === 'replays') + 1);
}
