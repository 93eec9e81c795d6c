import type { ObjectNode } from '../../model/node.ts';
import { problemReference } from '../../openapi/components.ts';
import type { Schema } from '../../openapi/document.ts';
import { type DescribeReads, NamedSchema, type SchemaShape, toSchemaName } from '../../openapi/schemas/named-schema.ts';
import { pageSchema } from '../../openapi/schemas/page-schema.ts';
import { readLeaf, valueSchema } from '../../openapi/schemas/value-schema.ts';
import { facetOf } from '../../resource/define/facet.ts';
import { readLive } from './options.ts';

/**
 * Describes one event of the streams that keep the list and the records of a resource true: OpenAPI 3.1 has no word for
 * a sequence of them.
 */
export const eventSchemas: DescribeReads = (root, resource, { record, page }) => {
  const { ops, model, paging } = resource;
  if (!facetOf(resource, readLive)) return {};
  const id = valueSchema(model.id.node, { leaf: readLeaf, object: () => ({ type: 'object' }) });
  const list = [
    event('page', 'The whole state, as in the answer in JSON.', page as Schema),
    event(
      'change',
      'What has changed since the event before.',
      changeSchema(record, id, pageSchema({ ...resource, paging: { ...paging, total: false } })),
    ),
    event('same', 'Nothing has changed since the event that `Last-Event-ID` names.', nothing),
    end,
  ];
  const one = [
    event('record', 'The record, as in the answer in JSON.', recordSchema(record, model.revision !== undefined)),
    event('gone', 'The caller sees no such record any more.', nothing),
    event('same', 'Nothing has changed since the event that `Last-Event-ID` names.', nothing),
    end,
  ];
  return {
    ...(ops.includes('list') ? { 'list.live': named(root, 'PageEvent', list) } : {}),
    ...(ops.includes('get') ? { 'get.live': named(root, 'RecordEvent', one) } : {}),
  };
};

function named(root: ObjectNode, shape: SchemaShape, events: readonly Schema[]): Schema {
  const schema = { description: 'An event of the stream. `data` is JSON on one line.', oneOf: events };
  const name = toSchemaName(root.name);
  return name === undefined ? schema : { $ref: new NamedSchema(name, 'record', shape, root, schema) };
}

function changeSchema(record: Schema, id: Schema, page: Schema): Schema {
  const properties = {
    put: { type: 'array', items: record, description: 'Records that are new or have changed, with all that the list shows of them.' },
    remove: { type: 'array', items: id, description: 'The ids of records that are no longer in the list.' },
    order: { type: 'array', items: id, description: 'All ids in their order; left out where what was known keeps its order.' },
    page,
  };
  return { type: 'object', properties, minProperties: 1 };
}

function recordSchema(record: Schema, hasRevision: boolean): Schema {
  const etag = hasRevision ? { etag: { type: 'string', description: 'The `ETag` of the record.' } } : {};
  const properties = { data: record, ...etag };
  return { type: 'object', properties, required: Object.keys(properties) };
}

const nothing: Schema = { type: 'object' };

const digest: Schema = { type: 'string', description: 'A digest of the state, to be sent as `Last-Event-ID`.' };

function event(name: string, description: string, data: Schema): Schema {
  const properties = { event: { type: 'string', enum: [name] }, id: digest, data };
  return { type: 'object', description, properties, required: Object.keys(properties) };
}

const end: Schema = {
  type: 'object',
  description: 'The last event: says why the stream ends.',
  properties: {
    event: { type: 'string', enum: ['end'] },
    data: { type: 'object', properties: { problem: problemReference }, required: ['problem'] },
  },
  required: ['event', 'data'],
};
