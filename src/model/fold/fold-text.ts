import { once } from '../../mistakes.ts';
import { accentedLetters, fullFolds, singleFolds } from './fold-table.ts';

/**
 * Folds a text without its case: canonical decomposition, full case folding, and canonical composition (D145 of the
 * Unicode standard). Two texts that differ only in case have the same folded text, in every process: the table is the
 * library's own, and the normalization of a character never changes once it is assigned (UAX #15).
 */
export function foldCase(text: string): string {
  return fold(text, true);
}

/**
 * Folds a text without its case and its accents. Accents are the marks from U+0300 to U+036F directly behind a letter
 * of the Latin, Greek and Cyrillic scripts. In other scripts a mark makes another letter.
 */
export function foldText(text: string): string {
  return fold(text, false);
}

const ascii = /^[\0-\x7f]*$/;

function fold(text: string, keepsAccents: boolean): string {
  if (ascii.test(text)) return text.toLowerCase();
  const { folds, accents } = table();
  let folded = '';
  for (const character of normalize(text, 'NFD')) folded += folds.get(character) ?? character;
  const apart = normalize(folded, 'NFD'); // the iota below a letter has become a letter
  return normalize(keepsAccents ? apart : apart.replace(accents, ''), 'NFC');
}

/** The most marks behind a letter that are normalized together: "Stream-Safe Text Format" in UAX #15. */
const longRun = /\p{M}{31}/u;
const pieces = /\P{M}*\p{M}{0,30}/gu;

/** The time for sorting a run of marks grows with its square: for 500,000 marks it would be minutes. */
function normalize(text: string, form: 'NFD' | 'NFC'): string {
  if (!longRun.test(text)) return text.normalize(form);
  return text.replace(pieces, (piece) => piece.normalize(form));
}

/** Made for the first text that is not ASCII. */
const table = once(() => {
  const folds = new Map<string, string>();
  const toText = (...points: readonly number[]): string => String.fromCodePoint(...points);
  for (const [, first, sign, last, direction, distance] of singleFolds.matchAll(/([\da-f]+)(?:([-:])([\da-f]+))?([<>])([\da-f]+)/g)) {
    const step = (direction === '<' ? -1 : 1) * hex(distance);
    for (let point = hex(first); point <= hex(last ?? first); point += sign === ':' ? 2 : 1) folds.set(toText(point), toText(point + step));
  }
  for (const [, from, to = ''] of fullFolds.matchAll(/([\da-f]+)=([\da-f+]+)/g))
    folds.set(toText(hex(from)), toText(...to.split('+').map(hex)));
  const letters = accentedLetters.trim().replaceAll(/[\da-f]+/g, (point) => `\\u{${point}}`);
  return { folds, accents: new RegExp(`(?<=[${letters.replaceAll(/\s/g, '')}])[\\u0300-\\u036f]+`, 'gu') };
});

function hex(digits = ''): number {
  return Number.parseInt(digits, 16);
}
