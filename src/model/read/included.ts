import { invalidQuery, Problem } from '../../errors.ts';
import { Invalid } from '../../rules.ts';

const tooMuch = new Invalid('too_much_included', 'leads to too many records, or too large ones: include less, or ask for a smaller page');

/** 400 for an answer that `include` would make too large. A list by cursor catches it, and ends its page earlier. */
export class TooMuchIncluded extends Problem {
  override readonly name = 'TooMuchIncluded';

  constructor() {
    const { detail, errors } = invalidQuery([tooMuch.at('include')]);
    super({ code: 'invalid_query', detail, errors: errors ?? [] });
  }
}

/** How many bytes there may still be of something. */
export class Room {
  #left: number;

  constructor(bytes: number) {
    this.#left = bytes;
  }

  get left(): number {
    return this.#left;
  }

  /** Takes so many bytes; throws {@link TooMuchIncluded} when there are not so many. */
  take(bytes: number): void {
    this.#left -= bytes;
    if (this.#left < 0) throw new TooMuchIncluded();
  }

  /** Makes room again that was taken in vain. */
  giveBack(bytes: number): void {
    this.#left += bytes;
  }
}

/** The JSON text of an included record, and how many bytes it has. */
export interface IncludedRecord {
  readonly text: string;
  readonly bytes: number;
}

/** By the relation's name, then by the JSON text of the id. */
export type RecordsByRelation = ReadonlyMap<string, ReadonlyMap<string, IncludedRecord>>;

/**
 * The included records of one answer, or of one step of it. Each takes its room wherever it is shown: a list of ids that a client made may
 * name one large record many times.
 */
export class Included {
  readonly #records: RecordsByRelation;
  readonly #room: Room;

  /** `room` is that of all that is shown. */
  constructor(records: RecordsByRelation, room: Room) {
    this.#records = records;
    this.#room = room;
  }

  /** The same records, to be shown where there is so much room. */
  within(bytes: number): Included {
    return new Included(this.#records, new Room(bytes));
  }

  /** Whether this relation was included, whatever it led to. */
  has(relation: string): boolean {
    return this.#records.has(relation);
  }

  /**
   * The record that an id leads to; undefined when the relation was not included, or the client may see no such record. Throws
   * {@link TooMuchIncluded} when there is no room for it.
   */
  textOf(relation: string, id: string): string | undefined {
    const included = this.#records.get(relation)?.get(id);
    if (included) this.#room.take(included.bytes);
    return included?.text;
  }
}
