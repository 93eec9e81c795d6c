import { caching } from '../../middleware/caching.ts';
import { fields } from '../../middleware/fields.ts';
import { asItWas, atName } from '../../middleware/history/as-it-was.ts';
import { findHistory } from '../../middleware/history/find-history.ts';
import { ifMatch } from '../../middleware/if-match.ts';
import { page } from '../../middleware/page.ts';
import { record } from '../../middleware/record.ts';
import type { CompiledResource } from '../define/compiled-resource.ts';
import { historyEndpoint, historyName } from '../define/history-options.ts';
import { cursorPaging } from '../define/paging.ts';
import { standardOperations } from '../define/standard-operations.ts';
import { guard, hooks, rows, rowsToRead, store, trash } from './parts.ts';
import { type Chain, type Row, rowOf } from './row.ts';

/** What shows the past of a record: its changes, and the record as it was. Both ask who may read the changes. */
export function historyRows(r: CompiledResource): { readonly ofChanges: Row[]; readonly ofStates: Row[] } {
  if (!r.history) return { ofChanges: [], ofStates: [] };
  const asked = ['get', historyName];
  const shared = { asks: [{ resource: r, names: asked }], runs: { resource: r, names: ['get'] } };
  const { method, path } = standardOperations.get;
  const changes = rowOf(r, {
    ...historyEndpoint,
    ...shared,
    subject: { kind: 'history' },
    takesRelations: true,
    chain: () => changesOf(r, asked),
  });
  const states = rowOf(r, {
    name: 'get.at',
    method,
    path,
    ...shared,
    operation: 'get',
    subject: { kind: 'form' },
    when: { parameter: atName },
    chain: () => statesOf(r, asked),
  });
  return { ofChanges: [changes], ofStates: [states] };
}

function changesOf(r: CompiledResource, asked: readonly string[]): Chain {
  const { path: name, filterLimits, maxPageBytes } = r;
  const fetchPrivate = r.hooksOf('get').length > 0;
  const rules = { name, paging: cursorPaging(), ...filterLimits };
  const { finding, paging } = findHistory(r.model, { ...store(r), fetchPrivate, maxPageBytes, ...rules });
  return [...guard(r, asked), caching(r.caching), ...rowsToRead(r), ...trash(r), finding, ...hooks(r, 'get'), paging, page()];
}

function statesOf(r: CompiledResource, asked: readonly string[]): Chain {
  const asking = [ifMatch(), ...(r.fields ? [fields(r.model)] : [])];
  return [
    ...guard(r, asked),
    caching(r.caching),
    ...rows(r),
    ...trash(r),
    asItWas(r.model, { ...store(r), asking, hooks: hooks(r, 'get'), answering: record() }),
  ];
}
