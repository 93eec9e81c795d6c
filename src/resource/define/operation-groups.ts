import { listNames } from '../../hints.ts';
import { own } from '../../model/value/plain-object.ts';

const change = ['patch', 'put', 'patchMany', 'restore'] as const;
const remove = ['delete', 'deleteMany'] as const;

/**
 * The groups of operations, wider ones first: the functions of a group run before those of a narrower one. A link runs
 * what `patch` runs, so that a group with `patch` covers it.
 */
const operationGroups = {
  read: ['list', 'get'],
  write: ['create', ...change, ...remove],
  change,
  remove,
} as const satisfies Readonly<Record<string, readonly string[]>>;

type Groups = typeof operationGroups;

/** A group of operations: a key of `guardsFor`, `before`, `within` and `after` that means all of them. */
type OperationGroup = keyof Groups;

/** The groups that have one of these operations. */
export type GroupsOf<Op> = {
  [Group in OperationGroup]: [Extract<Op, Groups[Group][number]>] extends [never] ? never : Group;
}[OperationGroup];

/** The served operations that a key means. */
export type NamedBy<Key, Ops> = Key extends OperationGroup ? Extract<Ops, Groups[Key][number]> : Key;

/** Functions by the names of operations and groups. */
export type FunctionTable = Readonly<Record<string, readonly unknown[] | undefined>>;

/** A copy of a table and of its arrays. */
export function copyTable(table: FunctionTable = {}): FunctionTable {
  return Object.fromEntries(Object.entries(table).map(([name, functions]) => [name, functions && [...functions]]));
}

const groupNames = Object.keys(operationGroups) as readonly OperationGroup[];

const groupsByOperation: ReadonlyMap<string, readonly OperationGroup[]> = new Map(
  [...operationGroups.read, ...operationGroups.write].map((operation) => [
    operation,
    groupNames.filter((group) => (operationGroups[group] as readonly string[]).includes(operation)),
  ]),
);

/** The groups that include an operation. The step of a counter is a change, whatever the counter is called. */
function groupsOf(operation: string, counters: readonly string[]): readonly OperationGroup[] {
  return counters.includes(operation) ? ofSteps : (groupsByOperation.get(operation) ?? []);
}

const ofSteps: readonly OperationGroup[] = ['write', 'change'];

/**
 * The names of operations, and of the groups that have one of them: the legal keys of a table. `counters` are those
 * that are stepped.
 */
export function withGroups(names: readonly string[], counters: readonly string[]): string[] {
  const all = [...names, ...counters];
  return [...all, ...groupNames.filter((group) => all.some((name) => groupsOf(name, counters).includes(group)))];
}

/**
 * The functions of an operation: those of its groups, and then its own. A function that several of them name runs once.
 */
export function functionsOf<F>(table: FunctionTable, operation: string, counters: readonly string[] = []): readonly F[] {
  const names = Object.keys(table).length > 0 ? [...groupsOf(operation, counters), operation] : [];
  return [...new Set(names.flatMap((name) => own(table, name) ?? []))] as F[];
}

/** Operations that do not run a function that another one of their group runs, and that have no key of their own. */
export interface Uncovered {
  /** The option: `guardsFor`, `before` or `within`. */
  readonly option: string;
  readonly group: OperationGroup;
  /** The operations that run the function. */
  readonly covered: readonly string[];
  readonly uncovered: readonly string[];
}

/** The groups whose operations are so much alike that a function for one of them is probably meant for all. */
const alike = ['read', 'change', 'remove'] as const;

/**
 * Finds the operations that lack a function of `table` that another one of their group has. An operation with
 * a key of its own was thought of, even if its array is empty. `everywhere` are the functions that every operation has.
 * The counters that are stepped are among them.
 */
export function findUncovered(
  option: string,
  table: FunctionTable,
  operations: readonly string[],
  counters: readonly string[],
  everywhere: readonly unknown[] = [],
): Uncovered[] {
  const ops = Object.keys(table).length > 0 ? [...operations, ...counters] : [];
  return alike.flatMap((group) => {
    const served = ops.filter((operation) => groupsOf(operation, counters).includes(group));
    const functions = new Map(served.map((operation) => [operation, new Set([...everywhere, ...functionsOf(table, operation, counters)])]));
    const all = new Set([...functions.values()].flatMap((some) => [...some]));
    const uncovered = served.filter((operation) => (functions.get(operation)?.size ?? 0) < all.size && !own(table, operation));
    if (uncovered.length === 0) return [];
    const some = [...(functions.get(uncovered[0] as string) ?? [])];
    const covered = served.filter((operation) => [...(functions.get(operation) ?? [])].some((one) => !some.includes(one)));
    return [{ option, group, covered, uncovered }];
  });
}

/** Says what is uncovered, and what covers or exempts it. */
export function describeUncovered({ option, group, covered, uncovered }: Uncovered, path: string): string {
  const what = option === 'guardsFor' ? 'a guard' : `a hook in \`${option}\``;
  const [of, lacking] = [covered, uncovered].map((names) => listNames(names.map((name) => `\`${name}\``)));
  const exempting = uncovered.map((name) => `\`${name}: []\``);
  return `Resource \`${path}\` has ${what} for ${of} that does not run for ${lacking}. To cover all operations of the group, name it in \`${option}\`: \`${group}: […]\`. To exempt ${uncovered.length > 1 ? 'these' : 'this one'}, write ${listNames(exempting)}.`;
}
