import type { FieldSpec, Kind, Plain, PlainObject } from './random-model.ts';

/** A field without closed parts: policies are about clients only. */
export function opened(field: FieldSpec): FieldSpec {
  return { ...field, kind: openedKind(field.kind), policy: {}, immutable: false };
}

function openedKind(kind: Kind): Kind {
  if (kind.type === 'leaf') return kind;
  return kind.type === 'object' ? { ...kind, fields: kind.fields.map(opened) } : { ...kind, items: openedKind(kind.items) };
}

/** What a client sends, as handlers hold it. A value of a wrong type stays as it is. */
export function toDocumentBody(fields: readonly FieldSpec[], body: PlainObject): PlainObject {
  const kinds = new Map(fields.map(({ name, kind }) => [name, kind]));
  return mapValues(body, (value, name) => toDocument(kinds.get(name), value));
}

function toDocument(kind: Kind | undefined, value: Plain): Plain {
  if (kind?.type === 'leaf') return leafToDocument(kind.leaf, value);
  if (Array.isArray(value)) return kind?.type === 'array' ? value.map((item) => toDocument(kind.items, item)) : value;
  if (typeof value !== 'object' || value === null) return value;
  if (kind?.type === 'map') return mapValues(value as PlainObject, (item) => toDocument(kind.items, item));
  return kind?.type === 'object' ? toDocumentBody(kind.fields, value as PlainObject) : value;
}

function leafToDocument(leaf: string, value: Plain): Plain {
  const isSafe = typeof value === 'bigint' && Number.isSafeInteger(Number(value));
  if (leaf === 'any' || leaf === 'point') return untypedToDocument(value);
  if ((leaf === 'int' || leaf === 'float') && isSafe) return Number(value);
  if (leaf === 'date' && typeof value === 'string' && value.startsWith('2')) return new Date(value);
  return value;
}

function untypedToDocument(value: Plain): Plain {
  if (typeof value === 'bigint') return Number(value);
  if (Array.isArray(value)) return value.map(untypedToDocument);
  return typeof value === 'object' && value !== null ? mapValues(value as PlainObject, untypedToDocument) : value;
}

function mapValues(object: PlainObject, map: (value: Plain, key: string) => Plain): PlainObject {
  return Object.fromEntries(Object.entries(object).map(([key, value]) => [key, map(value, key)]));
}
