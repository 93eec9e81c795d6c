import { inspect } from 'node:util';
import { tagOf } from '../../../model/value/bson-type.ts';
import type { Detail } from './detail.ts';

const options = { depth: 12, breakLength: Number.POSITIVE_INFINITY, maxArrayLength: 20, maxStringLength: 200, colors: false };

/** A value on one line, or only its shape: the keys of its objects, and the types of all else. */
export function showValue(value: unknown, detail: Detail): string {
  return detail === 'values' ? showWhole(value) : shapeOf(value);
}

/** A value on one line. */
export function showWhole(value: unknown): string {
  return inspect(value, options);
}

function shapeOf(value: unknown): string {
  if (typeof value !== 'object' || value === null) return value === null || value === undefined ? `${value}` : typeof value;
  if (Array.isArray(value)) return `[${shapesOf(value)}]`;
  if (value instanceof Map) return showObject([...value], shapeOf);
  const type = typeNameOf(value);
  return type ?? showObject(Object.entries(value), shapeOf);
}

/** Members of one shape are counted: a filter may have hundreds of ids. */
function shapesOf(members: readonly unknown[]): string {
  const counts = new Map<string, number>();
  for (const shape of members.map(shapeOf)) counts.set(shape, (counts.get(shape) ?? 0) + 1);
  return [...counts].map(([shape, count]) => (count === 1 ? shape : `${count} × ${shape}`)).join(', ');
}

function typeNameOf(value: object): string | undefined {
  if (value instanceof Date) return 'Date';
  if (value instanceof RegExp) return 'RegExp';
  if (ArrayBuffer.isView(value)) return 'bytes';
  if (value instanceof Boolean) return 'boolean';
  return tagOf(value);
}

/** An object as `inspect` shows it. */
export function showObject(entries: readonly (readonly [string, unknown])[], show: (value: unknown) => string): string {
  const shown = entries.map(([key, value]) => `${/^[\w$]+$/.test(key) ? key : inspect(key)}: ${show(value)}`);
  return shown.length === 0 ? '{}' : `{ ${shown.join(', ')} }`;
}
