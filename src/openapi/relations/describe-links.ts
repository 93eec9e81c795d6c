import type { LinkedArray } from '../../resource/define/compiled-resource.ts';
import type { Part } from '../document.ts';
import { describeOperation, type Particulars, type ResourceContext } from '../operations/describe-operation.ts';
import { ifMatch, unlessMatch } from '../operations/headers.ts';
import { idParameter, otherParameter } from '../schemas/id-parameter.ts';

/**
 * The paths at which clients add single references to an array, and remove them:
 * `<prefix>/<resource>/{id}/<relation>/{other}`.
 */
export function describeLinks(context: ResourceContext): Record<string, Part> {
  const { api, resource } = context;
  return Object.fromEntries(
    resource.links.map((link) => {
      const operations = link.operations.map(({ name, kind, method }) => [
        method.toLowerCase(),
        describeOperation(context, name, method, describeParticulars(context, link, kind), [{ resource, operation: 'patch' }]),
      ]);
      const parameters = [idParameter(resource), otherParameter(link.source.model)];
      return [`${api.prefix}/${resource.path}/{id}/${link.name}/{other}`, { parameters, ...Object.fromEntries(operations) }];
    }),
  );
}

function describeParticulars(context: ResourceContext, { field, source }: LinkedArray, kind: 'add' | 'remove'): Particulars {
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
