import type { Db } from 'mongodb';
import { type Api, defineModel, everything, Problem, service, t } from '../../../src/index.ts';
import { servedOperations } from '../../../src/resource/served-operations.ts';

const id = t.string({ policy: { insert: true } });
const group = t.string({ default: '', policy: { filter: true } });

/** Its deletes cascade. */
const Label = defineModel('Label', {
  collection: 'labels',
  fields: { id, group, tasks: t.hasMany('Task', { via: 'label' }), deletedAt: t.deletedAt(), revision: t.revision() },
});
/** It holds to its label, and to its tags. */
const Task = defineModel('Task', {
  collection: 'tasks',
  fields: {
    id,
    group,
    text: t.string({ default: '' }),
    label: t.nullable(t.ref('Label', { id: t.string(), onDelete: 'cascade' })),
    tagIds: t.array(t.ref('Tag', { id: t.string(), onDelete: 'pull', as: 'tags' }), { default: [] }),
    deletedAt: t.deletedAt(),
    revision: t.revision(),
  },
});
const Tag = defineModel('Tag', { collection: 'tags', fields: { id, text: t.string({ default: '' }), revision: t.revision() } });
const Entry = defineModel('Entry', { collection: 'entries', fields: { of: t.string() } });

/** The collections of the api. */
export const collections = ['labels', 'tasks', 'tags', 'entries', 'idempotency_keys', 'plain'] as const;

/** A record that no other feature touches: its writes are one command each, outside of a transaction. */
const Plain = defineModel('Plain', { collection: 'plain', fields: { id, group, text: t.string({ default: '' }), revision: t.revision() } });

type Tx = { readonly store: Api['store'] };

/** An api with every kind of operation, which its one guard can close. */
export function serveEveryOperation(db: Db, maxTimeMS = 10_000, isOpen: () => boolean = () => true): Api {
  const shop = service();
  const guards = [isOpen];
  const enter = async (_ctx: unknown, { tx }: { readonly tx: Tx }) =>
    void (await tx.store(Entry, { scope: everything }).create({ of: 'x' }));
  const within = {
    create: [enter],
    patch: [enter],
    put: [enter],
    delete: [enter],
    restore: [enter],
    patchMany: [],
    deleteMany: [],
  } as never;
  const ops = ['list', 'get', 'create', 'patch', 'put', 'delete', 'patchMany', 'deleteMany'] as const;
  return shop.api({
    db,
    maxTimeMS,
    maxConcurrency: 1,
    warnOnScan: false,
    batch: true,
    idempotency: { principal: () => 'ann' },
    onError: () => undefined,
    resources: [
      shop.resource({ model: Label, guards, ops: [...ops, 'restore'], nested: ['tasks'], within }),
      shop.resource({
        model: Task,
        guards,
        ops: [...ops, 'restore'],
        links: ['tags'],
        operations: {
          move: {
            summary: 'Gives the task another text, and another task to its label',
            problems: ['replica_set_required'],
            handler: (ctx) =>
              ctx.transaction(async (tx) => {
                const task = await ctx.load();
                task.text = 'moved';
                await tx.store(Task).createMany([{ id: `${task.id}-1`, label: task.label }, { id: `${task.id}-2` }] as never);
                return ctx.save(task);
              }),
          },
          refuse: {
            summary: 'Writes, and then refuses to',
            problems: ['replica_set_required'],
            handler: (ctx) =>
              ctx.transaction(async (tx) => {
                await tx.store(Tag).create({ id: 'x', text: '' });
                throw new Problem({ status: 409, code: 'refused' });
              }),
          },
        },
      }),
      shop.resource({ model: Tag, guards, ops: ['get', 'delete'] }),
      shop.resource({ model: Plain, path: 'plain', guards, ops: [...ops] }),
    ],
  });
}

/** A request, whose records have `n` in their ids. */
export interface Row {
  readonly method: string;
  readonly path: string;
  readonly body?: object;
}

