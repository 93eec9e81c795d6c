import type { ResourceMiddleware } from '../../middleware/exchange/context.ts';
import { isGuards } from '../../middleware/exchange/descriptor.ts';
import { setReplays } from '../../middleware/exchange/replays.ts';
import type { CompiledOperation } from '../define/compile-operations.ts';
import type { Unguarded } from './row.ts';

/** Whose answers are kept. */
interface Answering {
  /** The custom operation. None if it is another one, whose answer is a record or nothing. */
  readonly custom?: CompiledOperation;
  /** Whether it deletes its record. @default false */
  readonly isDelete?: boolean;
}

/** The middlewares that answer a repeated request as the first time, if the api has that. */
export function repeatable(r: Unguarded): ResourceMiddleware[] {
  return [...readmission(r), ...keeping(r)];
}

/** The middleware that keeps answers, if the api has one. */
export function keeping({ again }: Unguarded): ResourceMiddleware[] {
  return again ? [again.middleware] : [];
}

/**
 * Says who may see an answer of the operation again. The answer of a PUT or a DELETE is kept only as a part of a larger
 * one, because these can be sent again as they are. The guards in `use` of a custom operation run below the middleware
 * that keeps answers.
 */
export function readmission(r: Unguarded, { custom, isDelete = false }: Answering = {}): ResourceMiddleware[] {
  const { again, isScoped, scope, model, db, maxTimeMS } = r;
  if (!again) return [];
  const guards = custom?.use.filter(isGuards) ?? [];
  const hasAddress = custom?.path.split('/').includes(':id') ?? false;
  const rows = isScoped ? { scope } : {};
  return [setReplays(again.replaysOf(model, { db, maxTimeMS, guards, isDelete, isRecord: !custom, hasAddress, ...rows }))];
}
