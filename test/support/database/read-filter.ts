import type { Document } from 'mongodb';
import type { FieldTable } from '../../../src/model/node.ts';
import type { Operator } from '../../../src/model/operators/operators.ts';
import type { ListShape } from '../../../src/mongo/indexes/list-shape.ts';
import * as shapes from '../../../src/mongo/indexes/list-shape.ts';
import { expressionOf } from '../../../src/mongo/predicate/expression-of.ts';
import { filterOf } from '../../../src/mongo/predicate/filter-of.ts';
import {
  anItem,
  bringing,
  type Comparison,
  type Filter,
  fulfilling,
  joined,
  not,
  type Predicate,
} from '../../../src/mongo/predicate/predicate.ts';

// Tests write what records fulfil in the form of the database, which nothing in `src/` reads.

/** Reads a filter into a tree. `live` is the part that hides deleted records. */
function readFilter(filter: Filter, live: Filter = {}): Predicate {
  const parts = Object.entries(filter).map(([key, value]) => readMember(key, value, live));
  return parts.length === 1 ? (parts[0] as Predicate) : joined('and', parts);
}

function readMember(key: string, value: unknown, live: Filter): Predicate {
  const many = () => (value as readonly Filter[]).map((one) => readFilter(one, live));
  if (key === '$and') return joined('and', many());
  if (key === '$or') return joined('or', many());
  if (key === '$nor') return not(joined('or', many()));
  if (key.startsWith('$')) return { [key]: value };
  if (Object.hasOwn(live, key) && value === null) return bringing({ filter: { [key]: value }, comparisons: [], hidesDeleted: true });
  if (!isOperators(value)) return fulfilling([comparison(key, 'eq', value)]);
  const parts = Object.entries(value).map(([operator, operand]) => readOperator(key, operator, operand));
  return parts.length === 1 ? (parts[0] as Predicate) : joined('and', parts);
}

function readOperator(path: string, operator: string, operand: unknown): Predicate {
  if (operator === '$elemMatch') return anItem({ name: path, path }, readFilter(operand as Filter));
  if (operator === '$regex') return fulfilling([comparison(path, 'prefix', (operand as string).slice(1))]);
  if (operator !== '$type') return fulfilling([comparison(path, operator.slice(1) as Operator, operand)]);
  const expression = (variable: string) => ({ $in: [{ $type: `${variable}.${path}` }, { $literal: operand }] });
  return path === '_id'
    ? bringing({ filter: { [path]: { $type: operand } }, comparisons: [], expression })
    : { [path]: { $type: operand } };
}

function comparison(path: string, operator: Operator, value: unknown): Comparison {
  return { field: { name: path, path }, operator, value };
}

function isOperators(value: unknown): value is object {
  return typeof value === 'object' && value !== null && Object.keys(value).some((key) => key.startsWith('$'));
}

/** {@link expressionOf} a filter. */
export function asExpression(filter: Filter, variable: string): Document | undefined {
  return expressionOf(readFilter(filter), variable);
}

/** {@link shapes.readShape} of a filter. `live` is the part that hides deleted records. */
export function readShape(filter: Filter, sort: ReadonlyMap<string, 1 | -1>, table: FieldTable, live?: Filter): ListShape | undefined {
  return shapes.readShape(readFilter(filter, live), sort, table);
}

/** {@link shapes.alternativesOf} a filter. */
export function alternativesOf(filter: Filter): readonly Filter[] {
  return shapes.alternativesOf(readFilter(filter)).map(filterOf);
}
