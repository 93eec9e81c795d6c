import { mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { dirname, extname, join } from 'node:path';
import { createMarkdownRenderer } from 'vitepress';
import { anchorOf } from '../markdown/headings.ts';
import { addressOf, linked, linkSources, root } from '../markdown/sources.ts';

const languages: Readonly<Record<string, string>> = { '.ts': 'ts', '.py': 'python', '.json': 'json', '.yaml': 'yaml' };

/** Writes a plain page for every file and folder that pages lead to, and for the files of these folders. */
export async function writeSources(outDir: string, base: string): Promise<void> {
  const md = await createMarkdownRenderer(root, { anchor: { slugify: anchorOf }, config: (renderer) => linkSources(renderer, base) }, base);

  async function write(file: string): Promise<void> {
    if ((await stat(join(root, file))).isDirectory()) {
      const names = (await readdir(join(root, file))).filter((name) => !name.startsWith('.') && name !== 'node_modules').sort();
      const files = names.map((name) => join(file, name));
      for (const one of files) linked.add(one);
      await writePage(`${file}/index.html`, file, files.map((one, index) => `- [${names[index]}](${addressOf(one, '/')})`).join('\n'));
    } else {
      const text = await readFile(join(root, file), 'utf8');
      const code = `\`\`\`\`${languages[extname(file)] ?? 'text'}\n${text}\`\`\`\`\n`;
      await writePage(`${file}.html`, file, file.endsWith('.md') ? text : `# ${file}\n\n${code}`);
    }
  }

  async function writePage(path: string, file: string, markdown: string): Promise<void> {
    const target = join(outDir, 'source', path);
    await mkdir(dirname(target), { recursive: true });
    await writeFile(target, pageOf(file, md.render(markdown, { path: join(root, file) }), base));
  }

  // A page that is written may lead to further files: a set is walked with what is added meanwhile.
  for (const file of linked) await write(file);
}

function pageOf(title: string, body: string, base: string): string {
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>${title} | koa-mongo-resource</title>
<link rel="icon" type="image/svg+xml" href="${base}favicon.svg">
<link rel="stylesheet" href="${base}source.css">
<p><a href="${base}">koa-mongo-resource</a></p>
${body}
</html>
`;
}
