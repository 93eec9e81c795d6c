import type { Query } from './client.ts';
import type { Description } from './description.ts';
import { isObject } from './is-object.ts';

/** A condition of a list: one query parameter. */
export interface Condition {
  readonly field: string;
  readonly operator: string;
  readonly value: unknown;
}

const operators: ReadonlySet<string> = new Set(['eq', 'ne', 'in', 'nin', 'gt', 'gte', 'lt', 'lte', 'exists', 'prefix', 'contains']);

/** Whether lists have an operator of this name. */
function isOperator(name: string): boolean {
  return operators.has(name);
}

/**
 * The conditions of a filter as react-admin has it:
 * `{ status: 'open', total_gte: 5, total: { gte: 5 }, shipTo: { city: 'Ulm' } }`. `total_gte` is `total[gte]`, unless
 * the list has a field of this name. An array means one of its values, null a missing value.
 */
export function conditionsOf(filter: object, { parameters }: Pick<Description, 'parameters'>, path = ''): Condition[] {
  return Object.entries(filter).flatMap(([key, value]): Condition[] => {
    if (value === undefined) return [];
    if (path !== '' && isOperator(key)) return [{ field: path, operator: key, value }];
    const name = path === '' ? key : `${path}.${key}`;
    if (isObject(value)) return conditionsOf(value, { parameters }, name);
    const [, field = name, operator] = /^(.+)\[(\w+)\]$/.exec(name) ?? (isField(name, parameters) ? [] : splitSuffix(name));
    if (operator !== undefined) return [{ field, operator, value }];
    if (value === null) return [{ field, operator: 'exists', value: false }];
    return [{ field, operator: Array.isArray(value) ? 'in' : 'eq', value }];
  });
}

/** The query parameters of conditions. Values that contain a comma are written as a parameter each. */
export function queryOf(conditions: readonly Condition[]): Query {
  return conditions.flatMap(({ field, operator, value }): Query => {
    const name = operator === 'eq' ? field : `${field}[${operator}]`;
    if (!Array.isArray(value)) return [[name, textOf(value)]];
    const texts = value.map(textOf);
    if (texts.some((text) => text === '' || text.includes(','))) return texts.map((text) => [`${name}[]`, text]);
    return [[name, texts.join()]];
  });
}

function isField(name: string, parameters: Description['parameters']): boolean {
  return [...operators].some((operator) => parameters.has(`${name}[${operator}]`));
}

function splitSuffix(name: string): readonly string[] {
  const match = /^(.+)_([a-z]+)$/.exec(name);
  return match && isOperator(match[2] ?? '') ? match : [];
}

function textOf(value: unknown): string {
  return value instanceof Date ? value.toISOString() : String(value);
}
