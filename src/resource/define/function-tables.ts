import { ConfigurationError } from '../../errors.ts';
import { showName } from '../../hints.ts';
import type { AfterHook } from '../../middleware/after-hooks.ts';
import type { BeforeHook } from '../../middleware/before-hooks.ts';
import type { Guard } from '../../middleware/exchange/context.ts';
import { checkProblems } from '../../middleware/exchange/problem-codes.ts';
import type { WithinHook } from '../../middleware/within-transaction.ts';
import { tryAll } from '../../mistakes.ts';
import { isObject } from '../../model/value/plain-object.ts';
import { checkNames, type Legal } from '../../options.ts';
import { firstOfEach, type GivenFunction } from './given.ts';
import {
  copyTable,
  type FunctionTable,
  findUncovered,
  functionsOf,
  functionsOfGroups,
  type Grouped,
  joinTables,
  keysOf,
  type Uncovered,
  withGroups,
} from './operation-groups.ts';
import { isStandard, standardOperations } from './standard-operations.ts';
import { queryName } from './whole-list.ts';

/** The options of a resource that give functions to operations. */
export interface TableOptions {
  readonly guards?: readonly unknown[] | undefined;
  readonly guardsFor?: FunctionTable | undefined;
  readonly before?: FunctionTable | undefined;
  readonly within?: FunctionTable | undefined;
  readonly after?: FunctionTable | undefined;
}

/** An operation that tables may name. */
export interface TableOperation extends Grouped {
  readonly method: string;
  /** Whether it is a custom operation. */
  readonly isCustom: boolean;
  /** Whether hooks can run before it, and in its transaction. */
  readonly hasHooks: boolean;
}

/** The functions that a resource gives to its operations, by their names. */
export interface FunctionTables {
  /** The guards of operations, in the order in which they are asked. */
  guardsOf(...names: readonly string[]): readonly Guard<never>[];
  /** The hooks before a write. */
  beforeOf(operation: string): readonly BeforeHook<never, never>[];
  /** The hooks in the transaction of an operation. */
  withinOf(operation: string): readonly WithinHook<never, never, never>[];
  /** The hooks after an operation, standard or custom. */
  hooksOf(operation: string): readonly AfterHook<never, never>[];
  /** The functions that an option gives to operations, in their order. */
  givenTo(option: TableName, ...names: readonly string[]): readonly GivenFunction[];
  /** The operations that lack a guard or a hook which another one of their group has. */
  readonly uncovered: readonly Uncovered[];
}

/** The options that are tables of functions. */
export const tableNames = ['guardsFor', 'before', 'within', 'after'] as const;

export type TableName = (typeof tableNames)[number];

/** An option that is a table of functions. */
export const aTable: Legal = [
  (value) => isObject(value) && Object.values(value).every(Array.isArray),
  'an object with an array of functions for each operation',
];

/**
 * Compiles the functions of a resource, behind those that all resources have. They are copied: what an app does to its
 * arrays later must open nothing.
 */
export function compileTables(given: TableOptions, common: TableOptions, operations: readonly TableOperation[]): FunctionTables {
  const levels = [common, given].map(copyTables);
  const guards = levels.flatMap((level) => level.guards);
  const known = new Map(operations.map((one) => [one.name, one]));
  // Also of what is not served: a cascade runs the hooks of a delete, a patch or a restore for the records it touches.
  const grouped = (name: string): Grouped =>
    known.get(name) ?? { name, group: isStandard(name) ? standardOperations[name].group : undefined };
  const givenTo = (option: TableName, ...names: readonly string[]) =>
    firstOfEach(
      levels.flatMap((level, index) => {
        const everywhere = option === 'guardsFor' ? level.guards.map((run) => ({ run, from: 'guards' })) : [];
        const named = names.map(grouped).flatMap((one) =>
          functionsOf<GivenFunction['run']>(level[option], one).map((run) => ({
            run,
            from: `${option}.${keysOf(level[option], one, run)[0]}`,
          })),
        );
        return [...everywhere, ...named].map(({ run, from }) => ({ run, from: index === 0 ? 'service' : from }));
      }),
    );
  const of = (option: TableName, ...names: readonly string[]): unknown[] => givenTo(option, ...names).map(({ run }) => run);
  const writing = operations.filter(({ hasHooks }) => hasHooks);
  const both = (option: TableName) => joinTables(levels.map((level) => level[option]));
  return {
    guardsOf: (...names) => of('guardsFor', ...names) as Guard<never>[],
    beforeOf: (name) => of('before', name) as BeforeHook<never, never>[],
    withinOf: (name) => of('within', name) as WithinHook<never, never, never>[],
    hooksOf: (name) => of('after', name) as AfterHook<never, never>[],
    givenTo,
    uncovered: [
      ...findUncovered('guardsFor', both('guardsFor'), operations, guards),
      ...findUncovered('before', both('before'), writing),
      ...findUncovered('within', both('within'), writing),
    ],
  };
}

