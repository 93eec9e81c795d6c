import { own, resolve, type Schema, type Schemas } from './schemas.ts';

/**
 * Parses JSON without rounding: an integer beyond the safe range of JavaScript becomes a string of its digits. A number
 * with a fraction or an exponent is a JavaScript number. Throws a SyntaxError for a text that is not JSON.
 */
export function parseExactly(text: string): unknown {
  const rounded: unknown = JSON.parse(text);
  return /\d{16}/.test(text) ? JSON.parse(quoteUnsafe(text)) : rounded;
}

/**
 * Takes linear time, and little memory for a string of any length: a token is at most a number, and nothing is read
 * twice.
 */
function quoteUnsafe(json: string): string {
  let isInString = false;
  return json.replaceAll(token, (found) => {
    if (found === '"') isInString = !isInString;
    return !isInString && integer.test(found) && !Number.isSafeInteger(Number(found)) ? `"${found}"` : found;
  });
}

/** An escape within a string, the beginning or the end of a string, or a number. */
const token = /\\.|"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g;

const integer = /^-?(?:0|[1-9]\d*)$/;

/**
 * Writes JSON. A string of digits becomes a number where the schema has a number and no string, and a bigint does so
 * anywhere.
 */
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

/** The JSON value of an object such as a Date. */
function toPlain(value: unknown): unknown {
  return typeof (value as Date | undefined | null)?.toJSON === 'function' ? (value as Date).toJSON() : value;
}

function isNumber(type: Schema['type']): boolean {
  const types = [type].flat();
  return !types.includes('string') && (types.includes('integer') || types.includes('number'));
}
