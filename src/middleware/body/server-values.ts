import { isStoredObject } from '../../model/value/stored-shape.ts';
import type { Called, Context } from '../exchange/context.ts';

/** Values that the server sets, in document form, by the names of their fields. */
export type ServerValues = Readonly<Record<string, unknown>>;

/** Calls `serverFields`. It must return an object of values: otherwise it is a plain Error (500). */
export async function serverValuesOf(serverFields: Called<[ctx: Context], unknown>, ctx: Context): Promise<ServerValues> {
  ctx.exchange?.throwIfGivenUp();
  return asValues(await serverFields(ctx));
}

/**
 * A function that returns nothing has probably lost its `return`, or its object was parsed as a block:
 * `() => { owner: 'ann' }`.
 */
function asValues(returned: unknown): ServerValues {
  if (isStoredObject(returned)) return returned;
  throw new Error(`\`serverFields\` returned ${describe(returned)}: it must return an object of values, \`{}\` where it sets none.`);
}

function describe(value: unknown): string {
  if (typeof value !== 'object' || value === null) return typeof value === 'string' ? 'a string' : String(value);
  return Array.isArray(value) ? 'an array' : `a ${value.constructor.name}`;
}
