import { toPagePath } from '../../site/address.ts';
import { sections } from '../../site/sidebar.ts';
import { useSite } from '../support/http/serve-site.ts';

/** Pages as they are sent: scripts change no widths but those of diagrams, and all pages would load them anew. */
const site = useSite({ javaScriptEnabled: false });
const paths = ['', ...sections().flatMap(({ pages }) => pages.map(({ path }) => toPagePath(path)))];
const phone = { width: 375, height: 667 };
const laptop = { width: 1366, height: 768 };

/** What is wider than its place on the page that is shown, by its selector and the beginning of its text. */
const findWide = `(() => {
  const wide = [...document.querySelectorAll('.vp-doc :is(pre, table, p, li, h1, h2, h3), html')];
  return wide
    .filter((one) => one.scrollWidth > one.clientWidth + 1 && !one.closest('.diagram') && getComputedStyle(one).display !== 'inline')
    .map((one) => one.tagName + ': ' + one.textContent.trim().slice(0, 60));
})()`;

it('no page, no table and no code is wider than its place, on a phone and on a laptop', async () => {
  const { page } = site;
  const wide: string[] = [];
  for (const path of [...paths, 'source/examples/orders/api.ts.html', 'source/SECURITY.md.html']) {
    await page.goto(site.url + path);
    for (const viewport of [phone, laptop]) {
      await page.setViewportSize(viewport);
      for (const one of (await page.evaluate(findWide)) as string[]) wide.push(`${path} at ${viewport.width} px: ${one}`);
    }
  }
  expect(wide).toEqual([]);
}, 300_000); // all pages, twice
