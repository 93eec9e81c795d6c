import { invalidQuery, type Problem } from '../errors.ts';

/** How many characters of included records one answer may hold, each counted wherever it is shown. */
const maxCharacters = 64 * 1024 * 1024;

/** What is left of the room for included records in one answer: a list of ids that a client made may name one large record many times. */
export class Room {
  #left: number;

  /** `characters` is how many the answer may hold. @default 64 Mi (67,108,864) */
  constructor(characters: number = maxCharacters) {
    this.#left = characters;
  }

  /** Takes so many characters; throws `invalid_query` (400) when there are not so many. */
  take(characters: number): void {
    this.#left -= characters;
    if (this.#left < 0) throw tooMuchIncluded();
  }
}

/** 400 for an answer that `include` would make too large. */
export function tooMuchIncluded(): Problem {
  const message = 'leads to too many records, or too large ones: include less, or ask for a smaller page';
  return invalidQuery([{ field: 'include', message }]);
}

/** The included records of one answer, or of one step of it, as JSON texts: by the relation's name, then by the JSON text of the id. */
export class Embedded {
  readonly #texts: ReadonlyMap<string, ReadonlyMap<string, string>>;
  readonly #room: Room;

  constructor(texts: ReadonlyMap<string, ReadonlyMap<string, string>>, room: Room) {
    this.#texts = texts;
    this.#room = room;
  }

  /** Whether this relation was included, whatever it led to. */
  has(relation: string): boolean {
    return this.#texts.has(relation);
  }

  /** The record that an id leads to; undefined when the relation was not included, or the client may see no such record. */
  textOf(relation: string, id: string): string | undefined {
    const text = this.#texts.get(relation)?.get(id);
    if (text !== undefined) this.#room.take(text.length);
    return text;
  }
}
