import { isObject } from './is-object.ts';
import { isMerged, isNullable, own, resolve, type Schema, type Schemas } from './schemas.ts';

type Values = Readonly<Record<string, unknown>>;

/**
 * The merge patch (RFC 7396) that makes the values of a form out of the record that it has shown. It has nothing that
 * is equal in both. A key that the values lack stays as it is, null clears it. Embedded objects are compared key by
 * key, and so are maps whose keys a patch merges; arrays and other maps are sent as a whole.
 *
 * @param before the record as the form has shown it; without one, all values are changes
 * @param schema the body of the patch in the description
 */
export function changesOf(before: Values, after: Values, schema: Schema | undefined, schemas: Schemas): Record<string, unknown> {
  const { properties } = resolve(schema, schemas);
  const changes = Object.entries(after).flatMap(([key, value]): [string, unknown][] => {
    const known = own(before, key);
    const member = own(properties, key);
    const isForm = member === undefined || resolve(member, schemas).properties !== undefined;
    const next = isForm && isObject(value) && !isObject(known) ? filled(value) : value;
    if (next === undefined || isEqualField(known, next, member, schemas)) return [];
    const isMap = resolve(member, schemas)['x-merge'] === true;
    if (!(isMap || isMerged(member)) || !isObject(known) || !isObject(next)) return [[key, next]];
    const inner = isMap ? changesOfKeys(known, next, member, schemas) : changesOf(known, next, member, schemas);
    return Object.keys(inner).length > 0 ? [[key, inner]] : [];
  });
  return Object.fromEntries(changes);
}

/** The keys of a map that differ: null removes those that the values of the form lack. */
function changesOfKeys(before: Values, after: Values, schema: Schema | undefined, schemas: Schemas): Record<string, unknown> {
  const { additionalProperties } = resolve(schema, schemas);
  const values = typeof additionalProperties === 'object' ? additionalProperties : {};
  const removed = Object.keys(before).filter((key) => isEmpty(own(after, key)));
  const members = Object.fromEntries(Object.keys(after).map((key) => [key, values]));
  return { ...changesOf(before, after, { properties: members }, schemas), ...Object.fromEntries(removed.map((key) => [key, null])) };
}

/**
 * The body of a create made of the values of a form: without nulls where the schema has none, because forms hold null
 * for what was left empty, and without objects in which everything was left empty.
 */
export function newRecordOf(values: Values, schema: Schema | undefined, schemas: Schemas): Record<string, unknown> {
  const { properties } = resolve(schema, schemas);
  const members = Object.entries(values).flatMap(([key, value]): [string, unknown][] => {
    const member = own(properties, key);
    if (value === null) return member && !isNullable(member) ? [] : [[key, null]];
    if (!isObject(value) || !resolve(member, schemas).properties) return [[key, value]];
    const inner = newRecordOf(value, member, schemas);
    return Object.values(inner).every(isEmpty) && Object.keys(value).length > 0 ? [] : [[key, inner]];
  });
  return Object.fromEntries(members);
}

/** Null and undefined are equal in a field, because one that may be absent is null in forms. */
function isEqualField(a: unknown, b: unknown, schema: Schema | undefined, schemas: Schemas): boolean {
  return (isEmpty(a) && isEmpty(b)) || isEqual(a, b, schema, schemas);
}

/**
 * In untyped values and in the values of maps, null is a value. Without a schema, the keys of objects count as fields.
 */
function isEqual(a: unknown, b: unknown, schema: Schema | undefined, schemas: Schemas): boolean {
  if (isEmpty(a) || isEmpty(b)) return a === b;
  const { items, properties, additionalProperties } = resolve(schema, schemas);
  if (b instanceof Date) return a === b.toJSON();
  if (typeof b === 'bigint') return String(a) === String(b);
  if (Array.isArray(a) && Array.isArray(b))
    return a.length === b.length && a.every((item, index) => isEqual(item, b[index], items, schemas));
  if (!isObject(a) || !isObject(b)) return Object.is(a, b) || a === b;
  return [...new Set([...Object.keys(a), ...Object.keys(b)])].every((key) => {
    const [one, other, member] = [own(a, key), own(b, key), own(properties, key)];
    if (schema === undefined || member) return isEqualField(one, other, member, schemas);
    return isEqual(one, other, typeof additionalProperties === 'object' ? additionalProperties : {}, schemas);
  });
}

/** The object, or null if a form has left all of it empty. */
function filled(value: Values): Values | null {
  const isLeftEmpty = (member: unknown): boolean => isEmpty(member) || (isObject(member) && filled(member) === null);
  const members = Object.values(value);
  return members.length > 0 && members.every(isLeftEmpty) ? null : value;
}

function isEmpty(value: unknown): boolean {
  return value === null || value === undefined;
}
