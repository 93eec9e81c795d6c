import fc from 'fast-check';
import {
  type Action,
  type Asker,
  type EdgeSpec,
  type Graph,
  isLinked,
  type Kind,
  type Rights,
  type Sending,
  type Shape,
  type Step,
  type Write,
} from './relation-graph.ts';
import { World } from './relation-world.ts';

/** The most models of a graph. */
export const mostModels = 3;

const edge = (soft: readonly boolean[]): fc.Arbitrary<EdgeSpec> =>
  fc
    .record({
      from: fc.nat(soft.length - 1),
      to: fc.option(fc.nat(soft.length - 1), { nil: undefined, freq: 4 }),
      action: fc.constantFrom<Action>('cascade', 'cascade', 'cascade', 'restrict', 'nullify', 'nullify', 'pull', 'none', 'none'),
      shape: fc.constantFrom<Shape>('required', 'required', 'nullable', 'storeNone', 'optional', 'list', 'list', 'lines'),
      rights: fc.constantFrom<Rights>('open', 'open', 'open', 'insertOnly', 'immutable', 'writeOnly', 'private'),
    })
    .map((spec) => asLegal({ ...spec, to: spec.to ?? spec.from }, soft));

/**
 * A required reference leads to an earlier model, so that none close a circle. What cannot be restored does not take
 * along what can.
 */
function asLegal(spec: EdgeSpec, soft: readonly boolean[]): EdgeSpec {
  const { from, to, shape, rights } = spec;
  const action = spec.action === 'cascade' && soft[to] && !soft[from] ? 'restrict' : spec.action;
  if (action === 'pull') return { ...spec, action, shape: 'list' };
  const canBeRequired = action !== 'nullify' && to < from && rights !== 'private';
  return { ...spec, action, shape: shape === 'required' && !canBeRequired ? 'nullable' : shape };
}

const graph: fc.Arbitrary<Graph> = fc.array(fc.constantFrom(true, true, false), { minLength: 1, maxLength: mostModels }).chain((soft) =>
  fc.record({
    soft: fc.constant(soft),
    kept: fc.array(fc.boolean(), { minLength: soft.length, maxLength: soft.length }),
    edges: fc.array(edge(soft), { minLength: 2, maxLength: 6 }),
    maxCascade: fc.constantFrom(0, 2, 5, 20, 20, 20),
    maxCleared: fc.constantFrom(0, 2, 20, 20),
    maxIdsThrough: fc.constantFrom(1, 1_000),
  }),
);

const allIds = ['a', 'b', 'c', 'd'] as const;
const id = fc.constantFrom(...allIds);
const ids = fc.array(fc.array(fc.option(id, { freq: 5 }), { minLength: 1, maxLength: 2 }), { minLength: 6, maxLength: 6 });
const isOwn = fc.constantFrom(true, true, true, true, true, false);
const write = fc.record({
  kind: fc.constantFrom<Kind>(
    ...([
      'create',
      'create',
      'create',
      'create',
      'nested',
      'patch',
      'patch',
      'put',
      'link',
      'unlink',
      'remove',
      'remove',
      'remove',
    ] as const),
    ...(['restore', 'restore', 'restore', 'restore', 'patchMany', 'removeMany', 'createMany', 'createMany', 'createAll', 'purge'] as const),
  ),
  asker: fc.constantFrom<Asker>('ann', 'ann', 'ann', 'bob', 'store', 'store'),
  model: fc.nat(mostModels - 1),
  id,
  other: id,
  owner: fc.constantFrom('ann', 'ann', 'ann', 'bob'),
  /** Whether it keeps to records that the asker sees. */
  isOwn,
  note: fc.constantFrom('x', 'y'),
  /** Undefined for the note. */
  edge: fc.option(fc.nat(9), { nil: undefined, freq: 4 }),
  ids,
  /** Added to the revision for `If-Match`. */
  off: fc.constantFrom(undefined, undefined, undefined, 0, 1),
  documents: fc.uniqueArray(fc.record({ id, ids, isOwn }), { minLength: 2, maxLength: 3, selector: (one) => one.id }),
});
type RandomWrite = typeof write extends fc.Arbitrary<infer T> ? T : never;

const step = fc.record({
  writes: fc.oneof({ weight: 5, arbitrary: fc.tuple(write) }, { weight: 1, arbitrary: fc.array(write, { minLength: 2, maxLength: 3 }) }),
  throwing: fc.option(
    fc.tuple(
      fc.constantFrom('before', 'within', 'within', 'after'),
      fc.constantFrom('create', 'patch', 'patch', 'delete', 'delete', 'restore'),
      fc.nat(mostModels - 1),
    ),
    { nil: undefined, freq: 2 },
  ),
  sending: fc.constantFrom<Sending>('once', 'once', 'once', 'again', 'leave', 'leave and again'),
  leavesAfter: fc.nat(14),
  /** Who reads after it, and of which model. */
  reader: fc.option(
    fc.record({ asker: fc.constantFrom<'ann' | 'bob'>('ann', 'ann', 'bob'), model: fc.nat(mostModels - 1), edge: fc.nat(9) }),
    {
      nil: undefined,
      freq: 2,
    },
  ),
});

export type RandomStep = typeof step extends fc.Arbitrary<infer T> ? T : never;

/** Random models, and what is done with their records. */
export const scenario = graph.chain((one) =>
  fc.record({ graph: fc.constant(one), steps: fc.array(step, { minLength: 15, maxLength: 40 }) }),
);

export type Scenario = typeof scenario extends fc.Arbitrary<infer T> ? T : never;

