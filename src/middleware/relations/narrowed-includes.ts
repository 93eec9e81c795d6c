import { ConfigurationError } from '../../errors.ts';
import type { CompiledModel } from '../../model/compile/compile-model.ts';
import { anOrder, parseOrder } from '../../model/relations/compile-has-many.ts';
import type { ListBelow, ManyRelation } from '../../model/relations/many-relations.ts';
import { isObject } from '../../model/value/plain-object.ts';
import type { Children } from '../../mongo/collection/related.ts';
import type { Narrowable } from '../../mongo/list/parse-include.ts';
import { type IncludedStep, isManyStep, type ManyStep } from '../../mongo/relations/include/read-included.ts';
import { anArrayOf, aString, aWholeNumber, checkOptions, checkValue, type LegalOptions, orUndefined, required } from '../../options.ts';
import { compileOrder, linkMany } from './link-many.ts';
import type { GuardedSource } from './relation-targets.ts';

/**
 * A relation by `t.hasMany` that clients may include, and of whose records they may ask for less by `tasks[limit]`:
 * with fewer of them than the model allows, in another order, or in orders among which clients may choose.
 */
export interface NarrowedInclude<Name = string> {
  /** Its name, as `include` has it. */
  readonly relation: Name;
  /** How many records one record shows at most, or up to which number they are counted. @default that of the model */
  readonly max?: number;
  /** The order of the records, as `sort` of a list has it. The id is always the last key. @default that of the model */
  readonly sort?: string;
  /** The orders among which clients may choose by `tasks[sort]`. An index is planned for each. @default none */
  readonly sorts?: readonly string[];
}

/** A relation that clients may include: its name, or its name with what is narrowed. */
export type IncludeEntry<Name = string> = Name | NarrowedInclude<Name>;

/** What is known of the lists of an api, to which included relations lead on. */
export interface KnownLists {
  /** The resource that includes them: its path, and the lists that it serves. */
  readonly own: Pick<GuardedSource, 'path' | 'lists'>;
  /** The most keys that a sort of a list may have, the id included. */
  readonly maxSortKeys: number;
  /** The prefix of the api. */
  readonly prefix: string;
}

const legal: LegalOptions<NarrowedInclude> = {
  relation: required(aString),
  max: orUndefined(aWholeNumber(1)),
  sort: orUndefined(anOrder),
  sorts: orUndefined(anArrayOf("orders, such as ['-createdAt', 'name']", anOrder[0])),
};

/** Reads what is narrowed, by the names of the relations. `where` says where it stands, for error messages. */
export function readNarrowed(given: readonly IncludeEntry[], where: string): ReadonlyMap<string, NarrowedInclude> {
  checkValue(
    where,
    given,
    anArrayOf("relations, such as ['customer']", (one) => typeof one === 'string' || isObject(one)),
  );
  const narrowed = given.filter((one) => typeof one !== 'string');
  for (const one of narrowed) {
    checkOptions(one, legal, `a relation in ${where}`);
    const { relation } = one;
    if (given.filter((other) => relationOf(other) === relation).length > 1)
      throw new ConfigurationError(`${where} names \`${relation}\` twice.`);
  }
  return new Map(narrowed.map((one) => [one.relation, one]));
}

/** The name of a relation that clients may include. */
export function relationOf(entry: IncludeEntry): string {
  return typeof entry === 'string' ? entry : entry.relation;
}

/** The records of a relation as an include reads them, and what clients may choose of them. */
type NarrowedMany = Pick<ManyStep<GuardedSource>, 'children' | 'isNarrowable' | 'sorts' | 'list'>;

/**
 * Links a relation by `t.hasMany` with the model whose records refer, as `include` narrows it. `holder` has the records
 * that it belongs to, and `target` those that refer.
 */
