import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { keepLatest } from '../../src/keep-latest.ts';
import { type Attacker, attackers } from './threats.ts';
import { titlesOf } from './titles-of.ts';

const root = join(import.meta.dirname, '../..');

const intro = `---
description: "What attackers could try, and the tests that hold against each attempt."
---

# Threats

This table is made of the titles of tests by \`npm run threats\`, from \`dev/threats/threats.ts\`. The check fails where a line has no test, and where a test that is named here has gone or has another title.

What is beyond the library, and what it does not hide, is on the page about [security](security.md). A "…" stands for the cases of a test.
`;

/** The page docs/about/threats.md. Throws an error that names threats without a test, and tests that are not there. */
export function threatsPage(given: readonly Attacker[] = attackers): string {
  const missing: string[] = [];
  const titles = keepLatest((file) => titlesOf(readFileSync(join(root, 'test', file), 'utf8')), 1_000);
  const told = (file: string, title: string) => {
    if (!titles(file).includes(title)) missing.push(`test/${file}: ${title}`);
    return `${shown(title)} (\`test/${file}\`)`;
  };
  const sections = given.map(({ who, threats }) => {
    const lines = threats.map(({ threat, tests }) => {
      const named = Object.entries(tests).flatMap(([file, one]) => [one].flat().map((title) => told(file, title)));
      if (named.length === 0) missing.push(threat);
      return `| ${threat} | ${named.join('<br>')} |`;
    });
    return [`\n## ${who}\n`, '| What is tried | What shows that it fails |', '|---|---|', ...lines, ''].join('\n');
  });
  if (missing.length > 0)
    throw new Error(`dev/threats/threats.ts has lines without a test, or names tests that there are not:\n${missing.join('\n')}`);
  return intro + sections.join('');
}

/** A title as text of Markdown in a table. */
function shown(title: string): string {
  return title
    .replace(/: %[.\d]*[sdijo#]$/, '')
    .replace(/(?:%[.\d]*[sdijo#]|\$name\b)+/g, '…')
    .split(/(`[^`]*`)/)
    .map((part) => (part.startsWith('`') ? part : part.replace(/[<>[\]|*_]/g, (sign) => `\\${sign}`)))
    .join('');
}

if (process.argv[1] === import.meta.filename) writeFileSync(join(root, 'docs/about/threats.md'), threatsPage());
