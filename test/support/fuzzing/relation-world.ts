import { type Action, type Asker, type EdgeSpec, fieldOf, type Graph, isPrivate, type Outcome } from './relation-graph.ts';

/** A record: its ids by the index of the reference. A single reference is an array of at most one. */
export interface Thing {
  readonly owner: string;
  note: string;
  revision: number;
  /** The delete that has marked it. */
  deletion: number | undefined;
  readonly refs: Map<number, (string | null)[]>;
}

/** Thrown by a write that is refused. */
export class Refusal extends Error {
  readonly outcome: Outcome;

  constructor(outcome: Outcome) {
    super();
    this.outcome = outcome;
  }
}

export function refused(status: number, code: string, fields?: readonly string[]): Refusal {
  return new Refusal({ status, code, ...(fields && { fields }) });
}

/** The records of all models, by model and id: `0/a`. */
export class World {
  readonly graph: Graph;
  things = new Map<string, Thing>();

  constructor(graph: Graph) {
    this.graph = graph;
  }

  static key(model: number, id: string): string {
    return `${model}/${id}`;
  }

  static modelOf(key: string): number {
    return Number(key.split('/')[0]);
  }

  static idOf(key: string): string {
    return key.split('/')[1] as string;
  }

  edge(index: number): EdgeSpec {
    return this.graph.edges[index] as EdgeSpec;
  }

  edgesFrom(model: number): number[] {
    return [...this.graph.edges.keys()].filter((index) => this.edge(index).from === model);
  }

  living(): [string, Thing][] {
    return [...this.things].filter(([, { deletion }]) => deletion === undefined);
  }

  /** A record that is there for somebody. */
  sees(asker: Asker, model: number, id: string, isDeleted = false): Thing | undefined {
    const thing = this.things.get(World.key(model, id));
    if (!thing || (thing.deletion !== undefined) !== isDeleted) return undefined;
    return asker === 'store' || thing.owner === asker ? thing : undefined;
  }

  /** The records that are there for somebody, in the order of their ids. */
  seen(asker: Asker, model: number, isDeleted = false): [string, Thing][] {
    const ids = [...this.things.keys()].filter((key) => World.modelOf(key) === model).map(World.idOf);
    return ids.sort().flatMap((id): [string, Thing][] => {
      const thing = this.sees(asker, model, id, isDeleted);
      return thing ? [[id, thing]] : [];
    });
  }

  /** All references of some records: the record, and what it refers to. */
  *referencesOf(keys: Iterable<string>): Generator<{ readonly key: string; readonly edge: number; readonly to: string }> {
    for (const key of keys)
      for (const [edge, ids] of this.things.get(key)?.refs ?? [])
        if (this.edge(edge).action !== 'none')
          for (const id of ids) if (id !== null) yield { key, edge, to: World.key(this.edge(edge).to, id) };
  }

  /** The references of living records that stay to records that go. */
  losing(gone: ReadonlySet<string>, actions: readonly Action[]): { readonly key: string; readonly edge: number }[] {
    const staying = this.living().flatMap(([key]) => (gone.has(key) ? [] : [key]));
    const lost = [...this.referencesOf(staying)].filter(({ edge, to }) => actions.includes(this.edge(edge).action) && gone.has(to));
    return [...new Map(lost.map((one) => [`${one.key} ${one.edge}`, one])).values()];
  }

  /** What the delete of a record has taken along, with the record itself. */
  takenWith(root: string, deletion: number | undefined): Set<string> {
    const taken = new Set([root]);
    const same = [...this.things].filter(([, thing]) => thing.deletion === deletion).map(([key]) => key);
    for (let size = 0; size !== taken.size; ) {
      size = taken.size;
      for (const { key, edge, to } of this.referencesOf(same)) if (this.edge(edge).action === 'cascade' && taken.has(to)) taken.add(key);
    }
    return taken;
  }

  /** Removes ids from a reference, as its action says. */
  clear(key: string, edge: number, isGone: (id: string) => boolean): void {
    const thing = this.things.get(key) as Thing;
    const { action, shape } = this.edge(edge);
    const cleared = (thing.refs.get(edge) ?? []).map((id) => (id !== null && isGone(id) ? undefined : id));
    const isInPlace = action === 'nullify' && (shape === 'list' || shape === 'lines');
    thing.refs.set(edge, isInPlace ? cleared.map((id) => id ?? null) : cleared.filter((id) => id !== undefined));
  }

  /** References with `onDelete` of living records that lead to no living one. */
  orphans(): string[] {
    const living = new Set(this.living().map(([key]) => key));
    return [...this.referencesOf(living)].flatMap(({ key, to }) => (living.has(to) ? [] : [`${key} → ${to}`]));
  }

  /** The relations that forbid a delete, as far as the asker sees their records. */
  parts(asker: Asker, restricting: readonly { readonly key: string; readonly edge: number }[]): string[] {
    const counts = new Map<number, number>();
    for (const { key, edge } of restricting) {
      const isSeen = this.sees(asker, World.modelOf(key), World.idOf(key)) && !isPrivate(this.edge(edge));
      if (isSeen) counts.set(edge, (counts.get(edge) ?? 0) + 1);
    }
    const amount = (count: number) => (count === 1 ? '1 record' : `${count} records`);
    return [...counts]
      .map(([edge, count]) => `\`${fieldOf(edge, this.edge(edge))}\` of ${amount(count)} of M${this.edge(edge).from}`)
      .sort();
  }

  /**
   * Restores a record with what its delete has taken along, as far as that has its other parents. Returns what lives
   * again.
   */
  bringBack(root: string, deletion: number | undefined): Set<string> {
    const back = this.takenWith(root, deletion);
    const needs: readonly Action[] = ['cascade', 'restrict'];
    const living = new Set(this.living().map(([key]) => key));
    const isLost = (to: string) => !back.has(to) && !living.has(to);
    const cannot = (key: string) =>
      [...this.referencesOf([key])].filter(({ edge, to }) => needs.includes(this.edge(edge).action) && isLost(to));
    for (let size = 0; size !== back.size; ) {
      size = back.size;
      for (const key of back) if (key !== root && cannot(key).length > 0) back.delete(key);
    }
    const lacking = cannot(root).map(({ edge }) => (isPrivate(this.edge(edge)) ? '' : fieldOf(edge, this.edge(edge))));
    if (lacking.length > 0) throw refused(422, 'validation_failed', [...new Set(lacking)].sort());
    for (const key of back) {
      const thing = this.things.get(key) as Thing;
      for (const edge of thing.refs.keys())
        if (['nullify', 'pull'].includes(this.edge(edge).action)) this.clear(key, edge, (id) => isLost(World.key(this.edge(edge).to, id)));
      thing.deletion = undefined;
    }
    return back;
  }
}
