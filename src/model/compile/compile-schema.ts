import { ConfigurationError } from '../../errors.ts';
import { kinds } from '../../features/kinds.ts';
import { showName } from '../../hints.ts';
import { once, tryAll } from '../../mistakes.ts';
import { checkName, readStoredKey } from '../define/field-name.ts';
import { isOptional } from '../define/optional.ts';
import { type Policy, rulesOf } from '../define/policy.ts';
import { annotations, asSchema, checkKeywords, type GivenSchema, markers, pick, unwrapNull } from '../define/raw-schema.ts';
import type { Check } from '../define/schema.ts';
import { t } from '../define/t.ts';
import { type CompiledField, type FieldKind, join, type MapMerging, type ObjectNode, type Slot } from '../node.ts';
import { checkAliases, checkReference } from '../relations/check-reference.ts';
import { checkFlag, checkMaintained, checkMarkers } from './check-field.ts';
import { checkPolicy } from './check-policy.ts';
import { compileComputed } from './compile-computed.ts';
import { compileDefault } from './compile-default.ts';
import { compileLeaf } from './compile-leaf.ts';
import { checkAnnotations, compileConstraint } from './constraint.ts';
import { compileFilterKeys, policyOf } from './filter-keys.ts';

/**
 * Compiles the schema of a record or an embedded object into its fields. Everything that a request would otherwise look
 * up in the schema is resolved here, once. `path` is empty for a record. Throws a {@link ConfigurationError} that names
 * the field.
 */
export function compileObject(schema: GivenSchema, path: string): ObjectNode {
  checkKeywords(
    schema,
    ['type', 'properties', 'required', 'additionalProperties', 'objectName', 'check'],
    path,
    'an object with `properties`',
  );
  if (schema.additionalProperties ?? false) {
    throw new ConfigurationError(
      `\`additionalProperties\` of \`${path}\` must be false: an object has fields, a map (without \`properties\`) has keys.`,
    );
  }
  const properties = asSchema(schema.properties, path);
  const required = asNames(schema.required, properties, path);
  const parts = Object.entries(properties).map(
    ([name, property]) =>
      () =>
        compileField(name, property, required.has(name), path),
  );
  // The fields of an embedded object end at their first mistake: an object that contains itself twice would have more
  // than can be counted.
  const members = path === '' ? tryAll(parts) : parts.map((part) => part());
  checkAliases(
    members.map(({ field }) => field),
    path === '' ? '' : `${path}.`,
  );
  const fields = members.flatMap(({ field, computed }) => (computed === undefined ? field : []));
  checkKeys(fields, path);
  const byName = new Map(fields.map((field) => [field.name, field]));
  const node: ObjectNode = { kind: 'object', name: objectName(schema, path), fields, byName, check: asCheck(schema.check, path) };
  if (members.length === fields.length) return node;
  const sources = path === '' && !byName.has('id') ? new Map([...byName, ['id', impliedId()]]) : byName;
  const makings = members.flatMap(({ field, computed, policy }) =>
    computed === undefined ? [] : () => compileComputed(field, { given: computed, policy }, sources, path),
  );
  return { ...node, computed: tryAll(makings) };
}

/** Refuses two fields that would be one in the database. */
function checkKeys(fields: readonly CompiledField[], path: string): void {
  const byKey = new Map<string, CompiledField>();
  for (const field of fields) {
    const other = byKey.get(field.key);
    if (other)
      throw new ConfigurationError(
        `\`${join(path, other.name)}\` and \`${join(path, field.name)}\` are both stored as \`${field.key}\`: two fields cannot share a key.`,
      );
    byKey.set(field.key, field);
  }
}
/** The field of an id that a model does not declare. */
export const impliedId = once(
  () => compileObject({ properties: { id: t.objectId() }, required: ['id'] }, '').byName.get('id') as CompiledField,
);

function asCheck(check: unknown, path: string): Check | undefined {
  if (check === undefined || typeof check === 'function') return check as Check | undefined;
  throw new ConfigurationError(`\`check\` of ${path === '' ? 'a model' : `\`${path}\``} must be a function.`);
}

function asNames(required: unknown, properties: GivenSchema, path: string): ReadonlySet<unknown> {
  const names: unknown = required ?? [];
  if (!Array.isArray(names)) throw new ConfigurationError(`\`required\` of \`${path}\` must be an array of field names.`);
  const unknown = names.find((name) => typeof name !== 'string' || !Object.hasOwn(properties, name));
  if (unknown === undefined) return new Set(names);
  throw new ConfigurationError(`\`required\` of \`${path}\` names \`${showName(unknown)}\`, which is not one of its \`properties\`.`);
}

function objectName({ objectName, title }: GivenSchema, path: string): string | undefined {
  if (objectName === undefined) return typeof title === 'string' ? title : undefined;
  if (typeof objectName === 'string' && /^[A-Za-z0-9._-]+$/.test(objectName)) return objectName;
  throw new ConfigurationError(
    `The name of the embedded object \`${path}\` may have only letters, digits, dots, hyphens and underscores: \`t.object('Address', { … })\`.`,
  );
}

/** A member of an object as its schema describes it. */
interface Member {
  readonly field: CompiledField;
  /** What its value is made of. Undefined for one that is stored. */
  readonly computed: unknown;
  readonly policy: Policy;
}

