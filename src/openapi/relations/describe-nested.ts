import type { NestedResource } from '../../resource/define/compiled-resource.ts';
import { listQueryName, queryMethods } from '../../resource/define/endpoints.ts';
import type { Part, Schema } from '../document.ts';
import { describeOperation, json, type Particulars, type ResourceContext, recordAnswer } from '../operations/describe-operation.ts';
import { choosesId, pageAnswer } from '../operations/describe-resource.ts';
import { cachingHeaders, ifFree, link, location } from '../operations/headers.ts';
import { idParameter } from '../schemas/id-parameter.ts';
import { listBody, listParameters } from '../schemas/list-parameters.ts';

/**
 * The paths at which a resource serves the records that refer to one of its own: `<prefix>/<resource>/{id}/<relation>`.
 */
export function describeNested(context: ResourceContext): Record<string, Part> {
  const { api, resource } = context;
  return Object.fromEntries(
    resource.nested.flatMap((nested) => {
      const asked = (kind: string) => [
        { resource, operation: resource.shownBy ?? '' },
        { resource: nested.target, operation: kind === 'query' ? listQueryName : kind },
      ];
      const pathsOf = (path: string, isIn: (kind: string) => boolean) => {
        const operations = nested.operations.filter(({ kind, method }) => isIn(kind) && !queryMethods.includes(method));
        const described = operations.map(({ name, kind, method }) => [
          method.toLowerCase(),
          describeOperation(context, name, method, particulars[kind](context, nested), asked(kind)),
        ]);
        return described.length > 0 ? [[path, { parameters: [idParameter(resource)], ...Object.fromEntries(described) }]] : [];
      };
      const path = `${api.prefix}/${resource.path}/{id}/${nested.name}`;
      return [...pathsOf(path, (kind) => kind !== 'query'), ...pathsOf(`${path}/query`, (kind) => kind === 'query')];
    }),
  );
}

const particulars: Readonly<Record<'list' | 'query' | 'create', (context: ResourceContext, nested: NestedResource) => Particulars>> = {
  list({ resource, schemasOf, components }, { target, name }) {
    return {
      summary: `List ${target.model.name} records of one ${resource.model.name}`,
      description: `One page of the records that refer to this one (\`${name}\`), that the caller may see and that match every filter.`,
      parameters: listParameters(target, true),
      answers: {
        200: {
          description: 'A page of records.',
          headers: { Link: link(components), ...cachingHeaders(components, target.caching) },
          content: json(schemasOf(target.path).page as Schema),
        },
      },
    };
  },

  query({ resource, schemasOf, components }, { target, name }) {
    return {
      summary: `Query ${target.model.name} records of one ${resource.model.name}`,
      description: `The list of the records that refer to this one (\`${name}\`), with its parameters as the members of a body.`,
      body: listBody(target, true),
      answers: pageAnswer(components, target.caching, schemasOf(target.path).page as Schema),
    };
  },

  create(context, { target, name, via }) {
    const { resource, schemas, schemasOf, components } = context;
    const own = { ...context, resource: target };
    const isShown = target.model.clientFields.has(via.name); // a private field appears nowhere
    return {
      summary: `Create one ${target.model.name} of one ${resource.model.name}`,
      description: `Stores a new record that refers to this one${isShown ? `: the service sets \`${via.name}\`` : ''}. What is left out takes its default.`,
      ...(choosesId(target) ? { parameters: [ifFree(components)] } : {}),
      body: schemas.nested?.[name] as Schema,
      answers: { 201: recordAnswer(own, 'The new record.', { Location: location(components) }, schemasOf(target.path).read as Schema) },
    };
  },
};
