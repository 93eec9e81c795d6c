const MAX_LENGTH = 64;
const MAX_EDITS = 2;

/**
 * The candidate that a misspelt name most likely means, for "did you mean" hints: one that is equal but for case, else one that it begins
 * (with three letters or more), else the nearest at a Damerau-Levenshtein distance of at most 2, or 1 for names of up to three letters.
 * Of several the first wins. Names longer than 64 characters have none.
 *
 * Give it only names that the client may know.
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
 * How a message about a misspelt name of a definition goes on: with the name that was meant, or with `otherwise` where none is near.
 *
 * @example
 * didYouMean('stauts', ['number', 'status']) // '; did you mean `status`?'
 */
export function didYouMean(name: string, candidates: Iterable<string>, otherwise = ''): string {
  const meant = nearest(name, candidates);
  return meant === undefined ? otherwise : `; did you mean \`${meant}\`?`;
}

function rankCandidate(name: string, candidate: string): number {
  if (name === candidate) return 0;
  if (name.length >= 3 && candidate.startsWith(name)) return 1;
  if (isWithin(1, name, candidate)) return 2;
  if (name.length > 3 && isWithin(MAX_EDITS, name, candidate)) return 3;
  return Number.POSITIVE_INFINITY;
}

/** Whether so many insertions, deletions, substitutions and swaps of neighbours make `a` into `b`. Four ways each: for few `edits`. */
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
 * The names that a message lists, the first ten of them.
 *
 * @example
 * listNames(['open', 'paid']) // 'open, paid'
 */
export function listNames(names: Iterable<string>): string {
  const all = [...names];
  return `${firstNames(all).join(', ')}${all.length > maxNames ? ', …' : ''}`;
}

/** Those that {@link listNames} lists: what programs are told is no longer than what people are. */
export function firstNames<Name>(names: Iterable<Name>): Name[] {
  return [...names].slice(0, maxNames);
}
