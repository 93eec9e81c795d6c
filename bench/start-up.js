import { cpuUsage, hrtime, memoryUsage } from 'node:process';

/**
 * Tells what a start costs, in a process of its own: `start-up.js resources <count> <fields>` makes an api,
 * `start-up.js import` loads the package when what it is made with is loaded already, `start-up.js ajv` loads Ajv and
 * its formats beside koa, @koa/router and mongodb, and `start-up.js others` loads these. It is JavaScript, because a
 * loader of TypeScript would take part in each import.
 */
const [what, count = '1', fieldCount = '10'] = process.argv.slice(2);
process.on('disconnect', () => process.exit());
if (what !== 'others') await importOthers();
if (what === 'import') await importAjv();
const imports = { others: importOthers, ajv: importAjv, import: () => import('../dist/index.js') };
process.send?.(await measure(imports[what] ?? (await compileApi(Number(count), Number(fieldCount)))));

async function measure(run) {
  const [before, begun] = [cpuUsage(), hrtime.bigint()];
  await run();
  const { user, system } = cpuUsage(before);
  return { cpu: (user + system) / 1_000, elapsed: Number(hrtime.bigint() - begun) / 1e6, rss: memoryUsage.rss() };
}

async function importOthers() {
  for (const name of ['koa', '@koa/router', 'mongodb']) await import(name);
}

/** The entry points that the package uses. */
async function importAjv() {
  for (const name of ['ajv/dist/2020.js', 'ajv-formats']) await import(name);
}

async function compileApi(resources, fields) {
  const { cursorPaging, defineModel, service, t } = await import('../dist/index.js');
  const { MongoClient } = await import('mongodb');
  const db = new MongoClient('mongodb://127.0.0.1:1').db('none');
  return () => {
    const shop = service();
    const all = Array.from({ length: resources }, (_, n) => {
      const model = defineModel(`Model${n}`, {
        collection: `c${n}`,
        fields: {
          name: t.string({ minLength: 1, maxLength: 100, policy: { sort: true, filter: ['eq', 'prefix'] } }),
          email: t.string({ format: 'email' }),
          total: t.decimal({ policy: { filter: ['gte', 'lt'] } }),
          shipTo: t.optional(t.object(`Address${n}`, { street: t.string({ maxLength: 200 }), city: t.string() })),
          tags: t.array(t.string({ maxLength: 20 }), { maxItems: 20 }),
          ...Object.fromEntries(
            Array.from({ length: Math.max(0, fields - 8) }, (_, index) => [`f${index}`, t.optional(t.string({ maxLength: 100 }))]),
          ),
          revision: t.revision(),
          createdAt: t.createdAt({ policy: { sort: true } }),
          updatedAt: t.updatedAt(),
        },
      });
      return shop.resource({ model, ops: ['list', 'get', 'create', 'patch', 'put', 'delete'], paging: cursorPaging() });
    });
    return shop.api({ db, prefix: '/api', resources: all }).routes();
  };
}
