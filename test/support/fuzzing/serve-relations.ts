import type { Db } from 'mongodb';
import { type Api, cursorPaging, defineModel, everything, type Model, Problem, service, t } from '../../../src/index.ts';
import { operations } from '../../../src/resource/define/standard-operations.ts';
import type { Any } from '../any.ts';
import { type EdgeSpec, type Graph, hasBefore, isLinked, isRelation, type Rights } from './relation-graph.ts';

/** What a hook of `within` writes: it is stored exactly if the write is. */
const Log = defineModel('Log', { collection: 'log', fields: { text: t.string() } });

/** The api of a graph, and what its hooks of `after` have seen. */
export interface Served {
  readonly api: Api;
  readonly db: Db;
  readonly models: readonly Model[];
  readonly after: string[];
}

const policies: Readonly<Record<Rights, object>> = {
  open: {},
  insertOnly: { policy: { update: false } },
  immutable: { immutable: true },
  writeOnly: { policy: { private: true, insert: true, update: true } },
  private: { policy: { private: true } },
};

function fieldFor(index: number, spec: EdgeSpec): Any {
  const { to, action, shape, rights } = spec;
  const policy: Any = policies[rights];
  const isAlone = shape === 'required' || shape === 'optional';
  const ref: Any = t.ref(`M${to}`, {
    id: t.string(),
    ...(isRelation(spec) && { as: `r${index}` }),
    ...(action === 'none' ? { exists: true } : { onDelete: action }),
    ...(isAlone && policy),
  } as never);
  if (isAlone) return shape === 'optional' ? t.optional(ref) : ref;
  if (shape === 'list') return t.array(action === 'pull' ? ref : t.nullable(ref), { default: [], ...policy });
  if (shape === 'lines') return t.array(t.object('Line', { ref: t.nullable(ref) }), { default: [], ...policy });
  return t.nullable(ref, { storeNone: shape === 'storeNone', ...policy });
}

function modelOf({ soft, kept, edges }: Graph, model: number): Model {
  const own = edges.flatMap((spec, index) => (spec.from === model ? [[`e${index}`, fieldFor(index, spec)]] : []));
  const others = edges.flatMap(({ to, from }, index) => {
    const via = { via: edges[index]?.shape === 'lines' ? `e${index}.ref` : `e${index}` };
    const many = t.hasMany(`M${from}`, via as never);
    return to === model
      ? [
          [`b${index}`, many],
          [`n${index}`, t.hasMany(`M${from}`, { ...via, count: true } as never)],
        ]
      : [];
  });
  const fields = {
    id: t.string({ policy: { insert: true } }),
    owner: t.string({ policy: { update: false } }),
    note: t.string({ policy: { filter: true } }),
    revision: t.revision(),
    ...(soft[model] && { deletedAt: t.deletedAt() }),
    ...Object.fromEntries([...own, ...others]),
  };
  return defineModel(`M${model}`, {
    collection: `m${model}`,
    history: kept[model] ?? false,
    outbox: kept[model] ?? false,
    fields: fields as never,
  }) as unknown as Model;
}

/**
 * Serves random models, each with every operation, to clients that see their own records. The header `x-throw` names a
 * hook that throws.
 */
export function serveRelations(db: Db, graph: Graph): Served {
  const models = graph.soft.map((_soft, model) => modelOf(graph, model));
  const shop = service();
  const after: string[] = [];
  const throwIf = (ctx: Any, name: string, error: () => Error): void => {
    if (ctx.get('x-throw') === name) throw error();
  };
  const refusal = () => new Problem({ status: 409, code: 'hook_refused', title: 'Refused' });
  const resources = models.map((model, at) => {
    const kinds = ['create', 'patch', 'put', 'delete', ...(graph.soft[at] ? ['restore'] : [])];
    const hooks = (stage: string, make: (kind: string) => unknown) => ({
      ...(stage !== 'after' && { patch: [], patchMany: [], deleteMany: [] }), // exempt, where they have none
      ...Object.fromEntries(kinds.filter((kind) => stage !== 'before' || hasBefore(graph, at, kind)).map((kind) => [kind, [make(kind)]])),
    });
    const within =
      (kind: string) =>
      async (ctx: Any, { before, after, tx }: Any) => {
        await tx.store(Log, { scope: everything }).create({ text: `${kind}.${at}/${(before ?? after).id}` });
        throwIf(ctx, `within.${kind}.${at}`, refusal);
      };
    const behind = (kind: string) => (ctx: Any, record: Any) => {
      after.push(`${kind}.${at}/${record.id}`);
      throwIf(ctx, `after.${kind}.${at}`, () => new Error('thrown behind the write'));
    };
    const of = (some: (spec: EdgeSpec) => boolean) => graph.edges.flatMap((spec, index) => (some(spec) ? [index] : []));
    const shown = of((spec) => spec.from === at && isRelation(spec)).map((index) => `r${index}`);
    const sides = of(({ to }) => to === at);
    return shop.resource({
      model,
      ops: graph.soft[at] ? operations : operations.filter((one) => one !== 'restore'),
      scope: (ctx: Any) => ({ owner: ctx.get('x-user') }),
      paging: cursorPaging({ total: true }),
      include: [...shown, ...sides.flatMap((index) => [`b${index}`, `n${index}`])],
      through: shown,
      nested: sides.map((index) => `b${index}`),
      links: of((spec) => spec.from === at && isLinked(spec)).map((index) => `r${index}`),
      before: hooks('before', (kind) => (ctx: Any) => throwIf(ctx, `before.${kind}.${at}`, refusal)),
      within: hooks('within', within),
      after: hooks('after', behind),
      ...(graph.soft[at] && { deleted: { guards: [() => true] } }),
    } as never);
  });
  const { maxCascade, maxCleared, maxIdsThrough } = graph;
  return {
    api: shop.api({
      db,
      resources,
      models: [Log as never],
      maxCascade,
      maxCleared,
      maxIdsThrough,
      maxConcurrency: 1, // it tells when the work for a request has ended
      batch: true,
      idempotency: { principal: (ctx) => ctx.get('x-user') },
      onError: () => undefined,
    }),
    db,
    models,
    after,
  };
}