/** The record that an operation creates, or what it writes to one that is there. */
const bodies: Readonly<Record<string, (n: string) => object>> = {
  'labels.create': (n) => ({ id: `new${n}`, group: n }),
  'labels.patch': (n) => ({ group: `${n}-` }),
  'labels.put': (n) => ({ group: `${n}-` }),
  'labels.patchMany': (n) => ({ group: `${n}-` }),
  'labels.tasks.create': (n) => ({ id: `new${n}` }),
  'tasks.create': (n) => ({ id: `new${n}`, label: `l${n}`, tagIds: [`g${n}`] }),
  'tasks.patch': (n) => ({ label: `l${n}` }),
  'tasks.put': (n) => ({ label: `l${n}` }),
  'tasks.patchMany': (n) => ({ label: `l${n}` }),
  'plain.create': (n) => ({ id: `new${n}` }),
  'plain.patch': () => ({ text: 'x' }),
  'plain.put': () => ({ text: 'x' }),
  'plain.patchMany': () => ({ text: 'x' }),
};

/** What stands for `:id` in the path of a resource. */
const ids: Readonly<Record<string, (n: string) => string>> = {
  labels: (n) => `l${n}`,
  tasks: (n) => `t${n}`,
  tags: (n) => `g${n}`,
  plain: (n) => `p${n}`,
};

const keyed = new Set(['POST', 'PATCH']);

/** A way to send one operation. */
export interface Sent {
  readonly name: string;
  readonly hasKey: boolean;
  /** Whether it is refused when it has written. */
  readonly isRefused: boolean;
  row(n: string): Row;
}

/**
 * Every operation that an api serves, alone, in a batch, and with a key where it takes one. The requests are derived from the places of the
 * operations: one that needs a body, and has none here, is a mistake.
 */
export function everyOperation(api: Api): Sent[] {
  return api.description.resources.flatMap((resource) =>
    servedOperations(resource).flatMap(({ name, method, path, readsJson }): Sent[] => {
      const isRefused = name === 'refuse';
      const full = `${resource.path}.${name}`;
      const body = bodies[full];
      if (readsJson !== (body !== undefined)) throw new Error(`${full} ${readsJson ? 'needs a' : 'takes no'} body: see \`bodies\`.`);
      const idOf = ids[resource.path];
      if (!idOf) throw new Error(`${resource.path} needs an id: see \`ids\`.`);
      const isRestore = name === 'restore';
      const row = (n: string): Row => {
        const filled = path.replace(':id', isRestore ? `gone${idOf(n)}` : idOf(n)).replace(':other', `g${n}`);
        const query = name.endsWith('Many') ? `?group=${n}` : '';
        return { method, path: `/${resource.path}${filled === '/' ? '' : filled}${query}`, ...(body && { body: body(n) }) };
      };
      const inBatch = (n: string): Row => ({ method: 'POST', path: '/batch', body: { operations: [row(n)] } });
      const alone = [{ name: full, hasKey: false, isRefused, row }];
      if (method === 'GET') return alone;
      const withKey = keyed.has(method) && !isUnkeyed(name) ? [{ name: `${full} with a key`, hasKey: true, isRefused, row }] : [];
      if (name.endsWith('Many') || name.includes('.')) return [...alone, ...withKey]; // no batch takes them
      return [
        ...alone,
        ...withKey,
        { name: `${full} in a batch`, hasKey: false, isRefused, row: inBatch },
        { name: `${full} in a batch with a key`, hasKey: true, isRefused, row: inBatch },
      ];
    }),
  );
}

/** A restore can be sent again as it is. */
const isUnkeyed = (name: string) => name === 'restore' || name.endsWith('.create');

/** Stores what the requests with these ids find. */
export async function seed(db: Db, n: string): Promise<void> {
  const deleted = { deletedAt: new Date(0), _deletion: `d${n}` };
  const insert = (name: string, ...records: readonly object[]) =>
    db.collection<{ _id: string }>(name).insertMany(records.map((one) => ({ revision: 0, ...one })) as never);
  const task = { text: '', label: null, tagIds: [] };
  await Promise.all([
    insert('labels', { _id: `l${n}`, group: n }, { _id: `gonel${n}`, group: '', ...deleted }),
    insert(
      'tasks',
      { _id: `t${n}`, group: n, ...task, label: `l${n}`, tagIds: [`g${n}`] },
      { _id: `u${n}`, group: n, ...task, label: `l${n}` },
      { _id: `gonet${n}`, group: '', ...task, label: `l${n}`, ...deleted },
    ),
    insert('tags', { _id: `g${n}`, text: '' }),
    insert('plain', { _id: `p${n}`, group: n, text: '' }),
  ]);
}
