/**
 * What fields by role cost: `npx tsx bench/views.ts` compares a get, a list of 20 and a patch of a model with three
 * rules, for a caller for whom one of them holds, with the same of a model without rules, by the CPU of the process.
 * Both are measured in turns in one run, so that the ratios hold on a busy machine, too.
 */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { MongoClient } from 'mongodb';
import { startReplicaSet } from '../dev/replica-set.ts';
import { type Api, defineModel, service, t } from '../src/index.ts';
import { median } from './statistics.ts';

const [rounds, perRound, atOnce] = [15, 600, 8];

const replicaSet = await startReplicaSet();
const client = await MongoClient.connect(replicaSet.uri);
const db = client.db('bench_views');
await db.dropDatabase();
const plain = { title: t.string(), city: t.string(), note: t.string(), margin: t.string(), cost: t.string(), revision: t.revision() };
const Plain = defineModel('Plain', { collection: 'plain', fields: { id: t.string({ policy: { insert: true } }), ...plain } });
const Ruled = defineModel('Ruled', {
  collection: 'ruled',
  fields: {
    id: t.string({ policy: { insert: true } }),
    ...plain,
    note: t.string({ policy: { read: 'staff' } }),
    margin: t.string({ policy: { read: ['staff', 'finance'], update: 'finance' } }),
    cost: t.string({ policy: { read: 'buyers' } }),
  },
});
const records = Array.from({ length: 1_000 }, (_, n) => ({
  _id: `r${n}`,
  ...{ title: 'A title', city: 'Bern', note: 'a note', margin: '2.50', cost: '1.20', revision: 0 },
}));
for (const name of ['plain', 'ruled']) await db.collection<{ _id: string }>(name).insertMany(records);

const authenticate = () => ({ role: 'staff' });
const rules = {
  staff: ({ role }: { role: string }) => role === 'staff',
  finance: ({ role }: { role: string }) => role === 'finance',
  buyers: ({ role }: { role: string }) => role === 'buyers',
};
const ops = ['list', 'get', 'patch'] as const;
const shop = service({ authenticate });
const ruled = service({ authenticate, rules });
const apis = {
  plain: shop.api({ db, resources: [shop.resource({ model: Plain, ops })] }),
  ruled: ruled.api({ db, resources: [ruled.resource({ model: Ruled, ops })] }),
};

async function serve(api: Api<{ role: string }>): Promise<string> {
  const server = createServer(api.callback());
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  server.unref();
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}
const urls = { plain: await serve(apis.plain), ruled: await serve(apis.ruled) };
type Name = keyof typeof urls;

const tasks: Readonly<Record<string, (name: Name, n: number) => Promise<Response>>> = {
  get: (name, n) => fetch(`${urls[name]}/${name}/r${n % 1_000}`),
  'list 20': (name) => fetch(`${urls[name]}/${name}?limit=20`),
  patch: (name, n) =>
    fetch(`${urls[name]}/${name}/r${n % 1_000}`, {
      method: 'PATCH',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ title: `title ${n}` }),
    }),
};

/** Microseconds of CPU for a request, client included: both contestants have the same client. */
async function measure(task: (name: Name, n: number) => Promise<Response>, name: Name): Promise<number> {
  const before = process.cpuUsage();
  let left = perRound;
  const worker = async () => {
    while (left-- > 0) {
      const response = await task(name, left);
      if (response.status !== 200) throw new Error(`${name}: ${response.status}`);
      await response.arrayBuffer();
    }
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
  const { user, system } = process.cpuUsage(before);
  return (user + system) / perRound;
}

for (const [what, task] of Object.entries(tasks)) {
  const ratios: number[] = [];
  for (let round = 0; round <= rounds; round++) {
    const [first, second] = (round % 2 ? ['ruled', 'plain'] : ['plain', 'ruled']) as [Name, Name];
    const cost = { [first]: await measure(task, first), [second]: await measure(task, second) } as Record<Name, number>;
    if (round > 0) ratios.push(cost.ruled / cost.plain); // the first one warms up
  }
  console.log(`${what}: ${median(ratios).toFixed(2)} of the same without rules`);
}
await client.close();
await replicaSet.stop();
