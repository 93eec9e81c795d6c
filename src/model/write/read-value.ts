import { nearest } from '../../hints.ts';
import { Invalid } from '../../rules.ts';
import { type ArrayNode, absent, type CompiledField, join, type LeafNode, type MapNode, type ObjectNode, type Slot } from '../node.ts';
import type { Leaf } from '../value/leaf.ts';
import { anyLeaf } from '../value/leaves.ts';
import { isObject, own } from '../value/plain-object.ts';
import { hasEqualItems } from '../value/unique-items.ts';
import { isStorableKey, unstorableKey } from '../value/untyped.ts';
import { type Access, holdsProtectedValues, isMergingMap, needsServer, unknownField } from './access.ts';
import { compileCheck } from './check.ts';
import type { Report } from './report.ts';

/**
 * Converts a value that was sent to stored form, or adds errors to the report. The result is valid only if no error was
 * added.
 */
export type ReadValue = (value: unknown, path: string, report: Report) => unknown;

/** The error of null for a value that only the server may clear. */
export const unclearable = new Invalid('not_clearable', 'cannot be set to null: it holds values that only the server may clear');
/** The error of a value that cannot be replaced, because only the server may set a part of it. */
export const unreplaceable = new Invalid('not_replaceable', 'cannot be replaced: it holds values that only the server may set');
const isNull = new Invalid('not_null', 'must not be null');
const isNullOnCreate = new Invalid('not_null', 'must not be null: leave it out');
/** The error of a value that is not an object. */
export const notObject = new Invalid('type', 'must be an object', { type: 'object' });
const notArray = new Invalid('type', 'must be a list', { type: 'array' });
const equalItems = new Invalid('uniqueItems', 'must not have equal items');

const isComputed = new Invalid('not_writable', 'is computed from other fields');

/** The error of a required field that was left out. */
export const isRequiredButMissing = new Invalid('required', 'is required');

/**
 * Compiles the reader of a field. The field's markers decide about null, its type about all other values. If closed
 * values are protected, a field that holds some cannot be set to null, and an array or map that holds some cannot be
 * replaced.
 */
export function compileFieldReader(field: CompiledField, access: Access): ReadValue {
  const isProtected = holdsProtectedValues(field.node, access);
  const isMerged = field.node.kind === 'object' || (access.mergesMaps === true && isMergingMap(field.node, access));
  const read = isProtected && !isMerged ? refuseReplacement : compileNodeReader(field, access);
  const isNullRead = access.takesNull === true && field.node.kind === 'leaf' && field.node.leaf === anyLeaf;
  const refusal = refusalOfNull(field, access);
  return function readField(value, path, report) {
    if (value !== null || isNullRead) return read(value, path, report);
    if (refusal) report.add(path, refusal);
    else if (field.nullable && field.storeNone) return null;
    return absent;
  };
}

/**
 * The error of null for a field, which depends on its markers, and on whether the record exists. Undefined if null is
 * legal.
 */
export function refusalOfNull(field: CompiledField, access: Access): Invalid | undefined {
  if (holdsProtectedValues(field.node, access)) return unclearable;
  if (field.nullable) return undefined;
  if (!field.optional) return isNull;
  return access.existing ? undefined : isNullOnCreate;
}

function refuseReplacement(_value: unknown, path: string, report: Report): unknown {
  report.add(path, unreplaceable);
  return absent;
}

/**
 * Compiles the reader of an item of an array or a value of a map. There null is stored as null, and is a legal value of
 * `t.any()`.
 */
export function compileItemReader(slot: Slot, access: Access): ReadValue {
  const read = compileNodeReader(slot, access);
  const isUntyped = slot.node.kind === 'leaf' && slot.node.leaf === anyLeaf;
  return function readItem(value, path, report) {
    if (value !== null || (isUntyped && !slot.nullable)) return read(value, path, report);
    if (!slot.nullable) report.add(path, isNull);
    return null;
  };
}

