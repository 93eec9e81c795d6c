import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../support/docs/pages.ts';
import { expectWith } from '../support/expect.ts';

it('each promise of the upgrade policy names tests that there are', () => {
  const policy = readFileSync(join(root, 'docs/about/upgrade-policy.md'), 'utf8');
  const [, promises = ''] = /^## What 1\.0 promises\n([\s\S]*?)^## /m.exec(policy) ?? [];
  const rows = promises.split('\n').filter((line) => line.startsWith('| ') && !line.startsWith('| Promise |'));
  expect(rows.length).toBeGreaterThan(15);
  for (const row of rows) {
    const tests = Array.from(row.matchAll(/`(test\/[^`]+\.test\.ts)`/g), ([, path = '']) => path);
    expectWith(tests, row).not.toEqual([]);
    expect(tests.filter((path) => !existsSync(join(root, path)))).toEqual([]);
  }
});
