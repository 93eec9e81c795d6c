import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { versionMistakes, versionOf } from '../../release/version.ts';
import { type Ended, Stranger, tarball } from './stranger.ts';

const root = join(import.meta.dirname, '../..');
const git = (folder: string, ...args: string[]) => execFileSync('git', args, { cwd: folder, encoding: 'utf8' });
const bytesOf = (path: string) => readFileSync(path);

/** The repository as it is here, with other times and other permissions, and with one commit. */
let copy: Stranger;
let released: Ended;
let version: string;
const out = () => join(copy.folder, '.tmp/release');
const packed = () => join(out(), `koa-mongo-resource-${version}.tgz`);

beforeAll(async () => {
  version = await versionOf(root);
  copy = await Stranger.make();
  const files = git(root, 'ls-files', '--cached', '--others', '--exclude-standard', '--deduplicate').trim().split('\n');
  for (const file of files) {
    const target = join(copy.folder, file);
    mkdirSync(dirname(target), { recursive: true, mode: 0o700 });
    writeFileSync(target, bytesOf(join(root, file)), { mode: file.startsWith('.ci/') ? 0o700 : 0o600 });
    utimesSync(target, 1_000_000_000, 1_000_000_000);
  }
  git(copy.folder, 'init', '--quiet');
  writeFileSync(join(copy.folder, '.git/info/exclude'), 'node_modules\n'); // a link, and no folder
  symlinkSync(join(root, 'node_modules'), join(copy.folder, 'node_modules'));
  git(copy.folder, 'add', '.');
  git(copy.folder, '-c', 'user.name=A', '-c', 'user.email=a@example.com', 'commit', '--quiet', '--message', 'All');
  released = await inShell('npm run --silent release');
}, 600_000); // it builds the package
afterAll(() => copy.remove());

const inShell = (command: string) => copy.run('sh', ['-c', `umask 077; ${command}`], { TZ: 'Asia/Tokyo', LC_ALL: 'C' });

describe('npm run release', () => {
  it('makes the files of a version, publishes nothing, and says what keeps the version from being published', async () => {
    const mistakes = await versionMistakes(root);
    expect(released.code).toBe(mistakes.length === 0 ? 0 : 1);
    for (const mistake of mistakes) expect(released.output).toContain(`- ${mistake}\n`);
    expect(released.output).not.toContain('The tree is not clean');
    expect(readdirSync(out()).sort()).toEqual([
      'CHANGES.md',
      'SHA256SUMS',
      `create-koa-mongo-resource-${version}.tgz`,
      `koa-mongo-resource-${version}.cdx.json`,
      `koa-mongo-resource-${version}.tgz`,
    ]);
  });

  it('writes checksums that hold', () => {
    const lines = readFileSync(join(out(), 'SHA256SUMS'), 'utf8').trim().split('\n');
    expect(lines).toHaveLength(4);
    for (const line of lines) {
      const [sum = '', name = ''] = line.split('  ');
      expect(
        createHash('sha256')
          .update(bytesOf(join(out(), name)))
          .digest('hex'),
      ).toBe(sum);
    }
  });

  it('lists in the SBOM what an installation brings, in the locked versions, and nothing of the tools', () => {
    const sbom = JSON.parse(readFileSync(join(out(), `koa-mongo-resource-${version}.cdx.json`), 'utf8'));
    const { packages } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'));
    const versions = new Map<string, string>(
      sbom.components.map(({ name, version }: { name: string; version: string }) => [name, version]),
    );
    expect([sbom.bomFormat, sbom.metadata.component.name, sbom.metadata.component.version]).toEqual([
      'CycloneDX',
      'koa-mongo-resource',
      version,
    ]);
    for (const name of ['ajv', 'raw-body', '@koa/router', 'koa', 'mongodb', 'bson'])
      expect(versions.get(name)).toBe(packages[`node_modules/${name}`].version);
    for (const name of ['typescript', 'jest', 'swagger-ui-dist', 'esbuild']) expect(versions.has(name)).toBe(false);
    expect(sbom.serialNumber).toBeUndefined(); // a random one
  });
});

describe('npm pack', () => {
  it('gives the same bytes for a fresh build in another folder, at another time of the files', () => {
    expect(bytesOf(packed()).equals(bytesOf(tarball().replace('file:', '')))).toBe(true);
  });

  it('gives the same bytes where files are readable for their owner only', async () => {
    const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
    expect(scripts.prepack).toBe('npm run build && node --import tsx release/readable.ts');
    const again = await inShell(
      `tar xzf ${packed()} --no-same-permissions --strip-components 1 package/dist && node --import tsx release/readable.ts && mkdir again && npm pack --silent --ignore-scripts --pack-destination again`,
    );
    expect(bytesOf(join(copy.folder, 'again', again.output.trim())).equals(bytesOf(packed()))).toBe(true);
  });
});
