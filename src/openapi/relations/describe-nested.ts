import type { NestedResource } from '../../resource/define/compiled-resource.ts';
import type { Schema } from '../document.ts';
import { json, type Particulars, type ResourceContext, recordAnswer } from '../operations/describe-operation.ts';
import { choosesId, pageAnswer } from '../operations/describe-standard.ts';
import { cachingHeaders, ifFree, link, location } from '../operations/headers.ts';
import { listBody, listParameters } from '../schemas/list-parameters.ts';

/** Describes an operation on the records that refer to one of the resource. */
export function describeNested(context: ResourceContext, nested: NestedResource, part: 'list' | 'query' | 'create'): Particulars {
  return particulars[part](context, nested);
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
