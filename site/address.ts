import manifest from '../package.json' with { type: 'json' };

/** Where the site is, or will be. */
export interface Address {
  /** With a slash at its end. Undefined as long as there is none. */
  readonly url: string | undefined;
  /** The path of the site on its host. */
  readonly base: string;
}

/**
 * The `homepage` of package.json decides whether links are absolute, here and in the README. A preview may stand
 * elsewhere: `SITE_URL=https://example.org/docs npm run build`.
 */
export function readAddress(url: string | undefined = (manifest as { readonly homepage?: string }).homepage): Address {
  if (!url) return { url: undefined, base: '/' };
  const { href, pathname } = new URL(url.endsWith('/') ? url : `${url}/`);
  return { url: href, base: pathname };
}

/** An address for programs that know no base: absolute, where that is possible. */
export function toAbsolute(path: string, { url, base }: Address): string {
  return `${url ?? base}${path}`;
}

/** The path of the page that a file of docs/ becomes, from the address. */
export function toPagePath(path: string): string {
  return path.replace(/(^|\/)index\.md$/, '$1').replace(/\.md$/, '.html');
}