function compileNodeReader(slot: Slot, access: Access): ReadValue {
  switch (slot.node.kind) {
    case 'leaf':
      return compileLeafReader(slot, slot.node, access);
    case 'object':
      return compileObjectReader(slot.node, access);
    case 'array':
      return compileArrayReader(slot, slot.node, access);
    case 'map':
      return compileMapReader(slot, slot.node, access);
  }
}

function compileLeafReader({ constraint }: Slot, { leaf }: LeafNode, access: Access): ReadValue {
  const read = readerOf(leaf, access);
  return function readLeaf(value, path, report) {
    const stored = read(value);
    if (stored instanceof Invalid) {
      report.add(path, stored);
      return absent;
    }
    const broken = constraint?.(leaf === anyLeaf ? value : leaf.toDocument(stored));
    if (broken !== undefined) report.add(path, broken);
    return stored;
  };
}

function readerOf(leaf: Leaf, { source }: Access): (value: unknown) => unknown {
  if (source === 'json') return leaf.fromJson;
  return (source === 'stored' && leaf.fromStored) || leaf.fromDocument;
}

/** Compiles the reader of a whole embedded object. Unsent keys take their defaults; unsent required keys are errors. */
export function compileObjectReader(node: ObjectNode, access: Access): ReadValue {
  const members = node.fields.map((field) => ({ field, refusal: access.refusal(field), read: compileFieldReader(field, access) }));
  const refuseKeys = compileKeyCheck(node, access);
  const reportMissing = compileMissing(node, access);
  const runCheck = access.defersChecks ? undefined : compileCheck(node, access.source === 'json' ? access : undefined);
  return function readObject(value, path, report) {
    if (!isObject(value)) {
      report.add(path, notObject);
      return absent;
    }
    const sizeBefore = report.size;
    refuseKeys(value, path, report);
    const stored: Record<string, unknown> = {};
    const missing: CompiledField[] = [];
    for (const { field, refusal, read } of members) {
      const sent = own(value, field.name);
      if (sent === undefined) {
        const unsent = valueOfUnsent(field);
        if (unsent === undefined) missing.push(field);
        else if (unsent !== absent) stored[field.key] = unsent;
      } else if (refusal === undefined) {
        const one = read(sent, join(path, field.name), report);
        if (one !== absent) stored[field.key] = one;
      }
    }
    if (missing.length > 0) reportMissing(missing, path, report);
    if (report.size === sizeBefore) runCheck?.(stored, path, report, value);
    return stored;
  };
}

/**
 * The value that the service gives one of its own fields in a new record: revision 0, the time, and no time of
 * deletion.
 */
export function initialValue({ maintained }: CompiledField, now: Date): unknown {
  if (maintained === 'deletedAt') return absent;
  return maintained === 'revision' ? 0 : now;
}

/**
 * The stored value of a field that was not sent: its default, null, or `absent`. Undefined if the field is required.
 */
export function valueOfUnsent(field: CompiledField): unknown {
  if (field.makeDefault) return field.makeDefault();
  if (field.nullable) return field.storeNone ? null : absent;
  return field.optional ? absent : undefined;
}

/** Compiles the errors of required keys that were left out. Keys that the client may not send are not named. */
function compileMissing(node: ObjectNode, access: Access): (missing: readonly CompiledField[], path: string, report: Report) => void {
  const isForServer = needsServer(node, access);
  return function reportMissing(missing, path, report) {
    if (access.incompleteObjects) {
      report.incomplete.push({ path, keys: isForServer ? [] : missing.map((field) => field.name) });
      return;
    }
    for (const field of missing) {
      const at = join(path, field.name);
      if (access.refusal(field) === undefined) report.add(at, isRequiredButMissing);
      else if (!access.existing) report.unset.push(at);
    }
    if (access.existing && missing.some((field) => access.refusal(field) !== undefined)) report.add(path, unreplaceable);
  };
}

/** The most characters of a key that is shown in its nested form. */
const longestShown = 64;