export function narrowMany(
  relation: ManyRelation,
  { from, holder, target, lists }: LinkedEnds,
  given: NarrowedInclude | undefined,
  where: string,
): NarrowedMany {
  const linked = linkMany(relation, from, target.model);
  const compile = (order: ManyRelation['sort'], option: string) => compileOrder(order, target.model, `${option} of ${where}`);
  const { max, sort, sorts } = given ? checkNarrowed(given, relation, where) : {};
  const children: Children = { ...linked, ...(max !== undefined && { max }), ...(sort && { sort: compile(sort, '`sort`') }) };
  const chosen = new Map([...(sorts ?? [])].map(([text, order]) => [text, compile(order, '`sorts`')]));
  const orders = [
    [children.sort, sort ?? relation.sort] as const,
    ...[...(sorts ?? [])].map(([text, order]) => [chosen.get(text) as Children['sort'], order] as const),
  ];
  const isListed = holder?.lists?.nested.includes(relation.name) && target.lists?.isListed;
  const list = lists && isListed ? listBelow(`${holder?.path}/%/${relation.name}`, target.model, orders, lists) : undefined;
  return { children, isNarrowable: given !== undefined && !relation.isCount, sorts: chosen, list };
}

/** What a relation connects. */
interface LinkedEnds {
  readonly from: CompiledModel;
  readonly holder: Pick<GuardedSource, 'path' | 'lists'> | undefined;
  readonly target: GuardedSource;
  /** Undefined outside of an api. */
  readonly lists: KnownLists | undefined;
}

interface CheckedNarrowing {
  readonly max?: number | undefined;
  readonly sort?: ManyRelation['sort'] | undefined;
  /** By their texts. */
  readonly sorts?: ReadonlyMap<string, ManyRelation['sort']>;
}

function checkNarrowed({ max, sort, sorts = [] }: NarrowedInclude, { max: most, isCount }: ManyRelation, where: string): CheckedNarrowing {
  if (max !== undefined && max > most)
    throw new ConfigurationError(`\`max\` of ${where}, which must be at most ${most}, the \`max\` of its \`t.hasMany\`.`);
  if (isCount && (sort !== undefined || sorts.length > 0)) throw new ConfigurationError(`${where} with an order: a number has none.`);
  const twice = sorts.find((one, index) => sorts.indexOf(one) < index);
  if (twice !== undefined) throw new ConfigurationError(`\`sorts\` of ${where} has \`${twice}\` twice.`);
  return {
    max,
    sort: sort === undefined ? undefined : parseOrder(sort, `\`sort\` of ${where}`),
    sorts: new Map(sorts.map((one) => [one, parseOrder(one, `\`sorts\` of ${where}`)])),
  };
}

/** The path has `%` in place of the id. A list has an order only if clients may sort it by all of its fields. */
function listBelow(
  path: string,
  { clientFields }: CompiledModel,
  orders: readonly (readonly [Children['sort'], ManyRelation['sort']])[],
  { prefix, maxSortKeys }: KnownLists,
): ListBelow {
  const isServed = (order: ManyRelation['sort']) =>
    order.length > 0 && order.length < maxSortKeys && order.every(([name]) => clientFields.get(name)?.sortable);
  const spell = (order: ManyRelation['sort']) => order.map(([name, direction]) => `${direction === -1 ? '-' : ''}${name}`).join(',');
  const queries = orders.flatMap(([sort, order]) => (isServed(order) ? [[sort, `?sort=${spell(order)}`] as const] : []));
  const byOrder = new Map(queries);
  return { prefix, pathTo: (id, order) => path.replace('%', () => encodeURIComponent(id)) + (byOrder.get(order) ?? '') };
}

/** The relations along a path of `include` of which clients may ask for less, by their own paths. */
export function narrowableAlong(path: readonly IncludedStep<GuardedSource>[]): [string, NarrowableStep][] {
  return path.flatMap((step, index): [string, NarrowableStep][] => {
    if (!isManyStep(step) || !step.isNarrowable) return [];
    const names = path.slice(0, index + 1).map(({ relation }) => relation.name);
    return [[names.join('.'), { max: step.children.max, sorts: [...step.sorts.keys()], step }]];
  });
}

/** A relation of which clients may ask for less, or for another order. */
export interface NarrowableStep extends Narrowable {
  readonly step: ManyStep<GuardedSource>;
}
