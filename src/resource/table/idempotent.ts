import type { ResourceMiddleware } from '../../middleware/exchange/context.ts';
import { isGuards } from '../../middleware/exchange/descriptor.ts';
import { compileReplays, setReplays } from '../../middleware/idempotency/replays.ts';
import type { CompiledResource } from '../define/compiled-resource.ts';

/** The middleware that answers a repeated request as the first time, if the api has it. */
export function idempotent(r: CompiledResource, operation: string): ResourceMiddleware[] {
  return [...readmission(r, operation), ...keyed(r)];
}

/** The middleware that keeps answers, if the api has one. */
export function keyed({ idempotency }: CompiledResource): ResourceMiddleware[] {
  return idempotency ? [idempotency] : [];
}

/**
 * Says who may see an answer of the operation again. The answer of a PUT or a DELETE is kept only as a part of a batch,
 * because these can be sent again as they are. The guards in `use` of a custom operation run below the middleware that
 * keeps answers.
 */
export function readmission(r: CompiledResource, operation: string): ResourceMiddleware[] {
  const { idempotency, operations, isScoped, scope, model, db, maxTimeMS } = r;
  if (!idempotency) return [];
  const custom = operations.find(({ name, counter }) => name === operation && !counter);
  const guards = custom?.use.filter(isGuards) ?? [];
  const hasAddress = custom?.path.split('/').includes(':id') ?? false;
  const rows = isScoped ? { scope } : {};
  return [
    setReplays(compileReplays(model, { db, maxTimeMS, guards, isDelete: operation === 'delete', isRecord: !custom, hasAddress, ...rows })),
  ];
}
