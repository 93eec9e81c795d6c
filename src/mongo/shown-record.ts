import { BSON } from 'mongodb';
import { keyOfId } from '../model/value/digest-of-id.ts';

/** The rules that were asked for an answer, and those of them that held. */
export interface KeptView {
  readonly asked: readonly string[];
  readonly held: readonly string[];
}

/** A record that an answer shows. */
export interface ShownRecord {
  /** The name of its model. */
  readonly name: string;
  readonly collection: string;
  /** In stored form. Undefined if it was purged since the answer was kept. */
  readonly id: unknown;
}

/** The text by which a record is known among those of all models. */
export function textOf({ collection, id }: ShownRecord): string {
  return `${collection}\0${keyOfId(id)}`;
}

/** The text of a filter: equal texts are equal for the database. */
export function spellFilter(filter: object): string {
  return BSON.EJSON.stringify(filter, { relaxed: false });
}

/** A record that another one refers to. */
export interface ReferredRecord {
  /** The name of its model. */
  readonly model: string;
  /** In stored form. */
  readonly id: unknown;
}

/** The records that the answer of an operation shows. */
export interface ShownRecords {
  readonly records: readonly ShownRecord[];
  /** The records that these refer to: their ids may stand in the answer. */
  readonly refers: readonly ReferredRecord[];
  /** Whether the operation itself has taken one of them out of the scope of its caller. */
  readonly hasLeft: boolean;
}
