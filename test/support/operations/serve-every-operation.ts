import type { Db } from 'mongodb';
import { type Api, type ApiOptions, everything, jsonBody, Problem, service, t } from '../../../src/index.ts';
import { isWrite, type Operation } from '../../../src/resource/define/standard-operations.ts';
import type { Any } from '../any.ts';
import { Entry, Label, Plain, Tag, Task } from './models.ts';
import { storeOperations } from './store-operations.ts';

type Tx = { readonly store: Api['store'] };

/** When a hook runs. */
export type Phase = 'before' | 'within' | 'after';

/** What a test may decide while the api is served, and limits of the api. */
export interface EveryOperationOptions
  extends Pick<ApiOptions<never>, 'maxTimeMS' | 'maxPageBytes' | 'requestTimeout' | 'maxValues' | 'batch' | 'shareRoundTrips'> {
  /** The guard of every operation. */
  readonly isOpen?: () => boolean;
  /** The guard of the operations of each of the groups. */
  readonly isGroupOpen?: (group: 'read' | 'write') => boolean;
  /**
   * The group that callers see, by the path of the resource. Undefined: all of them.
   *
   * @default no resource has a scope
   */
  readonly groupOf?: (path: string) => string | undefined;
  /**
   * The scope of each resource, and the guard of its Get, which are told the path of the resource and the context.
   *
   * @default what `groupOf` says, and no guard of a Get
   */
  readonly asked?: { scope(path: string, ctx: Any): unknown; guard(path: string, ctx: Any): boolean };
  /**
   * Runs in every hook that a resource can have, with the operation that has it, such as `labels.patch`.
   *
   * @default no such hooks
   */
  readonly hook?: (phase: Phase, operation: string) => void;
  /** The largest answer that is kept for a key, in bytes. */
  readonly maxKeptBytes?: number;
}

const standard = ['list', 'get', 'create', 'patch', 'put', 'delete', 'patchMany', 'deleteMany'] as const satisfies readonly Operation[];
const soft = [...standard, 'restore'] as const;
const whole = t.object('Whole', { text: t.string() });

/** An api with every kind of operation. */
export function serveEveryOperation(db: Db, options: EveryOperationOptions = {}): Api {
  const { isOpen = () => true, isGroupOpen, groupOf, asked, hook, maxKeptBytes, ...limits } = options;
  const shop = service();
  const enter = async (_ctx: unknown, { tx }: { readonly tx: Tx }) =>
    void (await tx.store(Entry, { scope: everything }).create({ of: 'x' }));

  /** The options that each resource has. */
  function common(path: string, ops: readonly Operation[], own: Readonly<Record<string, Any>> = {}, counters: readonly string[] = []): Any {
    const writes = [...ops.filter(isWrite), ...counters];
    const writing = Object.keys(own).filter((name) => own[name].method !== 'GET');
    const at = (phase: Phase, names: readonly string[]) =>
      hook ? Object.fromEntries(names.map((name) => [name, [() => hook(phase, `${path}.${name}`)]])) : {};
    return {
      path,
      ops,
      guards: [isOpen],
      ...(isGroupOpen && { guardsFor: { read: [() => isGroupOpen('read')], write: [() => isGroupOpen('write')] } }),
      ...(groupOf && { scope: () => (groupOf(path) === undefined ? everything : { group: groupOf(path) }) }),
      ...(asked && {
        scope: (ctx: Any) => asked.scope(path, ctx),
        guardsFor: { get: [(ctx: Any) => asked.guard(path, ctx)], ...(ops.includes('list') && { list: [] }) },
      }),
      before: at('before', writes),
      within: at('within', [...writes, ...writing]),
      after: at('after', [...ops, ...counters, ...Object.keys(own)]),
    };
  }

  const operations: Record<string, Any> = {
    move: {
      summary: 'Gives the task another text, and another task to its label',
      problems: ['replica_set_required'],
      handler: (ctx: Any) =>
        ctx.transaction(async (tx: Any) => {
          const task = await ctx.load();
          task.text = 'moved';
          const { label, group } = task;
          await tx.store(Task).createMany(
            [
              { id: `${task.id}-1`, label, group },
              { id: `${task.id}-2`, group },
            ],
            { all: true },
          );
          return ctx.save(task);
        }),
    },
    refuse: {
      summary: 'Writes, and then refuses to',
      problems: ['replica_set_required'],
      handler: (ctx: Any) =>
        ctx.transaction(async (tx: Any) => {
          const { group } = await ctx.load();
          await tx.store(Tag).create({ id: 'x', text: '', group });
          throw new Problem({ status: 409, code: 'refused' });
        }),
    },
    rename: {
      summary: 'Gives the task the text of the body',
      use: [jsonBody({ schema: whole })],
      handler: async (ctx: Any) => ctx.save(Object.assign(await ctx.load(), { text: ctx.request.body.text })),
    },
    ...storeOperations,
  };

  return shop.api({
    db,
    maxConcurrency: 1,
    warnOnScan: false,
    batch: true,
    idempotency: { principal: () => 'ann', ...(maxKeptBytes && { maxAnswerBytes: maxKeptBytes }) },
    onError: () => undefined,
    ...limits,
    resources: [
      labels(),
      tasks(),
      shop.resource({ ...common('tags', ['get', 'delete']), model: Tag }),
      shop.resource({ ...common('plain', standard, {}, ['uses']), model: Plain }),
    ],
  } as Any);

  function labels() {
    const { within, ...others } = common('labels', soft);
    return shop.resource({ ...others, model: Label, nested: ['tasks'], within: { ...within, write: [enter] } });
  }

  function tasks() {
    const { before, ...others } = common('tasks', soft, operations, ['uses']);
    const beforeOthers = { ...before, patch: [] }; // links cannot be served beside a hook of it
    return shop.resource({ ...others, before: beforeOthers, model: Task, links: ['tags'], include: ['label', 'tags'], operations });
  }
}
