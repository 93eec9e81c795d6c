import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { type Address, toAbsolute, toPagePath } from '../../address.ts';

/** Writes a page at each old address that leads to the new one: the site may stand on any server of files. */
export async function writeRedirects(outDir: string, redirects: Readonly<Record<string, string>>, address: Address): Promise<void> {
  for (const [from, to] of Object.entries(redirects)) {
    const [page = '', anchor] = to.split('#');
    const path = toPagePath(page) + (anchor === undefined ? '' : `#${anchor}`);
    const target = join(outDir, toPagePath(from));
    await mkdir(dirname(target), { recursive: true });
    await writeFile(target, pageOf(`${address.base}${path}`, toAbsolute(toPagePath(page), address)));
  }
}

function pageOf(href: string, canonical: string): string {
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta http-equiv="refresh" content="0; url=${href}">
<meta name="robots" content="noindex">
<title>This page has moved | koa-mongo-resource</title>
<link rel="canonical" href="${canonical}">
<p>This page has moved: <a href="${href}">go there</a>.</p>
</html>
`;
}
