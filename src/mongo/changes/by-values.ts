import type { CompiledModel } from '../../model/compile/compile-model.ts';
import { type Equality, keysAt } from '../predicate/equality.ts';
import type { CollectionChange } from './change.ts';

/** Hears what has changed. Undefined says that anything may have changed, because events were lost. */
export type Hear = (change: CollectionChange | undefined) => void;

export type IdLeaf = CompiledModel['id']['leaf'];

/** Of which changes of a collection a listener has to hear. It may hear of others as well. */
export interface Interest {
  /** Writes the ids as text. */
  readonly leaf: IdLeaf;
  /** The records of whose changes it hears, by the text of their ids. */
  readonly ids: Iterable<string>;
  /** It hears of each update of these stored fields, or of any. */
  readonly keys: ReadonlySet<string> | 'any';
  /** Whether it hears of each record that is created or replaced. */
  readonly wholes: boolean;
  /** By `keys` and `wholes`, it hears only of records that equal all of these afterwards. Sorted by path. */
  readonly equal: readonly Equality[];
  /**
   * Whether it hears of each record that may have equalled these before: one that is deleted or replaced, and one whose
   * fields of `equal` are updated.
   */
  readonly former: boolean;
}

/** What was found of a changed record afterwards. */
export interface FoundRecord {
  /** The record, unless it is gone. Several have its id where each shard has one. */
  readonly records: readonly unknown[];
  /** The paths that were asked for. */
  readonly paths: ReadonlySet<string>;
}

/**
 * Those who hear of records with certain values at the same paths, or with any if there are no paths. However many
 * there are, a change is compared only with the values of its record.
 */
export class ByValues {
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
  listenersTo(change: CollectionChange): number {
    let most = 0;
    for (const cause of causesOfChange(change)) most = Math.max(most, this.#counts.get(cause) ?? 0);
    return most + (this.#counts.get(any) ?? 0);
  }

  addListeners(found: Set<Hear>, change: CollectionChange, record: FoundRecord | undefined): void {
    if (this.listenersTo(change) === 0) return;
    const causes = [...causesOfChange(change), any];
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
export const wholes = '\0';
/** Stands for whatever happens to a record. */
const any = '\0any';

const onlyWholes: ReadonlySet<string> = new Set([wholes]);

/** The fields that were updated, or that the record is another one as a whole. */
export function causesOfChange({ keys = onlyWholes }: CollectionChange): ReadonlySet<string> {
  return keys;
}

function causesOf({ keys, wholes: hearsOfWholes }: Interest): string[] {
  if (keys === 'any') return [any];
  return hearsOfWholes ? [...keys, wholes] : [...keys];
}

/** A text for each combination of values. */
function combinationsOf(equal: readonly Pick<Equality, 'keys'>[]): string[] {
  let found = [''];
  for (const { keys } of equal) found = keys.flatMap((key) => found.map((before) => `${before}${key.length}:${key}`));
  return found;
}

export function addTo(found: Set<Hear>, some: Iterable<Hear> | undefined): Set<Hear> {
  for (const one of some ?? []) found.add(one);
  return found;
}

export function put(map: Map<string, Set<Hear>>, key: string, hear: Hear): void {
  const some = map.get(key) ?? new Set();
  map.set(key, some);
  some.add(hear);
}

export function take(map: Map<string, Set<Hear>>, key: string, hear: Hear): void {
  const some = map.get(key);
  if (some?.delete(hear) && some.size === 0) map.delete(key);
}
