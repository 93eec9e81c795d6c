import type { AfterHook } from '../../middleware/after-hooks.ts';
import type { BeforeHook } from '../../middleware/before-hooks.ts';
import type { Guard } from '../../middleware/exchange/context.ts';
import type { Written } from '../../middleware/within-transaction.ts';
import { tryAll } from '../../mistakes.ts';
import { anArrayOf, type LegalOptions } from '../../options.ts';
import {
  aTable,
  checkGuards,
  checkTable,
  refuseAmbiguous,
  refuseWithoutHandler,
  type TableOperation,
  type TableOptions,
  tableNames,
} from './function-tables.ts';
import { copyTable, type GroupsOf, groupNames } from './operation-groups.ts';
import { isWrite, type Operation, operations, standardOperations, type WriteOperation } from './standard-operations.ts';

type OfOperations<F> = { readonly [Key in Operation | GroupsOf<Operation>]?: readonly F[] };
type OfWrites<F> = { readonly [Key in WriteOperation | GroupsOf<WriteOperation>]?: readonly F[] };

/**
 * The guards and hooks of all resources of a service. They come before those of a resource, whose options have the same
 * names. A key is a standard operation, or a group of operations; what a resource does not serve is left out. A custom
 * operation has those of its group, and `guards`. Records are `unknown`, because each resource has others.
 */
export interface CommonFunctions<Ctx> {
  /**
   * Guards of all operations of all resources: each must return true, or the answer is 403.
   * @default none
   *
   * @example
   * guards: [(ctx) => ctx.principal !== undefined]
   */
  readonly guards?: readonly Guard<Ctx>[];
  /** Guards of single operations, or of groups of them, in all resources. @default none */
  readonly guardsFor?: OfOperations<Guard<Ctx>>;
  /** Hooks before writes, in all resources. @default none */
  readonly before?: OfWrites<BeforeHook<Ctx, Record<string, unknown> | undefined>>;
  /**
   * Hooks in the transactions of writes, in all resources.
   * @default none
   *
   * @example
   * within: { write: [(ctx, { before, after, tx }) => tx.store(Log, { scope: everything }).create({ of: ctx.path })] }
   */
  readonly within?: OfWrites<(ctx: Ctx, written: Written<unknown, unknown>) => unknown>;
  /** Hooks after operations, in all resources. @default none */
  readonly after?: OfOperations<AfterHook<Ctx>>;
}

/** The legal values of the functions of all resources. */
export const legalCommon: LegalOptions<TableOptions> = {
  guards: anArrayOf('functions'),
  guardsFor: aTable,
  before: aTable,
  within: aTable,
  after: aTable,
};

/** Reads the functions of all resources. Throws for what is none, and for a key that is no operation. */
export function readCommon(given: TableOptions): TableOptions {
  const { guards = [], guardsFor = {}, before = {}, within = {}, after = {} } = given;
  const named = operations.map((name) => ({ name, ...standardOperations[name], isCustom: false, hasHooks: isWrite(name) }));
  const tables = { guardsFor, before, within, after };
  tryAll([
    () => checkGuards(guards, 'guards', 'the service'),
    ...tableNames.map((option) => () => checkTable(option, tables[option], named, [], 'the service')),
  ]);
  const copies = tableNames.map((option) => [option, copyTable(tables[option])]);
  return { guards: [...guards], ...Object.fromEntries(copies) };
}

/** Checks the functions of all resources for one of them, which serves these operations. */
export function checkCommon(common: TableOptions, served: readonly TableOperation[], where: string): void {
  const names = [...served.map(({ name }) => name), ...groupNames];
  tryAll(
    tableNames.flatMap((option) => {
      const { [option]: table = {} } = common;
      return [
        () => refuseAmbiguous(table, option, names, `the service, for ${where},`),
        () => refuseWithoutHandler(table, option, served, where, ' of the service'),
      ];
    }),
  );
}
