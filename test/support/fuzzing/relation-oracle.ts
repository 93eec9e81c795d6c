import {
  type Asker,
  type EdgeSpec,
  hasBefore,
  isOpen,
  isPrivate,
  type Outcome,
  operationOf,
  type Step,
  type Write,
} from './relation-graph.ts';
import { Refusal, refused, type Thing, World } from './relation-world.ts';

/** Ids that a write gives to a reference. A value of the server may be any record. */
interface Named {
  readonly edge: number;
  readonly ids: readonly (string | null)[];
  readonly isServer?: boolean;
  /** Stands in front of the fields. */
  readonly place?: string;
}

/** The rules of references, deletes, restores and hooks, written naively from the documentation and not from `src/`. */
export class RelationOracle extends World {
  /** The hooks that were run: operation, model and id. */
  within: string[] = [];
  after: string[] = [];
  #throwing: string | undefined;
  #deletions = 0;

  play({ writes, isBatch, throwing }: Step): Outcome {
    const before = structuredClone(this.things);
    this.#throwing = throwing;
    this.within = [];
    this.after = [];
    let at = 0;
    try {
      for (at = 0; at < writes.length; at++) this.#prepare(writes[at] as Write);
      const outcomes: Outcome[] = [];
      for (at = 0; at < writes.length; at++) outcomes.push(this.#write(writes[at] as Write));
      if (isBatch) return { status: 200, each: outcomes.map(({ status }) => status) };
      const [outcome] = outcomes as [Outcome];
      return this.after.some((one) => `after.${one.split('/')[0]}` === throwing) ? { status: 500 } : outcome;
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      this.things = before;
      this.within = [];
      this.after = [];
      return isBatch ? { ...error.outcome, operation: at } : error.outcome;
    }
  }

  #prepare({ kind, asker, model, edge, other, id }: Write): void {
    if (asker === 'store') return;
    const spec = edge === undefined ? undefined : this.edge(edge);
    if (kind === 'nested' && !this.sees(asker, spec?.to ?? 0, other)) throw refused(404, 'not_found');
    if (kind === 'link' && !this.sees(asker, spec?.to ?? 0, other)) throw refused(404, 'not_found');
    if ((kind === 'patch' || kind === 'patchMany') && spec && !isOpen(spec, asker, 'update'))
      throw refused(422, 'validation_failed', [`e${edge}`]);
    const operation = operationOf[kind];
    if (operation && hasBefore(this.graph, model, operation)) this.#run('before', operation, World.key(model, id));
  }

  #write(write: Write): Outcome {
    const { kind, asker, model, id } = write;
    const isClient = asker !== 'store';
    const own = World.key(model, id);
    let isChanged = true;
    switch (kind) {
      case 'create':
      case 'nested':
        this.#create(write);
        break;
      case 'createMany':
        return { status: 200, each: this.#createEach(write) };
      case 'createAll':
        this.#createAll(write);
        return { status: 200 };
      case 'patch':
      case 'put':
        this.#change(write);
        break;
      case 'link':
      case 'unlink':
        isChanged = this.#changeElement(write);
        break;
      case 'remove':
        this.#address(write);
        this.#delete(asker, [own]);
        break;
      case 'restore':
        this.#restore(write);
        break;
      case 'patchMany':
        return this.#changeMany(write);
      case 'removeMany': {
        const roots = this.#matches(write).map(([key]) => key);
        if (roots.length > 0) this.#delete(asker, roots);
        return { status: 200, matched: roots.length };
      }
      case 'purge':
        for (const [key, { deletion }] of this.things) if (World.modelOf(key) === model && deletion !== undefined) this.things.delete(key);
        return { status: 200 };
    }
    const operation = operationOf[kind] as string;
    if (isClient && isChanged) this.#run('within', operation, own);
    if (isClient) this.after.unshift(`${operation}.${own}`);
    if (kind === 'link' || kind === 'unlink' || kind === 'remove') return { status: isClient ? 204 : 200 };
    return { status: kind === 'create' || kind === 'nested' ? 201 : 200 };
  }

  #run(stage: 'before' | 'within', operation: string, key: string): void {
    if (stage === 'within') this.within.push(`${operation}.${key}`);
    if (this.#throwing === `${stage}.${operation}.${World.modelOf(key)}`) throw refused(409, 'hook_refused');
  }

