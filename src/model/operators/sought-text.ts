import { Invalid } from '../../rules.ts';

/** How an operator looks for a text: literally, by a pattern that the database compares with. */
export interface SoughtText {
  /** The fewest characters, in Unicode code points. */
  readonly min: number;
  /** The most characters that clients may send. */
  max(limits: TextLimits): number;
  pattern(text: string): string;
}

/** The limits of texts. */
export interface TextLimits {
  /** The most characters of a `prefix`, in Unicode code points. */
  readonly maxPrefix: number;
}

/** The texts with which others begin. */
export const beginning: SoughtText = {
  min: 0,
  max: ({ maxPrefix }) => maxPrefix,
  pattern: (text) => `^${escapeRegExp(text)}`,
};

/** The texts that are parts of others. A single character is a part of most of them. */
export const part: SoughtText = { min: 2, max: () => 100, pattern: escapeRegExp };

/**
 * The most bytes of a pattern, in UTF-8. MongoDB 7.0 takes no longer one (error 51091). 6.0 limits the compiled form
 * instead, and takes every literal pattern of this length.
 */
const maxPatternBytes = 16_384;

/** The member of a field that says how its texts are compared. */
interface Folding {
  readonly caseless?: { fold(text: string): string } | undefined;
}

/**
 * Why a text cannot be looked for in a field; undefined if it can. A text may be longer without its case than with it.
 * The application's own code has no `limits`.
 */
export function refuseText({ caseless }: Folding, text: string, sought: SoughtText, limits?: TextLimits): Invalid | undefined {
  const { min } = sought;
  const max = limits ? sought.max(limits) : Number.POSITIVE_INFINITY;
  const { length } = [...text];
  if (length < min) return new Invalid('minLength', `must have at least ${min} characters`, { limit: min });
  if (length > max) return new Invalid('maxLength', `must have at most ${max} characters`, { limit: max });
  const bytes = Buffer.byteLength(sought.pattern(caseless ? caseless.fold(text) : text));
  if (bytes <= maxPatternBytes) return undefined;
  const message = `must be a pattern of at most ${maxPatternBytes} bytes for MongoDB, and is one of ${bytes}`;
  return new Invalid('prefix_too_large', message, { limit: maxPatternBytes });
}

// Escapes every character that has a meaning in PCRE, because a text is literal.
function escapeRegExp(text: string): string {
  return text.replace(/[\\^$.|?*+()[\]{}#/-]/g, '\\$&');
}
