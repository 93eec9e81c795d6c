import { type Address, toAbsolute, toPagePath } from '../../address.ts';

/** A tag of the head of a page, as VitePress takes it. The tests have no VitePress. */
type Tag = [name: string, attributes: Record<string, string>];

export interface Described {
  readonly title: string;
  readonly description: string;
  /** `reference/lists.md` */
  readonly path: string;
}

/** What search engines, and messengers that show a link, read of a page. */
export function describePage({ title, description, path }: Described, address: Address): Tag[] {
  const shown = { 'og:type': 'website', 'og:site_name': 'koa-mongo-resource', 'og:title': title, 'og:description': description };
  const tags = Object.entries(shown).map(([property, content]): Tag => ['meta', { property, content }]);
  if (address.url === undefined) return tags; // these must be absolute
  const url = toAbsolute(toPagePath(path), address);
  return [
    ...tags,
    ['meta', { property: 'og:url', content: url }],
    ['meta', { property: 'og:image', content: toAbsolute('preview.png', address) }],
    ['meta', { name: 'twitter:card', content: 'summary_large_image' }],
    ['link', { rel: 'canonical', href: url }],
  ];
}
