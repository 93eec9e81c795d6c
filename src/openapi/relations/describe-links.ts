import type { LinkedArray } from '../../resource/define/compiled-resource.ts';
import type { Particulars, ResourceContext } from '../operations/describe-operation.ts';
import { ifMatch, unlessMatch } from '../operations/headers.ts';

/** Describes the operation that adds a single reference to an array, or the one that removes it. */
export function describeLink(context: ResourceContext, { field, source }: LinkedArray, kind: 'add' | 'remove'): Particulars {
  const { resource, components } = context;
  const [one, other] = [resource.model.name, source.model.name];
  const parameters = [ifMatch(context), unlessMatch(components)];
  if (kind === 'add')
    return {
      summary: `Add one ${other} to one ${one}`,
      description: `Adds the id of the other record to \`${field.name}\`, unless it is there already.`,
      parameters,
      answers: { 204: { description: `The id is in \`${field.name}\`.` } },
    };
  return {
    summary: `Remove one ${other} from one ${one}`,
    description: `Removes the id of the other record from \`${field.name}\`, if it is there. The other record stays.`,
    parameters,
    answers: { 204: { description: `The id is not in \`${field.name}\`.` } },
  };
}
