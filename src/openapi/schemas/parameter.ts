import type { Part, Schema } from '../document.ts';

/** A parameter of a query string. */
export function parameter(name: string, description: string, schema: Schema, style: Part = {}): Part {
  return { name, in: 'query', description, ...style, schema };
}

/** The form of an array in a query string. */
export const commaSeparated = { style: 'form', explode: false };
