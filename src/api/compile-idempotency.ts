import type { ResourceMiddleware } from '../middleware/exchange/context.ts';
import { type IdempotencySettings, idempotency } from '../middleware/idempotency/idempotency.ts';
import type { Model } from '../model/define/define-model.ts';
import type { Database } from '../mongo/driver/database.ts';
import { type IdempotencyKeys, openIdempotencyKeys } from '../mongo/idempotency-keys.ts';
import type { IdempotencyOptions } from './api-options.ts';

/** The parts that only an api with `idempotency` has. */
export interface CompiledIdempotency {
  readonly middleware: ResourceMiddleware;
  readonly keys: IdempotencyKeys;
  readonly required: boolean;
  /** The model of the collection of keys: its index is planned with those of the others. */
  readonly model: Model;
}

/** Opens the collection of keys, and creates the middleware before the writes. */
export function compileIdempotency(options: Required<IdempotencyOptions<never>>, db: Database, maxTimeMS: number): CompiledIdempotency {
  const { collection, ttl, ...settings } = options;
  const keys = openIdempotencyKeys({ db, collection, ttl, maxTimeMS });
  const middleware = idempotency(keys, settings as unknown as IdempotencySettings);
  return { required: options.required, middleware, keys, model: keys.model };
}
