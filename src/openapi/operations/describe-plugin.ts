import type { PluginWrite } from '../../resource/table/row.ts';
import type { Particulars, ResourceContext } from './describe-operation.ts';
import { ifMatch, unlessMatch } from './headers.ts';

/** Describes a write of one record that a plug-in has. */
export function describePlugin(context: ResourceContext, { summary, description, done }: PluginWrite): Particulars {
  const parameters = [ifMatch(context), unlessMatch(context.components)];
  return { summary, description, parameters, answers: { 204: { description: done } } };
}
