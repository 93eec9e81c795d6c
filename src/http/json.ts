import { isUtf8 } from 'node:buffer';
import { parse as parseLossless } from 'lossless-json';
import { Problem } from '../errors.ts';
import { JsonNumber, readNumber } from './json-number.ts';
import { scanJson } from './json-scan.ts';

export { JsonNumber };

/** A JSON value with exact numbers. {@link parseJson} says which of the three types a number gets. */
export type JsonValue = null | boolean | string | number | bigint | JsonNumber | JsonValue[] | { [key: string]: JsonValue };

/** How deep the arrays and objects of a body may be nested. */
export const defaultDepth = 64;

/** Options of {@link parseJson}. */
export interface ParseJsonOptions {
  /**
   * How deep arrays and objects may be nested; `{}` has depth 1. Keep it below 1,000: the parser for exact numbers is
   * recursive.
   *
   * @default 64
   */
  readonly maxDepth?: number | undefined;
  /**
   * How many values it may have, where an array or object counts as one more. It bounds the time for which the parser,
   * and whatever reads the values, keeps the event loop.
   *
   * @default no limit
   */
  readonly maxValues?: number | undefined;
}

/**
 * Parses JSON (RFC 8259) without changing a number. A number becomes a `number` if a double has the same value (`5.0`,
 * `0.1`, `6.02e23`), a `bigint` for plain digits beyond the safe range (`9007199254740993`), and a {@link JsonNumber}
 * otherwise (`1e400`, fractions with too many digits).
 *
 * The last of duplicate keys wins (§4 does not specify it). `__proto__` is a key like any other. Lone surrogates are
 * accepted here: the validator can name the field that has them. A byte order mark is not JSON: {@link decodeUtf8}
 * drops it.
 *
 * Throws `malformed_json` (400) with the position if the text is not JSON, or if it is nested too deeply, and
 * `body_too_large` (413) if it has too many values. Both are checked before a parser runs.
 *
 * @example
 * parseJson('{"id":9007199254740993}') // { id: 9007199254740993n }
 */
export function parseJson(text: string, { maxDepth = defaultDepth, maxValues }: ParseJsonOptions = {}): JsonValue {
  const shape = scanJson(text, maxDepth, maxValues);
  if (shape === 'too-deep')
    throw new Problem({ code: 'malformed_json', detail: `The JSON text is nested too deeply: ${maxDepth} levels are allowed.` });
  if (shape === 'too-many')
    throw new Problem({
      code: 'body_too_large',
      detail: `The body may have at most ${maxValues} values, where each array and each object counts as one more.`,
    });
  try {
    return shape === 'double' ? JSON.parse(text) : parseExactly(text);
  } catch (error) {
    if (error instanceof SyntaxError)
      throw new Problem({
        code: 'malformed_json',
        detail: describePosition(text, (shape === 'exact' ? positionOf(error) : undefined) ?? findSyntaxError(text)),
      });
    throw error;
  }
}

/**
 * Decodes the bytes of a body as UTF-8, the only encoding of JSON between systems (RFC 8259 §8.1). A leading byte order
 * mark is dropped, as §8.1 permits.
 *
 * Throws `malformed_json` (400) for invalid UTF-8, which `Buffer.toString()` would turn into U+FFFD.
 *
 * @example
 * parseJson(decodeUtf8(await rawBody(ctx.req)))
 */
export function decodeUtf8(bytes: Uint8Array): string {
  if (!isUtf8(bytes)) throw new Problem({ code: 'malformed_json', detail: 'The JSON text is not valid UTF-8.' });
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString();
  return text.startsWith('\ufeff') ? text.slice(1) : text;
}

/**
 * Writes a value as JSON. A `bigint` is written as its digits, and a {@link JsonNumber} as its text, which
 * `JSON.stringify` cannot do. All other values are written as by `JSON.stringify`: members without a JSON form are left
 * out, but are `null` in arrays and at the top; NaN and Infinity are `null`; `toJSON` is called.
 *
 * It is recursive and does not check for cycles.
 *
 * @example
 * stringifyJson({ id: 9007199254740993n, note: undefined }) // '{"id":9007199254740993}'
 */
export function stringifyJson(value: unknown): string {
  return isPlainJson(value) ? JSON.stringify(value) : (write(value) ?? 'null');
}

/**
 * Whether a value is what `JSON.parse` could have returned, at every depth: then `JSON.stringify` writes it exactly, in
 * a fraction of the time that a writer in JavaScript takes.
 */
export function isPlainJson(value: unknown): boolean {
  switch (typeof value) {
    case 'string':
    case 'boolean':
      return true;
    case 'number':
      return Number.isFinite(value);
    case 'object':
      if (value === null) return true;
      return Array.isArray(value) ? value.every(isPlainJson) : isPlainObject(value);
    default:
      return false;
  }
}

function isPlainObject(value: object): boolean {
  if (Object.getPrototypeOf(value) !== Object.prototype) return false;
  for (const key of Object.keys(value)) if (!isPlainJson((value as Readonly<Record<string, unknown>>)[key])) return false;
  return true;
}

function parseExactly(text: string): JsonValue {
  return parseLossless(text, null, { parseNumber: readNumber, onDuplicateKey: ({ newValue }) => newValue }) as JsonValue;
}

/**
 * A sentence for the client. The message of V8 quotes the body and often has no position; that of lossless-json always
 * ends with it.
 */
function describePosition(text: string, position: number | undefined): string {
  if (position === undefined) return 'The text is not valid JSON.';
  if (position >= text.length) return 'The JSON text ends too early.';
  const before = text.slice(0, position);
  const line = before.split('\n').length;
  const column = position - before.lastIndexOf('\n');
  return `The text is not valid JSON: see line ${line}, column ${column}.`;
}

function findSyntaxError(text: string): number | undefined {
  try {
    parseExactly(text);
  } catch (error) {
    return positionOf(error);
  }
  return undefined;
}

/** Where lossless-json has found a mistake. */
function positionOf(error: unknown): number | undefined {
  const position = error instanceof SyntaxError && / at position (\d+)$/.exec(error.message)?.[1];
  return position ? Number(position) : undefined;
}

function write(value: unknown): string | undefined {
  switch (typeof value) {
    case 'string':
      return JSON.stringify(value);
    case 'number':
      return Number.isFinite(value) ? String(value) : 'null';
    case 'boolean':
    case 'bigint':
      return String(value);
    case 'object':
      return value === null ? 'null' : writeObject(value);
    default:
      return undefined;
  }
}

function writeObject(value: object): string | undefined {
  if (Array.isArray(value)) return writeArray(value);
  if (value instanceof JsonNumber) return value.text;
  if ('toJSON' in value && typeof value.toJSON === 'function') return write(value.toJSON());
  let members = '';
  for (const key of Object.keys(value)) {
    const member = write((value as Record<string, unknown>)[key]);
    if (member !== undefined) members += `${members && ','}${JSON.stringify(key)}:${member}`;
  }
  return `{${members}}`;
}

function writeArray(items: readonly unknown[]): string {
  let text = '';
  for (const item of items) text += `${text && ','}${write(item) ?? 'null'}`;
  return `[${text}]`;
}
