import { Problem } from '../errors.ts';

/** One entity tag (RFC 9110 §8.8.3): `tag` is its opaque text, without the quotes. */
export interface EntityTag {
  readonly weak: boolean;
  readonly tag: string;
}

/** The value of `If-Match` or `If-None-Match`: `*` for any representation that exists, or an array of tags. */
export type EntityTags = '*' | readonly EntityTag[];

/**
 * Parses `If-Match` (RFC 9110 §13.1.1), for a write that must not happen by mistake.
 *
 * An empty value is an empty array, which nothing matches. An absent header is something else.
 *
 * Throws `malformed_header` (400), which names `field`.
 *
 * @example
 * parseEntityTags('"3", W/"4"') // [{ weak: false, tag: '3' }, { weak: true, tag: '4' }]
 */
export function parseEntityTags(header: string, field = 'If-Match'): EntityTags {
  const tags = readEntityTags(header);
  if (tags !== undefined) return tags;
  throw new Problem({
    code: 'malformed_header',
    detail: `${field} takes \`*\` or a list of entity tags in double quotes, such as \`"3"\`.`,
  });
}

/**
 * Parses the same as {@link parseEntityTags}, but returns undefined for a malformed value.
 *
 * Use it for `If-None-Match` on GET and HEAD (RFC 9110 §13.1.2). The RFC has no rule for a malformed value. To ignore
 * it costs one full answer, and is what §13.1.3 requires for `If-Modified-Since`. A write must not ignore its
 * condition: use {@link parseEntityTags} there.
 *
 * @example
 * readEntityTags('3') // undefined
 */
export function readEntityTags(header: string): EntityTags | undefined {
  const tags: EntityTag[] = [];
  const element = /(W\/)?"([\x21\x23-\x7e\x80-\xff]*)"/y;
  let at = skipSpace(header, 0);
  if (header[at] === '*' && skipSpace(header, at + 1) === header.length) return '*';
  for (;;) {
    element.lastIndex = at;
    const match = element.exec(header);
    if (match) {
      tags.push({ weak: match[1] !== undefined, tag: match[2] as string });
      at = skipSpace(header, element.lastIndex);
    }
    if (at === header.length) return tags;
    if (header[at] !== ',') return undefined; // a recipient accepts empty elements (§5.6.1.2), so a comma may come anywhere
    at = skipSpace(header, at + 1);
  }
}

/**
 * The strong entity tag of a revision (RFC 9110 §8.8.3).
 *
 * Throws a `TypeError` for a character that a tag cannot have, such as `"` or a line break.
 *
 * @example
 * ctx.set('ETag', formatEntityTag(3n)) // "3"
 */
export function formatEntityTag(value: string | number | bigint): string {
  const tag = `"${value}"`;
  if (!/^"[\x21\x23-\x7e\x80-\xff]*"$/.test(tag)) throw new TypeError(`Not an entity tag: ${tag}`);
  return tag;
}

/**
 * Whether `If-Match` allows a write, by strong comparison (RFC 9110 §8.8.3.2). Tags are compared as text, so that
 * `"00"` is not `"0"`. A weak tag matches nothing. `current` is the strong tag of the representation without quotes, or
 * undefined if it has none; then only `*` matches.
 *
 * @example
 * matchesStrong(parseEntityTags('W/"3"'), '3') // false
 */
export function matchesStrong(tags: EntityTags, current: string | undefined): boolean {
  return tags === '*' || tags.some(({ weak, tag }) => !weak && tag === current);
}

/**
 * Whether `If-None-Match` names the representation, by weak comparison (RFC 9110 §8.8.3.2). For `current` see
 * {@link matchesStrong}.
 *
 * @example
 * matchesWeak(parseEntityTags('W/"3"'), '3') // true
 */
export function matchesWeak(tags: EntityTags, current: string | undefined): boolean {
  return tags === '*' || tags.some(({ tag }) => tag === current);
}

/** The index after the optional white space at `at` (OWS, RFC 9110 §5.6.3). */
function skipSpace(text: string, at: number): number {
  let end = at;
  while (text[end] === ' ' || text[end] === '\t') end++;
  return end;
}
