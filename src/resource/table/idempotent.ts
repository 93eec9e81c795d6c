import type { ResourceMiddleware } from '../../middleware/exchange/context.ts';
import { isGuards } from '../../middleware/exchange/descriptor.ts';
import { compileReplays, setReplays } from '../../middleware/idempotency/replays.ts';
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
export function idempotent(r: Unguarded): ResourceMiddleware[] {
  return [...readmission(r), ...keyed(r)];
}

/** The middleware that keeps answers, if the api has one. */
export function keyed({ idempotency }: Unguarded): ResourceMiddleware[] {
  return idempotency ? [idempotency] : [];
}

/**
 * Says who may see an answer of the operation again. The answer of a PUT or a DELETE is kept only as a part of a batch,
 * because these can be sent again as they are. The guards in `use` of a custom operation run below the middleware that
 * keeps answers.
 */
export function readmission(r: Unguarded, { custom, isDelete = false }: Answering = {}): ResourceMiddleware[] {
  const { idempotency, isScoped, scope, model, db, maxTimeMS } = r;
  if (!idempotency) return [];
  const guards = custom?.use.filter(isGuards) ?? [];
  const hasAddress = custom?.path.split('/').includes(':id') ?? false;
  const rows = isScoped ? { scope } : {};
  return [setReplays(compileReplays(model, { db, maxTimeMS, guards, isDelete, isRecord: !custom, hasAddress, ...rows }))];
}
