import { caching } from '../../middleware/caching.ts';
import { fields } from '../../middleware/fields.ts';
import { ifMatch } from '../../middleware/if-match.ts';
import { page } from '../../middleware/page.ts';
import { record } from '../../middleware/record.ts';
import type { CompiledResource } from '../../resource/define/compiled-resource.ts';
import { facetOf } from '../../resource/define/facet.ts';
import { cursorPaging } from '../../resource/define/paging.ts';
import { standardOperations } from '../../resource/define/standard-operations.ts';
import { following, scoped, scopedToRead, store, trash } from '../../resource/table/parts.ts';
import { type Chain, type Hooks, type Row, rowOf, type Unguarded } from '../../resource/table/row.ts';
import { asItWas, atName } from './as-it-was.ts';
import { findHistory } from './find-history.ts';
import { hasHistory, historyEndpoint } from './options.ts';
import { historyName } from './types.ts';

/** What shows the past of a record: its changes, and the record as it was. Both ask who may read the changes. */
export function historyRows(r: CompiledResource): Row[] {
  if (!facetOf(r, hasHistory)) return [];
  const shared = { asks: [{ resource: r, names: ['get', historyName] }], runs: { resource: r, names: ['get'] } };
  const { method, path } = standardOperations.get;
  const changes = rowOf(r, {
    ...historyEndpoint,
    ...shared,
    subject: { kind: 'read' },
    mayNameRelations: true,
    chain: (hooks) => changesOf(r, hooks),
  });
  const states = rowOf(r, {
    name: 'get.at',
    method,
    path,
    ...shared,
    operation: 'get',
    subject: { kind: 'variant' },
    when: { parameter: atName },
    unchanging: 'what a record was does not change',
    chain: (hooks) => statesOf(r, hooks),
  });
  return [changes, states];
}

function changesOf(r: Unguarded, hooks: Hooks): Chain {
  const { path: name, filterLimits, maxPageBytes } = r;
  const fetchPrivate = hooks.after.length > 0;
  const rules = { name, paging: cursorPaging(), ...filterLimits };
  const { finding, paging } = findHistory(r.model, { ...store(r), fetchPrivate, maxPageBytes, ...rules });
  return [caching(r.caching), ...scopedToRead(r), ...trash(r), finding, ...following(hooks), paging, page()];
}

function statesOf(r: Unguarded, hooks: Hooks): Chain {
  const parsing = [ifMatch(), ...(r.fields ? [fields(r.model)] : [])];
  const showing = asItWas(r.model, { ...store(r), parsing, hooks: following(hooks), answering: record() });
  return [caching(r.caching), ...scoped(r), ...trash(r), showing];
}
