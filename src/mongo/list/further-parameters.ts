import { listPlugins } from '../../features/lists.ts';
import type { QueryParameter } from '../../http/query-string.ts';
import type { QueryFields } from '../../model/compile/query-fields.ts';
import { all } from '../predicate/predicate.ts';
import type { Asked, DescribedParameter, FurtherRead, ListPlugin, PluginRules, ReadFurther } from './list-plugin.ts';

/** The names of the parameters that plug-ins add to a list of these fields. */
export function furtherNames(fields: QueryFields): string[] {
  return parametersOf(fields).map(({ name }) => name);
}

/** The names of those that find records: what tells of a list without its pages has them, too. */
export function findingNames(fields: QueryFields): string[] {
  return parametersOf(fields).flatMap(({ name, finds }) => (finds ? [name] : []));
}

/** The descriptions of those that find records, or of the others. */
export function describeFurther(fields: QueryFields, finds: boolean): DescribedParameter[] {
  return parametersOf(fields).flatMap((one) => (one.finds === finds ? one.describe(fields) : []));
}

/** The members that plug-ins add to `page` of an answer: their JSON Schemas. */
export function furtherOfPage(fields: QueryFields): Readonly<Record<string, object>> {
  return Object.assign({}, ...pluginsOf(fields).map(({ ofPage }) => ofPage));
}

/** Loads what reads the parameters of plug-ins that a request has. Undefined for one without any: it loads nothing. */
export type LoadFurther = (given: readonly QueryParameter[]) => Promise<ReadFurther> | undefined;

/** Compiles how the parameters of plug-ins are read. Undefined for a list that has none. */
export function compileFurther(rules: PluginRules): LoadFurther | undefined {
  const plugins = pluginsOf(rules.own);
  if (plugins.length === 0) return undefined;
  return (given) => {
    const names = new Set(given.map(({ name }) => name));
    const asked = plugins.filter(({ parameters }) => parameters.some(({ name }) => names.has(name)));
    return asked.length > 0 ? load(asked, rules) : undefined;
  };
}

async function load(plugins: readonly ListPlugin[], rules: PluginRules): Promise<ReadFurther> {
  const readers = await Promise.all(plugins.map((plugin) => plugin.load()));
  return (given, errors) =>
    readers.reduce<FurtherRead>(
      (before, read) => {
        const { asked, others } = read(before.others, rules, errors);
        return { asked: both(before.asked, asked), others };
      },
      { asked: undefined, others: given },
    );
}

/** What the parameters of two plug-ins ask for together. Only one of them can order a list. */
function both(first: Asked | undefined, second: Asked | undefined): Asked | undefined {
  if (!first || !second) return first ?? second;
  if (first.order && second.order) throw new Error('Two plug-ins order one list: one of them must refuse the parameters of the other.');
  const order = first.order ?? second.order;
  return { within: all(first.within, second.within), ...(order && { order }) };
}

function parametersOf(fields: QueryFields): ListPlugin['parameters'] {
  return pluginsOf(fields).flatMap(({ parameters }) => parameters);
}

function pluginsOf(fields: QueryFields): ListPlugin[] {
  return listPlugins.filter((plugin) => plugin.isIn(fields));
}
