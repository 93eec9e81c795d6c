import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Measured } from '../../dev/executed/count.ts';
import { page, readMostFiles } from '../../dev/executed/report.ts';
import { expectGolden } from '../support/golden.ts';

const root = join(import.meta.dirname, '../..');
const most = readMostFiles(readFileSync(join(root, page), 'utf8'));
let measured: readonly Measured[];

beforeAll(async () => {
  const args = ['--import', 'tsx', 'dev/executed/run.ts', '--json'];
  const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: root, maxBuffer: 10_000_000 });
  measured = JSON.parse(stdout);
});

describe('docs/about/what-a-request-runs.md', () => {
  it('has the kinds that are measured', () => {
    expect(most.size).toBeGreaterThan(10);
    expect([...most.keys()]).toEqual(measured.map(({ name }) => name));
  });

  it.each([...most])('has at least as many files as run: %s %d', (kind, files) => {
    const now = measured.find(({ name }) => name === kind)?.files ?? [];
    const remedy = 'If the growth is meant, write it down: npm run executed -- --write';
    expect(now.length > files ? [remedy, now.length, ...now] : []).toEqual([]);
    expect(now.length).toBeGreaterThan(0);
  });

  it('has more for a feature than without it', () => {
    const filesOf = (kind: string) => measured.find(({ name }) => name === kind)?.files ?? [];
    expect(filesOf('list, with include')).toContain('middleware/find-included.ts');
    expect(filesOf('list')).not.toContain('middleware/find-included.ts');
    expect(filesOf('GET').filter((file) => /^(?:mongo\/relations\/check|features\/(?:batch|idempotency))\//.test(file))).toEqual([]);
    const ofAll = measured.flatMap(({ files }) => files);
    expect(ofAll.filter((file) => /^(?:queues|live|mongo\/live|mongo\/aggregate|features\/(?:delivery|export|near))\//.test(file))).toEqual(
      [],
    );
  });

  it('is about requests that run the files that they ran', async () => {
    await expectGolden('executed-files.txt', measured.flatMap(linesOf).join('\n'));
  });
});

/** The files of a kind: a line for each folder, which begins with the name of the kind. */
function linesOf({ name, files }: Measured): string[] {
  const folderOf = (file: string) => file.slice(0, file.lastIndexOf('/') + 1);
  return [...new Set(files.map(folderOf))].map((folder) => {
    const own = files.filter((file) => folderOf(file) === folder).map((file) => file.slice(folder.length, -'.ts'.length));
    return `${name} · src/${folder}: ${own.join(' ')}`;
  });
}
