import { toPagePath } from '../../site/address.ts';
import { sections } from '../../site/sidebar.ts';
import { useSite } from '../support/http/serve-site.ts';

/** Pages as they are sent: scripts change no widths but those of diagrams, and all pages would load them anew. */
const site = useSite({ javaScriptEnabled: false });
const paths = ['', ...sections().flatMap(({ pages }) => pages.map(({ path }) => toPagePath(path)))];
/** A phone, small and usual laptops, and a desktop. */
const viewports = [375, 1280, 1366, 1440, 1920].map((width) => ({ width, height: 768 }));

/**
 * What is wider than its place on the page that is shown, or reaches into "On this page": its name and the beginning of
 * its text. Diagrams and tables scroll in boxes of their own.
 */
const findWide = `(() => {
  const outline = document.querySelector('.VPDoc .aside-container');
  const edge = outline?.getBoundingClientRect().width ? outline.getBoundingClientRect().left : document.documentElement.clientWidth;
  const isWide = (one) => one.scrollWidth > one.clientWidth + 1 && getComputedStyle(one).display !== 'inline';
  return [...document.querySelectorAll('html, .vp-doc :is(.table-box, pre, p, li, h1, h2, h3, img, code, td)')]
    .filter((one) => !one.closest('.diagram, .table-box table') && ((isWide(one) && !one.matches('.table-box')) || (one.closest('.vp-doc') && one.getBoundingClientRect().right > edge + 1)))
    .map((one) => one.tagName + ': ' + one.textContent.trim().slice(0, 60));
})()`;

it('no page, no table and no code is wider than its place, on a phone, on laptops and on a desktop', async () => {
  const { page } = site;
  const wide: string[] = [];
  for (const path of [...paths, 'source/examples/orders/api.ts.html', 'source/SECURITY.md.html']) {
    await page.goto(site.url + path);
    for (const viewport of viewports) {
      await page.setViewportSize(viewport);
      for (const one of (await page.evaluate(findWide)) as string[]) wide.push(`${path} at ${viewport.width} px: ${one}`);
    }
  }
  expect(wide).toEqual([]);
}, 300_000); // all pages, five times
