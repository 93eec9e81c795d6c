import { schemasOfReads } from '../../features/schemas.ts';
import type { CompiledModel } from '../../model/compile/compile-model.ts';
import { type CompiledField, type MapNode, type Node, type ObjectNode, relationSlot } from '../../model/node.ts';
import { readableComputed } from '../../model/read/computed-fields.ts';
import { readableFields } from '../../model/read/private-fields.ts';
import { hasNextName, listName } from '../../model/relations/many-relations.ts';
import {
  type Access,
  holdsClosedValues,
  holdsProtectedValues,
  insertAccess,
  isMergingMap,
  isRequired,
  maySend,
  patchAccess,
  updateAccess,
  type WriteRules,
} from '../../model/write/access.ts';
import { makeId } from '../../model/write/compile-writes.ts';
import type { EmbeddedMode } from '../../model/write/plan-changes.ts';
import { refusalOfNull } from '../../model/write/read-value.ts';
import type { CompiledResource } from '../../resource/define/compiled-resource.ts';
import { isRead, isWriteOfMany, type Operation } from '../../resource/define/standard-operations.ts';
import type { Schema } from '../document.ts';
import { annotate } from './annotate.ts';
import { type IncludedRecords, type Inclusions, nothingIncluded } from './included-records.ts';
import { isReadable, NamedSchema, type SchemaShape, toSchemaName } from './named-schema.ts';
import { pageSchema } from './page-schema.ts';
import { isUntyped, mapSchema, readLeaf, valueSchema, withNull, withoutNull, writeLeaf } from './value-schema.ts';

/** The schemas of the bodies and answers of the operations that a resource serves. */
export interface RecordSchemas {
  readonly read?: Schema;
  /** The schema of the records of list and get, if clients may choose the fields. */
  readonly selected?: Schema;
  /** The schema of the answer of list. */
  readonly page?: Schema;
  /** The schemas of what the reads of plug-ins answer, by the names of their rows. */
  readonly reads?: Readonly<Record<string, Schema>>;
  readonly create?: Schema;
  readonly patch?: Schema;
  readonly put?: Schema;
  /** The schemas of the bodies of creates below a record, by the relation: the reference need not be sent. */
  readonly nested?: Readonly<Record<string, Schema>>;
  /** The schemas of the bodies of custom operations, by name, if they are known. */
  readonly bodies?: Readonly<Record<string, Schema>>;
  /** The schemas of the answers of custom operations, with their envelope, if they are known and not records. */
  readonly answers?: Readonly<Record<string, Schema>>;
}

/** A property of an object schema. */
interface Member {
  readonly name: string;
  readonly schema: Schema;
  readonly isRequired: boolean;
}

/**
 * Describes what clients of a resource read and may send. The functions that validate bodies decide which fields a
 * client may write. A private field is in no schema, even if clients may write it, except in those of the bodies that
 * must contain it. `included` says where records may replace their ids.
 */
export function describeRecord(resource: CompiledResource, included: Inclusions): RecordSchemas {
  const { ops, operations, model } = resource;
  const isSelected = resource.fields && ops.some(isRead);
  const isShown =
    ops.some((operation) => answersRecord(operation) && !(isSelected && isRead(operation))) ||
    operations.some(({ answer }) => answer === 'record' || answer === 'records' || answer === 'page');
  const root: ObjectNode = { ...resource.model.root, name: resource.model.name };
  const read: RecordSchemas = isShown ? describeRead(model, included) : {};
  const selected: RecordSchemas = isSelected ? describeSelected(model, included) : {};
  const shown = (selected.selected ?? read.read) as Schema;
  const page = ops.includes('list') ? describePage(root, resource, shown) : undefined;
  return {
    ...read,
    ...selected,
    ...(page ? { page } : {}),
    reads: Object.assign({}, ...schemasOfReads.map((describe) => describe(root, resource, { record: shown, page }))),
    ...(ops.includes('create') ? { create: describeBody(model, 'create', resource) } : {}),
    ...(ops.includes('patch') || ops.includes('patchMany') ? { patch: describeBody(model, 'patch', resource) } : {}),
    ...(ops.includes('put') ? { put: describeBody(model, 'put', resource) } : {}),
    ...describeNested(resource),
    ...describeOwn(resource),
  };
}

/** Describes what clients may send of a model's records. */
export function describeBody({ root, name }: CompiledModel, operation: 'create' | 'patch' | 'put', rules: WriteRules): Schema {
  const node = { ...root, name };
  switch (operation) {
    case 'create':
      return describe(node, 'Create', wholeMembers(node, insertAccess(rules)), 'record');
    case 'patch':
      return describe(node, 'Patch', changeMembers(node, patchAccess(rules), rules.mergePatch === false ? 'replace' : 'merge'), 'record');
    case 'put':
      return describe(node, 'Put', changeMembers(node, updateAccess(rules), 'put'), 'record');
  }
}

function answersRecord(operation: Operation): boolean {
  return operation !== 'delete' && !isWriteOfMany(operation);
}

