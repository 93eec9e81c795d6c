import { readFile, writeFile } from 'node:fs/promises';
import { register } from 'node:module';
import { join, resolve } from 'node:path';
import { MongoClient } from 'mongodb';
import { startReplicaSet } from '../replica-set.ts';
import { countAll } from './count.ts';
import { Coverage, type RanFile } from './coverage.ts';
import { KindServer } from './kind-server.ts';
import type { Kind } from './kinds.ts';
import { formatCounts, page, updatePage } from './report.ts';

/**
 * `npm run executed`: sends requests of each kind to an api, and prints how many files and functions of `src/` they
 * have run.
 *
 * - With texts it takes the kinds whose names contain one of them, and prints the files, too:
 *   `npm run executed -- PATCH list`.
 * - With `--write` it writes all kinds into `docs/about/what-a-request-runs.md`.
 * - With `--json` it prints all as JSON.
 */
process.env.NODE_ENV = 'production';
const root = resolve(import.meta.dirname, '../..');
const given = process.argv.slice(2);
const texts = given.filter((one) => !one.startsWith('--'));
const isWanted = ({ name }: Kind) => texts.length === 0 || texts.some((text) => name.includes(text));

register('./load-sources.ts', import.meta.url);
const replicaSet = await startReplicaSet();
const client = await MongoClient.connect(replicaSet.uri);
const db = client.db(`executed_${process.pid}`);
const runs = new Map<string, readonly RanFile[]>();
const coverage = await Coverage.begin(join(root, 'src'));
try {
  const { openKinds } = await import('./kinds.ts');
  for (const kind of openKinds(db).filter(isWanted)) {
    const server = await KindServer.open(kind);
    runs.set(kind.name, await measure(kind, server));
    server.close();
  }
} finally {
  await db.dropDatabase();
  await client.close();
  await replicaSet.stop();
}
await coverage.end();
const measured = await countAll(join(root, 'src'), coverage, runs);
coverage.close();

if (given.includes('--json')) console.log(JSON.stringify(measured));
else console.log(formatCounts(measured));
for (const { name, files } of texts.length > 0 ? measured : []) console.log(`\n${name}\n  ${files.join('\n  ')}`);
if (given.includes('--write')) await writeFile(join(root, page), updatePage(await readFile(join(root, page), 'utf8'), measured));

/**
 * The first request also compiles what is compiled when it is first needed. Of the next three the smallest counts,
 * because a timer may go off during one of them.
 */
async function measure(kind: Kind, server: KindServer): Promise<RanFile[]> {
  await server.send(await kind.prepare(1));
  const later: RanFile[][] = [];
  for (const n of [2, 3, 4]) {
    const sent = await kind.prepare(n);
    await coverage.take();
    await server.send(sent);
    later.push(await coverage.take());
  }
  const countOf = (files: RanFile[]) => files.reduce((sum, { functions }) => sum + functions.filter(({ ran }) => ran).length, 0);
  return later.reduce((least, one) => (countOf(one) < countOf(least) ? one : least));
}
