import type { Leaf } from '../value/leaf.ts';
import { idToJson } from '../value/number-in-path.ts';
import type { WriteAdded } from './included.ts';

/**
 * The other side of a reference, by its name in the model. The model that refers is known only where relations are
 * linked.
 */
export interface ManyRelation {
  /** Its name in `include`, and of the member that it adds. */
  readonly name: string;
  /** The name of the model whose records refer to this one. */
  readonly model: string;
  /** The path of the resource whose scope and guards apply, if the definition names it. */
  readonly resource: string | undefined;
  /** The dotted name of the field that refers. */
  readonly via: string;
  /** How many records are shown at most, or up to which number they are counted. */
  readonly max: number;
  /** The names of the fields to sort by, each with its direction. The id is not among them. */
  readonly sort: readonly (readonly [name: string, direction: 1 | -1])[];
  readonly isCount: boolean;
}

/** A list of an api that has all records of a relation, below the record to which they refer. */
export interface ListBelow {
  /** The prefix of the api. */
  readonly prefix: string;
  /** Its path below the prefix, and its parameters, by which it has the order of the relation if it can. */
  pathTo(id: string, order: ReadonlyMap<string, 1 | -1>): string;
}

/** The name of the member that says that a relation was cut at its `max`. */
export function hasNextName(name: string): string {
  return `${name}_has_next`;
}

/** The name of the member that has the path of the list of all its records, if it was cut. */
export function listName(name: string): string {
  return `${name}_list`;
}

/**
 * The JSON of an included relation: its value, and behind it the members that say that it was cut, and where its list
 * is.
 */
export function writeManyText({ name }: ManyRelation, value: string, isCut: boolean, list?: string): string {
  if (!isCut) return value;
  const cut = `${value},${JSON.stringify(hasNextName(name))}:true`;
  return list === undefined ? cut : `${cut},${JSON.stringify(listName(name))}:${JSON.stringify(list)}`;
}

/**
 * Compiles the writers of the members that `include` adds for relations by `t.hasMany`. An included relation is found
 * by the id of the record. If there is none, the record has nothing, or the client may see nothing.
 */
export function compileManyWriters(id: Leaf, many: ReadonlyMap<string, ManyRelation>): WriteAdded[] {
  return [...many.values()].map(({ name, isCount }) => {
    const prefix = `${JSON.stringify(name)}:`;
    const nothing = isCount ? '0' : '[]';
    return function writeMany(stored, included) {
      return included.has(name) ? prefix + (included.textOf(name, idToJson(id, stored._id)) ?? nothing) : '';
    };
  });
}
