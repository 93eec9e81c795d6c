import type { Db } from 'mongodb';
import type { Any } from '../any.ts';
import { valueFor } from './play-relations.ts';
import { isPrivate, isRelation } from './relation-graph.ts';
import { type Thing, World } from './relation-world.ts';

/** Whoever reads by HTTP. */
type Reader = 'ann' | 'bob';

/** The record as a client reads it. It has what the client may see of the records at the other ends, if `isWhole`. */
function shown(world: World, reader: Reader, model: number, [id, thing]: [string, Thing], isWhole: boolean): object {
  const { owner, note, revision, refs } = thing;
  const own = world.edgesFrom(model).flatMap((at) => {
    const spec = world.edge(at);
    const ids = refs.get(at) ?? [];
    const isLeftOut = isPrivate(spec) || (spec.shape === 'optional' && ids.length === 0);
    return isLeftOut ? [] : [[`e${at}`, valueFor(spec, ids)]];
  });
  const one = { id, owner, note, revision, ...Object.fromEntries(own) };
  return isWhole ? { ...one, ...related(world, reader, model, id, thing) } : one;
}

function related(world: World, reader: Reader, model: number, id: string, { refs }: Thing): object {
  const record = (of: number, other: string | null | undefined) => {
    const found = other === null || other === undefined ? undefined : world.sees(reader, of, other);
    return found && other ? shown(world, reader, of, [other, found], false) : null;
  };
  const outgoing = world.edgesFrom(model).filter((at) => isRelation(world.edge(at)));
  const ahead = outgoing.map((at) => {
    const { to, shape } = world.edge(at);
    const ids = refs.get(at) ?? [];
    return [`r${at}`, shape === 'list' ? ids.map((other) => record(to, other)) : record(to, ids[0])];
  });
  const behind = [...world.graph.edges.entries()].flatMap(([at, { from, to }]) => {
    if (to !== model) return [];
    const children = world.seen(reader, from).filter(([, child]) => child.refs.get(at)?.includes(id));
    const records = children.map((child) => shown(world, reader, from, child, false));
    return [
      [`b${at}`, records],
      [`n${at}`, records.length],
    ];
  });
  return Object.fromEntries([...ahead, ...behind]);
}

/** Reads that a client may make of a model, and what each is answered with: records as `data`, and their number. */
export function* readsOf(
  world: World,
  { asker, model, edge }: { readonly asker: Reader; readonly model: number; readonly edge: number },
): Generator<{ readonly path: string; readonly data: readonly unknown[] }> {
  const { edges, soft } = world.graph;
  const outgoing = world.edgesFrom(model).filter((at) => isRelation(world.edge(at)));
  const sides = [...edges.keys()].filter((at) => world.edge(at).to === model);
  const names = [...outgoing.map((at) => `r${at}`), ...sides.flatMap((at) => [`b${at}`, `n${at}`])];
  const all = world.seen(asker, model);
  const include = names.length > 0 ? `&include=${names.join()}` : '';
  yield { path: `/m${model}?total=true${include}`, data: all.map((one) => shown(world, asker, model, one, true)) };
  const through = outgoing[edge % outgoing.length];
  if (through !== undefined) {
    const isThere = (id: string | null) => id !== null && world.sees(asker, world.edge(through).to, id)?.note === 'x';
    const matches = all.filter(([, { refs }]) => refs.get(through)?.some(isThere));
    yield { path: `/m${model}?total=true&r${through}.note=x`, data: matches.map((one) => shown(world, asker, model, one, false)) };
  }
  const side = sides[edge % sides.length];
  if (side !== undefined)
    for (const [id] of all) {
      const children = world.seen(asker, world.edge(side).from).filter(([, { refs }]) => refs.get(side)?.includes(id));
      const data = children.map((one) => shown(world, asker, world.edge(side).from, one, false));
      yield { path: `/m${model}/${id}/b${side}?total=true`, data };
    }
  if (soft[model]) {
    const deleted = world.seen(asker, model, true).map((one) => ({ ...shown(world, asker, model, one, false), deletedAt: true }));
    yield { path: `/m${model}?total=true&deleted=only`, data: deleted };
  }
}

/** What is stored of a model. */
export async function storedOf(db: Db, model: number): Promise<unknown[]> {
  const stored: Any[] = await db.collection(`m${model}`).find().sort({ _id: 1 }).toArray();
  return stored.map(({ _references, _life, deletedAt, _deletion, ...one }) => ({
    ...one,
    isDeleted: [!!deletedAt, !!_deletion],
  }));
}

/** What must be stored of a model. */
export function expectedOf(world: World, model: number): unknown[] {
  const own = [...world.things].filter(([key]) => World.modelOf(key) === model).sort(([a], [b]) => (a < b ? -1 : 1));
  return own.map(([key, { owner, note, revision, deletion, refs }]) => {
    const values = [...refs].flatMap(([at, ids]) => {
      const spec = world.edge(at);
      if (spec.shape === 'lines') return [[`e${at}`, ids.map((ref) => (ref === null ? {} : { ref }))]];
      const isStored = spec.shape === 'list' || spec.shape === 'storeNone' || ids.length > 0;
      return isStored ? [[`e${at}`, valueFor(spec, ids)]] : [];
    });
    const isDeleted = deletion !== undefined;
    const fields = { owner, note, revision, ...Object.fromEntries(values) };
    return { _id: World.idOf(key), ...fields, isDeleted: [isDeleted, isDeleted] };
  });
}
