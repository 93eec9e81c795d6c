import { nearest } from '../../hints.ts';
import { Invalid } from '../../rules.ts';
import { type ArrayNode, absent, type CompiledField, join, type LeafNode, type MapNode, type ObjectNode, type Slot } from '../node.ts';
import { anyLeaf } from '../value/leaves.ts';
import { isObject, own } from '../value/plain-object.ts';
import { hasEqualItems } from '../value/unique-items.ts';
import { isStorableKey, unstorableKey } from '../value/untyped.ts';
import { type Access, holdsClosedValues, needsServer, unknownField } from './access.ts';
import { compileCheck } from './check.ts';
import type { Report } from './report.ts';

/** Turns a value that was sent into what is stored, or adds to the report; the result counts only when nothing was added. */
export type ReadValue = (value: unknown, path: string, report: Report) => unknown;

const unclearable = new Invalid('not_clearable', 'cannot be set to null: it holds values that only the server may clear');
const unreplaceable = new Invalid('not_replaceable', 'cannot be replaced: it holds values that only the server may set');
const isNull = new Invalid('not_null', 'must not be null');
const isNullOnCreate = new Invalid('not_null', 'must not be null: leave it out');
/** What is said of a value that should be an object. */
export const notObject = new Invalid('type', 'must be an object', { type: 'object' });
const notList = new Invalid('type', 'must be a list', { type: 'array' });
const equalItems = new Invalid('uniqueItems', 'must not have equal items');

/** What is said of a required field that was left out. */
export const isRequiredButMissing = new Invalid('required', 'is required');

/**
 * Compiles the reader of a field: null by its markers, everything else by its type. Where closed values are protected, what holds some
 * cannot be set to null, and a list or map of such values cannot be replaced.
 */
export function compileFieldReader(field: CompiledField, access: Access): ReadValue {
  const isProtected = access.protects && holdsClosedValues(field.node, access);
  const read = isProtected && field.node.kind !== 'object' ? refuseReplacement : compileNodeReader(field, access);
  return function readField(value, path, report) {
    if (value !== null) return read(value, path, report);
    if (isProtected) report.add(path, unclearable);
    else if (field.nullable) return field.storeNone ? null : absent;
    else if (!field.optional) report.add(path, isNull);
    else if (!access.existing) report.add(path, isNullOnCreate);
    return absent;
  };
}

function refuseReplacement(_value: unknown, path: string, report: Report): unknown {
  report.add(path, unreplaceable);
  return absent;
}

/** Compiles the reader of an item of a list or a value of a map: there null is always stored as null, and is a value like any other to `any`. */
function compileItemReader(slot: Slot, access: Access): ReadValue {
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
  const read = access.source === 'json' ? leaf.fromJson : leaf.fromDocument;
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

/** Compiles the reader of a whole embedded object: unsent keys take their defaults, required ones are missing. */
export function compileObjectReader(node: ObjectNode, access: Access): ReadValue {
  const members = node.fields.map((field) => ({ field, refusal: access.refusal(field), read: compileFieldReader(field, access) }));
  const refuseKeys = compileKeyCheck(node, access);
  const reportMissing = compileMissing(node, access);
  const runCheck = access.defersChecks ? undefined : compileCheck(node);
  return function readObject(value, path, report) {
    if (!isObject(value)) {
      report.add(path, notObject);
      return absent;
    }
    const before = report.size;
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
    if (report.size === before) runCheck?.(stored, path, report, value);
    return stored;
  };
}

/** What is stored for a field that was not sent: its default, null, nothing; undefined when it is required. */
export function valueOfUnsent(field: CompiledField): unknown {
  if (field.makeDefault) return field.makeDefault();
  if (field.nullable) return field.storeNone ? null : absent;
  return field.optional ? absent : undefined;
}

/** Compiles what is said of required keys that were left out; those that the client may not send either are not named. */
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

/** Compiles the check of an object's keys: unknown ones and closed ones, each an error of its own. */
export function compileKeyCheck(node: ObjectNode, access: Access): (value: object, path: string, report: Report) => void {
  const refusals = new Map(node.fields.map((field) => [field.name, access.refusal(field)]));
  const candidates = node.fields.filter((field) => !field.policy.private && access.refusal(field) === undefined).map((field) => field.name);
  return function refuseKeys(value, path, report) {
    for (const key of Object.keys(value)) {
      if (report.isFull) return;
      const refusal = refusals.has(key) ? refusals.get(key) : unknownField;
      if (refusal !== undefined) report.add(join(path, key), refusal === unknownField ? describeUnknown(key, candidates) : refusal);
    }
  };
}

function describeUnknown(key: string, candidates: readonly string[]): Invalid {
  const suggestion = nearest(key, candidates);
  if (suggestion === undefined) return unknownField;
  return new Invalid('unknown_field', `${unknownField.message}; did you mean ${suggestion}?`, { suggestion });
}

function compileArrayReader(slot: Slot, node: ArrayNode, access: Access): ReadValue {
  const read = compileItemReader(node.items, access);
  const isSet = node.keywords.uniqueItems === true;
  return function readArray(value, path, report) {
    if (!Array.isArray(value)) {
      report.add(path, notList);
      return absent;
    }
    const broken = slot.constraint?.(value);
    if (broken !== undefined) report.add(path, broken);
    const before = report.errors.length;
    const stored = Array.from(value, (item, index) => read(item, join(path, index), report)); // a hole is an undefined item
    if (isSet && report.errors.length === before && hasEqualItems(stored)) report.add(path, equalItems);
    return stored;
  };
}

// A Map, because the keys are a client's: the driver writes it key by key, `__proto__` and `_bsontype` included.
function compileMapReader(slot: Slot, node: MapNode, access: Access): ReadValue {
  const read = compileItemReader(node.values, access);
  return function readMap(value, path, report) {
    if (!isObject(value)) {
      report.add(path, notObject);
      return absent;
    }
    const broken = slot.constraint?.(value);
    if (broken !== undefined) report.add(path, broken);
    const stored = new Map<string, unknown>();
    for (const [key, member] of Object.entries(value)) {
      if (!isStorableKey(key)) report.add(path, unstorableKey);
      else stored.set(key, read(member, join(path, key), report));
    }
    return stored;
  };
}
