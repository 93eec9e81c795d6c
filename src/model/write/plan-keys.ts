import type { FieldError, Invalid } from '../../rules.ts';
import { absent, type CompiledField, join, type ObjectNode, type Slot } from '../node.ts';
import type { Constraint } from '../value/leaf.ts';
import { isObject } from '../value/plain-object.ts';
import { isStorableKey, unstorableKey } from '../value/untyped.ts';
import { type Access, accessWithin, holdsProtectedValues, isMergingMap, type MergingMap, mustBeSent } from './access.ts';
import { creationOf, isJudged } from './creation.ts';
import { type KeyLimits, KeyMerge } from './key-merge.ts';
import {
  compileFieldReader,
  compileItemReader,
  compileKeyCheck,
  compileObjectReader,
  isRequiredButMissing,
  notObject,
  type ReadValue,
  unclearable,
} from './read-value.ts';
import { Report } from './report.ts';

/**
 * Compiles the reader of a patch of a map (RFC 7396) into a {@link KeyMerge}. Each key that was sent gets its value,
 * and null removes it.
 */
function compileMapMerge(slot: Slot & { readonly node: MergingMap }, access: Access, makeDefault?: () => unknown): ReadValue {
  const { merge, values } = slot.node;
  const isProtected = holdsProtectedValues(values.node, access);
  const readValue = compileValueMerge(values, compileItemReader(values, access), access);
  const limitsAt = compileLimits(slot.node);
  return function readMap(sent, path, report) {
    if (!isObject(sent)) {
      report.add(path, notObject);
      return absent;
    }
    const keys = new Map<string, unknown>();
    for (const [key, value] of Object.entries(sent)) {
      if (report.isFull) break;
      if (!isStorableKey(key)) report.add(path, unstorableKey);
      else if (value !== null) keys.set(key, readValue(value, join(path, key), report));
      else if (isProtected) report.add(join(path, key), unclearable);
      else keys.set(key, absent);
    }
    const broken = merge.keys && checkKeys(Object.keys(sent), merge.keys);
    if (broken) report.add(path, broken);
    return new KeyMerge({ keys, whole: new Map(), unset: makeDefault?.(), limits: limitsAt(path) });
  };
}

/** The error of an object with these keys. */
function checkKeys(keys: Iterable<string>, constraint: Constraint): Invalid | undefined {
  return constraint(Object.fromEntries(Array.from(keys, (key) => [key, true])));
}

function compileLimits({ keywords, merge }: MergingMap): (path: string) => KeyLimits | undefined {
  const { minProperties: least, maxProperties: most } = keywords as Readonly<Record<string, number | undefined>>;
  const { size } = merge;
  if (!size) return () => undefined;
  return (path) => ({ least, most, refuse: (keys): FieldError | undefined => checkKeys(keys, size)?.at(path) });
}

/** The reader of a value under a key. An object in a map is merged as one that is a field. */
function compileValueMerge(slot: Slot, read: ReadValue, access: Access, makeDefault?: () => unknown): ReadValue {
  const { node } = slot;
  if (node.kind === 'object') return compileObjectMerge(node, access);
  return isMergingMap(node, access) ? compileMapMerge({ ...slot, node }, access, makeDefault) : read;
}

function compileObjectMerge(node: ObjectNode, access: Access): ReadValue {
  const refuseKeys = compileKeyCheck(node, access);
  const members = node.fields
    .filter((field) => access.refusal(field) === undefined)
    .map((field) => ({
      field,
      read: compileMemberMerge(field, accessWithin(field, access)),
      mustBeSent: mustBeSent(field, access),
    }));
  const readWhole = compileObjectReader(node, { ...access, incompleteObjects: true, mergesMaps: true });
  return function readObject(sent, path, report) {
    if (!isObject(sent)) {
      report.add(path, notObject);
      return absent;
    }
    const creation = new Report(report);
    const whole = readWhole(sent, path, creation);
    const sizeBefore = report.size;
    refuseKeys(sent, path, report);
    const keys = new Map<string, unknown>();
    for (const { field, read, mustBeSent } of members)
      if (Object.hasOwn(sent, field.name)) keys.set(field.key, read(sent[field.name], join(path, field.name), report));
      else if (mustBeSent) report.add(join(path, field.name), isRequiredButMissing);
    if (report.size === sizeBefore && isJudged(node, sent, access)) for (const error of creation.refusals) report.refuse(error);
    return new KeyMerge({ keys, ...creationOf(path, whole, creation, access) });
  };
}

/**
 * Compiles the reader of a field that a merge patch writes, other than an embedded object: it writes those by paths.
 */
export function compileMemberMerge(field: CompiledField, access: Access): ReadValue {
  const readField = compileFieldReader(field, access);
  const readValue = compileValueMerge(field, readField, access, field.makeDefault);
  if (readValue === readField) return readField;
  return (sent, path, report) => (sent === null ? readField : readValue)(sent, path, report);
}
