import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const root = join(import.meta.dirname, '../..');
const sources = execFileSync('git', ['ls-files'], { cwd: root, encoding: 'utf8' })
  .split('\n')
  .filter((path) => /\.(?:[cm]?[jt]s|tsx)$/.test(path));

it('no line of a comment has more than 120 characters', () => {
  expect(sources.length).toBeGreaterThan(500);
  const long = sources.flatMap((path) => {
    const lines = readFileSync(join(root, path), 'utf8').split('\n');
    return lines.flatMap((line, index) => (line.length > 120 && /^\s*(?:\/\/|\/\*|\* )/.test(line) ? [`${path}:${index + 1}`] : []));
  });
  expect(long).toEqual([]);
});
