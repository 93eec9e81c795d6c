import type { CompiledModel } from '../../model/compile/compile-model.ts';
import { idToJson } from '../../model/value/number-in-path.ts';
import { Turn } from '../driver/turn.ts';
import type { CollectionChange } from './change.ts';

/** Hears what has changed. Undefined says that anything may have changed, because events were lost. */
export type Hear = (change: CollectionChange | undefined) => void;

type IdLeaf = CompiledModel['id']['leaf'];

/** Of which changes of a collection a listener has to hear. It may hear of others as well. */
export interface Interest {
  /** Writes the ids as text. */
  readonly leaf: IdLeaf;
  /** The records of whose changes it hears, by the text of their ids. */
  readonly ids: Iterable<string>;
  /** It hears of each update of these stored fields. */
  readonly keys: Iterable<string>;
  /** Whether it hears of each record that is created, replaced or deleted. */
  readonly wholes: boolean;
}

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

  /** Tells all who wait for it, and lets others run between them: there may be thousands. */
  async tell(change: CollectionChange | undefined, turn = new Turn()): Promise<void> {
    const listeners = change ? this.#crowds.get(change.collection)?.listenersTo(change) : [...this.#collectionsOf.keys()];
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
  readonly #toWholes = new Set<Hear>();
  readonly #byKey = new Map<string, Set<Hear>>();
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

  listenersTo({ id, keys }: CollectionChange): Iterable<Hear> {
    const found = new Set(this.#toAll);
    if (this.#interests.size === 0) return found;
    if (id === undefined) return addTo(found, this.#interests.keys());
    if (keys) for (const key of keys) addTo(found, this.#byKey.get(key));
    else addTo(found, this.#toWholes);
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
    const { leaf, ids, keys, wholes } = interest;
    if (wholes) this.#toWholes.add(hear);
    for (const key of keys) put(this.#byKey, key, hear);
    const byText = this.#byId.get(leaf) ?? new Map<string, Set<Hear>>();
    for (const id of ids) put(byText, id, hear);
    if (byText.size > 0) this.#byId.set(leaf, byText);
  }

  #drop(hear: Hear): void {
    const interest = this.#interests.get(hear);
    if (!interest) return;
    const { leaf, ids, keys } = interest;
    this.#interests.delete(hear);
    this.#toWholes.delete(hear);
    for (const key of keys) take(this.#byKey, key, hear);
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

function addTo(found: Set<Hear>, some: Iterable<Hear> | undefined): Set<Hear> {
  for (const one of some ?? []) found.add(one);
  return found;
}

function put(map: Map<string, Set<Hear>>, key: string, hear: Hear): void {
  const some = map.get(key) ?? new Set();
  map.set(key, some);
  some.add(hear);
}

function take(map: Map<string, Set<Hear>>, key: string, hear: Hear): void {
  const some = map.get(key);
  if (some?.delete(hear) && some.size === 0) map.delete(key);
}
