import { readNumber } from './json-number.ts';

/** A double holds every decimal number with this many digits, and its text has the same digits. */
const DOUBLE_DIGITS = 15;

/** The result of {@link scanJson}. */
export type JsonShape = 'double' | 'exact' | 'too-deep' | 'too-many';

/**
 * Reads a JSON text once, without recursion, to find out which parser it needs. `double`: doubles hold all of its
 * numbers, so that `JSON.parse` will do. `exact`: a number needs more than a double. `too-deep`: a recursive parser
 * could overflow the stack. `too-many`: it has more than `maxValues` values, where an array or object counts as one
 * more.
 *
 * A number of more than 15 digits or with an exponent is looked at: doubles hold many of these, such as
 * 0.14285714285714285. All digits count, also zeros: many of them move a number out of the range of doubles. The result
 * for invalid JSON may be wrong, which does no harm: parsers stop at the first mistake, and up to there the depth is
 * right.
 *
 * @example
 * scanJson('{"id":9007199254740993}', 64) // 'exact'
 */
export function scanJson(text: string, maxDepth: number, maxValues = Number.POSITIVE_INFINITY): JsonShape {
  let depth = 0;
  let digits = 0;
  let values = 1;
  let exact = false;
  for (let at = 0; at < text.length; at++) {
    const char = text[at] as string;
    if (char >= '0' && char <= '9') {
      digits++;
      if (digits <= DOUBLE_DIGITS || exact) continue;
      const end = findEnd(text, at);
      exact = !isDouble(text, at, end);
      at = end - 1;
      continue;
    }
    switch (char) {
      case '.':
        continue;
      case 'e':
      case 'E':
        if (digits === 0 || exact) break;
        exact = !isDouble(text, at, findEnd(text, at));
        at = findEnd(text, at) - 1;
        break;
      case '"':
        at = findClosingQuote(text, at);
        break;
      case '{':
      case '[':
        if (++depth > maxDepth) return 'too-deep';
        if (++values > maxValues) return 'too-many';
        break;
      case ',':
        if (++values > maxValues) return 'too-many';
        break;
      case '}':
      case ']':
        depth--;
        break;
    }
    digits = 0;
  }
  return exact ? 'exact' : 'double';
}

/** Whether the number that `at` is in, and that ends before `end`, is read as a double. */
function isDouble(text: string, at: number, end: number): boolean {
  let start = at;
  while (start > 0 && isOfNumber(text.charCodeAt(start - 1))) start--;
  const number = text.slice(start, end);
  if (number.includes('.') && String(Number(number)) === number) return true; // without a dot it may be an integer beyond the safe range
  return typeof readNumber(number) === 'number';
}

/** The index behind the number that `at` is in. */
function findEnd(text: string, at: number): number {
  let end = at + 1;
  while (end < text.length && isOfNumber(text.charCodeAt(end))) end++;
  return end;
}

/** Whether a character can be part of a number: a digit, a sign, a dot or an exponent. */
function isOfNumber(code: number): boolean {
  return (code >= 0x30 && code <= 0x39) || code === 0x2e || code === 0x2d || code === 0x2b || code === 0x65 || code === 0x45;
}

/** The index of the quote that ends the string that begins at `at`, or the end of the text. */
function findClosingQuote(text: string, at: number): number {
  let end = text.indexOf('"', at + 1);
  while (isEscaped(text, end)) end = text.indexOf('"', end + 1);
  return end === -1 ? text.length : end;
}

function isEscaped(text: string, at: number): boolean {
  let start = at;
  while (text[start - 1] === '\\') start--;
  return (at - start) % 2 === 1;
}
