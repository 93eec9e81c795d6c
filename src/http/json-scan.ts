/** Every decimal of so many digits is held by a double and shown by it unchanged. */
const DOUBLE_DIGITS = 15;

/**
 * Looks over a JSON text once, without recursion, to say what may parse it: `double` (doubles hold all its numbers, so `JSON.parse` may),
 * `exact` (a number has more than 15 digits or an exponent, and may need more), or `too-deep` (nothing that recurses may).
 *
 * All digits count, zeros too: they move a value out of the range of doubles as exponents do.
 * Invalid JSON may be misjudged, safely: up to its first mistake, where every parser stops, the depth counted here is the true one.
 *
 * @example
 * scanJson('{"id":9007199254740993}', 64) // 'exact'
 */
export function scanJson(text: string, maxDepth: number): 'double' | 'exact' | 'too-deep' {
  let depth = 0;
  let digits = 0;
  let exact = false;
  for (let at = 0; at < text.length; at++) {
    const char = text[at] as string;
    if (char >= '0' && char <= '9') {
      digits++;
      exact ||= digits > DOUBLE_DIGITS;
      continue;
    }
    switch (char) {
      case '.':
        continue;
      case 'e':
      case 'E':
        exact ||= digits > 0;
        break;
      case '"':
        at = findClosingQuote(text, at);
        break;
      case '{':
      case '[':
        if (++depth > maxDepth) return 'too-deep';
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

/** The index of the quote that closes the string opened at `at`; the end of the text when none does. */
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