/** Compiles the check of an object's keys. Each unknown or closed key is an error of its own. */
export function compileKeyCheck(node: ObjectNode, access: Access): (value: object, path: string, report: Report) => void {
  const computed = (node.computed ?? []).map(({ field }) => [field.name, access.refusal(field) ?? isComputed] as const);
  const refusals = new Map([...node.fields.map((field) => [field.name, access.refusal(field)] as const), ...computed]);
  const candidates = node.fields.filter((field) => !field.policy.private && access.refusal(field) === undefined);
  return function refuseKeys(value, path, report) {
    for (const key of Object.keys(value)) {
      if (report.isFull) return;
      const refusal = refusals.has(key) ? refusals.get(key) : unknownField;
      if (refusal === undefined) continue;
      const isEnvelope =
        path === '' && key === 'data' && access.source === 'json' && isObject(own(value as Readonly<Record<string, unknown>>, key));
      const unknown = isEnvelope ? notEnvelope : describeUnknown(key, candidates);
      report.add(join(path, key), refusal === unknownField ? unknown : refusal);
    }
  };
}

const notEnvelope = new Invalid('unknown_field', `${unknownField.message}: only answers have \`data\` around a record; send what is in it`);

/** The error of a key that is no field, with the field that is probably meant. */
export function describeUnknown(key: string, candidates: readonly CompiledField[]): Invalid {
  const outer = candidates.find(({ name, node }) => ['object', 'map'].includes(node.kind) && key.startsWith(`${name}.`))?.name;
  if (outer !== undefined && key.length <= longestShown) {
    const nested = key.split('.').reduceRight((inner, part) => `{${JSON.stringify(part)}:${inner}}`, '…');
    return new Invalid('unknown_field', `${unknownField.message}: objects are nested, as in \`${nested}\``, { suggestion: outer });
  }
  const suggestion = nearest(
    key,
    candidates.map(({ name }) => name),
  );
  if (suggestion === undefined) return unknownField;
  return new Invalid('unknown_field', `${unknownField.message}; did you mean \`${suggestion}\`?`, { suggestion });
}

function compileArrayReader(slot: Slot, node: ArrayNode, access: Access): ReadValue {
  const read = compileItemReader(node.items, { ...access, mergesMaps: false });
  const mustBeUnique = node.keywords.uniqueItems === true;
  return function readArray(value, path, report) {
    if (!Array.isArray(value)) {
      report.add(path, notArray);
      return absent;
    }
    const broken = slot.constraint?.(value);
    if (broken !== undefined) report.add(path, broken);
    const errorsBefore = report.errors.length;
    const stored: unknown[] = [];
    // A hole counts as an undefined item. A full report needs no further errors.
    for (let index = 0; index < value.length && !report.isFull; index++) stored.push(read(value[index], join(path, index), report));
    if (mustBeUnique && report.errors.length === errorsBefore && hasEqualItems(stored)) report.add(path, equalItems);
    return stored;
  };
}

// Clients choose the keys, so the stored form is a Map: the driver writes it key by key, including `__proto__` and
// `_bsontype`.
function compileMapReader(slot: Slot, node: MapNode, access: Access): ReadValue {
  const read = compileItemReader(node.values, access);
  const isMerged = access.mergesMaps === true && node.merge !== undefined;
  return function readMap(value, path, report) {
    if (!isObject(value)) {
      report.add(path, notObject);
      return absent;
    }
    const members = isMerged ? Object.entries(value).filter(([, member]) => member !== null) : Object.entries(value);
    const broken = slot.constraint?.(isMerged ? Object.fromEntries(members) : value);
    if (broken !== undefined) report.add(path, broken);
    const stored = new Map<string, unknown>();
    for (const [key, member] of members) {
      if (report.isFull) break;
      if (!isStorableKey(key)) report.add(path, unstorableKey);
      else stored.set(key, read(member, join(path, key), report));
    }
    return stored;
  };
}
