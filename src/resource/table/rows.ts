import { resourcePlugins } from '../../features/resources.ts';
import type { CompiledResource } from '../define/compiled-resource.ts';
import { listQueryName, queryEndpoints } from '../define/endpoints.ts';
import { isList, type Operation, standardOperations } from '../define/standard-operations.ts';
import { queryName } from '../define/whole-list.ts';
import { chains, queried } from './chains.ts';
import { customRows } from './custom-rows.ts';
import { nestedRows } from './nested-rows.ts';
import { type Row, rowOf } from './row.ts';

/**
 * The table of operations of a resource: everything that it serves. What is not here is not served.
 */
export function rowsOf(r: CompiledResource): Row[] {
  const rows = [...r.ops.map((name) => standardRow(r, name)), ...customRows(r), ...nestedRows(r)];
  for (const plugin of resourcePlugins) rows.push(...plugin.rows(r, rows));
  return [...rows, ...queryRows(r)];
}

function standardRow(r: CompiledResource, name: Operation): Row {
  const { method, path, group, isOfMany, ...facts } = standardOperations[name];
  const { readsJson = false, makesRecord = false, isAdditive = false, isIdempotent = false } = facts;
  const sets = makesRecord ? r.serverFields.create : readsJson ? r.serverFields.update : undefined;
  return rowOf(r, {
    name,
    method,
    path,
    subject: { kind: 'standard', operation: name },
    isScoped: r.isScoped && (!makesRecord || r.scopeWrites),
    setsFields: sets !== undefined,
    fieldsOf: name === 'delete' ? [] : [r], // it takes no field, and shows none
    mayNameRelations: group === 'read',
    readsJson,
    makesRecord,
    isAdditive,
    isIdempotent,
    isMember: group !== 'read' && !isOfMany,
    chain: (hooks) => chains[name](r, hooks),
  });
}

/** The list whose parameters stand in a body. */
function queryRows(r: CompiledResource): Row[] {
  if (!r.ops.some(isList)) return [];
  return queryEndpoints(standardOperations.list.path).map((endpoint) =>
    rowOf(r, {
      ...endpoint,
      name: listQueryName,
      operation: 'list',
      subject: { kind: 'query' },
      twinOf: 'list',
      mayBeRecord: true,
      asks: [{ resource: r, names: ['list', queryName] }],
      runs: { resource: r, names: ['list'] },
      mayNameRelations: true,
      readsJson: true,
      chain: (hooks) => queried(r, hooks),
    }),
  );
}
