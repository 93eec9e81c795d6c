import type { ProblemCode } from '../../errors.ts';
import type { LimitsOfLists, OptionsOfLists } from '../../features/list-types.ts';
import { listPlugins } from '../../features/lists.ts';
import type { ErrorSink } from '../../http/query-errors.ts';
import { keyOf, type QueryParameter } from '../../http/query-string.ts';
import type { CompiledModel } from '../../model/compile/compile-model.ts';
import type { FurtherRead, PluginRules, ReadFurther } from '../../mongo/list/asked.ts';
import { notForWhole } from '../../mongo/list/list-settings.ts';
import type { LegalOptions, WithDefault } from '../../options.ts';
import { Invalid } from '../../rules.ts';
import type { AddedToList, FilledOptions, PluginParameter } from './list-plugin.ts';

/** What is legal for the options of plug-ins that resources have for their lists. */
export const legalOfLists: LegalOptions<OptionsOfLists> = Object.assign({}, ...listPlugins.map((one) => one.ofResources));

/** The limits of plug-ins for the lists of an api, with their defaults. */
export const limitsOfLists: { readonly [Name in keyof LimitsOfLists]-?: WithDefault<number> } = Object.assign(
  {},
  ...listPlugins.map(({ limits }) => limits),
);

/** What is legal for both as options of a middleware. */
export const optionsOfLists: LegalOptions<OptionsOfLists> & typeof limitsOfLists = Object.assign(
  {},
  ...listPlugins.map((one) => one.ofMiddlewares),
  limitsOfLists,
);

/** Takes the options of plug-ins for lists from those of a resource. */
export function pickOfLists(options: OptionsOfLists): OptionsOfLists {
  const names = Object.keys(legalOfLists) as (keyof OptionsOfLists)[];
  return Object.fromEntries(names.flatMap((name) => (options[name] === undefined ? [] : [[name, options[name]]])));
}

/** What plug-ins add to the list of a model, as its callers see it. */
export function addedTo(model: CompiledModel, options: FilledOptions): readonly AddedToList[] {
  return listPlugins.flatMap((plugin) => plugin.addTo(model, options) ?? []);
}

/** The parameters that plug-ins add to a list, or those of them that find records, or the others. */
export function parametersOf(added: readonly AddedToList[], finds?: boolean): PluginParameter[] {
  return added.flatMap(({ parameters }) => parameters).filter((one) => finds === undefined || one.finds === finds);
}

/** Their names. */
export function namesOf(added: readonly AddedToList[], finds?: boolean): string[] {
  return parametersOf(added, finds).map(({ name }) => name);
}

/** The problems that plug-ins add to those of a list. */
export function problemsOfAdded(added: readonly AddedToList[], method: string): ProblemCode[] {
  return added.flatMap(({ problems }) => problems?.(method) ?? []);
}

/** Loads what reads the parameters of plug-ins that a request has. Undefined for one without any: it loads nothing. */
export type LoadFurther = (given: readonly QueryParameter[]) => Promise<LoadedFurther> | undefined;

/** What reads the parameters of a request, and what asks the application about them. */
interface LoadedFurther {
  readonly read: ReadFurther;
  readonly ask: AddedToList['ask'];
}

/** Compiles how the parameters of plug-ins are read. Undefined for a list that has none. */
export function compileFurther(added: readonly AddedToList[], rules: PluginRules): LoadFurther | undefined {
  if (added.length === 0) return undefined;
  return (given) => {
    const asked = added.map((one) => takeFrom(given, one, rules)).filter(({ own }) => own.length > 0);
    return asked.length > 0 ? load(given, asked, rules) : undefined;
  };
}

/** What a request has for a plug-in. */
interface Taken {
  readonly by: AddedToList;
  readonly own: readonly QueryParameter[];
  /** The one that finds records. */
  readonly finder: QueryParameter | undefined;
}

function takeFrom(given: readonly QueryParameter[], by: AddedToList, { paging }: PluginRules): Taken {
  const known = by.parameters.filter(({ finds }) => finds || paging);
  const meantBy = (one: QueryParameter) => known.find(({ name, isMeant = isBare }) => name === one.name && isMeant(one));
  return { by, own: given.filter(meantBy), finder: given.find((one) => meantBy(one)?.finds) };
}

function isBare({ operator, isItem }: QueryParameter): boolean {
  return operator === undefined && !isItem;
}

/** One plug-in finds the records of a list: the last of several. The parameters of the others are refused. */
async function load(given: readonly QueryParameter[], taken: readonly Taken[], rules: PluginRules): Promise<LoadedFurther> {
  const isHere = ({ by }: Taken) => !(by.isOfPages && rules.isWhole);
  const finding = taken.findLast((one) => one.finder && isHere(one));
  const reading = taken.filter((one) => isHere(one) && (one === finding || !one.finder));
  const readers = await Promise.all(reading.map(async ({ by, own }) => ({ own, read: await by.load() })));
  const all = taken.flatMap(({ own }) => own);
  function read(errors: ErrorSink): FurtherRead {
    let result: FurtherRead = { asked: undefined, others: given.filter((one) => !all.includes(one)) };
    for (const { own, read } of readers) {
      const { asked, others } = read({ own, others: result.others }, rules, errors);
      result = { asked: asked ?? result.asked, others };
    }
    for (const one of taken.filter((one) => !reading.includes(one))) {
      const refusal = isHere(one) ? notBeside(finding?.finder?.name as string) : notForWhole;
      for (const key of new Set(one.own.map(keyOf))) errors.push(refusal.at(key));
    }
    return result;
  }
  return { read, ask: finding?.by.ask };
}

function notBeside(name: string): Invalid {
  return new Invalid('conflicting_parameter', `cannot stand beside ${name}: leave one of them out`, { with: name });
}
