/**
 * The result of {@link classifyMediaType}: JSON, JSON in another charset than UTF-8, no media type, or another media
 * type.
 */
export type MediaTypeClass = 'json' | 'charset' | 'absent' | 'other';

/** The media type that clients are asked for if they have sent another one. */
export const jsonType = 'application/json';

/** The media type of server-sent events. */
export const eventStreamType = 'text/event-stream';

/**
 * The media types of a PATCH for `Accept-Patch` (RFC 5789 §3.1): its body is a merge patch (RFC 7396 §4), whose own
 * type is rarely sent.
 */
export const patchTypes = `application/merge-patch+json, ${jsonType}`;

const TOKEN = /[\w!#$%&'*+.^`|~-]+/.source; // RFC 9110 §5.6.2
const QUOTED = /"((?:[^"\\]|\\.)*)"/.source; // §5.6.4
const PARAMETER = new RegExp(`[ \t]*;[ \t]*(?:(${TOKEN})=(?:(${TOKEN})|${QUOTED}))?`, 'y');
const JSON_TYPE = new RegExp(`^(?:application/json|${TOKEN}/${TOKEN}[+]json)(?=[ \t;]|$)`, 'i');

/**
 * Says whether a `Content-Type` (RFC 9110 §8.3.1) is JSON: `application/json`, or any type with the suffix `+json` (RFC
 * 6839 §3.1), in any case and with any parameters. JSON is UTF-8 (RFC 8259 §8.1), so that another `charset` has a
 * result of its own, for an answer that names it. A value that does not follow the grammar is `other`.
 *
 * @example
 * classifyMediaType('application/merge-patch+json; charset="UTF-8"') // 'json'
 */
export function classifyMediaType(contentType: string | undefined): MediaTypeClass {
  if (!contentType) return 'absent';
  const essence = JSON_TYPE.exec(contentType)?.[0];
  if (essence === undefined) return 'other';
  const charsets = readCharsets(contentType, essence.length);
  if (charsets === undefined) return 'other';
  return charsets.every((charset) => /^utf-?8$/i.test(charset)) ? 'json' : 'charset';
}

/**
 * The values of all `charset` parameters from `start` on; undefined if the parameters (RFC 9110 §5.6.6) are malformed.
 */
function readCharsets(contentType: string, start: number): string[] | undefined {
  const charsets: string[] = [];
  PARAMETER.lastIndex = start;
  while (PARAMETER.lastIndex < contentType.length) {
    const match = PARAMETER.exec(contentType);
    if (!match) return undefined;
    const [, name, token, quoted] = match;
    if (name?.toLowerCase() === 'charset') charsets.push(token ?? (quoted as string).replace(/\\(.)/g, '$1'));
  }
  return charsets;
}
