import { inspect } from 'node:util';

const MAX_LENGTH = 64;
const MAX_EDITS = 2;

/**
 * Finds the candidate that a misspelt name most likely means, for "did you mean" hints: a candidate that differs in
 * case only; else one that starts with the name, if the name has at least three letters; else the nearest at a
 * Damerau-Levenshtein distance of at most 2, or of at most 1 for names of up to three letters. The first of several
 * equally good candidates wins. Names longer than 64 characters have none.
 *
 * Pass only candidates that the client may know.
 *
 * @example
 * nearest('stauts', ['number', 'status']) // 'status'
 */
export function nearest(name: string, candidates: Iterable<string>): string | undefined {
  if (name.length > MAX_LENGTH) return undefined;
  let best: string | undefined;
  let bestRank = Number.POSITIVE_INFINITY;
  const wanted = name.toLowerCase();
  for (const candidate of candidates) {
    const rank = rankCandidate(wanted, candidate.toLowerCase());
    if (rank < bestRank) {
      best = candidate;
      bestRank = rank;
    }
  }
  return best;
}

/**
 * The end of a message about a misspelt name in a definition: the name that was probably meant, or `otherwise` if no
 * candidate is near.
 *
 * @example
 * didYouMean('stauts', ['number', 'status']) // '; did you mean `status`?'
 */
export function didYouMean(name: unknown, candidates: Iterable<string>, otherwise = ''): string {
  const meant = typeof name === 'string' ? nearest(name, candidates) : undefined;
  return meant === undefined ? otherwise : `; did you mean \`${meant}\`?`;
}

/** A name as it is, for a message about a definition; what is no name, as Node's `inspect` shows it. */
export function showName(given: unknown): string {
  return typeof given === 'string' ? given : inspect(given, { depth: 0, compact: true, breakLength: Number.POSITIVE_INFINITY });
}

function rankCandidate(name: string, candidate: string): number {
  if (name === candidate) return 0;
  if (name.length >= 3 && candidate.startsWith(name)) return 1;
  if (isWithin(1, name, candidate)) return 2;
  if (name.length > 3 && isWithin(MAX_EDITS, name, candidate)) return 3;
  return Number.POSITIVE_INFINITY;
}

/**
 * Whether at most `edits` insertions, deletions, substitutions and swaps of neighbours turn `a` into `b`. Each edit is
 * tried in four ways, so `edits` must be small.
 */
function isWithin(edits: number, a: string, b: string): boolean {
  if (a === b) return true;
  if (edits === 0 || Math.abs(a.length - b.length) > edits) return false;
  let at = 0;
  while (a[at] === b[at]) at++;
  return (
    isWithin(edits - 1, a.slice(at + 1), b.slice(at)) ||
    isWithin(edits - 1, a.slice(at), b.slice(at + 1)) ||
    isWithin(edits - 1, a.slice(at + 1), b.slice(at + 1)) ||
    (a[at] === b[at + 1] && a[at + 1] === b[at] && isWithin(edits - 1, a.slice(at + 2), b.slice(at + 2)))
  );
}

const maxNames = 10;

/**
 * The first ten names, joined by commas, for a message.
 *
 * @example
 * listNames(['open', 'paid']) // 'open, paid'
 */
export function listNames(names: Iterable<string>): string {
  const all = [...names];
  return `${firstNames(all).join(', ')}${all.length > maxNames ? ', …' : ''}`;
}

/** The names that {@link listNames} shows, as an array: `params` have no more of them than the message. */
export function firstNames<Name>(names: Iterable<Name>): Name[] {
  return [...names].slice(0, maxNames);
}
