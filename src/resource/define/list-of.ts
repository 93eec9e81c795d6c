import type { LimitsOfLists, OptionsOfLists } from '../../features/list-types.ts';
import { addedTo, limitsOfLists, parametersOf, pickOfLists } from '../../middleware/exchange/further-parameters.ts';
import type { AddedToList, DescribedParameter, FilledOptions } from '../../middleware/exchange/list-plugin.ts';
import type { CompiledModel } from '../../model/compile/compile-model.ts';
import { fillIn } from '../../options.ts';
import type { CompiledResource } from './compiled-resource.ts';
import type { ResourceDefinition } from './resource-options.ts';

type ListOfResource = Pick<CompiledResource, 'model' | 'listOptions' | 'listLimits'>;

/** The options of plug-ins for the list of a resource, as the middlewares that read a list take them. */
export function optionsOfList({ listOptions, listLimits }: Omit<ListOfResource, 'model'>): FilledOptions {
  return { ...listLimits, ...listOptions };
}

/** What plug-ins add to the list of a resource. */
export function addedToListOf(resource: ListOfResource): readonly AddedToList[] {
  return addedTo(resource.model, optionsOfList(resource));
}

/** Describes the parameters that plug-ins add to the list of a resource: those that find records, or the others. */
export function describeAdded(resource: ListOfResource, finds: boolean): DescribedParameter[] {
  return parametersOf(addedToListOf(resource), finds).flatMap(({ describe }) => describe());
}

/** What plug-ins would add to the list of a resource that is being compiled, by the default limits. */
export function addedByDefinition(model: CompiledModel, definition: ResourceDefinition): readonly AddedToList[] {
  return addedTo(model, fillIn<OptionsOfLists & LimitsOfLists, typeof limitsOfLists>(pickOfLists(definition), limitsOfLists));
}
