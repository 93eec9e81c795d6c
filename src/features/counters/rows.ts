import { bodyLimit } from '../../middleware/body-limit.ts';
import { caching } from '../../middleware/caching.ts';
import { record } from '../../middleware/record.ts';
import type { CompiledField } from '../../model/node.ts';
import type { CompiledOperation } from '../../resource/define/compile-operations.ts';
import type { CompiledResource } from '../../resource/define/compiled-resource.ts';
import { changing, closed, match, preceding, scoped, writes, writing } from '../../resource/table/parts.ts';
import { repeatable } from '../../resource/table/repeatable.ts';
import { type Chain, type Hooks, type Row, rowOf, type Unguarded } from '../../resource/table/row.ts';
import { counterKind } from './kind.ts';
import { checkStep, stepCounter } from './step-counter.ts';

/** The steps of the counters of a resource. */
export function counterRows(r: CompiledResource): Row[] {
  return r.operations.filter(isCounterOperation).map((operation) => {
    const { name, method, path, field } = operation;
    return rowOf(r, {
      name,
      method,
      path,
      subject: { kind: 'custom', operation },
      setsFields: r.serverFields.update !== undefined,
      isHidable: field.rules?.read !== undefined,
      readsJson: true,
      isMember: true,
      chain: (hooks) => chainOf(r, operation, hooks),
    });
  });
}

/** The chain of a patch, with the step in its place. */
function chainOf(r: Unguarded, { name, reading, checking }: CounterOperation, hooks: Hooks): Chain {
  const field = r.model.root.byName.get(name) as CompiledField; // as the caller sees it
  return [
    caching(r.caching),
    ...scoped(r),
    bodyLimit(r.maxBody, r.bodyTimeout, r.maxValues),
    ...reading,
    match(r),
    ...repeatable(r),
    ...checking,
    checkStep(r.model, field, changing(r, closed(r))),
    ...preceding(r, hooks),
    ...writing(r, hooks, stepCounter(r.model, field, writes(r)), record()),
  ];
}

type CounterOperation = CompiledOperation & { readonly field: CompiledField };

function isCounterOperation(operation: CompiledOperation): operation is CounterOperation {
  return operation.field?.kind === counterKind;
}
