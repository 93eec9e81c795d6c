/**
 * What `contains` costs: `node --import tsx bench/contains.ts` asks for the first 20 of 1,000 to 1,000,000 records
 * whose name has a rare part, with and without an index of the names, beside the same query by the driver. It prints
 * the medians of the time, and how much of it is the count that bounds the scan.
 */
import { MongoClient } from 'mongodb';
import { startReplicaSet } from '../dev/replica-set.ts';
import { defineModel, service, t } from '../src/index.ts';
import { median } from './statistics.ts';

const rounds = 15;
const most = 1_000_000;

const filter = ['eq', 'contains'] as const;
const fields = {
  id: t.int(),
  tenant: t.int(),
  name: t.string({ caseless: true, policy: { filter, sort: true } }),
  about: t.string(),
};
const Plain = defineModel('Plain', { collection: 'plain', fields });
const Indexed = defineModel('Indexed', { collection: 'indexed', fields });

const replicaSet = await startReplicaSet();
const client = await MongoClient.connect(replicaSet.uri, { monitorCommands: true });
const db = client.db('bench_contains');
let counted = 0;
client.on('commandSucceeded', ({ commandName, duration }) => {
  if (commandName === 'aggregate') counted = duration;
});

try {
  console.log(
    '| records | by the library | the count | the driver alone | by the library, indexed | the count | the driver alone, indexed |',
  );
  console.log('|--:|--:|--:|--:|--:|--:|--:|');
  for (let records = 1_000; records <= most; records *= 10) await measure(records);
} finally {
  await db.dropDatabase();
  await client.close();
  await replicaSet.stop();
}

async function measure(records: number): Promise<void> {
  await db.dropDatabase();
  for (const name of ['plain', 'indexed']) await load(name, records);
  await db.collection('plain').createIndex({ tenant: 1 });
  await db.collection('indexed').createIndex({ tenant: 1, 'name[fold2]': 1, _id: 1 });
  const shop = service();
  const scope = () => ({ tenant: 1 });
  const resources = [Plain, Indexed].map((model) => shop.resource({ model, ops: ['list'], scope }));
  const api = shop.api({ db, resources, warnOnScan: false, maxContainsMatches: 10 * most });
  const cells: string[] = [];
  for (const name of ['plain', 'indexed']) {
    const [ours, counts, theirs]: number[][] = [[], [], []];
    for (let round = 0; round < rounds; round++) {
      ours?.push(await timeOf(() => api.fetch(new Request(`http://in-process/${name}?name[contains]=needle&sort=name`))));
      counts?.push(counted);
      const found = { tenant: 1, 'name[fold2]': /needle/ };
      const sort = { 'name[fold2]': 1, _id: 1 } as const;
      theirs?.push(await timeOf(() => db.collection(name).find(found, { sort, limit: 21 }).toArray()));
    }
    cells.push(...[ours, counts, theirs].map((times) => `${median(times ?? []).toFixed(1)} ms`));
  }
  await api.close();
  console.log(`| ${records.toLocaleString('en')} | ${cells.join(' | ')} |`);
}

/** Ten of the records have the part, wherever they are. */
async function load(name: string, records: number): Promise<void> {
  const about = 'x'.repeat(300);
  for (let from = 0; from < records; from += 10_000) {
    const rows = Array.from({ length: Math.min(10_000, records - from) }, (_, n) => {
      const at = from + n;
      const text = `Place ${(at * 7_919) % records}${at % (records / 10) === 7 ? ' with a Needle' : ''} in the country`;
      return { _id: at as never, tenant: 1, name: text, 'name[fold2]': text.toLowerCase(), about };
    });
    await db.collection(name).insertMany(rows, { ordered: false });
  }
}

async function timeOf(run: () => Promise<unknown>): Promise<number> {
  const start = performance.now();
  await run();
  return performance.now() - start;
}
