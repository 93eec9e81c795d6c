import { createHash } from 'node:crypto';
import { cp, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { runIn } from './run-in.ts';
import { changesOf, setVersion, versionMistakes, versionOf } from './version.ts';

/**
 * `npm run release`: makes the files of a version from the last commit, and says what keeps it from being published and
 * how it is done. It publishes nothing unless told so. release/README.md has the steps.
 */
const root = join(import.meta.dirname, '..');
const { values } = parseArgs({
  options: {
    prepare: { type: 'string' },
    out: { type: 'string', default: join(root, '.tmp/release') },
    ci: { type: 'boolean', default: false },
    publish: { type: 'boolean', default: false },
    'dry-run': { type: 'boolean', default: false },
  },
});
const publish = values.publish && !values['dry-run'];

if (values.prepare === undefined) await release(resolve(values.out), publish || values.ci);
else await prepare(values.prepare);

async function prepare(version: string): Promise<void> {
  if (!/^\d+\.\d+\.\d+(?:-[\da-z.-]+)?$/.test(version)) throw new Error(`${version} is no version: 1.2.3, or 1.2.3-rc.1.`);
  await setVersion(root, version, new Date().toISOString().slice(0, 10));
  say(`Wrote ${version}. Read \`git diff\`, commit it, and tag the commit: git tag --sign v${version}`);
}

async function release(out: string, withCi: boolean): Promise<void> {
  process.umask(0o022); // as that of the machine, it would be a part of what is packed
  const version = await versionOf(root);
  const mistakes = [...(await treeMistakes(version)), ...(await versionMistakes(root)), ...(publish ? publishMistakes() : [])];
  if (publish) stopAt(mistakes, version);

  const work = await mkdtemp(join(tmpdir(), 'koa-mongo-resource-release-'));
  try {
    const clone = join(work, 'koa-mongo-resource');
    await runIn(root, 'git', ['clone', '--quiet', '--no-hardlinks', root, clone]);
    if (withCi)
      await runIn(clone, 'bash', ['-c', '.ci/run >&2']); // shown as it comes
    else await symlink(join(root, 'node_modules'), join(clone, 'node_modules'));

    await rm(out, { recursive: true, force: true });
    await mkdir(out, { recursive: true });
    await runIn(clone, 'npm', ['pack', '--silent', '--pack-destination', out]);
    await runIn(clone, 'npm', ['pack', '--silent', '--pack-destination', out, './create']);
    const stale = await runIn(clone, 'node', ['--import', 'tsx', 'release/api-report.ts', '--check']).catch((error: Error) => error);
    if (stale) mistakes.push('release/api: the report is not that of the package: run `npm run api-report`.');
    await writeSbom(clone, join(out, `koa-mongo-resource-${version}.cdx.json`), work);
    await writeFile(join(out, 'CHANGES.md'), `${changesOf(await readFile(join(clone, 'CHANGELOG.md'), 'utf8'), version)}\n`);
    await writeSums(out);
  } finally {
    await rm(work, { recursive: true, force: true });
  }
  stopAt(mistakes, version);
  await publishAll(out, version);
}

/** What keeps the last commit from being the version. */
async function treeMistakes(version: string): Promise<string[]> {
  const tag = `v${version}`;
  const mistakes: string[] = [];
  if (await runIn(root, 'git', ['status', '--porcelain'])) mistakes.push('The tree is not clean: what is not committed is in no version.');
  const isTagged = (await runIn(root, 'git', ['tag', '--list', tag])) !== '';
  const isHere = (await runIn(root, 'git', ['tag', '--points-at', 'HEAD'])).split('\n').includes(tag);
  if (isTagged && !isHere) mistakes.push(`${tag} is another commit: a version is published once.`);
  if (publish && !isTagged) mistakes.push(`The commit has no tag ${tag}: git tag --sign ${tag}`);
  return mistakes;
}

/** What keeps this process from publishing with provenance, which the registry wants a job of CI to sign. */
function publishMistakes(): string[] {
  const { ACTIONS_ID_TOKEN_REQUEST_URL, SIGSTORE_ID_TOKEN } = process.env;
  if (ACTIONS_ID_TOKEN_REQUEST_URL || SIGSTORE_ID_TOKEN) return [];
  return ['This is no job of CI with an OIDC token, so there would be no provenance: see release/README.md.'];
}

/**
 * Lists what an installation of the package brings, in the locked versions: the tools of the repository are not a part
 * of it. The same commit gives the same file: it has no random number, and the time is that of the commit.
 */
async function writeSbom(clone: string, path: string, work: string): Promise<void> {
  const folder = join(work, 'sbom', 'koa-mongo-resource'); // npm names the component after it
  await mkdir(folder, { recursive: true });
  for (const name of ['package.json', 'package-lock.json']) await cp(join(clone, name), join(folder, name));
  await runIn(folder, 'npm', ['pkg', 'delete', 'devDependencies', 'overrides']);
  await runIn(folder, 'npm', ['install', '--package-lock-only', '--offline', '--ignore-scripts', '--no-audit', '--no-fund']);
  const sbom = await runIn(folder, 'npm', ['sbom', '--sbom-format', 'cyclonedx', '--sbom-type', 'library', '--package-lock-only']);
  const { serialNumber: _random, metadata, ...rest } = JSON.parse(sbom);
  const timestamp = new Date(await runIn(clone, 'git', ['log', '-1', '--format=%cI'])).toISOString();
  await writeFile(path, `${JSON.stringify({ ...rest, metadata: { ...metadata, timestamp } }, null, 2)}\n`);
}

/** Writes the checksums of all files, for `sha256sum --check SHA256SUMS`. */
async function writeSums(out: string): Promise<void> {
  const names = (await readdir(out)).sort();
  const lines = await Promise.all(names.map(async (name) => `${digest('sha256', await readFile(join(out, name)), 'hex')}  ${name}\n`));
  await writeFile(join(out, 'SHA256SUMS'), lines.join(''));
  say(`${out}:\n${lines.join('')}`);
}

/** Publishes the tarballs as they are, or says how. The registry signs what it gets, and tells the same checksum. */
async function publishAll(out: string, version: string): Promise<void> {
  const tag = version.includes('-') ? 'next' : 'latest';
  for (const name of ['koa-mongo-resource', 'create-koa-mongo-resource']) {
    const args = ['publish', join(out, `${name}-${version}.tgz`), '--provenance', '--access', 'public', '--tag', tag];
    if (!publish) {
      say(`A dry run: nothing is published. \`--publish\` runs: npm ${args.join(' ')}`);
      continue;
    }
    await runIn(out, 'npm', args);
    const ours = `sha512-${digest('sha512', await readFile(join(out, `${name}-${version}.tgz`)), 'base64')}`;
    const theirs = await runIn(out, 'npm', ['view', `${name}@${version}`, 'dist.integrity']);
    if (theirs !== ours) throw new Error(`The registry has other bytes of ${name}: ${theirs}, and not ${ours}.`);
    say(`Published ${name}@${version}: ${ours}`);
  }
}

function digest(algorithm: string, bytes: Buffer, encoding: 'hex' | 'base64'): string {
  return createHash(algorithm).update(bytes).digest(encoding);
}

function stopAt(mistakes: readonly string[], version: string): void {
  if (mistakes.length === 0) return;
  console.error(`What keeps ${version} from being published:\n${mistakes.map((mistake) => `- ${mistake}`).join('\n')}`);
  process.exit(1);
}

function say(text: string): void {
  console.log(text);
}
