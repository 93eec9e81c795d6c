import { numberPattern } from '../http/json-number.ts';
import { FilterSyntaxError } from './syntax.ts';

/** What a token is: a symbol or a word of the language is its own kind. */
type Kind = 'name' | 'string' | 'number' | 'end' | (typeof symbols)[number] | (typeof words)[number];

/** The smallest part of a filter. */
export interface Token {
  readonly kind: Kind;
  /** The text of a name, the value of a string, or the token as it is written. */
  readonly text: string;
  /** Where it begins, in characters from 1 on. */
  readonly position: number;
}

/** Longer symbols first. */
const symbols = ['!=', '<=', '>=', '=', '<', '>', '(', ')', ',', '…'] as const;

/** The words of the language: no field is named by one of them, unless in backquotes. */
const words = ['AND', 'OR', 'NOT', 'IN', 'true', 'false', 'null'] as const;

const space = /[ \t\r\n]+/y;
const symbol = /!=|<=|>=|[=<>(),…]/y;
const number = new RegExp(`${numberPattern}(?![\\p{L}\\p{N}_.])`, 'uy');
const string = /"(?:[^"\\]|\\.)*"/suy;
const bareName = /[\p{L}_][\p{L}\p{M}\p{N}_-]*(?:\.[\p{L}\p{N}_][\p{L}\p{M}\p{N}_-]*)*/uy;
const quotedName = /`[^`]+`/uy;

/**
 * Divides a filter into its tokens. Each character is read once. Throws a {@link FilterSyntaxError} for text that is no
 * token.
 */
export function* tokensOf(text: string): Generator<Token, Token> {
  let at = 0;
  let position = 1;

  function take(pattern: RegExp): string | undefined {
    pattern.lastIndex = at;
    const found = pattern.exec(text)?.[0];
    at += found?.length ?? 0;
    return found;
  }

  function read(): Omit<Token, 'position'> | undefined {
    const sign = take(symbol);
    if (sign !== undefined) return { kind: sign as Kind, text: sign };
    const quoted = take(string);
    if (quoted !== undefined) return parseString(quoted);
    const digits = take(number);
    if (digits !== undefined) return { kind: 'number', text: digits };
    const word = take(bareName);
    if (word !== undefined) return { kind: words.find((one) => one === word) ?? 'name', text: word };
    return undefined;
  }

  for (;;) {
    position += take(space)?.length ?? 0;
    if (at === text.length) return { kind: 'end', text: '', position };
    const before = at;
    const name = take(quotedName);
    const token = name === undefined ? read() : { kind: 'name' as const, text: name.slice(1, -1) };
    if (!token) throw notAToken(text.slice(before), position);
    if (token.kind === 'string' && !isText(token.text)) throw notText(position);
    yield { ...token, position };
    position += lengthOf(text.slice(before, at));
  }
}

/** Undefined for a string with an escape or a line break that JSON does not know. */
function parseString(quoted: string): Omit<Token, 'position'> | undefined {
  try {
    return { kind: 'string', text: JSON.parse(quoted) };
  } catch {
    return undefined;
  }
}

/** Whether a query of the database can hold a string: escapes can write NUL, and half of a surrogate pair. */
function isText(value: string): boolean {
  return value.isWellFormed() && !value.includes('\0');
}

function notText(position: number): FilterSyntaxError {
  const message = `is not a filter: the string at character ${position} has NUL or half of a surrogate pair`;
  return new FilterSyntaxError('syntax', message, { position, expected: 'a string without NUL' });
}

/** The number of characters of a text: its Unicode code points. */
function lengthOf(text: string): number {
  let length = 0;
  for (const _character of text) length++;
  return length;
}

function notAToken(rest: string, position: number): FilterSyntaxError {
  const [first = ''] = rest;
  const [found, expected] = describe(first);
  return new FilterSyntaxError('syntax', `is not a filter: ${found} at character ${position}`, { position, expected });
}

/** Says what is wrong with the beginning of a text, and what would be right. */
function describe(first: string): [found: string, expected: string] {
  if (first === '"') return ['a string that does not end, or has an escape that JSON does not know', 'a JSON string'];
  if (first === "'") return ['a string in single quotes; strings are written as in JSON: "…"', 'a JSON string'];
  if (first === '`') return ['a name in backquotes that does not end', 'a name in backquotes'];
  if (/[\d+.-]/.test(first)) return ['a number that is not written as `12`, `12.5` or `1.2e3`', 'a number'];
  return [`the unexpected ${JSON.stringify(first)}`, 'a field, a value or an operator'];
}
