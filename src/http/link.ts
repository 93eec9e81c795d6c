/** One link of a `Link` header: its target, and the relation of the target to the answer (`next`, `first`, `prev`). */
export interface Link {
  readonly href: string;
  readonly rel: string;
}

/**
 * The value of a `Link` header (RFC 8288 §3). Characters in `href` that a URI cannot have are percent-encoded, so that
 * a `>` in a query string does not end the target. What is already encoded stays as it is.
 *
 * @example
 * formatLink([{ href: '/orders?after=abc', rel: 'next' }]) // </orders?after=abc>; rel="next"
 */
export function formatLink(links: readonly Link[]): string {
  return links.map(({ href, rel }) => `<${encodeUri(href)}>; rel="${rel}"`).join(', ');
}

function encodeUri(uri: string): string {
  return encodeURI(uri).replaceAll('%25', '%'); // `encodeURI` has also encoded the percent signs of `uri`
}
