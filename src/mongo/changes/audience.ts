import type { CompiledModel } from '../../model/compile/compile-model.ts';
import { idToJson } from '../../model/value/number-in-path.ts';
import { Turn } from '../driver/turn.ts';
import { type Equality, keysAt } from '../predicate/equality.ts';
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
  readonly keys: ReadonlySet<string>;
  /** Whether it hears of each record that is created or replaced. */
  readonly wholes: boolean;
  /** Whether it hears of each record that is deleted. */
  readonly deletes: boolean;
  /** By `keys` and `wholes`, it hears only of records that equal all of these afterwards. Sorted by path. */
  readonly equal: readonly Equality[];
}

/** What was found of a changed record afterwards. */
export interface FoundRecord {
  /** The record, unless it is gone. Several have its id where each shard has one. */
  readonly records: readonly unknown[];
  /** The paths that were asked for. */
  readonly paths: ReadonlySet<string>;
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
  readonly #toDeletes = new Set<Hear>();
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
    const { id, isDelete } = change;
    const found = new Set(this.#toAll);
    if (this.#interests.size === 0) return found;
    if (id === undefined) return addTo(found, this.#interests.keys());
    if (isDelete) addTo(found, this.#toDeletes);
    else for (const one of this.#byPaths.values()) one.addListeners(found, change, record);
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
    const { leaf, ids, deletes } = interest;
    if (deletes) this.#toDeletes.add(hear);
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
    this.#toDeletes.delete(hear);
    const name = nameOf(interest);
    if (this.#byPaths.get(name)?.remove(hear, interest)) this.#byPaths.delete(name);
    const byText = this.#byId.get(leaf);
    if (!byText) return;
    for (const id of ids) take(byText, id, hear);
    if (byText.size === 0) this.#byId.delete(leaf);
  }
}

/**
 * Those who hear of records with certain values at the same paths, or with any if there are no paths. However many
 * there are, a change is compared only with the values of its record.
 */
class ByValues {
  readonly paths: readonly string[];
  /** The listeners by the values, and by the fields whose updates they hear of; `wholes` stands for whole records. */
  readonly #listeners = new Map<string, Map<string, Set<Hear>>>();
  /** How many hear of each of these. */
  readonly #counts = new Map<string, number>();

  constructor(paths: readonly string[]) {
    this.paths = paths;
  }

  /** Adds a listener, and returns whether it hears of anything. */
  add(hear: Hear, interest: Interest): boolean {
    const causes = causesOf(interest);
    for (const values of combinationsOf(interest.equal)) {
      const byCause = this.#listeners.get(values) ?? new Map<string, Set<Hear>>();
      for (const cause of causes) put(byCause, cause, hear);
      if (byCause.size > 0) this.#listeners.set(values, byCause);
    }
    for (const cause of causes) this.#counts.set(cause, (this.#counts.get(cause) ?? 0) + 1);
    return causes.length > 0;
  }

  /** Removes a listener, and returns whether it was the last one. */
  remove(hear: Hear, interest: Interest): boolean {
    const causes = causesOf(interest);
    for (const values of combinationsOf(interest.equal)) {
      const byCause = this.#listeners.get(values);
      if (!byCause) continue;
      for (const cause of causes) take(byCause, cause, hear);
      if (byCause.size === 0) this.#listeners.delete(values);
    }
    for (const cause of causes) {
      const left = (this.#counts.get(cause) as number) - 1;
      if (left > 0) this.#counts.set(cause, left);
      else this.#counts.delete(cause);
    }
    return this.#counts.size === 0;
  }

  /** How many hear at least of such a change if the record has the values. */
  listenersTo({ keys = onlyWholes }: CollectionChange): number {
    let most = 0;
    for (const key of keys) most = Math.max(most, this.#counts.get(key) ?? 0);
    return most;
  }

  addListeners(found: Set<Hear>, change: CollectionChange, record: FoundRecord | undefined): void {
    if (this.listenersTo(change) === 0) return;
    const causes = change.keys ?? onlyWholes;
    for (const byCause of this.#found(record)) for (const cause of causes) addTo(found, byCause.get(cause));
  }

  #found(record: FoundRecord | undefined): Iterable<Map<string, Set<Hear>>> {
    if (this.paths.length === 0) return this.#listeners.values();
    if (!record || !this.paths.every((path) => record.paths.has(path))) return this.#listeners.values();
    const found = new Set<Map<string, Set<Hear>>>();
    for (const one of record.records) {
      const keys = this.paths.map((path) => keysAt(one, path));
      if (!keys.every((some) => some !== undefined)) return this.#listeners.values();
      if (keys.reduce((product, some) => product * some.size, 1) > mostOfRecord) return this.#listeners.values();
      for (const values of combinationsOf(keys.map((some) => ({ keys: [...some] })))) {
        const byCause = this.#listeners.get(values);
        if (byCause) found.add(byCause);
      }
    }
    return found;
  }
}

/** The most combinations of the values of a record that are looked up: arrays may have many items. */
const mostOfRecord = 1_000;

/** Stands for a whole record, in the place of one of its fields: none has such a name. */
const wholes = '\0';

const onlyWholes: ReadonlySet<string> = new Set([wholes]);
const none: ReadonlySet<string> = new Set();

function causesOf(interest: Interest): string[] {
  return interest.wholes ? [...interest.keys, wholes] : [...interest.keys];
}

function nameOf({ equal }: Interest): string {
  return equal.map(({ path }) => path).join('\n');
}

/** A text for each combination of values. */
function combinationsOf(equal: readonly Pick<Equality, 'keys'>[]): string[] {
  let found = [''];
  for (const { keys } of equal) found = keys.flatMap((key) => found.map((before) => `${before}${key.length}:${key}`));
  return found;
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
