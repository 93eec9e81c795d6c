import { type Api, type Delivery, defineModel, type Model, service, t } from '../../../src/index.ts';
import { defineRemovals } from '../../../src/mongo/removals/define-removals.ts';
import type { Any } from '../../support/any.ts';
import { useDatabase } from '../../support/database/database.ts';
import { until } from '../../support/until.ts';

const id = t.string({ policy: { insert: true, filter: true } });
const life = { revision: t.revision(), deletedAt: t.deletedAt() };

/** A tree of models whose deletes can be taken back, and what refers to it from outside. */
export const Project = defineModel('Project', {
  collection: 'projects',
  fields: { id, team: t.optional(t.string()), ...life },
  outbox: true,
});
export const Task = defineModel('Task', {
  collection: 'tasks',
  fields: {
    id,
    project: t.ref('Project', { id: t.string(), as: 'ofProject', onDelete: 'cascade' }),
    parent: t.optional(t.ref('Task', { id: t.string(), as: 'ofParent', onDelete: 'cascade' })),
    title: t.optional(t.string()),
    ...life,
  },
  history: true,
  outbox: true,
});
export const Comment = defineModel('Comment', {
  collection: 'comments',
  fields: { id, task: t.ref('Task', { id: t.string(), as: 'ofTask', onDelete: 'cascade' }), ...life },
});
/** An invoice of a task keeps it, unless it goes itself, because its project does. */
export const Invoice = defineModel('Invoice', {
  collection: 'invoices',
  fields: {
    id,
    task: t.optional(t.ref('Task', { id: t.string(), as: 'ofTask', onDelete: 'restrict' })),
    project: t.optional(t.ref('Project', { id: t.string(), as: 'ofProject', onDelete: 'cascade' })),
    comment: t.optional(t.ref('Comment', { id: t.string(), as: 'ofComment', onDelete: 'cascade' })),
    ...life,
  },
});
export const Plan = defineModel('Plan', {
  collection: 'plans',
  fields: {
    id,
    main: t.optional(t.ref('Task', { id: t.string(), as: 'ofMain', onDelete: 'nullify' })),
    tasks: t.array(t.ref('Task', { id: t.string(), as: 'all', onDelete: 'pull' }), { default: [] }),
    revision: t.revision(),
  },
});

/** Models of which a delete leaves nothing. */
export const Box = defineModel('Box', {
  collection: 'boxes',
  fields: { id, within: t.optional(t.ref('Box', { id: t.string(), as: 'outer', onDelete: 'cascade' })), revision: t.revision() },
  history: true,
});

export const Removal = defineRemovals();

const all: Model[] = [Project, Task, Comment, Invoice, Plan, Box] as never;

/** An api with all of them, whose deletes can take only three records along. */
export function treeApi(database: ReturnType<typeof useDatabase>, options: object = {}): Api {
  return service().api({ db: database.db, resources: [], models: all, removals: Removal, maxCascade: 3, ...options } as Any);
}

/** Carries out everything that waits. */
export async function carryOut(api: Api, database: ReturnType<typeof useDatabase>, options: object = {}): Promise<void> {
  const worker: Delivery = await api.deliver({ handle: () => undefined, poll: 100, observe: () => undefined, ...options });
  const waiting = { state: 'pending' } as const;
  await until(async () => (await database.db.collection('removals').countDocuments(waiting)) === 0);
  await worker.close();
}

/** Removes everything. */
export async function clear(database: ReturnType<typeof useDatabase>): Promise<void> {
  const names = [...all.map(({ collection }) => collection), 'removals', 'removals_steps', 'tasks_history', 'boxes_history', 'events'];
  for (const name of names) await database.db.collection(name).deleteMany({});
}

/** A project with tasks, of which each has a comment. */
export async function plant(api: Any, tasks = 20, project = 'p') {
  await api.store(Project).create({ id: project });
  const ids = Array.from({ length: tasks }, (_, at) => `${project}${at}`);
  await api.store(Task).createMany(ids.map((id) => ({ id, project })));
  await api.store(Comment).createMany(ids.map((id) => ({ id, task: id })));
  return ids;
}

/** Gives a test file an empty database after each test, and what looks into it. */
export function useTree() {
  const database = useDatabase();
  afterEach(() => clear(database));
  const records = (name: string) => database.db.collection<Any>(name);
  return {
    database,
    records,
    /** How many records of a collection are not deleted. */
    live: (name: string) => records(name).countDocuments({ deletedAt: null }),
    progress: (api: Any, id: unknown) => api.store(Removal).get(id),
  };
}