function describePage(root: ObjectNode, resource: CompiledResource, shown: Schema): Schema {
  const members = [
    { name: 'data', schema: { type: 'array', items: shown }, isRequired: true },
    { name: 'page', schema: pageSchema(resource), isRequired: true },
  ];
  return describe(root, 'Page', members, 'record');
}

/** Describes what is read of a model's records. */
export function describeRead(model: CompiledModel, included: Inclusions): Pick<RecordSchemas, 'read'> {
  return { read: describeShown(model, included, 'Read') };
}

/** Describes what is read of a model's records if clients choose the fields: of those, and of the records in them. */
export function describeSelected(model: CompiledModel, included: Inclusions): Pick<RecordSchemas, 'selected'> {
  return { selected: describeShown(model, included, 'Selected') };
}

function describeShown(model: CompiledModel, included: Inclusions, shape: 'Read' | 'Selected'): Schema {
  const { root, name } = model;
  const records = included.recordsIn(model, shape);
  return describe({ ...root, name }, shape, [...readMembers(root, records, shape), ...manyMembers(records)], 'record');
}

/**
 * Describes the bodies of creates below a record, in place: only the field that the service sets makes them other
 * schemas.
 */
function describeNested({ nested }: CompiledResource): RecordSchemas {
  const creating = nested.filter(({ operations }) => operations.some(({ kind }) => kind === 'create'));
  const bodies = creating.map(({ name, via, target }): [string, Schema] => {
    const members = wholeMembers(target.model.root, insertAccess(target));
    const replaced = { schema: { description: 'Replaced by the id in the path, whatever it is.' }, isRequired: false };
    const open = members.map((one) => (one.name === via.name ? { ...one, ...replaced } : one));
    return [name, describe({ ...target.model.root, name: undefined }, 'Create', open)];
  });
  return bodies.length > 0 ? { nested: Object.fromEntries(bodies) } : {};
}

/**
 * Describes the bodies and answers of custom operations. They are written in place, because nothing else refers to
 * them.
 */
function describeOwn({ operations }: CompiledResource): RecordSchemas {
  const insert = insertAccess({});
  const bodies = operations.flatMap(({ name, body }): [string, Schema][] => {
    if (body === undefined) return [];
    if (body === 'any') return [[name, { type: 'object' }]];
    const schema = describe({ ...body, name: undefined }, 'Create', wholeMembers(body, insert));
    return [[name, body.name === undefined ? schema : { title: body.name, ...schema }]];
  });
  const answers = operations.flatMap(({ name, answer }): [string, Schema][] =>
    typeof answer === 'object' ? [[name, describe(answer.node, 'Read', readMembers(answer.node, nothingIncluded, 'Read'))]] : [],
  );
  return { bodies: Object.fromEntries(bodies), answers: Object.fromEntries(answers) };
}

/** The objects that a resource describes beside its records: those of other bodies and answers. */
export function otherObjects({ nested, operations }: CompiledResource): ObjectNode[] {
  const own = operations.flatMap(({ body, answer }) => [body, typeof answer === 'object' ? answer.node : undefined]);
  return [...nested.map(({ target }) => target.model.root), ...own.filter((one) => typeof one === 'object')];
}

/** Returns a reference to the schema of the object. An object without a name is described in place. */
function describe(node: ObjectNode, shape: SchemaShape, members: readonly Member[], kind: 'record' | 'embedded' = 'embedded'): Schema {
  const required = members.filter((member) => member.isRequired).map((member) => member.name);
  const schema = {
    type: 'object',
    properties: Object.fromEntries(members.map((member) => [member.name, member.schema])),
    ...(required.length > 0 ? { required } : {}),
  };
  const name = toSchemaName(node.name);
  if (name !== undefined) return { $ref: new NamedSchema(name, kind, shape, node, schema) };
  return isReadable(shape) ? schema : { ...schema, additionalProperties: false };
}

/** The members that clients read. In `Selected` only the id is required. */
function readMembers(node: ObjectNode, included: IncludedRecords, shape: 'Read' | 'Selected'): Member[] {
  const object = (embedded: ObjectNode) => describe(embedded, shape, readMembers(embedded, included, shape));
  const computed = readableComputed(node).map(({ field }): Member => {
    const schema = valueSchema(field.node, { leaf: readLeaf, object });
    const shown = annotate(field.nullable ? withNull(schema) : schema, field, 'read');
    return {
      name: field.name,
      schema: { ...shown, readOnly: true },
      isRequired: shape === 'Read' && !(field.optional || field.rules?.read),
    };
  });
  const stored = readableFields(node).flatMap((field) => {
    const slot = relationSlot(field);
    const record = slot && included.referred.get(slot);
    const isReplaced = record && slot.ref.as === undefined;
    const schema = valueSchema(field.node, { leaf: isReplaced ? (leaf) => ({ anyOf: [readLeaf(leaf), record] }) : readLeaf, object });
    const own = {
      name: field.name,
      schema: annotate(field.nullable ? withNull(schema) : schema, field, 'read'),
      isRequired: shape === 'Read' ? !(field.optional || field.rules?.read) : field.isId,
    };
    return record && slot.ref.as !== undefined
      ? [own, { name: slot.ref.as, schema: addedSchema(field.node, record), isRequired: false }]
      : [own];
  });
  return [...stored, ...computed];
}

