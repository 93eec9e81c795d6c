import { invalidQuery, Problem } from '../../errors.ts';
import { Invalid } from '../../rules.ts';

const tooMuch = new Invalid('too_much_included', 'leads to too many records, or too large ones: include less, or ask for a smaller page');

/** The 400 for an answer that `include` makes too large. A list by cursor catches it, and ends its page earlier. */
export class TooMuchIncluded extends Problem {
  override readonly name = 'TooMuchIncluded';

  constructor() {
    const { detail, errors } = invalidQuery([tooMuch.at('include')]);
    super({ code: 'invalid_query', detail, errors: errors ?? [] });
  }
}

/** A budget of bytes. */
export class Room {
  #left: number;
  readonly #refuse: () => Error;

  /** `refuse` makes the error for more bytes. */
  constructor(bytes: number, refuse: () => Error = () => new TooMuchIncluded()) {
    this.#left = bytes;
    this.#refuse = refuse;
  }

  get left(): number {
    return this.#left;
  }

  /** Takes bytes from the budget. Throws if there are not enough. */
  take(bytes: number): void {
    this.#left -= bytes;
    if (this.#left < 0) throw this.#refuse();
  }

  /** Returns bytes that were not used. */
  giveBack(bytes: number): void {
    this.#left += bytes;
  }
}

/**
 * The JSON text of an included record, or of the records or the number of a relation by `t.hasMany`, and its size in
 * bytes.
 */
export interface IncludedRecord {
  readonly text: string;
  readonly bytes: number;
}

/** Texts by the name of the relation, then by the JSON text of the id. */
export type RecordsByRelation = ReadonlyMap<string, ReadonlyMap<string, IncludedRecord>>;

/**
 * The included records of an answer, or of a step of it. A record takes room every time it is shown, because an array
 * of ids from a client may name a large record many times.
 */
export class Included {
  readonly #records: RecordsByRelation;
  readonly #room: Room;

  /** `room` is for everything that is shown. */
  constructor(records: RecordsByRelation, room: Room) {
    this.#records = records;
    this.#room = room;
  }

  /** The same records, with a budget of so many bytes. */
  within(bytes: number): Included {
    return new Included(this.#records, new Room(bytes));
  }

  /** Whether no relation was included. */
  get isEmpty(): boolean {
    return this.#records.size === 0;
  }

  /** Whether this relation was included, also if it led to no record. */
  has(relation: string): boolean {
    return this.#records.has(relation);
  }

  /**
   * The record with this id, or for a relation by `t.hasMany` what belongs to the record with this id; undefined if the
   * relation was not included, or if there is nothing that the client may see. Throws {@link TooMuchIncluded} if there
   * is no room for it.
   */
  textOf(relation: string, id: string): string | undefined {
    const included = this.#records.get(relation)?.get(id);
    if (included) this.#room.take(included.bytes);
    return included?.text;
  }
}

/** Writes the included record of a relation, or nothing if it was not included. */
export type WriteAdded = (stored: Readonly<Record<string, unknown>>, included: Included) => string;
