import { type FieldSpec, type Kind, leaves, type Plain, type PlainObject } from './random-model.ts';

// What the specification says of single fields, independently of `src/`: who may write one, what is stored, and what
// clients read.

/** How a resource writes. */
export interface Rules {
  readonly explicitWrites: boolean;
  readonly mergePatch: boolean;
  /** Stored values that the server sets on create. */
  readonly serverFields: PlainObject;
}

export interface ModelSpec {
  readonly fields: readonly FieldSpec[];
  readonly revision: boolean;
  readonly timestamps: boolean;
}

export type WriteOperation = 'create' | 'patch' | 'put';

export const isObject = (value: Plain): value is PlainObject => Object.prototype.toString.call(value) === '[object Object]';
export const join = (path: string, key: string | number) => (path === '' ? `${key}` : `${path}.${key}`);

/**
 * "insert=False: not settable on create. update=False: not settable on patch and put. private: not writable unless
 * insert/update say so." "Immutable: cannot be changed." "explicit_writes: a field is writable only if its policy says
 * insert=True / update=True."
 */
export function isWritable(field: FieldSpec, operation: WriteOperation, rules: Rules): boolean {
  const word = operation === 'create' ? field.policy.insert : field.policy.update;
  if (operation !== 'create' && field.immutable) return false;
  return rules.explicitWrites || field.policy.private ? word === true : word !== false;
}

/**
 * Whether a value holds some that the client may not write, at any depth ("Policy also applies to fields of embedded
 * models at any depth").
 */
export function isProtected(kind: Kind, rules: Rules): boolean {
  if (kind.type === 'leaf') return false;
  if (kind.type !== 'object') return isProtected(kind.items, rules);
  return kind.fields.some((field) => !isWritable(field, 'patch', rules) || isProtected(field.kind, rules));
}

/** Whether a merge patch writes the keys of a map one by one: its values can be replaced, or are merged too. */
export function mergesKeys(kind: Kind, rules: Rules): kind is Kind & { readonly type: 'map' } {
  if (kind.type !== 'map' || !kind.merges) return false;
  return kind.items.type === 'object' || mergesKeys(kind.items, rules) || !isProtected(kind.items, rules);
}

/** "A field is required unless it has a default, is nullable or optional." */
export const isRequired = (field: FieldSpec): boolean => field.presence === 'required' && field.default === undefined;

/** "Null is stored as a missing key unless the field is StoreNone": undefined is a missing key. */
export function stored(field: FieldSpec, value: Plain): Plain {
  if (value === null) return field.storeNone ? null : undefined;
  return storedWithin(field.kind, value);
}

function storedWithin(kind: Kind, value: Plain): Plain {
  if (kind.type === 'leaf') return value;
  if (kind.type === 'array') return (value as Plain[]).map((item) => storedWithin(kind.items, item));
  const entries = Object.entries(value as PlainObject);
  if (kind.type === 'map') return Object.fromEntries(entries.map(([key, item]) => [key, storedWithin(kind.items, item)]));
  return withFields({}, kind.fields, (field) => stored(field, (value as PlainObject)[field.name] ?? null));
}

export const initial = (field: FieldSpec): Plain => {
  if (field.default !== undefined) return stored(field, field.default);
  return field.presence === 'nullable' ? stored(field, null) : undefined;
};

/** A copy with the value of each field; undefined is a missing key. */
export function withFields(before: PlainObject, fields: readonly FieldSpec[], valueFor: (field: FieldSpec) => Plain): PlainObject {
  const after: Record<string, Plain> = { ...before };
  for (const field of fields) {
    const value = valueFor(field);
    if (value === undefined) delete after[field.name];
    else after[field.name] = value;
  }
  return after;
}

/** Stands for a value that no rule gives: a stored one that its field does not allow. */
export const anything = Symbol('anything');

/**
 * What a client reads: "every readable field (nullable: null), only an optional one may be absent", "never private
 * fields".
 */
export function readFields(fields: readonly FieldSpec[], record: PlainObject): PlainObject {
  const readable = fields.filter((field) => !field.policy.private);
  return withFields({}, readable, (field) => {
    const value = record[field.name];
    if (value !== undefined && value !== null) return readValue(field.kind, value);
    if (field.presence === 'nullable') return null;
    if (value === null) return anything;
    if (field.presence === 'optional') return undefined;
    return field.default === undefined ? anything : readValue(field.kind, stored(field, field.default));
  });
}

function readValue(kind: Kind, value: Plain): Plain {
  if (kind.type === 'object') return readFields(kind.fields, value as PlainObject);
  if (kind.type === 'array') return (value as Plain[]).map((item) => readValue(kind.items, item));
  if (kind.type === 'map')
    return Object.fromEntries(Object.entries(value as PlainObject).map(([key, item]) => [key, readValue(kind.items, item)]));
  return leaves[kind.leaf].good.find((sample) => sample.stored === value)?.shown;
}

/**
 * Every stored value that the client may not write on patch and put, by path; a list or map that holds some counts as
 * one.
 */
export function protectedValues(fields: readonly FieldSpec[], rules: Rules, record: PlainObject, path = ''): Map<string, Plain> {
  const found = new Map<string, Plain>();
  for (const field of fields) {
    const at = join(path, field.name);
    const value = record[field.name];
    if (!isWritable(field, 'patch', rules)) found.set(at, value);
    else if (isProtected(field.kind, rules)) {
      if (mergesKeys(field.kind, rules)) for (const [inner, kept] of protectedInMap(field.kind, rules, value, at)) found.set(inner, kept);
      else if (field.kind.type !== 'object') found.set(at, value);
      else if (isObject(value)) for (const [inner, kept] of protectedValues(field.kind.fields, rules, value, at)) found.set(inner, kept);
    }
  }
  return found;
}

/** A map whose keys are merged may get others; those that it has keep what is protected in them. */
function protectedInMap({ items }: Kind & { readonly type: 'map' }, rules: Rules, value: Plain, path: string): [string, Plain][] {
  if (!isObject(value)) return [];
  return Object.entries(value).flatMap(([key, member]): [string, Plain][] => {
    if (items.type === 'object' && isObject(member)) return [...protectedValues(items.fields, rules, member, join(path, key))];
    return mergesKeys(items, rules) ? protectedInMap(items, rules, member, join(path, key)) : [];
  });
}
