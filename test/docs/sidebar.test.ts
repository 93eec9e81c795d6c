import { order, sections } from '../../site/sidebar.ts';
import { pages } from '../support/docs/pages.ts';

const listed: readonly string[] = Object.values(order).flat();
/** What the site shows without the sidebar, or not at all. */
const apart = ['README.md', 'docs/README.md', 'docs/index.md'];

describe('the sidebar of the site', () => {
  it.each(pages.filter((page) => !apart.includes(page)))('has %s', (page) => {
    expect(listed).toContain(page.slice('docs/'.length));
  });

  it('has each page once, in the section of its folder, with a title', () => {
    expect(listed).toEqual([...new Set(listed)]);
    for (const [section, paths] of Object.entries(order))
      for (const path of paths) expect(path).toMatch(new RegExp(`^${section.toLowerCase()}/`));
    for (const { pages: shown } of sections())
      for (const { path, title } of shown) expect([path, title]).toEqual([path, expect.stringMatching(/\w/)]);
  });
});
