import type { DocumentPart, Schema } from '../document.ts';

/** A parameter of a query string. */
export function parameter(name: string, description: string, schema: Schema, style: DocumentPart = {}): DocumentPart {
  return { name, in: 'query', description, ...style, schema };
}

/** The forms of an array in a query string: one parameter for all items, and one for each. */
export const commaSeparated = { style: 'form', explode: false };
export const repeated = { style: 'form', explode: true };

/** Whether a comma separates items of this type. Of an enum with commas in it, no such array has all members. */
export function isSeparable({ enum: members }: Schema): boolean {
  return !(Array.isArray(members) && members.some((member) => String(member).includes(',')));
}
