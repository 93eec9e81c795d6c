import { own, resolve, type Schema, type Schemas } from './schemas.ts';

/**
 * Parses JSON without rounding: an integer beyond the safe range of JavaScript becomes a string of its digits. A number with a fraction or an
 * exponent is a JavaScript number.
 */
export function parseExactly(text: string): unknown {
  return JSON.parse(/\d{16}/.test(text) ? text.replaceAll(stringOrNumber, quoteUnsafe) : text);
}

/** Strings are matched as well, so that digits in them stay what they are. */
const stringOrNumber = /"[^"\\]*(?:\\.[^"\\]*)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/gs;

function quoteUnsafe(token: string): string {
  return integer.test(token) && !Number.isSafeInteger(Number(token)) ? `"${token}"` : token;
}

const integer = /^-?(?:0|[1-9]\d*)$/;

/** Writes JSON: a string of digits stands as a number where the schema has a number and no string, and so does a bigint anywhere. */
export function writeExactly(value: unknown, schema: Schema | undefined, schemas: Schemas): string | undefined {
  const plain = toPlain(value);
  if (typeof plain === 'bigint') return String(plain);
  const { type, items, properties, additionalProperties } = resolve(schema, schemas);
  if (typeof plain === 'string') return integer.test(plain) && isNumber(type) ? plain : JSON.stringify(plain);
  if (Array.isArray(plain)) return `[${plain.map((item) => writeExactly(item, items, schemas) ?? 'null').join()}]`;
  if (typeof plain !== 'object' || plain === null) return JSON.stringify(plain);
  const others = typeof additionalProperties === 'object' ? additionalProperties : undefined;
  const members = Object.entries(plain).flatMap(([key, member]) => {
    const text = writeExactly(member, own(properties, key) ?? others, schemas);
    return text === undefined ? [] : `${JSON.stringify(key)}:${text}`;
  });
  return `{${members.join()}}`;
}

/** What an object such as a Date stands for in JSON. */
function toPlain(value: unknown): unknown {
  return typeof (value as Date | undefined | null)?.toJSON === 'function' ? (value as Date).toJSON() : value;
}

function isNumber(type: Schema['type']): boolean {
  const types = [type].flat();
  return !types.includes('string') && (types.includes('integer') || types.includes('number'));
}
