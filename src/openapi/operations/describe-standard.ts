import { insertAccess } from '../../model/write/access.ts';
import type { CompiledResource } from '../../resource/define/compiled-resource.ts';
import type { Operation } from '../../resource/define/standard-operations.ts';
import type { DocumentPart, Schema } from '../document.ts';
import {
  deletedParameter,
  fieldsParameters,
  includeParameters,
  listBody,
  listParameters,
  manyParameters,
} from '../schemas/list-parameters.ts';
import { json, type Particulars, type ResourceContext, recordAnswer, recordHeaders } from './describe-operation.ts';
import type { Variants } from './describe-plugin.ts';
import { cachingHeaders, entityTag, ifFree, ifMatch, ifNoneMatch, ifStillMatch, link, location, unlessMatch } from './headers.ts';

/** Describes a standard operation, and its variants. */
export function describeStandard(context: ResourceContext, operation: Operation, variants: Variants): Particulars {
  return particulars[operation](context, variants);
}

/** Describes the list whose parameters stand in a body, and its variants. */
export function describeQuery({ resource, schemas, components }: ResourceContext, { description }: Variants): Particulars {
  return {
    summary: `Query ${resource.model.name} records`,
    description: `The list, with its parameters as the members of a body: for queries that are too long for a URL.${description}`,
    body: listBody(resource),
    answers: pageAnswer(components, resource.caching, schemas.page as Schema),
  };
}

/** The answer of a list whose parameters stand in a body: a `Link` cannot repeat them. */
export function pageAnswer(components: ResourceContext['components'], caching: CompiledResource['caching'], page: Schema): DocumentPart {
  return { 200: { description: 'A page of records.', headers: cachingHeaders(components, caching), content: json(page) } };
}

const particulars: Readonly<Record<Operation, (context: ResourceContext, variants: Variants) => Particulars>> = {
  list({ resource, schemas, components }, { description, parameters, headers, answer, content, isNegotiated }) {
    return {
      summary: `List ${resource.model.name} records`,
      description: `One page of the records that the caller may see and that match every filter.${description}`,
      parameters: [...listParameters(resource), ...parameters, ...headers],
      answers: {
        200: {
          description: `A page of records.${answer}`,
          headers: { Link: link(components), ...cachingHeaders(components, resource.caching, isNegotiated) },
          content: { ...json(schemas.page as Schema), ...content },
        },
      },
    };
  },

  get(context, variants) {
    const { resource, schemas, components } = context;
    const notModified = { 304: { description: 'The record is still the one that `If-None-Match` names.', ...recordHeaders(context) } };
    const parameters = [
      ...(resource.model.revision ? [ifNoneMatch(components)] : []),
      ifStillMatch(components),
      ...fieldsParameters(resource),
      ...includeParameters(resource),
      ...variants.parameters,
      ...deletedParameter(resource),
      ...variants.headers,
    ];
    const headers = variants.isNegotiated ? ofNegotiated(context) : {};
    const { content, ...answer } = recordAnswer(context, `The record.${variants.answer}`, headers, schemas.selected, variants.beside);
    return {
      summary: `Get one ${resource.model.name}`,
      description: `The record with this id.${variants.description}`,
      parameters,
      answers: {
        200: { ...answer, content: { ...(content as DocumentPart), ...variants.content } },
        ...(resource.model.revision ? notModified : {}),
      },
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
    return {
      summary: `Change one ${resource.model.name}`,
      description: `Changes the fields that are sent, at once; null clears. Embedded objects ${embedded(resource)}; lists and maps are replaced.`,
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
    const { model, ops } = context.resource;
    const kept = ops.includes('restore') ? ' It can be restored.' : '';
    return {
      summary: `Delete one ${model.name}`,
      description: `Deletes the record with this id.${kept}`,
      parameters: [ifMatch(context), unlessMatch(context.components)],
      answers: { 204: { description: 'The record is deleted.' } },
    };
  },

  restore(context) {
    return {
      summary: `Restore one ${context.resource.model.name}`,
      description: 'Brings back the deleted record with this id.',
      parameters: [ifMatch(context), unlessMatch(context.components)],
      answers: { 200: recordAnswer(context, 'The record as it is now.') },
    };
  },

  patchMany(context) {
    const { resource, schemas } = context;
    const fields = `Embedded objects ${embedded(resource)}; lists and maps are replaced`;
    return {
      summary: `Change ${resource.model.name} records that match a filter`,
      description: `Changes the fields that are sent in every record that matches, all of them or none. ${fields}. ${requiresFilter}`,
      parameters: manyParameters(resource),
      body: schemas.patch,
      answers: { 200: countsAnswer('All records that match are changed.') },
    };
  },

  deleteMany({ resource }) {
    return {
      summary: `Delete ${resource.model.name} records that match a filter`,
      description: `Deletes every record that matches, all of them or none. ${requiresFilter}`,
      parameters: manyParameters(resource),
      answers: { 200: countsAnswer('All records that match are deleted.') },
    };
  },
};

/** The headers of a record that differ where something without an entity tag may be answered in its place. */
function ofNegotiated({ resource: { model, caching }, components }: ResourceContext): DocumentPart {
  return { ...(model.revision ? { ETag: entityTag(components, false) } : {}), ...cachingHeaders(components, caching, true) };
}

const requiresFilter = 'At least one filter is required. `If-Match` is not supported.';

function embedded({ mergePatch }: CompiledResource): string {
  return mergePatch ? 'are merged into (RFC 7396)' : 'are replaced by what is sent';
}

/** The answer of a write to many records. */
function countsAnswer(description: string): DocumentPart {
  const count = (words: string) => ({ type: 'integer', minimum: 0, description: words });
  const properties = { matched: count('How many records have matched.'), modified: count('How many of them were written to.') };
  const data = { type: 'object', properties, required: Object.keys(properties) };
  return { description, content: json({ type: 'object', properties: { data }, required: ['data'] }) };
}

/** Whether clients choose the ids of the records that they create. */
export function choosesId({ model, explicitWrites }: CompiledResource): boolean {
  return insertAccess({ explicitWrites }).refusal(model.id) === undefined;
}
