import { listNames } from '../../hints.ts';
import { own } from '../../model/value/plain-object.ts';
import { groupsAround, type Operation, type OperationGroup, type OwnGroupOf } from './standard-operations.ts';
import { queryName } from './whole-list.ts';

/** The names of the groups. */
export const groupNames = Object.keys(groupsAround) as readonly OperationGroup[];

/** A group, and those that contain it. */
export type GroupsAround<Group> = Group extends OperationGroup ? (typeof groupsAround)[Group][number] : never;

/** The groups that have one of these operations. */
export type GroupsOf<Op> = Op extends Operation ? GroupsAround<OwnGroupOf<Op>> : never;

/** The served operations that a key means. */
export type NamedBy<Key, Ops> = Key extends OperationGroup ? InGroup<Key, Ops> : Key;

type InGroup<Group, Op> = Op extends Operation ? (Group extends GroupsOf<Op> ? Op : never) : never;

/** Has TypeScript infer which keys a table has. */
export type HasKeys<Keys extends PropertyKey> = { readonly [Key in Keys]?: unknown };

/** A custom operation for which `before` or `within` has hooks needs a handler, around which they run. */
export type NeedsHandler<Name, Group, Hooked> = [Hooked & (Name | GroupsAround<Group>)] extends [never]
  ? unknown
  : { readonly handler: unknown };

/** An operation, as the keys of tables name it. */
export interface Grouped {
  readonly name: string;
  /** The narrowest group that it belongs to. Undefined if it is a custom operation that says none. */
  readonly group: OperationGroup | undefined;
}

/** Functions by the names of operations and groups. */
export type FunctionTable = Readonly<Record<string, readonly unknown[] | undefined>>;

/** A copy of a table and of its arrays. */
export function copyTable(table: FunctionTable = {}): FunctionTable {
  return Object.fromEntries(Object.entries(table).map(([name, functions]) => [name, functions && [...functions]]));
}

/** A table with the functions of several, by their keys. */
export function joinTables(tables: readonly FunctionTable[]): FunctionTable {
  const keys = new Set(tables.flatMap((table) => Object.keys(table)));
  return Object.fromEntries([...keys].map((key) => [key, tables.flatMap((table) => own(table, key) ?? [])]));
}

function groupsOf({ group }: Grouped): readonly OperationGroup[] {
  return group ? groupsAround[group] : [];
}

/** The names of operations, and of the groups that have one of them: the legal keys of a table. */
export function withGroups(operations: readonly Grouped[]): string[] {
  const around = new Set(operations.flatMap(groupsOf));
  return [...operations.map(({ name }) => name), ...groupNames.filter((group) => around.has(group))];
}

/**
 * The functions of an operation: those of its groups, and then its own. A function that several of them name runs once.
 */
export function functionsOf<F>(table: FunctionTable, operation: Grouped): readonly F[] {
  const names = Object.keys(table).length > 0 ? [...groupsOf(operation), operation.name] : [];
  return [...new Set(names.flatMap((name) => own(table, name) ?? []))] as F[];
}

/** The functions of an operation that are given for its groups. */
export function functionsOfGroups(table: FunctionTable, operation: Grouped): readonly unknown[] {
  return groupsOf(operation).flatMap((group) => own(table, group) ?? []);
}

/** The keys of a table that name a function for an operation, in the order in which it runs them. */
export function keysOf(table: FunctionTable, operation: Grouped, one: unknown): readonly string[] {
  return [...groupsOf(operation), operation.name].filter((name) => own(table, name)?.includes(one));
}

/** An operation of which a table says whether it is covered. */
interface Coverable extends Grouped {
  readonly method: string;
  /** Whether it is a custom operation: what is given for its name is meant for it alone. */
  readonly isCustom: boolean;
}

/** Operations that do not run a function that another one of their group runs, and that have no key of their own. */
interface UncoveredInGroup {
  /** The option: `guardsFor`, `before` or `within`. */
  readonly option: string;
  readonly group: OperationGroup;
  /** The operations that run the function. */
  readonly covered: readonly string[];
  readonly uncovered: readonly string[];
}

/** Custom operations that say no group, where functions are given for groups. */
interface Ungrouped {
  readonly option: string;
  /** The groups that functions are given for, and that the operations could belong to. */
  readonly groups: readonly OperationGroup[];
  readonly uncovered: readonly string[];
}

/** Operations that probably lack a function. */
export type Uncovered = UncoveredInGroup | Ungrouped;

