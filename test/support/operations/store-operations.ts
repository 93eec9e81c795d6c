import type { Store } from '../../../src/index.ts';
import type { Any } from '../any.ts';
import { Task } from './models.ts';

type Tasks = Store<typeof Task>;

/** A call of each method of a store, for the task `t<n>`: TypeScript requires a row for each. */
const calls: { readonly [Method in keyof Tasks]: (tasks: Tasks, n: string) => Promise<unknown> } = {
  get: (tasks, n) => tasks.get(`t${n}`),
  find: async (tasks, n) => ({ found: await tasks.find({ group: n }) }),
  async each(tasks, n) {
    const found = [];
    for await (const task of tasks.each({ group: n })) found.push(task);
    return { found };
  },
  count: async (tasks, n) => ({ count: await tasks.count({ group: n }) }),
  create: (tasks, n) => tasks.create({ id: `new${n}`, group: n, label: `l${n}`, tagIds: [`g${n}`] }),
  async createMany(tasks, n) {
    const made = await tasks.createMany([1, 2].map((index) => ({ id: `new${n}-${index}`, group: n, label: `l${n}` })));
    const failed = made.find(({ error }) => error);
    if (failed) throw failed.error;
    return { made: made.length };
  },
  update: (tasks, n) => tasks.update(`t${n}`, { label: `m${n}` }),
  step: (tasks, n) => tasks.step(`t${n}`, 'uses', 2),
  updateMany: (tasks, n) => tasks.updateMany({ group: n }, { text: 'x' }),
  upsert: (tasks, n) => tasks.upsert(`t${n}`, { group: n, label: `m${n}`, tagIds: [`g${n}`] }),
  save: async (tasks, n) => tasks.save(Object.assign(await tasks.get(`t${n}`), { text: 'x' })),
  remove: (tasks, n) => tasks.remove(`t${n}`),
  removeMany: (tasks, n) => tasks.removeMany({ group: n }),
  restore: (tasks, n) => tasks.restore(`gonet${n}`),
  async history(tasks, n) {
    const read = tasks.history(`t${n}`).next();
    return { refused: await read.catch(({ message }: Error) => message) }; // the model has none
  },
  purge: async (tasks) => ({ purged: await tasks.purge({ olderThan: 0 }) }),
};

const reads: ReadonlySet<string> = new Set(['get', 'find', 'each', 'count', 'history']);

/** The custom operations that call the store of the request, `store-get` and so on. */
export const storeOperations: Readonly<Record<string, Any>> = Object.fromEntries(
  Object.entries(calls).map(([method, call]) => [
    `store-${method}`,
    {
      path: `/store-${method}/:n`,
      summary: `Calls \`${method}\` of the store`,
      method: reads.has(method) ? 'GET' : 'POST',
      problems: ['replica_set_required', 'not_found', 'validation_failed'],
      handler: (ctx: Any) => call(ctx.store(Task), ctx.params.n),
    },
  ]),
);
