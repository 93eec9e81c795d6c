import { missing, operatorDef } from '../../model/operators/operators.ts';
import { isStoredObject } from '../../model/value/stored-shape.ts';
import { type Comparison, isOpen } from './predicate.ts';

/**
 * Whether a filter with this condition would match a record with this stored form. It evaluates in this process what
 * `buildFilter` asks of the database: an array matches if one of its items does, missing values equal null, values of
 * different types are neither equal nor ordered, and numbers of all types are compared by value. Strings are compared
 * byte by byte: a collation of the collection is ignored.
 */
export function isWithin(condition: Comparison, stored: unknown): boolean {
  const { field, operator, value } = condition;
  return isOpen(condition) || operatorDef(operator).matches(valuesAt(stored, field.path.split('.')), value);
}

/**
 * All values at a path, with {@link missing} for an object without the key. In arrays on the path, only items that are
 * objects count.
 */
function valuesAt(value: unknown, [key, ...rest]: readonly string[]): unknown[] {
  if (key === undefined) return [value];
  if (Array.isArray(value)) return value.filter(isStoredObject).flatMap((item) => valuesAt(item, [key, ...rest]));
  if (value instanceof Map) return value.has(key) ? valuesAt(value.get(key), rest) : [missing]; // of a body
  return isStoredObject(value) && Object.hasOwn(value, key) ? valuesAt(value[key], rest) : [missing];
}
