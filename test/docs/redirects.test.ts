import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { anchorOf } from '../../site/.vitepress/markdown/headings.ts';
import { redirects } from '../../site/redirects.ts';
import { docs, listed } from '../../site/sidebar.ts';

describe('the old addresses of the site', () => {
  it.each(Object.entries(redirects))('%s is no page any more, and leads to %s', (from, to) => {
    expect([existsSync(join(docs, from)), listed.includes(from)]).toEqual([false, false]);
    const [page = '', anchor] = to.split('#');
    expect(listed).toContain(page);
    const headings = [...readFileSync(join(docs, page), 'utf8').matchAll(/^#+ (.*)$/gm)].map(([, text = '']) => anchorOf(text));
    if (anchor !== undefined) expect(headings).toContain(anchor);
  });
});
