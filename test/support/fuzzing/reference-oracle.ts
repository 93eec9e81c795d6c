/** What a delete of the record that is referred to does, or nothing. */
export type Action = 'cascade' | 'restrict' | 'nullify' | 'pull' | 'none';
/** Where a reference stands, and what stands for none. */
export type Shape = 'required' | 'nullable' | 'storeNone' | 'optional' | 'list' | 'lines';

/** A reference of a random model to another one, by their places. */
export interface EdgeSpec {
  readonly from: number;
  readonly to: number;
  readonly action: Action;
  readonly shape: Shape;
}

/** A record: its ids by the index of the edge. A single reference is an array of at most one. */
export interface Thing {
  readonly owner: string;
  revision: number;
  readonly refs: Map<number, (string | null)[]>;
}

/** What a request is answered with. `parts` are the relations that a 409 names, in any order. */
export interface Outcome {
  readonly status: number;
  readonly code?: string;
  readonly parts?: readonly string[];
}

/** Who asks: a client that sees the records of ann only, or the application. */
export type Asker = 'client' | 'store';

/** The records of all models, and the rules of references once more, by naive means: written from the documentation and not from `src/`. */
export class ReferenceOracle {
  readonly edges: readonly EdgeSpec[];
  readonly maxCascade: number;
  readonly things = new Map<string, Thing>();

  constructor(edges: readonly EdgeSpec[], maxCascade: number) {
    this.edges = edges;
    this.maxCascade = maxCascade;
  }

  static key(model: number, id: string): string {
    return `${model}/${id}`;
  }

  #sees(asker: Asker, key: string): Thing | undefined {
    const thing = this.things.get(key);
    return thing && (asker === 'store' || thing.owner === 'ann') ? thing : undefined;
  }

  create(asker: Asker, model: number, id: string, owner: string, refs: ReadonlyMap<number, (string | null)[]>): Outcome {
    const own = ReferenceOracle.key(model, id);
    for (const [edge, ids] of refs)
      for (const one of ids) {
        const target = ReferenceOracle.key(this.#edge(edge).to, one ?? '');
        if (one !== null && target !== own && !this.#sees(asker, target)) return { status: 422, code: 'validation_failed' };
      }
    if (this.things.has(own)) return { status: 409, code: 'duplicate_key' };
    this.things.set(own, { owner, revision: 0, refs: new Map(refs) });
    return { status: 201 };
  }

  patch(asker: Asker, model: number, id: string, edge: number, ids: (string | null)[]): Outcome {
    const thing = this.#sees(asker, ReferenceOracle.key(model, id));
    const held = thing?.refs.get(edge) ?? [];
    if (!thing) return { status: 404, code: 'not_found' };
    const isMissing = (one: string | null) =>
      one !== null && !held.includes(one) && !this.#sees(asker, ReferenceOracle.key(this.#edge(edge).to, one));
    if (ids.some(isMissing)) return { status: 422, code: 'validation_failed' };
    thing.refs.set(edge, ids);
    thing.revision++;
    return { status: 200 };
  }

  remove(asker: Asker, model: number, id: string): Outcome {
    const root = ReferenceOracle.key(model, id);
    if (!this.#sees(asker, root)) return { status: 404, code: 'not_found' };
    const gone = new Set([root]);
    for (let size = 0; size !== gone.size; ) {
      size = gone.size;
      for (const { key } of this.#losing(gone, ['cascade'])) gone.add(key);
    }
    const tooMany: Outcome = { status: 409, code: 'too_many_references' };
    if (gone.size - 1 > this.maxCascade) return tooMany;
    const restricting = this.#losing(gone, ['restrict']);
    if (restricting.length > 0) return { status: 409, code: 'still_referenced', parts: this.#parts(asker, restricting) };
    const losing = this.#losing(gone, ['nullify', 'pull']);
    const touched = new Set(losing.map(({ key }) => key));
    if (gone.size - 1 + touched.size > this.maxCascade) return tooMany;
    for (const { key, edge } of losing) {
      const refs = this.things.get(key)?.refs;
      const { to, action, shape } = this.#edge(edge);
      const cleared = (refs?.get(edge) ?? []).map((one) => (one !== null && gone.has(ReferenceOracle.key(to, one)) ? undefined : one));
      const isInPlace = action === 'nullify' && (shape === 'list' || shape === 'lines');
      refs?.set(edge, isInPlace ? cleared.map((one) => one ?? null) : cleared.filter((one) => one !== undefined));
    }
    for (const key of touched) (this.things.get(key) as Thing).revision++;
    for (const key of gone) this.things.delete(key);
    return { status: asker === 'client' ? 204 : 200 };
  }

  /** References with `onDelete` whose record is not there. */
  orphans(): string[] {
    const all = [...this.things].flatMap(([key, { refs }]) =>
      [...refs].flatMap(([edge, ids]) => ids.map((id) => ({ key, id, spec: this.#edge(edge) }))),
    );
    const lost = all.filter(({ id, spec }) => id !== null && spec.action !== 'none' && !this.things.has(ReferenceOracle.key(spec.to, id)));
    return lost.map(({ key, id }) => `${key} → ${id}`);
  }

  /** The references of records that stay to records that go. */
  #losing(gone: ReadonlySet<string>, actions: readonly Action[]): { readonly key: string; readonly edge: number }[] {
    return [...this.things].flatMap(([key, { refs }]) => {
      if (gone.has(key)) return [];
      const lost = [...refs].filter(([edge, ids]) => {
        const { action, to } = this.#edge(edge);
        return actions.includes(action) && ids.some((one) => one !== null && gone.has(ReferenceOracle.key(to, one)));
      });
      return lost.map(([edge]) => ({ key, edge }));
    });
  }

  #parts(asker: Asker, restricting: readonly { readonly key: string; readonly edge: number }[]): string[] {
    const counts = new Map<number, number>();
    for (const { key, edge } of restricting) if (this.#sees(asker, key)) counts.set(edge, (counts.get(edge) ?? 0) + 1);
    return [...counts]
      .map(
        ([edge, count]) =>
          `\`${fieldOf(edge, this.#edge(edge))}\` of ${count} record${count === 1 ? '' : 's'} of M${this.#edge(edge).from}`,
      )
      .sort();
  }

  #edge(index: number): EdgeSpec {
    return this.edges[index] as EdgeSpec;
  }
}

/** The dotted name of the field of an edge. */
function fieldOf(index: number, { shape }: EdgeSpec): string {
  return shape === 'lines' ? `e${index}.ref` : `e${index}`;
}
