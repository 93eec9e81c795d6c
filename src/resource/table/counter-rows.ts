import { bodyLimit } from '../../middleware/body-limit.ts';
import { caching } from '../../middleware/caching.ts';
import { checkStep, stepCounter } from '../../middleware/counters/step-counter.ts';
import { record } from '../../middleware/record.ts';
import type { CompiledField } from '../../model/node.ts';
import type { CompiledOperation } from '../define/compile-operations.ts';
import type { CompiledResource } from '../define/compiled-resource.ts';
import { idempotent } from './idempotent.ts';
import { changing, closed, guard, match, prior, rows, writes, writing } from './parts.ts';
import { type Chain, type Row, rowOf } from './row.ts';

/** The steps of the counters of a resource. */
export function counterRows(r: CompiledResource): Row[] {
  return r.operations.filter(isStep).map((operation) => {
    const { name, method, path, counter } = operation;
    return rowOf(r, {
      name,
      method,
      path,
      subject: { kind: 'custom', operation },
      setsFields: r.serverFields.update !== undefined,
      isHidable: counter.rules?.read !== undefined,
      readsJson: true,
      isMember: true,
      chain: () => chainOf(r, operation),
    });
  });
}

/** The chain of a patch, with the step in its place. */
function chainOf(r: CompiledResource, { name, counter, reading, checking }: CompiledOperation & Counting): Chain {
  const field = r.model.root.byName.get(counter.name) as CompiledField; // as the caller sees it
  return [
    ...guard(r, [name]),
    caching(r.caching),
    ...rows(r),
    bodyLimit(r.maxBody, r.bodyTimeout, r.maxValues),
    ...reading,
    match(r),
    ...idempotent(r, name),
    ...checking,
    checkStep(r.model, field, changing(r, closed(r))),
    ...prior(r, name),
    ...writing(r, name, stepCounter(r.model, field, writes(r)), record()),
  ];
}

interface Counting {
  readonly counter: CompiledField;
}

function isStep(operation: CompiledOperation): operation is CompiledOperation & Counting {
  return operation.counter !== undefined;
}
