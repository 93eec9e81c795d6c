import type { Measured } from './count.ts';

/** The page that has the counts. */
export const page = 'docs/about/what-a-request-runs.md';

const begin = '<!-- executed: written by `npm run executed -- --write` -->';
const end = '<!-- end of executed -->';

/** A line for each kind. */
export function formatCounts(measured: readonly Measured[]): string {
  const width = Math.max(...measured.map(({ name }) => name.length));
  const column = (value: number | string) => String(value).padStart(11);
  const head = `${'request'.padEnd(width)}${['files', 'functions', 'tokens', 'of files'].map(column).join('')}`;
  const lines = measured.map((one) => `${one.name.padEnd(width)}${countsOf(one).map(column).join('')}`);
  return [head, ...lines].join('\n');
}

/** Replaces the table and the lists of files. */
export function updatePage(text: string, measured: readonly Measured[]): string {
  const [before = '', rest = ''] = text.split(begin);
  const [, after = ''] = rest.split(end);
  const rows = measured.map((one) => `| ${one.name} | ${countsOf(one).join(' | ')} |`);
  const [first, ...others] = measured;
  const lists = first ? [listFiles(first, []), ...others.map((one) => listFiles(one, [first]))] : [];
  const table = ['| Request | Files | Functions | Their tokens | Tokens of the files |', '|---|---|---|---|---|', ...rows].join('\n');
  return `${before}${begin}\n${table}\n\n${lists.join('\n\n')}\n${end}${after}`;
}

/** How many files a request of each kind may run, by the page. */
export function readMostFiles(text: string): Map<string, number> {
  const rows = (text.split(begin)[1] ?? '').matchAll(/^\| (.+?) \| (\d+) \| \d+ \|/gm);
  return new Map([...rows].map(([, name = '', files]) => [name, Number(files)]));
}

function countsOf({ files, functions, tokens, fileTokens }: Measured): number[] {
  return [files.length, functions, tokens, fileTokens];
}

/** The files by folder, without those that the other kinds run, too. */
function listFiles({ name, files }: Measured, others: readonly Measured[]): string {
  const own = files.filter((file) => !others.some((other) => other.files.includes(file)));
  const folders = new Map<string, string[]>();
  for (const file of own) folders.set(folderOf(file), [...(folders.get(folderOf(file)) ?? []), file]);
  const lines = [...folders].map(
    ([folder, all]) => `- \`src/${folder}\`: ${all.map((file) => file.slice(folder.length, -'.ts'.length)).join(', ')}`,
  );
  if (others.length === 0) return `### ${name}\n\n${lines.join('\n')}`;
  if (own.length === 0) return `### ${name}\n\nIt runs no file that a GET does not run.`;
  return `### ${name}\n\n${own.length} files that a GET does not run:\n\n${lines.join('\n')}`;
}

function folderOf(file: string): string {
  return file.slice(0, file.lastIndexOf('/') + 1);
}
