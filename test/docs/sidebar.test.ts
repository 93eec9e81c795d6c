import { listed, order, sections } from '../../site/sidebar.ts';
import { pages } from '../support/docs/pages.ts';

/** What the site shows without the sidebar, or not at all. */
const apart = ['README.md', 'docs/README.md', 'docs/index.md'];

describe('the sidebar of the site', () => {
  it.each(pages.filter((page) => !apart.includes(page)))('has %s', (page) => {
    expect(listed).toContain(page.slice('docs/'.length));
  });

  it('has no group that is too long to be looked over', () => {
    for (const { groups } of sections())
      for (const { text, pages: shown } of groups) expect([text, shown.length <= 12]).toEqual([text, true]);
  });

  it('has each page once, in the section of its folder, with a title', () => {
    expect(listed).toEqual([...new Set(listed)]);
    for (const [section, groups] of Object.entries(order))
      for (const path of Object.values(groups).flat()) expect(path).toMatch(new RegExp(`^${section.toLowerCase()}/`));
    for (const { pages: shown } of sections())
      for (const { path, title } of shown) expect([path, title]).toEqual([path, expect.stringMatching(/\w/)]);
  });
});
