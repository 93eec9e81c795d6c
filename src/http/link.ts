/** One link of a `Link` header: a target, and its relation to what is answered (`next`, `first`, `prev`). */
export interface Link {
  readonly href: string;
  readonly rel: string;
}

/**
 * The value of a `Link` header (RFC 8288 §3). What a URI cannot hold in `href` is percent-encoded, so that no `>` from a query string ends
 * the target early; what is encoded already stays as it is.
 *
 * @example
 * formatLink([{ href: '/orders?after=abc', rel: 'next' }]) // </orders?after=abc>; rel="next"
 */
export function formatLink(links: readonly Link[]): string {
  return links.map(({ href, rel }) => `<${encodeUri(href)}>; rel="${rel}"`).join(', ');
}

function encodeUri(uri: string): string {
  return encodeURI(uri).replaceAll('%25', '%'); // undoes what `encodeURI` does to the percent signs of `uri`
}
