import type { Db } from 'mongodb';
import { type Api, defineModel, jsonBody, type Model, service, t } from '../../../src/index.ts';
import type { Any } from '../../support/any.ts';

/**
 * How the records of an api are written. `alone`: each write is one command. `together`: deletes mark, references hold,
 * and each write is a transaction with an entry of its history.
 */
export const forms = ['alone', 'together'] as const;
export type Form = (typeof forms)[number];

/** What the handler of the operation `call` does with the store of its request. */
type Call = (tasks: Any) => Promise<unknown>;

export interface Served {
  readonly api: Api<never>;
  readonly Task: Model<Any>;
  /** The next call of the operation `call`. */
  call: Call;
}

const id = t.string({ policy: { insert: true } });
const owner = t.string({ default: 'ann', policy: { filter: true } });

/** Serves tasks of owners, with every kind of write. */
export function serveErrors(db: Db, form: Form): Served {
  const isTogether = form === 'together';
  const held = isTogether ? ({ onDelete: 'restrict' } as const) : ({ exists: true } as const);
  const Boss = defineModel('Boss', { collection: `${form}_bosses`, fields: { id, owner, tasks: t.hasMany('Task', { via: 'boss' }) } });
  const Tag = defineModel('Tag', { collection: `${form}_tags`, fields: { id, owner } });
  const Task = defineModel('Task', {
    collection: `${form}_tasks`,
    fields: {
      id: t.string({ policy: { insert: true, filter: true } }),
      owner,
      code: t.string(),
      text: t.string({ default: 'x' }),
      closed: t.string({ default: 'c', policy: { insert: false, update: false } }),
      part: t.nullable(t.object('Part', { a: t.int(), b: t.nullable(t.int()) })),
      boss: t.nullable(t.ref('Boss', { id: t.string(), ...held })),
      tagIds: t.array(t.ref('Tag', { id: t.string(), as: 'tags' }), { default: [] }),
      stock: t.counter({ minimum: 0, maximum: 10 }),
      ...(isTogether && { deletedAt: t.deletedAt() }),
      revision: t.revision(),
    },
    indexes: [{ fields: ['owner', 'code'], unique: true }],
    ...(isTogether && { history: { scopeFields: ['owner'] } }),
  } as Any) as Any;
  const Bill = defineModel('Bill', {
    collection: `${form}_bills`,
    fields: { id, task: t.ref('Task', { id: t.string(), onDelete: 'restrict' }) },
  });
  const shop = service();
  const common = { guards: [(ctx: Any) => ctx.get('x-guard') !== 'closed'], scope: () => ({ owner: 'ann' }), scopeFields: ['owner'] };
  const served = { call: async () => undefined } as { call: Call };
  const tasks = {
    ...common,
    model: Task,
    path: 'tasks',
    ops: ['list', 'get', 'create', 'patch', 'put', 'delete', 'patchMany', 'deleteMany', ...(isTogether ? ['restore'] : [])],
    links: ['tags'],
    operations: {
      rename: {
        group: 'change',
        use: [jsonBody({ schema: t.object('Rename', { text: t.string(), code: t.optional(t.string()), boss: t.optional(t.string()) }) })],
        handler: async (ctx: Any) => ctx.save(Object.assign(await ctx.load(), ctx.request.body)),
      },
      call: { group: 'change', path: '/call', handler: async (ctx: Any) => void (await served.call(ctx.store(Task))) },
    },
  };
  const api = shop.api({
    db,
    batch: true,
    warnOnScan: false,
    shareRoundTrips: false,
    onError: () => undefined,
    resources: [
      shop.resource(tasks as Any),
      shop.resource({ ...common, model: Boss, path: 'bosses', ops: ['get'], nested: ['tasks'] } as Any),
      shop.resource({ ...common, model: Tag, path: 'tags', ops: ['get'] } as Any),
      ...(isTogether ? [shop.resource({ model: Bill, path: 'bills', ops: ['get'] } as Any)] : []),
    ],
  } as Any) as Any;
  return Object.assign(served, { api, Task });
}

const states = [[], ['held'], ['gone'], ['gone', 'lost'], ['gone', 'taken'], ['gone', 'lost', 'taken']];

/** Stores what the writes find, and nothing else. */
export async function storeErrors(db: Db, form: Form): Promise<void> {
  const isTogether = form === 'together';
  const insert = (name: string, records: readonly object[]) => db.collection(`${form}_${name}`).insertMany(records as never);
  for (const name of [...collectionsOf(form)]) await db.collection(name).deleteMany({});
  const task = (owner: string, flags: readonly string[]) => ({
    _id: [owner, ...flags].join('-'),
    owner,
    code: flags.includes('taken') ? 'taken' : [owner, ...flags].join('-'),
    text: 'x',
    closed: 'c',
    boss: flags.includes('lost') ? 'none' : 'b',
    tagIds: ['t1'],
    stock: 5,
    revision: 0,
    ...(flags.includes('gone') && { deletedAt: new Date(0), _deletion: 'd' }),
  });
  const owners = ['ann', 'ben'];
  const all = owners.flatMap((owner) => (isTogether ? states : [[]]).map((flags) => task(owner, flags)));
  const others = owners.map((owner) => ({ ...task(owner, []), _id: `${owner}-other`, code: 'taken' }));
  await insert('tasks', [...all, ...others]);
  await insert('bosses', [
    { _id: 'b', owner: 'ann' },
    { _id: 'bens', owner: 'ben' },
  ]);
  await insert('tags', [
    { _id: 't1', owner: 'ann' },
    { _id: 't2', owner: 'ann' },
    { _id: 'bens', owner: 'ben' },
  ]);
  if (isTogether)
    await insert(
      'bills',
      owners.map((owner) => ({ _id: owner, task: `${owner}-held` })),
    );
}

/** The collections of an api, with those that the library writes beside the records. */
export function collectionsOf(form: Form): string[] {
  return ['tasks', 'tasks_history', 'bosses', 'tags', 'bills'].map((name) => `${form}_${name}`);
}
