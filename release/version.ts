import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** Where the version of the library stands, and what stands around it there. */
const places: readonly { readonly file: string; readonly what: string; readonly pattern: RegExp }[] = [
  { file: 'package.json', what: 'the version', pattern: /^( {2}"version": ")([^"]*)/m },
  { file: 'package-lock.json', what: 'the version', pattern: /^( {2}"version": ")([^"]*)/m },
  { file: 'package-lock.json', what: 'the version of the root', pattern: /^( {6}"version": ")([^"]*)/m },
  { file: 'create/package.json', what: 'the version', pattern: /^( {2}"version": ")([^"]*)/m },
  { file: 'create/template/package.json', what: 'the range of the library', pattern: /("koa-mongo-resource": "\^)([^"]*)/ },
];

/** What is wrong with the version of a repository, a sentence each: it stands in five places and in the changelog. */
export async function versionMistakes(root: string): Promise<string[]> {
  const version = await versionOf(root);
  const mistakes: string[] = [];
  for (const { file, what, pattern } of places) {
    const [, , found] = pattern.exec(await readFile(join(root, file), 'utf8')) ?? [];
    if (found !== version) mistakes.push(`${file}: ${what} is ${found}, and that of package.json ${version}.`);
  }
  const changelog = await readFile(join(root, 'CHANGELOG.md'), 'utf8');
  if (sectionOf(changelog, /^Unreleased$/m) !== '') mistakes.push('CHANGELOG.md: what is below "Unreleased" belongs to no version.');
  if (changesOf(changelog, version) === '') mistakes.push(`CHANGELOG.md: there is no section "## ${version} - <date>" with changes.`);
  return mistakes;
}

/** The version that package.json names. */
export async function versionOf(root: string): Promise<string> {
  return JSON.parse(await readFile(join(root, 'package.json'), 'utf8')).version;
}

/** What the changelog says of a version; an empty text if it has no such section. */
export function changesOf(changelog: string, version: string): string {
  return sectionOf(changelog, new RegExp(`^${version.replaceAll('.', '\\.')} - \\d{4}-\\d\\d-\\d\\d$`, 'm'));
}

/** The section whose heading is this, without the heading. */
function sectionOf(changelog: string, heading: RegExp): string {
  const section = changelog.split(/^## /m).find((text) => text.search(heading) === 0) ?? '';
  return section.replace(heading, '').trim();
}

/** Writes another version into all places, and gives the section "Unreleased" its name and date. */
export async function setVersion(root: string, version: string, date: string): Promise<void> {
  for (const { file, pattern } of places) {
    const text = await readFile(join(root, file), 'utf8');
    await writeFile(
      join(root, file),
      text.replace(pattern, (_found, before) => before + version),
    );
  }
  const changelog = join(root, 'CHANGELOG.md');
  const text = await readFile(changelog, 'utf8');
  await writeFile(changelog, text.replace(/^## Unreleased$/m, `## ${version} - ${date}`));
}