const inBatch: readonly Kind[] = ['create', 'patch', 'put', 'remove', 'restore'];
const byStore: readonly Kind[] = ['createMany', 'createAll', 'purge'];
const withKey: readonly Kind[] = ['create', 'nested', 'patch', 'patchMany'];
const byClient: readonly Kind[] = ['nested', 'put', 'link', 'unlink'];

/** Makes a random step legal in the graph, with the revisions of the records as they are. */
export function resolve(world: World, { writes, throwing, sending, leavesAfter }: RandomStep): Step {
  const isBatch = writes.length > 1;
  const [first] = writes as [RandomWrite];
  const asker = isBatch && first.asker === 'store' ? 'ann' : first.asker;
  const all = writes.map((one) => resolveWrite(world, { ...one, asker }, isBatch)) as unknown as Step['writes'];
  const [stage, operation, model] = throwing ?? [];
  // The answer of a batch shows in another form what hooks of `after` throw.
  const isThrown = throwing && asker !== 'store' && !(stage === 'after' && isBatch);
  const [{ kind }] = all;
  const hasKey = isBatch || withKey.includes(kind);
  // With a key, what hooks of `after` throw is not seen.
  const isPlain = asker === 'store' || (isThrown && stage === 'after') || (sending !== 'leave' && !hasKey);
  return {
    writes: all,
    isBatch,
    sending: isPlain ? 'once' : sending,
    leavesAfter,
    throwing: isThrown ? `${stage}.${operation}.${model}` : undefined,
  };
}

function resolveWrite(world: World, given: RandomWrite, isBatch: boolean): Write {
  const { graph } = world;
  let { kind, asker, model } = given;
  model %= graph.soft.length;
  if (isBatch && !inBatch.includes(kind)) kind = 'remove';
  if (byStore.includes(kind)) asker = 'store';
  if (byClient.includes(kind) && asker === 'store') asker = 'ann';
  let edges = world.edgesFrom(model);
  if (kind === 'nested') edges = edges.filter((one) => world.edge(one).shape !== 'lines');
  if (kind === 'link' || kind === 'unlink') edges = edges.filter((one) => isLinked(world.edge(one)));
  if (asker === 'store') edges = edges.filter((one) => world.edge(one).rights !== 'immutable');
  let edge =
    given.edge === undefined && kind !== 'nested' && kind !== 'link' && kind !== 'unlink'
      ? undefined
      : edges[(given.edge ?? 0) % edges.length];
  if (edge === undefined && kind === 'nested') kind = 'create';
  if (edge === undefined && (kind === 'link' || kind === 'unlink')) kind = 'patch';
  if ((kind === 'restore' || kind === 'purge') && !graph.soft[model]) kind = 'remove';
  if (kind === 'restore' && given.isOwn && !findId(world, kind, asker, model, given.id)) kind = 'remove';
  const found = given.isOwn ? findId(world, kind, asker, model, given.id) : given.id;
  if (found === undefined && kind !== 'nested') kind = 'create';
  const id = found ?? given.id;
  const known = world.things.get(World.key(model, id))?.revision ?? 0;
  if (kind === 'create' || kind === 'put') edge = undefined;
  const owner = asker === 'store' || !given.isOwn ? given.owner : asker;
  const siblings = kind === 'createMany' || kind === 'createAll' ? given.documents.map((one) => one.id) : [];
  const find = (to: number, one: string | null, isFound = given.isOwn) => {
    if (one === null || !isFound || (to === model && siblings.some((sibling) => sibling === one))) return one;
    return findId(world, 'patch', asker, to, one) ?? null;
  };
  const fitAll = (some: readonly (readonly (string | null)[])[], isFound = given.isOwn) =>
    some.map((ids, at) => {
      const spec = world.edge(at);
      const found = (one: string | null) => find(spec.to, one, isFound);
      return spec ? idsFor(spec, ids.map(found)) : [];
    });
  const { off, note } = given;
  const aim = edge === undefined ? undefined : world.edge(edge);
  const other = (aim && find(aim.to, given.other)) ?? given.other;
  const documents = given.documents.map((one) => ({ id: one.id, ids: fitAll(one.ids, one.isOwn) }));
  return {
    kind,
    asker,
    model,
    id,
    other,
    note,
    owner,
    edge,
    ids: fitAll(given.ids),
    ifMatch: off === undefined ? undefined : known + off,
    documents,
  };
}

/** An id with which the write may succeed. Undefined if there is none. */
function findId(world: World, kind: Kind, asker: Asker, model: number, given: string): string | undefined {
  const isLegal = (one: string) =>
    kind === 'create' || kind === 'nested' ? !world.things.has(World.key(model, one)) : world.sees(asker, model, one, kind === 'restore');
  const start = allIds.indexOf(given as 'a');
  return [...allIds.slice(start), ...allIds].find(isLegal);
}

/** The ids for a reference, as its shape takes them. */
function idsFor({ shape, action }: EdgeSpec, some: readonly (string | null)[]): (string | null)[] {
  if (shape === 'list') return action === 'pull' ? some.filter((one) => one !== null) : [...some];
  if (shape === 'lines') return [...some];
  if (shape === 'required') return [some.find((one) => one !== null) ?? 'a'];
  return some[0] === undefined || some[0] === null ? [] : [some[0]];
}

/** A step in one line, for whoever reads a failure. */
export function describeStep({ sending, leavesAfter, throwing, writes }: Step): string {
  return JSON.stringify({ sending, leavesAfter, throwing, writes });
}
