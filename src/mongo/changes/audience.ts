import { idToJson } from '../../model/value/number-in-path.ts';
import { Turn } from '../driver/turn.ts';
import {
  addTo,
  ByValues,
  causesOfChange,
  type FoundRecord,
  type Hear,
  type IdLeaf,
  type Interest,
  put,
  take,
  wholes,
} from './by-values.ts';
import type { CollectionChange } from './change.ts';

/**
 * Those who listen to the changes of collections. A change is told to those who wait for it: all others, however many
 * there are, cost nothing.
 */
export class Audience {
  readonly #collectionsOf = new Map<Hear, ReadonlySet<string>>();
  readonly #crowds = new Map<string, Crowd>();

  get isEmpty(): boolean {
    return this.#collectionsOf.size === 0;
  }

  /** The collections to which somebody listens. */
  get collections(): Iterable<string> {
    return this.#crowds.keys();
  }

  /** Adds one who hears of every change of the collections, until `focus` says otherwise. */
  add(hear: Hear, collections: ReadonlySet<string>): void {
    this.#collectionsOf.set(hear, collections);
    for (const name of collections) {
      const crowd = this.#crowds.get(name) ?? new Crowd();
      this.#crowds.set(name, crowd);
      crowd.focus(hear, undefined);
    }
  }

  remove(hear: Hear): void {
    for (const name of this.#collectionsOf.get(hear) ?? []) {
      const crowd = this.#crowds.get(name);
      crowd?.remove(hear);
      if (crowd?.isEmpty) this.#crowds.delete(name);
    }
    this.#collectionsOf.delete(hear);
  }

  /** From now on, one who listens hears of these changes of a collection; without an interest, of all of them. */
  focus(hear: Hear, collection: string, interest: Interest | undefined): void {
    if (this.#collectionsOf.get(hear)?.has(collection)) this.#crowds.get(collection)?.focus(hear, interest);
  }

  /** The paths of a changed record on which it depends who hears of it. */
  pathsAsked(change: CollectionChange): ReadonlySet<string> {
    return this.#crowds.get(change.collection)?.pathsAsked(change) ?? none;
  }

  /**
   * Tells all who wait for it, and lets others run between them: there may be thousands. Without the record, those hear
   * of it who may wait for it.
   */
  async tell(change: CollectionChange | undefined, record?: FoundRecord, turn = new Turn()): Promise<void> {
    const listeners = change ? this.#crowds.get(change.collection)?.listenersTo(change, record) : [...this.#collectionsOf.keys()];
    for (const hear of listeners ?? []) {
      if (this.#collectionsOf.has(hear)) hear(change);
      await turn.pass();
    }
  }
}

/** Those who listen to the changes of one collection. */
class Crowd {
  /** Those who hear of every change at present. */
  readonly #toAll = new Set<Hear>();
  readonly #interests = new Map<Hear, Interest>();
  /** Those who hear of what may have been theirs, by the fields that decide it; `wholes` stands for whole records. */
  readonly #byFormer = new Map<string, Set<Hear>>();
  /** Those who hear of records with certain values, by the paths of these. */
  readonly #byPaths = new Map<string, ByValues>();
  readonly #byId = new Map<IdLeaf, Map<string, Set<Hear>>>();

  get isEmpty(): boolean {
    return this.#toAll.size === 0 && this.#interests.size === 0;
  }

  /** Without an interest, the former one stays known: it mostly comes again. */
  focus(hear: Hear, interest: Interest | undefined): void {
    if (!interest) {
      this.#toAll.add(hear);
      return;
    }
    if (this.#interests.get(hear) !== interest) this.#replace(hear, interest);
    this.#toAll.delete(hear);
  }

  remove(hear: Hear): void {
    this.#toAll.delete(hear);
    this.#drop(hear);
  }

  pathsAsked(change: CollectionChange): ReadonlySet<string> {
    if (change.id === undefined || change.isDelete) return none;
    const asked = new Set<string>();
    let listeners = 0;
    for (const one of this.#byPaths.values()) {
      const some = one.paths.length > 0 ? one.listenersTo(change) : 0;
      if (some > 0) for (const path of one.paths) asked.add(path);
      listeners += some;
    }
    return listeners > 1 ? asked : none; // a single one costs no more than the question
  }

  listenersTo(change: CollectionChange, record: FoundRecord | undefined): Iterable<Hear> {
    const { id, isDelete, isNew } = change;
    const found = new Set(this.#toAll);
    if (this.#interests.size === 0) return found;
    if (id === undefined) return addTo(found, this.#interests.keys());
    if (!isNew) for (const cause of causesOfChange(change)) addTo(found, this.#byFormer.get(cause));
    if (!isDelete) for (const one of this.#byPaths.values()) one.addListeners(found, change, record);
    for (const [leaf, byText] of this.#byId) {
      const text = textOfId(leaf, id);
      if (text !== undefined) addTo(found, byText.get(text));
      else for (const some of byText.values()) addTo(found, some);
    }
    return found;
  }

  #replace(hear: Hear, interest: Interest): void {
    this.#drop(hear);
    this.#interests.set(hear, interest);
    const { leaf, ids } = interest;
    for (const cause of formerOf(interest)) put(this.#byFormer, cause, hear);
    const name = nameOf(interest);
    const byValues = this.#byPaths.get(name) ?? new ByValues(interest.equal.map(({ path }) => path));
    if (byValues.add(hear, interest)) this.#byPaths.set(name, byValues);
    const byText = this.#byId.get(leaf) ?? new Map<string, Set<Hear>>();
    for (const id of ids) put(byText, id, hear);
    if (byText.size > 0) this.#byId.set(leaf, byText);
  }

  #drop(hear: Hear): void {
    const interest = this.#interests.get(hear);
    if (!interest) return;
    const { leaf, ids } = interest;
    this.#interests.delete(hear);
    for (const cause of formerOf(interest)) take(this.#byFormer, cause, hear);
    const name = nameOf(interest);
    if (this.#byPaths.get(name)?.remove(hear, interest)) this.#byPaths.delete(name);
    const byText = this.#byId.get(leaf);
    if (!byText) return;
    for (const id of ids) take(byText, id, hear);
    if (byText.size === 0) this.#byId.delete(leaf);
  }
}

/** The JSON text of an id. Undefined for one that cannot be written: it may be any. */
export function textOfId(leaf: IdLeaf, id: unknown): string | undefined {
  try {
    return idToJson(leaf, id);
  } catch {
    return undefined;
  }
}

function nameOf({ equal }: Interest): string {
  return equal.map(({ path }) => path).join('\n');
}

function formerOf({ former, equal }: Interest): readonly string[] {
  return former ? [wholes, ...new Set(equal.map(({ path }) => path.split('.', 1)[0] as string))] : [];
}

const none: ReadonlySet<string> = new Set();
