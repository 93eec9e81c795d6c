import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describePage } from '../../site/.vitepress/pages/describe.ts';
import { descriptionOf, introductionOf } from '../../site/.vitepress/pages/introduction.ts';
import { readAddress, toAbsolute, toPagePath } from '../../site/address.ts';
import { pages, root } from '../support/docs/pages.ts';

describe('the address of the site', () => {
  it('is unknown without a URL, and links begin at the root of the host', () => {
    const address = readAddress('');
    expect(address).toEqual({ url: undefined, base: '/' });
    expect(toAbsolute('llms.txt', address)).toBe('/llms.txt');
  });

  it.each(['https://example.org/docs', 'https://example.org/docs/'])('has a path, and makes links absolute: %s', (url) => {
    const address = readAddress(url);
    expect(address).toEqual({ url: 'https://example.org/docs/', base: '/docs/' });
    expect(toAbsolute('reference/lists.md', address)).toBe('https://example.org/docs/reference/lists.md');
  });

  it('leads to the page of a file', () => {
    expect(['index.md', 'start/tutorial/index.md', 'reference/lists.md'].map(toPagePath)).toEqual([
      '',
      'start/tutorial/',
      'reference/lists.html',
    ]);
  });
});

describe('the description of a page', () => {
  it('stands before its title', () => {
    expect(descriptionOf('---\ndescription: "Pages: by cursor."\n---\n\n# Lists\n\nA list.\n\n')).toBe('Pages: by cursor.');
    expect(descriptionOf('---\nlayout: home\ndescription: Pages\n---\n\n# Lists\n')).toBe('Pages');
  });

  it('is otherwise its first sentence, without links and without "This page"', () => {
    expect(introductionOf('# A\n\nThis page shows how `a` [works](b.md): well.\n\n')).toBe('How a works.');
    expect(introductionOf('# A\n\n<!-- setup\nx\n-->\n\nA list. It ends.\n\n')).toBe('');
    expect(descriptionOf('# A\n\nA list of\nall. It ends.\n\n')).toBe('A list of all.');
  });
});

describe('the descriptions of all pages', () => {
  const descriptions = pages
    .filter((page) => page.startsWith('docs/') && page !== 'docs/README.md')
    .map((page) => ({ page, description: descriptionOf(readFileSync(join(root, page), 'utf8')) }));

  it.each(descriptions)('say what is there, in a line of a search engine: $page', ({ description }) => {
    expect(description).toMatch(/^(?!This page).{40,170}$/);
  });

  it('differ', () => {
    const all = descriptions.map(({ description }) => description);
    expect(all).toEqual([...new Set(all)]);
  });
});

describe('what a page says to those who show a link to it', () => {
  const page = { title: 'Lists', description: 'Pages.', path: 'reference/lists.md' };
  const tagsOf = (url: string) => describePage(page, readAddress(url)).map(([, attributes]) => Object.values(attributes));

  it('is its title and description', () => {
    expect(tagsOf('')).toEqual([
      ['og:type', 'website'],
      ['og:site_name', 'koa-mongo-resource'],
      ['og:title', 'Lists'],
      ['og:description', 'Pages.'],
    ]);
  });

  it('is also its address and a picture, where the site has an address', () => {
    expect(tagsOf('https://example.org/docs').slice(4)).toEqual([
      ['og:url', 'https://example.org/docs/reference/lists.html'],
      ['og:image', 'https://example.org/docs/preview.png'],
      ['twitter:card', 'summary_large_image'],
      ['canonical', 'https://example.org/docs/reference/lists.html'],
    ]);
  });
});
