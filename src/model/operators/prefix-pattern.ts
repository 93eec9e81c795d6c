import { Invalid } from '../../rules.ts';

/**
 * The most bytes of a pattern, in UTF-8. MongoDB 7.0 takes no longer one (error 51091). 6.0 limits the compiled form
 * instead, and takes every prefix of this length.
 */
const maxPatternBytes = 16_384;

/** The pattern of the texts that begin with this one. */
export function prefixPattern(prefix: string): string {
  return `^${escapeRegExp(prefix)}`;
}

/** The member of a field that says how its texts are compared. */
interface Folding {
  readonly caseless?: { fold(text: string): string } | undefined;
}

/**
 * Why the database cannot look for texts of a field that begin with this one; undefined if it can. A text may be longer
 * without its case than with it.
 */
export function refusePrefix({ caseless }: Folding, prefix: string): Invalid | undefined {
  const bytes = Buffer.byteLength(prefixPattern(caseless ? caseless.fold(prefix) : prefix));
  if (bytes <= maxPatternBytes) return undefined;
  const message = `must be a pattern of at most ${maxPatternBytes} bytes for MongoDB, and is one of ${bytes}`;
  return new Invalid('prefix_too_large', message, { limit: maxPatternBytes });
}

// Escapes every character that has a meaning in PCRE, because a prefix is literal text.
function escapeRegExp(text: string): string {
  return text.replace(/[\\^$.|?*+()[\]{}#/-]/g, '\\$&');
}