/** The functions of a resource, or of all. */
type CopiedTables = Readonly<Record<TableName, FunctionTable> & Record<'guards', readonly GivenFunction['run'][]>>;

function copyTables({ guards = [], guardsFor, before, within, after }: TableOptions): CopiedTables {
  return {
    guards: [...guards] as GivenFunction['run'][],
    guardsFor: copyTable(guardsFor),
    before: copyTable(before),
    within: copyTable(within),
    after: copyTable(after),
  };
}

/** Checks `guards`. */
export function checkGuards(guards: readonly unknown[], option: string, where: string): void {
  checkFunctions(guards, option, where);
  for (const guard of guards) checkProblems(guard as Guard<never>, `a guard of ${where}`);
}

/** Checks one of the tables. `reads` are the keys that name other forms of reads. */
export function checkTable(
  option: TableName,
  table: FunctionTable,
  operations: readonly TableOperation[],
  reads: readonly string[],
  where: string,
): void {
  const named = operations.filter(isNamedBy[option]);
  const names = [...withGroups(named), ...(option === 'guardsFor' ? reads : [])];
  tryAll([
    () => checkNames(`operation in \`${option}\``, Object.keys(table), names, where),
    () => refuseAmbiguous(table, option, names, where),
    () => refuseWithoutHandler(table, option, operations, where, ''),
    ...Object.entries(table).map(
      ([name, functions]) =>
        () =>
          checks[option](functions ?? [], `${option}.${name}`, where),
    ),
  ]);
}

const all = () => true;
const isNamedBy: Readonly<Record<TableName, (operation: TableOperation) => boolean>> = {
  guardsFor: all,
  before: ({ hasHooks }) => hasHooks,
  within: ({ hasHooks }) => hasHooks,
  after: all,
};

const checks: Readonly<Record<TableName, typeof checkFunctions>> = {
  guardsFor: checkGuards,
  before(hooks, option, where) {
    checkFunctions(hooks, option, where);
    for (const hook of hooks) checkProblems(hook as BeforeHook<never, never>, `a hook in \`${option}\` of ${where}`);
  },
  within: checkFunctions,
  after: checkFunctions,
};

/** A custom operation may have the name of a group, or be called `query`, but a key must not stand for both. */
export function refuseAmbiguous(table: FunctionTable, option: string, names: readonly string[], where: string): void {
  const twice = Object.keys(table).find((key) => names.indexOf(key) !== names.lastIndexOf(key));
  if (twice === undefined) return;
  const other = twice === queryName ? 'the query of its list' : 'a group of operations';
  throw new ConfigurationError(
    `\`${option}.${twice}\` of ${where} can mean a custom operation or ${other}: give the custom operation another name.`,
  );
}

/**
 * Hooks of a group need to know where the work of an operation begins, and to carry it out in a transaction. Neither is
 * possible for middlewares.
 */
export function refuseWithoutHandler(
  table: FunctionTable,
  option: TableName,
  operations: readonly TableOperation[],
  where: string,
  whose: '' | ' of the service',
): void {
  if (option !== 'before' && option !== 'within') return;
  const outside = operations.find(
    (one) => one.isCustom && one.method !== 'GET' && !one.hasHooks && functionsOfGroups(table, one).length > 0,
  );
  if (outside)
    throw new ConfigurationError(
      `\`operations.${outside.name}\` of ${where} has the group \`${outside.group}\`, for which \`${option}\`${whose} has hooks: it needs a \`handler\`, around which they run.`,
    );
}

/** The middlewares would refuse them too, but do not know the resource. */
function checkFunctions(functions: readonly unknown[], option: string, where: string): void {
  const wrong = functions.find((one) => typeof one !== 'function');
  if (functions.includes(wrong))
    throw new ConfigurationError(`\`${option}\` of ${where} must be an array of functions; it has ${describe(wrong)}.`);
}

function describe(value: unknown): string {
  return typeof value === 'string' ? `\`'${value}'\`` : `\`${showName(value)}\``;
}
