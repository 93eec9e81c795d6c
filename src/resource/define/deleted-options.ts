import { ConfigurationError } from '../../errors.ts';
import { someGuards } from '../../middleware/deleted.ts';
import type { Guard } from '../../middleware/exchange/context.ts';
import type { KoaContext } from '../../middleware/exchange/koa-context.ts';
import type { CompiledModel } from '../../model/compile/compile-model.ts';
import { keepsDeleted, requireDeletedAt } from '../../mongo/lifecycle/lifecycle.ts';
import { deletedName } from '../../mongo/list/parse-deleted.ts';
import type { Paging } from '../../mongo/list/parse-paging.ts';
import { checkOptions, type LegalOptions, required } from '../../options.ts';
import type { RequestContext } from './custom-operation.ts';
import { isRead, type Operation, standardOperations } from './standard-operations.ts';

/** Who may ask for deleted records. */
export interface DeletedOptions<Principal, App = KoaContext> {
  /** Guards of the parameter `deleted`, asked after those of the operation. There is at least one. */
  readonly guards: readonly Guard<RequestContext<Principal, App>>[];
}

/** The options of a resource for a model with `t.deletedAt()`. */
export interface OfDeleted<Principal, App> {
  /**
   * Lets clients ask for deleted records in list and get, by `deleted=only` or `deleted=with`, if all of these guards
   * return true. It needs a model with `t.deletedAt()`.
   * @default no client sees deleted records
   *
   * @example
   * deleted: { guards: [isAdmin] }
   */
  readonly deleted?: DeletedOptions<Principal, App>;
}

const legal: LegalOptions<DeletedOptions<never>> = { guards: required([...someGuards]) };

/** Refuses what only a model with `t.deletedAt()` can have, and what such a model cannot have. */
export function checkDeleted(
  { deleted, paging }: { readonly deleted?: unknown; readonly paging?: Paging | undefined },
  ops: readonly Operation[],
  model: CompiledModel,
  where: string,
): void {
  const needing = ops.find((name) => standardOperations[name].needsDeletedAt);
  if (needing) requireDeletedAt(model, `\`${needing}\` in \`ops\` of ${where}`);
  if (paging?.total === 'estimate' && keepsDeleted(model))
    throw new ConfigurationError(
      `\`paging\` of ${where} cannot have \`total: 'estimate'\`: the size of the collection of ${model.name} includes deleted records. Use \`total: true\`.`,
    );
  if (deleted === undefined) return;
  requireDeletedAt(model, `\`deleted\` of ${where}`);
  checkOptions(deleted as DeletedOptions<never>, legal, `\`deleted\` of ${where}`);
  if (!ops.some(isRead))
    throw new ConfigurationError(`\`deleted\` of ${where} needs \`list\` or \`get\` in \`ops\`: they take \`${deletedName}\`.`);
}
