import { bodyLimit } from '../middleware/body-limit.ts';
import { caching } from '../middleware/caching.ts';
import { checkStep, stepCounter } from '../middleware/counters/step-counter.ts';
import type { ResourceMiddleware } from '../middleware/exchange/context.ts';
import { record } from '../middleware/record.ts';
import type { CompiledField } from '../model/node.ts';
import type { CompiledOperation } from './define/compile-operations.ts';
import type { CompiledResource } from './define/compiled-resource.ts';
import type { WriteParts } from './define/write-parts.ts';
import { idempotent } from './idempotent.ts';

type Chain = readonly ResourceMiddleware[];

/** Makes the chain of each operation that steps a counter, by its name: that of a patch, with the step in its place. */
export function counterChains(
  r: CompiledResource,
  { guard, rows, match, prior, writing }: WriteParts,
): (readonly [name: string, make: () => Chain])[] {
  const { model, db, maxTimeMS, references, explicitWrites } = r;
  const serverFields = r.serverFields.update;
  return r.operations.filter(isStep).map(({ name, counter, reading, checking }) => {
    const field = model.root.byName.get(counter.name) as CompiledField; // as the caller sees it
    const make = () => [
      ...guard(r, name),
      caching(r.caching),
      ...rows(r),
      bodyLimit(r.maxBody, r.bodyTimeout, r.maxValues),
      ...reading,
      match(r),
      ...idempotent(r, name),
      ...checking,
      checkStep(model, field, { explicitWrites, ...(serverFields && { serverFields }) }),
      ...prior(r, name),
      ...writing(r, name, stepCounter(model, field, { db, maxTimeMS, references }), record()),
    ];
    return [name, make];
  });
}

function isStep(operation: CompiledOperation): operation is CompiledOperation & { readonly counter: CompiledField } {
  return operation.counter !== undefined;
}
