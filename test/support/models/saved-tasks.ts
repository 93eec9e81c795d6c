import { type Collection, Decimal128, type UpdateFilter, type UpdateResult } from 'mongodb';
import { type Document, defineModel, t } from '../../../src/index.ts';
import type { TestDatabase } from '../database/database.ts';
import { useApi } from '../http/api.ts';
import type { Answer } from '../http/serve.ts';

const Step = t.object('Step', { text: t.string(), by: t.string({ default: 'nobody', policy: { private: true } }) });
const fields = {
  id: t.string(),
  name: t.string({ minLength: 2, maxLength: 10, immutable: true }),
  secret: t.string({ default: 's', minLength: 1, policy: { private: true } }),
  note: t.optional(t.string()),
  due: t.nullable(t.date()),
  kept: t.nullable(t.string(), { storeNone: true }),
  big: t.int64({ default: 0n }),
  total: t.decimal({ default: Decimal128.fromString('0') }),
  place: t.nullable(
    t.object('Place', {
      city: t.string(),
      zip: t.optional(t.string()),
      geo: t.optional(t.object('Geo', { lat: t.float(), lon: t.float() })),
    }),
  ),
  steps: t.array(Step, { default: [] }),
  tags: t.array(t.string(), { default: [] }),
  labels: t.map(t.string(), { default: {} }),
  extra: t.optional(t.any()),
  owner: t.string({ default: 'ann', policy: { private: true } }),
};
const Task = defineModel('Task', { collection: 'tasks', fields: { ...fields, revision: t.revision(), updatedAt: t.updatedAt() } });
const Bare = defineModel('Bare', { collection: 'tasks', fields });
export type Task = Document<typeof Task>;

/** The task that is stored before each test, with what no model knows. */
export const stored = {
  _id: 'a',
  name: 'first',
  secret: 'top',
  note: 'n',
  due: new Date('2026-01-31T12:00:00Z'),
  kept: 'k',
  big: 9007199254740993n,
  total: Decimal128.fromString('12.50'),
  place: { city: 'Ulm', zip: '1', hidden: 'not in the model', geo: { lat: 1, lon: 2 } },
  steps: [{ text: 'one', by: 'ann' }],
  tags: ['x'],
  labels: { a: '1' },
  extra: { list: [1, { at: new Date(0) }], $set: 'data', 'a.b': 1 },
  owner: 'ann',
  alien: 'of another program',
  revision: 3,
};

/** What the handler does in the test at hand. */
interface Script {
  /** Between load and save. */
  change: (task: Task) => unknown;
  /** Between the save and a second one. */
  again: ((task: Task) => unknown) | undefined;
  /** The task as it was when all was saved. */
  seen: Task | undefined;
}

/** Tasks with an operation `edit` that loads, changes and saves: with a revision (`tasks`) and without one (`bare`). */
export interface SavedTasks {
  readonly script: Script;
  readonly errors: readonly Error[];
  tasks(): Collection<{ _id: string; [key: string]: unknown }>;
  /** Changes the stored task behind the service's back. */
  update(changes: object): Promise<UpdateResult>;
  edit(headers?: Record<string, string>, resource?: string): Promise<Answer>;
}

export function useSavedTasks(database: TestDatabase): SavedTasks {
  const script: Script = { change: () => undefined, again: undefined, seen: undefined };
  const scope = () => ({ owner: 'ann' });
  const api = useApi(database, (shop) => [
    shop.resource({
      model: Task,
      ops: ['get'],
      scope,
      operations: {
        edit: {
          async handler(ctx) {
            const task = await ctx.load();
            await script.change(task);
            const saved = await ctx.save(task);
            expect(saved).toBe(task);
            if (script.again) {
              script.again(task);
              await ctx.save(task);
            }
            script.seen = task;
            expect(await ctx.load()).toBe(task);
            return task;
          },
        },
      },
    }),
    shop.resource({
      model: Bare,
      path: 'bare',
      ops: ['get'],
      scope,
      operations: {
        edit: {
          async handler(ctx) {
            const task = await ctx.load();
            await script.change(task as Task);
            return ctx.save(task);
          },
        },
      },
    }),
  ]);
  const tasks = () => database.db.collection<{ _id: string; [key: string]: unknown }>('tasks');
  beforeEach(async () => {
    api.errors.length = 0;
    Object.assign(script, { again: undefined, seen: undefined });
    await tasks().deleteMany({});
    await tasks().insertOne({ ...stored });
  });
  return {
    script,
    get errors() {
      return api.errors;
    },
    tasks,
    update: (changes) => tasks().updateOne({ _id: 'a' }, changes as UpdateFilter<{ _id: string }>),
    edit: (headers = {}, resource = 'tasks') => api.request('POST', `/api/${resource}/a/edit`, { headers }),
  };
}