function compileField(name: string, property: unknown, required: boolean, parent: string): Member {
  const path = join(parent, name);
  checkName(name, path, parent);
  const { schema, nullable } = unwrapNull(asSchema(property, path), path);
  checkAnnotations(schema, path);
  const slot = compileSlot(schema, nullable, path);
  const policy = schema.policy === undefined ? {} : checkPolicy(schema.policy, path);
  // Written out: V8 keeps an object of so many members that is made by spreading as a hash table, which is slow to make
  // and to read.
  const field: Growing<CompiledField> = {
    node: slot.node,
    nullable: slot.nullable,
    constraint: slot.constraint,
    name,
    key: readStoredKey(schema.stored, name, path),
    isId: path === 'id',
    optional: !required || isOptional(property),
    storeNone: checkFlag(schema.storeNone, 'storeNone', path),
    immutable: checkFlag(schema.immutable, 'immutable', path),
    unique: checkFlag(schema.unique, 'unique', path),
    index: checkFlag(schema.index, 'index', path, true),
    policy: policyOf(policy, slot.node),
    rules: rulesOf(policy),
    maintained: checkMaintained(schema.maintained, slot.node, path),
    kind: kindOf(schema, path),
    ref: checkReference(schema.ref, path),
    annotations: pick(schema, annotations),
    makeDefault: undefined,
  };
  checkMarkers(field, path);
  field.makeDefault = compileDefault(field, schema, path);
  return { field, computed: schema.computed, policy };
}

/** The kind that a schema says, of those that plug-ins add. */
function kindOf(schema: GivenSchema, path: string): FieldKind | undefined {
  return kinds.find(({ keyword }) => checkFlag(schema[keyword], keyword, path));
}

type Growing<Type> = { -readonly [Key in keyof Type]: Type[Key] };

/** Request bodies may not be nested deeper either. */
const maxDepth = 64;

function compileSlot(schema: GivenSchema, nullable: boolean, path: string): Slot {
  const steps = path.split('.');
  if (steps.length > maxDepth)
    throw new ConfigurationError(
      `\`${steps.slice(0, 3).join('.')}…\` is more than ${maxDepth} levels deep; perhaps an object contains itself. Refer to a record with \`t.ref\`, or use \`t.any()\` for values of any depth.`,
    );
  if (schema.hasMany !== undefined)
    throw new ConfigurationError(
      `\`${path}\` is a \`t.hasMany\`, which stands by itself and directly in the \`fields\` of a model, because it is not stored.`,
    );
  const { type } = schema;
  if (type === 'object' && schema.bsonType !== undefined) return compileLeaf(schema, nullable, path);
  if (type === 'object' && schema.properties !== undefined) return { node: compileObject(schema, path), nullable, constraint: undefined };
  if (type === 'object' && !('patternProperties' in schema)) return compileMap(schema, nullable, path);
  if (type === 'array' && !('prefixItems' in schema || 'contains' in schema)) return compileArray(schema, nullable, path);
  return compileLeaf(schema, nullable, path);
}

const mapKeywords = ['minProperties', 'maxProperties', 'propertyNames'] as const;

function compileMap(schema: GivenSchema, nullable: boolean, path: string): Slot {
  checkKeywords(schema, ['type', 'additionalProperties', 'merge', 'filterKeys', ...mapKeywords], path, 'a map');
  const values = compileItem(schema.additionalProperties, `${path}.*`);
  const keywords = pick(schema, mapKeywords);
  const merge = checkFlag(schema.merge, 'merge', path) ? compileMerging(values, keywords, path) : undefined;
  const filterKeys = compileFilterKeys(schema, values, path);
  return { node: { kind: 'map', values, keywords, merge, filterKeys }, nullable, constraint: compileConstraint('object', keywords, path) };
}

/** Each level takes nine levels of a command, which may have 200. */
const deepestMerge = 16;

function compileMerging({ nullable }: Slot, keywords: GivenSchema, path: string): MapMerging {
  if (nullable)
    throw new ConfigurationError(`\`${path}\` cannot have \`merge: true\`: its values may be null, and null removes a key (RFC 7396).`);
  if (path.split('.').filter((step) => step === '*').length >= deepestMerge)
    throw new ConfigurationError(
      `\`${path.slice(0, 20)}…\` cannot have \`merge: true\`: MongoDB takes no command that merges more than ${deepestMerge} maps in one another.`,
    );
  return {
    keys: compileConstraint('object', pick(keywords, ['propertyNames']), path),
    size: compileConstraint('object', pick(keywords, ['minProperties', 'maxProperties']), path),
  };
}

function compileArray(schema: GivenSchema, nullable: boolean, path: string): Slot {
  checkKeywords(schema, ['type', 'items', 'minItems', 'maxItems', 'uniqueItems'], path, 'an array');
  checkFlag(schema.uniqueItems, 'uniqueItems', path);
  const items = compileItem(schema.items, `${path}.*`);
  const keywords = pick(schema, ['minItems', 'maxItems', 'uniqueItems']);
  const constraint = compileConstraint('array', pick(schema, ['minItems', 'maxItems']), path);
  return { node: { kind: 'array', items, keywords }, nullable, constraint };
}

function compileItem(given: unknown, path: string): Slot {
  const item = given === undefined || given === true ? {} : asSchema(given, path);
  const { schema, nullable } = unwrapNull(item, path);
  const marker = markers.find((keyword) => keyword !== 'ref' && schema[keyword] !== undefined);
  if (marker)
    throw new ConfigurationError(`\`${path}\` cannot have \`${marker}\`: give it to the field, not to the items of an array or a map.`);
  if (isOptional(item))
    throw new ConfigurationError(
      `\`${path}\` cannot be optional: an item of an array or a map may be null (\`t.nullable\`), but not absent.`,
    );
  const ref = checkReference(schema.ref, path);
  checkAnnotations(schema, path);
  const slot = compileSlot(schema, nullable, path);
  return ref ? { ...slot, ref } : slot;
}
