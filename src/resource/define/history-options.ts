import { ConfigurationError } from '../../errors.ts';
import { listNames, showName } from '../../hints.ts';
import type { CompiledModel } from '../../model/compile/compile-model.ts';
import { type Operation, showsRecords } from './standard-operations.ts';

/** The options of a resource for the histories of its records. */
export interface OfHistory {
  /**
   * Whether clients may read the changes of a record at `GET <record>/history`, and the record as it was by
   * `GET <record>?at=<revision>`. Both have the guards, scope, hooks and view of get, and then the guards of
   * `guardsFor.history`. The model needs `history`, with all fields of `scopeFields` in its own. See
   * `docs/reference/history.md`.
   * @default false
   */
  readonly history?: boolean;
}

/** The key of `guardsFor` for histories, and the name of the operation. */
export const historyName = 'history';

/** Where the history of a record is served. */
export const historyEndpoint = { name: historyName, method: 'GET', path: '/:id/history' } as const;

/** Refuses a history that the resource cannot have. */
export function checkHistory(
  { history, scope, scopeFields }: OfHistory & { readonly scope?: unknown; readonly scopeFields?: readonly string[] },
  { ops }: { readonly ops: readonly Operation[] },
  { name, ledger }: CompiledModel,
  where: string,
): void {
  if (!history) return;
  const kept = ledger?.history;
  if (!kept) throw new ConfigurationError(`\`history\` of ${where} needs \`history\` of ${name}: nothing is kept of its changes.`);
  if (!showsRecords(ops)) throw new ConfigurationError(`\`history\` of ${where} is about single records, but \`ops\` has no \`get\`.`);
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
}
