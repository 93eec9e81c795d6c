import type { CompiledModel } from '../model/compile/compile-model.ts';
import { standardOperations } from '../resource/define/standard-operations.ts';
import type { ServedResource, ServedRow } from '../resource/serve-resource.ts';
import { isOfRecord } from '../resource/table/row.ts';
import type { ApiDescription } from './api-description.ts';
import { Components } from './components.ts';
import { describeResource } from './describe-resource.ts';
import type { DocumentPart, OpenapiDocument, Schema } from './document.ts';
import { withCommonHeaders } from './operations/common-headers.ts';
import { describeDocument } from './operations/describe-document.ts';
import { findDoubtful, type NamedPart } from './schemas/find-doubtful.ts';
import { findIncluded } from './schemas/included-records.ts';
import { type Described, nameSchemas } from './schemas/name-schemas.ts';
import { toPascalCase } from './schemas/named-schema.ts';
import { describeRead, describeRecord, describeSelected, otherObjects, type RecordSchemas } from './schemas/record-schemas.ts';

/**
 * Throws a {@link ConfigurationError} if {@link buildDocument} would: if two different objects have one name, or if an
 * example does not fit. Only what may be refused is described for it.
 */
export function checkDocument(api: ApiDescription): void {
  nameSchemas(findDoubtful(listParts(api)).map(describePart));
}

/**
 * Builds the OpenAPI description of an api. Paths begin with its prefix. The server is the app's mount, usually `/`.
 *
 * Throws a {@link ConfigurationError} if two different objects have one name, or if an example does not fit.
 */
export function buildDocument(api: ApiDescription): OpenapiDocument {
  const components = new Components();
  const described = listParts(api).map(describePart);
  const { publish, resolve } = nameSchemas(described);
  for (const [name, schema] of Object.entries(publish())) components.refer('schemas', name, schema);
  const operationId = operationIds(api);
  const resolved = new Map(api.resources.map(({ path }, index) => [path, resolve(described[index]?.schemas as Schema) as RecordSchemas]));
  const schemasOf = (path: string) => resolved.get(path) as RecordSchemas;
  const paths = api.resources.map((resource) => {
    const schemas = schemasOf(resource.path);
    return describeResource({ api, resource, schemas, schemasOf, components, operationId: (row) => operationId(resource, row) });
  });
  const others = [
    ...api.beside.map((one) => one.describe(api, components)),
    ...(api.beforeDocument ? [describeDocument(api, components)] : []),
  ];
  const document: OpenapiDocument = {
    openapi: '3.1.0',
    info: api.info,
    servers: [{ url: '/' }],
    ...securityOf(api),
    tags: [
      ...api.resources.map((resource) => ({ name: resource.path, description: resource.description })),
      ...others.flatMap(({ tags }) => tags),
    ],
    paths: Object.assign({}, ...paths, ...others.map((one) => one.paths)) as Record<string, DocumentPart>,
    components: { ...components.all(), ...(Object.keys(api.securitySchemes).length > 0 ? { securitySchemes: api.securitySchemes } : {}) },
  };
  return withCommonHeaders(document, api.givesIds);
}

/** A part of an api whose schemas get names. */
interface DescribedPart extends NamedPart {
  describe(): RecordSchemas;
}

/** All resources, in their order, and then the models that are only included. */
function listParts({ resources }: ApiDescription): readonly DescribedPart[] {
  const included = findIncluded(resources);
  const partOf = ({ name, root }: CompiledModel, describe: DescribedPart['describe']) => ({
    path: name,
    model: name,
    records: root,
    others: [],
    describe,
  });
  return [
    ...resources.map((resource) => ({
      ...partOf(resource.model, () => describeRecord(resource, included)),
      path: resource.path,
      others: otherObjects(resource),
    })),
    ...included.models.map((model) => partOf(model, () => describeRead(model, included))),
    ...included.chosen.map((model) => partOf(model, () => describeSelected(model, included))),
  ];
}

function describePart({ path, describe }: DescribedPart): Described {
  return { path, schemas: describe() };
}

/**
 * Without schemes, the description of an api that authenticates has no `security`: the way to authenticate is unknown.
 */
function securityOf({ security, authenticates }: ApiDescription): Pick<OpenapiDocument, 'security'> {
  if (security.length > 0) return { security };
  return authenticates ? {} : { security: [] };
}

/**
 * Ids such as `listOrders` and `patchManyOrders`, from the path, and `getOrder` or `createOrder`, from the model. If
 * several resources have one model, the path's name is inserted as in the names of schemas: `getOrderArchive`. An
 * operation of a relation has the name of both: `listProjectTasks`.
 */
function operationIds({ resources }: ApiDescription): (resource: ServedResource, row: ServedRow) => string {
  const taken = new Set<string>();
  const uses = new Map<string, number>();
  for (const { model } of resources) uses.set(model.name, (uses.get(model.name) ?? 0) + 1);
  return function operationId({ model, path }, row) {
    const own = toPascalCase(path);
    const isShared = uses.get(model.name) !== 1;
    const name = `${toPascalCase(model.name)}${isShared ? own : ''}`;
    const [relation, kind] = row.name.split('.');
    const verb = row.name.replaceAll(/[-_]+(\w?)/g, (_match, letter: string) => letter.toUpperCase());
    const wanted = kind ? `${kind}${name}${toPascalCase(relation ?? '')}` : `${verb}${isOfMany(row) ? own : name}`;
    let id = wanted;
    for (let number = 2; taken.has(id); number++) id = `${wanted}${number}`;
    taken.add(id);
    return id;
  };
}

/** Whether an operation is about several records. */
function isOfMany({ subject, path }: ServedRow): boolean {
  if (subject.kind === 'read') return !isOfRecord(path);
  return subject.kind === 'standard' && standardOperations[subject.operation].isOfMany === true;
}