  /** The record that a write addresses: 404, then 412. */
  #address({ asker, model, id, ifMatch }: Write, isDeleted = false): Thing {
    const thing = this.sees(asker, model, id, isDeleted);
    if (!thing) throw refused(404, 'not_found');
    if (ifMatch !== undefined && ifMatch !== thing.revision) throw refused(412, 'precondition_failed');
    return thing;
  }

  #matches({ asker, model, note }: Write): [string, Thing][] {
    return this.living().filter(
      ([key, thing]) => World.modelOf(key) === model && thing.note === note && (asker === 'store' || thing.owner === asker),
    );
  }

  /** Checks references. Ids for which `isKnown` are no error. */
  #refer(asker: Asker, named: readonly Named[], isKnown: (edge: number, id: string) => boolean): void {
    const missing: { readonly edge: EdgeSpec; readonly path: string }[] = [];
    for (const { edge, ids, isServer = false, place = '' } of named)
      for (const [index, id] of ids.entries()) {
        const spec = this.edge(edge);
        if (id === null) continue;
        const seen = this.sees(isServer ? 'store' : asker, spec.to, id);
        if (seen || isKnown(edge, id)) continue;
        const path = { list: `e${edge}.${index}`, lines: `e${edge}.${index}.ref` }[spec.shape as string] ?? `e${edge}`;
        missing.push({ edge: spec, path: `${place}${path}` });
      }
    const told = asker === 'store' ? missing.filter(({ edge }) => !isPrivate(edge)) : missing;
    if (told.length > 0) throw refused(422, 'validation_failed', told.map(({ path }) => path).sort());
    if (missing.length > 0) throw new Refusal({ status: 500 });
  }

  /** The references of a new record. Clients leave out those that they may not set. */
  #namedIn({ kind, asker, model, edge: via, other }: Write, ids: Write['ids']): Named[] {
    return this.edgesFrom(model).map((edge) => {
      if (kind === 'nested' && edge === via) return { edge, ids: [other], isServer: true };
      return { edge, ids: isOpen(this.edge(edge), asker, 'insert') ? (ids[edge] ?? []) : [] };
    });
  }

  #add(write: Write, id: string, named: readonly Named[]): void {
    const { model, owner, note } = write;
    const own = World.key(model, id);
    if (this.things.has(own)) throw refused(409, 'duplicate_key', ['id']);
    this.things.set(own, {
      owner,
      note,
      revision: 0,
      deletion: undefined,
      refs: new Map(named.map((one) => [one.edge, [...one.ids]])),
    });
  }

  #create(write: Write, id = write.id, ids = write.ids): void {
    const { asker, owner } = write;
    if (asker !== 'store' && owner !== asker) throw refused(422, 'validation_failed', ['owner']); // out of its scope
    const named = this.#namedIn(write, ids);
    this.#refer(asker, this.#without(named, write.model, [id]), () => false);
    this.#add(write, id, named);
  }

  #without(named: readonly Named[], model: number, own: readonly string[]): Named[] {
    return named.map((one) =>
      this.edge(one.edge).to === model ? { ...one, ids: one.ids.map((id) => (id !== null && own.includes(id) ? null : id)) } : one,
    );
  }

  /** Each document by itself, until no further one can be created. The ids are distinct: the order does not matter. */
  #createEach(write: Write): unknown[] {
    const outcomes: unknown[] = [];
    const created = () => outcomes.filter((outcome) => outcome === 'created').length;
    for (let before = -1; before < created(); ) {
      before = created();
      for (const [place, { id, ids }] of write.documents.entries()) {
        if (outcomes[place] === 'created') continue;
        const things = structuredClone(this.things);
        try {
          this.#create(write, id, ids);
          outcomes[place] = 'created';
        } catch (error) {
          if (!(error instanceof Refusal)) throw error;
          this.things = things;
          outcomes[place] = error.outcome;
        }
      }
    }
    return outcomes;
  }

  #createAll(write: Write): void {
    const { documents, model, asker } = write;
    const all = documents.map(({ ids }, place) => this.#namedIn(write, ids).map((one) => ({ ...one, place: `${place}.` })));
    const own = documents.map(({ id }) => id);
    this.#refer(asker, this.#without(all.flat(), model, own), () => false);
    for (const [place, { id }] of documents.entries()) {
      if (this.things.has(World.key(model, id))) throw refused(409, 'duplicate_key', [`${place}.id`]);
      this.#add(write, id, all[place] ?? []);
    }
  }

  #change(write: Write): void {
    const { kind, asker, model, id, edge, ids, note } = write;
    const one = edge === undefined ? [] : [edge];
    const edges = kind === 'put' ? this.edgesFrom(model).filter((at) => isOpen(this.edge(at), asker, 'update')) : one;
    const thing = this.#address(write);
    const isKnown = (at: number, other: string) =>
      (asker === 'store' || !isPrivate(this.edge(at))) && (thing.refs.get(at) ?? []).includes(other);
    const named = edges.map((at) => ({ edge: at, ids: ids[at] ?? [] }));
    this.#refer(asker, named, isKnown);
    const changed = this.things.get(World.key(model, id)) as Thing;
    for (const one of named) changed.refs.set(one.edge, [...one.ids]);
    if (kind === 'put' || edge === undefined) changed.note = note;
    changed.revision++;
  }

  /** Whether there was anything to add or to remove. Hooks of `within` run only then. */
  #changeElement(write: Write): boolean {
    const { kind, asker, edge = 0, other } = write;
    const thing = this.#address(write);
    const ids = thing.refs.get(edge) ?? [];
    if (kind === 'link') this.#refer(asker, [{ edge, ids: [other] }], () => false);
    if (ids.includes(other) === (kind === 'link')) return false;
    thing.refs.set(edge, kind === 'link' ? [...ids, other] : ids.filter((one) => one !== other));
    thing.revision++;
    return true;
  }

  #changeMany(write: Write): Outcome {
    const { asker, edge, ids, other } = write;
    const found = this.#matches(write);
    const isKnown = (at: number, id: string) =>
      (asker === 'store' || !isPrivate(this.edge(at))) && found.every(([, { refs }]) => (refs.get(at) ?? []).includes(id));
    if (edge !== undefined) this.#refer(asker, [{ edge, ids: ids[edge] ?? [] }], isKnown);
    for (const [, thing] of found) {
      if (edge === undefined) thing.note = other;
      else thing.refs.set(edge, [...(ids[edge] ?? [])]);
      thing.revision++;
    }
    return { status: 200, matched: found.length };
  }

  #delete(asker: Asker, roots: readonly string[]): void {
    const gone = new Set(roots);
    for (let size = 0; size !== gone.size; ) {
      size = gone.size;
      for (const { key } of this.losing(gone, ['cascade'])) gone.add(key);
    }
    const taken = gone.size - roots.length;
    if (taken > this.graph.maxCascade) throw refused(409, 'too_many_references');
    const restricting = this.losing(gone, ['restrict']);
    if (restricting.length > 0) throw new Refusal({ status: 409, code: 'still_referenced', parts: this.parts(asker, restricting) });
    const losing = this.losing(gone, ['nullify', 'pull']);
    const touched = new Set(losing.map(({ key }) => key));
    const isSeen = asker !== 'store'; // by the hooks of every resource
    if (isSeen ? taken + touched.size > this.graph.maxCascade : touched.size > this.graph.maxCleared)
      throw refused(409, 'too_many_references');
    for (const { key, edge } of losing) this.clear(key, edge, (id) => gone.has(World.key(this.edge(edge).to, id)));
    for (const key of touched) this.#touch('patch', key, asker);
    const deletion = ++this.#deletions;
    for (const key of gone) {
      const thing = this.things.get(key) as Thing;
      if (this.graph.soft[World.modelOf(key)]) Object.assign(thing, { deletion });
      else this.things.delete(key);
      if (!roots.includes(key)) this.#touch('delete', key, asker, thing);
      else thing.revision++;
    }
  }

  /** One step of the revision, and the hooks of a record that a delete or restore has changed or taken along. */
  #touch(operation: 'patch' | 'delete' | 'restore', key: string, asker: Asker, thing = this.things.get(key) as Thing): void {
    thing.revision++;
    if (asker === 'store') return;
    this.#run('within', operation, key);
    this.after.push(`${operation}.${key}`);
  }

  #restore(write: Write): void {
    const { deletion } = this.#address(write, true);
    const own = World.key(write.model, write.id);
    for (const key of this.bringBack(own, deletion))
      if (key === own) (this.things.get(own) as Thing).revision++;
      else this.#touch('restore', key, write.asker);
  }
}
