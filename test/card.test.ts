import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { middlewareNames } from './middleware/exported-functions.ts';
import { beyond, concerns, packages, topLevel, uses } from './support/card.ts';

const root = join(import.meta.dirname, '..');
const read = (path: string) => readFileSync(join(root, path), 'utf8');
const readme = read('README.md');
const described = JSON.parse(read('package.json'));

/** The sources below a folder, or the one file, as one text. */
function sourceOf(path: string): string {
  if (!existsSync(join(root, path))) return '';
  if (path.endsWith('.ts')) return read(path);
  const files = readdirSync(join(root, path), { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.ts'));
  return files.map((file) => read(join(path, file))).join('\n');
}

describe('the packages of the card', () => {
  const shipped = sourceOf('src');
  const others = ['test', 'dev', 'jest.config.ts'].map(sourceOf).join('\n');

  it.each(Object.entries(packages))('%s is one of the %s', (name, part) => {
    expect(Object.keys(described[part])).toContain(name);
  });

  it.each(Object.entries(packages))('%s is imported, and not only listed', (name, part) => {
    const source = part === 'devDependencies' ? others : shipped;
    const imported = [...source.matchAll(/^(?:import|export|\}).* from '([^'.][^']*)';$/gm)].map(([, from = '']) => from);
    const named = imported.filter((from) => from === name || from.startsWith(`${name}/`));
    expect(named).not.toEqual([]);
  });
});

describe('the top level', () => {
  const entries = new Set(execFileSync('git', ['ls-files'], { cwd: root, encoding: 'utf8' }).split('\n').filter(Boolean).map(firstOf));

  it.each(topLevel)('has %s', (path) => {
    expect(existsSync(join(root, path))).toBe(true);
  });

  it('has nothing else than what the card names, and what is there for a reason', () => {
    const named = [...topLevel.map(firstOf), ...Object.keys(beyond)];
    expect([...entries].filter((entry) => !named.includes(entry))).toEqual([]);
  });

  it.each(Object.keys(beyond))('still has %s, which is there for a reason and not by the card', (entry) => {
    expect([...entries]).toContain(entry);
    expect(topLevel.map(firstOf)).not.toContain(entry);
  });
});

describe('the concerns of the card', () => {
  it('are the rows of the table of middlewares in the README, under their own names', () => {
    const [, section = ''] = /^## Middlewares\n(.*?)^## /ms.exec(readme) ?? [];
    const [, , ...rows] = section.split('\n').filter((line) => line.startsWith('|'));
    const shown = rows.map((row) => row.split('|').map((cell) => cell.trim()));
    expect(shown.map(([, concern, middlewares]) => [concern, middlewares])).toEqual(
      Object.entries(concerns).map(([concern, names]) => [concern, names.map((name) => `\`${name}\``).join(', ')]),
    );
  });

  it.each(Object.values(concerns).flat())('are public middlewares with a file and an entry point of their own: %s', (name) => {
    const file = name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
    expect(middlewareNames).toContain(name);
    expect(read(`src/middleware/${file}.ts`)).toContain(`export function ${name}`);
    expect(Object.keys(described.exports)).toContain(`./middleware/${file}`);
  });
});

describe('the uses of the card', () => {
  it.each(Object.entries(uses))('%s: an example, to which the README leads, and a test that runs it', (_use, [example, test]) => {
    expect(existsSync(join(root, example))).toBe(true);
    expect(readme).toMatch(new RegExp(`\\]\\([^)]*${example}\\)`));
    expect(read(test)).toContain(example.replace('examples/', ''));
  });
});

function firstOf(path: string): string {
  return path.split('/')[0] ?? path;
}
