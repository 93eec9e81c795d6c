import { ConfigurationError } from '../../errors.ts';
import { listNames, showName } from '../../hints.ts';
import type { ResourceParts } from '../../resource/define/resource-parts.ts';
import { showsRecords } from '../../resource/define/standard-operations.ts';
import { historyName } from './types.ts';

/** Where the history of a record is served. */
export const historyEndpoint = { name: historyName, method: 'GET', path: '/:id/history' } as const;

/** Whether a resource shows histories. Throws a {@link ConfigurationError} if it cannot. */
export function hasHistory({ given, list, model, where }: ResourceParts): boolean {
  const { history = false, scope, scopeFields } = given(historyName, 'scope', 'scopeFields');
  if (!history) return false;
  const { name, ledger } = model;
  const kept = ledger?.history;
  if (!kept) throw new ConfigurationError(`\`history\` of ${where} needs \`history\` of ${name}: nothing is kept of its changes.`);
  if (!showsRecords(list().ops))
    throw new ConfigurationError(`\`history\` of ${where} is about single records, but \`ops\` has no \`get\`.`);
  const names = ['id', ...kept.scopeFields.map((field) => field.name)];
  const open = scopeFields?.filter((field) => !names.includes(field)).map(showName) ?? [];
  if (open.length > 0)
    throw new ConfigurationError(
      `\`scopeFields\` of ${where} has ${listNames(open)}, but \`history.scopeFields\` of ${name} has not: nobody could say which states of a record were within the scope. Put ${open.length > 1 ? 'them' : 'it'} there.`,
    );
  if (scope && !scopeFields && kept.scopeFields.length === 0)
    throw new ConfigurationError(
      `${where} has a scope, but \`history.scopeFields\` of ${name} has no field: nobody could say which states of a record were within the scope. Name the fields that the scope compares there.`,
    );
  return true;
}
