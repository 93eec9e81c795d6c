import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pages, root } from '../support/docs/pages.ts';

/** Five lines of a page, as GitHub and the site show them. */
const most = 700;

it.each([...pages, 'CONTRIBUTING.md'])('%s has no paragraph of more than five lines', (page) => {
  const text = readFileSync(join(root, page), 'utf8')
    .replace(/^ *```.*?^ *```$/gms, '')
    .replace(/<!--.*?-->/gs, '');
  const paragraphs = text.split(/\n\s*\n|\n(?=#)|\n(?=\s*(?:[-*]|\d+\.) )/).filter((one) => !/^\s*\|/.test(one));
  expect(paragraphs.filter((one) => one.trim().length > most)).toEqual([]);
});
