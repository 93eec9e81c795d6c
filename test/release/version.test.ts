import { cp, mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { changesOf, setVersion, versionMistakes } from '../../release/version.ts';
import { root } from '../support/docs/pages.ts';
import { useTemporaryFolder } from '../support/temporary-folder.ts';

const folder = useTemporaryFolder();
const files = ['package.json', 'package-lock.json', 'create/package.json', 'create/template/package.json'];
const changelog = '# Changelog\n\n## Unreleased\n\n### Added\n\n- A thing.\n\n## 0.0.9 - 2026-01-02\n\n- Older.\n';
const read = (path: string) => readFile(join(folder.path, path), 'utf8');
const write = (path: string, text: string) => writeFile(join(folder.path, path), text);

// The files of the repository, and a changelog that does not change with it.
beforeEach(async () => {
  for (const file of files) {
    await mkdir(dirname(join(folder.path, file)), { recursive: true });
    await cp(join(root, file), join(folder.path, file));
  }
  await write('CHANGELOG.md', changelog);
});

describe('versionMistakes()', () => {
  it('finds none in a version that was set', async () => {
    await setVersion(folder.path, '7.8.9-rc.1', '2026-11-27');
    expect(await versionMistakes(folder.path)).toEqual([]);
    expect(await read('CHANGELOG.md')).toBe(changelog.replace('Unreleased', '7.8.9-rc.1 - 2026-11-27'));
  });

  it('names each place with another version', async () => {
    await setVersion(folder.path, '7.8.9', '2026-11-27');
    await write('package.json', (await read('package.json')).replace('"version": "7.8.9"', '"version": "7.9.0"'));
    expect(await versionMistakes(folder.path)).toEqual([
      'package-lock.json: the version is 7.8.9, and that of package.json 7.9.0.',
      'package-lock.json: the version of the root is 7.8.9, and that of package.json 7.9.0.',
      'create/package.json: the version is 7.8.9, and that of package.json 7.9.0.',
      'create/template/package.json: the range of the library is 7.8.9, and that of package.json 7.9.0.',
      'CHANGELOG.md: there is no section "## 7.9.0 - <date>" with changes.',
    ]);
  });

  it('wants a section of the changelog, and nothing that belongs to no version', async () => {
    await setVersion(folder.path, '7.8.9', '2026-11-27');
    await write('CHANGELOG.md', '# Changelog\n\n## Unreleased\n\n- More.\n\n## 7.8.9 - 2026-11-27\n\n## 7.8.8 - 2026-11-26\n\n- Older.\n');
    expect(await versionMistakes(folder.path)).toEqual([
      'CHANGELOG.md: what is below "Unreleased" belongs to no version.',
      'CHANGELOG.md: there is no section "## 7.8.9 - <date>" with changes.',
    ]);
    await write('CHANGELOG.md', '# Changelog\n\n## Unreleased\n\n## 7.8.9 - 2026-11-27\n\n- New.\n');
    expect(await versionMistakes(folder.path)).toEqual([]);
  });
});

describe('changesOf()', () => {
  it('is the section of a version without its heading', () => {
    expect(changesOf(changelog, '0.0.9')).toBe('- Older.');
    expect(changesOf(changelog, '0.0')).toBe('');
  });
});