/** The groups whose operations are so much alike that a function for one of them is probably meant for all. */
const alike = ['read', 'change', 'remove'] as const;

/**
 * Finds the operations that lack a function of `table` that another one of their group has, and those that say no group
 * although functions are given for groups. An operation with a key of its own was thought of, even if its array is
 * empty. `everywhere` are the functions that every operation has.
 */
export function findUncovered(
  option: string,
  table: FunctionTable,
  operations: readonly Coverable[],
  everywhere: readonly unknown[] = [],
): Uncovered[] {
  if (Object.keys(table).length === 0) return [];
  const lacksKey = (operation: Grouped) => own(table, operation.name) === undefined;
  const inGroups = alike.flatMap((group) => {
    const served = operations.filter((operation) => groupsOf(operation).includes(group));
    const functions = new Map(served.map((one) => [one, new Set([...everywhere, ...functionsOf(table, one)])]));
    const ofGroup = (one: Coverable) => (one.isCustom ? functionsOfGroups(table, one) : [...(functions.get(one) ?? [])]);
    const all = new Set([...everywhere, ...served.flatMap(ofGroup)]);
    const [first, ...others] = served.filter((one) => (functions.get(one)?.size ?? 0) < all.size && lacksKey(one));
    if (!first) return [];
    const some = [...(functions.get(first) ?? [])];
    const covered = served.filter((one) => ofGroup(one).some((given) => !some.includes(given)));
    return [{ option, group, covered: namesOf(covered), uncovered: namesOf([first, ...others]) }];
  });
  const given = groupNames.filter((group) => own(table, group)?.some((one) => !everywhere.includes(one)));
  const ungrouped = operations.filter((one) => one.group === undefined && lacksKey(one));
  return [...inGroups, ...ungroupedAmong(ungrouped, given).map((one) => ({ option, ...one }))];
}

/** A GET reads: it can belong to no other group. */
function ungroupedAmong(operations: readonly Coverable[], given: readonly OperationGroup[]): Omit<Ungrouped, 'option'>[] {
  const reads = operations.filter(({ method }) => method === 'GET');
  const others = operations.filter(({ method }) => method !== 'GET');
  return [
    { groups: given.filter((group) => group === 'read'), uncovered: namesOf(reads) },
    { groups: given, uncovered: namesOf(others) },
  ].filter(({ groups, uncovered }) => groups.length > 0 && uncovered.length > 0);
}

function namesOf(operations: readonly Grouped[]): string[] {
  return operations.map(({ name }) => name);
}

/** Says what is uncovered, and what covers or exempts it. */
export function describeUncovered(one: Uncovered, path: string): string {
  const { option, uncovered } = one;
  const what = option === 'guardsFor' ? 'a guard' : `a hook in \`${option}\``;
  const lacking = quoted(uncovered);
  const exempting = exemptionOf(one);
  const these = uncovered.length > 1 ? 'these' : 'this one';
  if ('groups' in one) {
    const [groups, words] = [quoted(one.groups), one.groups.map((group) => `\`group: '${group}'\``).join(' or ')];
    return `Resource \`${path}\` has ${what} for ${groups} that does not run for ${lacking}, which ${uncovered.length > 1 ? 'say' : 'says'} no \`group\`. To cover ${these}, write ${words} in the definition of the operation. To exempt ${these}, ${exempting}.`;
  }
  return `Resource \`${path}\` has ${what} for ${quoted(one.covered)} that does not run for ${lacking}. To cover all operations of the group, name it in \`${option}\`: \`${one.group}: […]\`. To exempt ${these}, ${exempting}.`;
}

/** A key that is the name of a group, or of another form of a read, exempts no custom operation of that name. */
function exemptionOf({ option, uncovered }: Uncovered): string {
  const isTaken = (name: string) => groupNames.some((group) => group === name) || (option === 'guardsFor' && name === queryName);
  const [taken, own] = [uncovered.filter(isTaken), uncovered.filter((name) => !isTaken(name))];
  const write = `write ${listNames(own.map((name) => `\`${name}: []\``))} in \`${option}\``;
  const rename = `give ${quoted(taken)} another name, and write that with \`[]\` in \`${option}\`, where ${quoted(taken)} can mean something else`;
  return [...(own.length > 0 ? [write] : []), ...(taken.length > 0 ? [rename] : [])].join('; ');
}

function quoted(names: readonly string[]): string {
  return listNames(names.map((name) => `\`${name}\``));
}
