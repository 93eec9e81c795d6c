/** A double holds every decimal number with this many digits, and its text has the same digits. */
const DOUBLE_DIGITS = 15;

/**
 * Reads a JSON text once, without recursion, to find out which parser it needs. `double`: doubles hold all of its numbers, so that `JSON.parse`
 * will do. `exact`: a number has more than 15 digits or an exponent, and may need more than a double. `too-deep`: a recursive parser could
 * overflow the stack.
 *
 * All digits count, also zeros: many of them move a number out of the range of doubles. The result for invalid JSON may be wrong, which does no
 * harm: parsers stop at the first mistake, and up to there the depth is right.
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