/** The members that `include` adds beside ids: the record of each, or null. Without `include` they are missing. */
function addedSchema(node: Node, record: Schema): Schema {
  return withNull(node.kind === 'array' ? { type: 'array', items: addedSchema(node.items.node, record) } : record);
}

/**
 * The members that `include` adds for relations by `t.hasMany`: the records or their number, and whether there are
 * more, and where.
 */
function manyMembers({ many }: IncludedRecords): Member[] {
  return many.flatMap(({ relation: { name, max, isCount }, record, isListed }) => {
    const value = isCount ? { type: 'integer', minimum: 0, maximum: max } : { type: 'array', items: record, maxItems: max };
    const hasNext = { type: 'boolean', enum: [true], description: `Whether there are more than \`${name}\` says. Left out if not.` };
    const list = { type: 'string', format: 'uri-reference', description: `The path of the list of all of \`${name}\`, if there are more.` };
    return [
      { name, schema: value, isRequired: false },
      { name: hasNextName(name), schema: hasNext, isRequired: false },
      ...(isListed ? [{ name: listName(name), schema: list, isRequired: false }] : []),
    ];
  });
}

/** The members of an object that is sent as a whole: the body of a create, or the replacement of an embedded object. */
function wholeMembers(node: ObjectNode, access: Access): Member[] {
  return node.fields.flatMap((field) => {
    if (access.refusal(field) !== undefined) return [];
    return member(field, wholeValue(field, access), access, isRequired(field) && !isMade(field) && !mayLack(field, access));
  });
}

/** Whether some callers may not send the field. */
function mayLack({ rules }: CompiledField, { existing }: Access): boolean {
  return rules !== undefined && (rules.read ?? (existing ? rules.update : rules.insert)) !== undefined;
}

/** Whether the service generates a missing value: an id of some types. */
function isMade(field: CompiledField): boolean {
  return field.isId && makeId(field) !== undefined;
}

function wholeValue(field: CompiledField, access: Access): Schema | undefined {
  if (!maySend(field, access)) return undefined;
  const shape = access.existing ? 'Replace' : 'Create';
  const object = (embedded: ObjectNode) => describe(embedded, shape, wholeMembers(embedded, access));
  return valueSchema(field.node, { leaf: writeLeaf, object });
}

/** A value that is written key by key: an object, or a map in a patch. Any other value is sent as a whole. */
function mergedValue(field: CompiledField, access: Access, mode: EmbeddedMode): Schema | undefined {
  if (field.node.kind === 'object') return changeValue(field.node, access, mode);
  return isMergingMap(field.node, access) ? mergedKeys(field, field.node, access) : wholeValue(field, access);
}

/** How many keys the map will have depends on what is stored: the body alone is not bound by it. */
function mergedKeys(field: CompiledField, { values, keywords }: MapNode, access: Access): Schema {
  const value = mergedValue({ ...field, ...values }, access, 'merge') ?? {};
  const { minProperties: _, maxProperties: __, ...ofKeys } = keywords;
  return { ...mapSchema(holdsProtectedValues(values.node, access) ? value : withNull(value), ofKeys), 'x-merge': true };
}

/** The members of a patch or put: those of the record, and of embedded objects that are written key by key. */
function changeMembers(node: ObjectNode, access: Access, mode: EmbeddedMode): Member[] {
  return node.fields.flatMap((field) => {
    if (access.refusal(field) !== undefined) return [];
    const holdsClosed = holdsClosedValues(field.node, access);
    const isByKey = mode === 'merge' || (field.node.kind === 'object' && holdsProtectedValues(field.node, access));
    const value = isByKey ? mergedValue(field, access, mode) : wholeValue(field, access);
    return member(field, value, access, mode === 'put' && !holdsClosed && isRequired(field) && !mayLack(field, access));
  });
}

function changeValue(node: ObjectNode, access: Access, mode: EmbeddedMode): Schema {
  return describe(node, mode === 'put' ? 'Put' : 'Patch', changeMembers(node, access, mode));
}

/** A private field is shown only if it must be sent: otherwise no body would fit both the schema and the service. */
function member(field: CompiledField, value: Schema | undefined, access: Access, isRequired: boolean): Member[] {
  const { private: isPrivate } = field.policy;
  const schema = refusalOfNull(field, access) === undefined ? orNull(value) : value && (isUntyped(field.node) ? withoutNull(value) : value);
  if (!schema || (isPrivate && !isRequired)) return [];
  const annotated = annotate(schema, field, access);
  return [{ name: field.name, schema: isPrivate ? { ...annotated, writeOnly: true } : annotated, isRequired }];
}

function orNull(value: Schema | undefined): Schema {
  return value ? withNull(value) : { type: 'null' };
}
