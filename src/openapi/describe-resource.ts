import { insertAccess } from '../model/write/access.ts';
import type { CompiledResource } from '../resource/compiled-resource.ts';
import { type Operation, standardPlaces } from '../resource/resource-options.ts';
import { describeOperation, json, type Particulars, type ResourceContext, recordAnswer, recordHeaders } from './describe-operation.ts';
import type { Part, Schema } from './document.ts';
import { cachingHeaders, ifFree, ifMatch, ifNoneMatch, ifStillMatch, link, location, unlessMatch } from './headers.ts';
import { idParameter } from './id-parameter.ts';
import { fieldsParameters, includeParameter, listParameters } from './list-parameters.ts';

/** The paths of a resource, each with the standard operations that it serves. */
export function describeResource(context: ResourceContext): Record<string, Part> {
  const { api, resource } = context;
  const path = `${api.prefix}/${resource.path}`;
  const id = idParameter(resource);
  const all = describeStandard(context, ['list', 'create']);
  const one = describeStandard(context, ['get', 'patch', 'put', 'delete']);
  return {
    ...(Object.keys(all).length > 0 ? { [path]: all } : {}),
    ...(Object.keys(one).length > 0 ? { [`${path}/{id}`]: { parameters: [id], ...one } } : {}),
  };
}

function describeStandard(context: ResourceContext, operations: readonly Operation[]): Record<string, Part> {
  const served = operations.filter((operation) => context.resource.ops.includes(operation));
  return Object.fromEntries(
    served.map((operation) => {
      const { method } = standardPlaces[operation];
      return [method.toLowerCase(), describeOperation(context, operation, method, particulars[operation](context))];
    }),
  );
}

const particulars: Readonly<Record<Operation, (context: ResourceContext) => Particulars>> = {
  list(context) {
    const { resource, schemas, components } = context;
    return {
      summary: `List ${resource.model.name} records`,
      description: 'One page of the records that the caller may see and that match every filter.',
      parameters: listParameters(resource),
      answers: {
        200: {
          description: 'A page of records.',
          headers: { Link: link(components), ...cachingHeaders(components, resource.caching) },
          content: json(schemas.page as Schema),
        },
      },
    };
  },

  get(context) {
    const { resource, components } = context;
    const notModified = { 304: { description: 'The record is still the one that `If-None-Match` names.', ...recordHeaders(context) } };
    const parameters = [
      ...(resource.model.revision ? [ifNoneMatch(components)] : []),
      ifStillMatch(components),
      ...fieldsParameters(resource),
      ...includeParameter(resource),
    ];
    return {
      summary: `Get one ${resource.model.name}`,
      description: 'The record with this id.',
      parameters,
      answers: { 200: recordAnswer(context, 'The record.', {}, context.schemas.selected), ...(resource.model.revision ? notModified : {}) },
    };
  },

  create(context) {
    const { resource, schemas, components } = context;
    return {
      summary: `Create one ${resource.model.name}`,
      description: 'Stores a new record. What is left out takes its default.',
      ...(choosesId(resource) ? { parameters: [ifFree(components)] } : {}),
      body: schemas.create,
      answers: { 201: recordAnswer(context, 'The new record.', { Location: location(components) }) },
    };
  },

  patch(context) {
    const { resource, schemas } = context;
    const embedded = resource.mergePatch ? 'are merged into (RFC 7396)' : 'are replaced by what is sent';
    return {
      summary: `Change one ${resource.model.name}`,
      description: `Changes the fields that are sent, at once; null clears. Embedded objects ${embedded}; lists and maps are replaced.`,
      parameters: [ifMatch(context), unlessMatch(context.components)],
      body: schemas.patch,
      answers: { 200: recordAnswer(context, 'The record as it is now.') },
    };
  },

  put(context) {
    const { resource, schemas } = context;
    return {
      summary: `Replace one ${resource.model.name}`,
      description: 'Replaces everything that the caller may change, at once: what is left out returns to its default.',
      parameters: [ifMatch(context), unlessMatch(context.components)],
      body: schemas.put,
      answers: { 200: recordAnswer(context, 'The record as it is now.') },
    };
  },

  delete(context) {
    return {
      summary: `Delete one ${context.resource.model.name}`,
      description: 'Deletes the record with this id.',
      parameters: [ifMatch(context), unlessMatch(context.components)],
      answers: { 204: { description: 'The record is deleted.' } },
    };
  },
};

/** Whether clients choose the ids of the records that they create. */
function choosesId({ model, explicitWrites }: CompiledResource): boolean {
  return insertAccess({ explicitWrites }).refusal(model.id) === undefined;
}
