/** Stored values of one place that break the same rule. */
export interface AuditedMisfit {
  /**
   * The dotted path of the field. `*` replaces the items of an array and the keys of a map. Empty for the record as a
   * whole.
   */
  readonly path: string;
  /**
   * The rule: one of the library (`docs/reference/errors.md`) or of a check; `unreadable` for a record that is not
   * valid BSON, and `check_failed` if a check throws an error.
   */
  readonly rule: string;
  /** The message of the first one, whose subject is the field. */
  readonly message: string;
  /** How many records have it. */
  readonly records: number;
  /** The ids of the first of them, as in a path. */
  readonly ids: readonly string[];
}

/** A stored key that is not a field. */
export interface UnknownKey {
  readonly path: string;
  /** How many records have it. */
  readonly records: number;
  /** The ids of the first of them, as in a path. */
  readonly ids: readonly string[];
}

/** The misfits that one entry of a tally counts. */
interface Kind {
  readonly path: string;
  readonly rule?: string | undefined;
  readonly message?: string | undefined;
}

interface Entry extends Kind {
  records: number;
  readonly ids: string[];
}

/** The most entries of a tally: the names of keys, of which there may be any number, are part of a path. */
const mostEntries = 1_000;

/** The most characters of a path, a message or an id in a tally. */
const mostCharacters = 200;

/** Counts records by kind, and keeps the ids of the first of each. Its memory is bounded. */
export class Tally<Of extends Kind & { readonly records: number; readonly ids: readonly string[] }> {
  /** How many were not counted, because there are too many kinds. */
  omitted = 0;
  readonly #entries = new Map<string, Entry>();
  readonly #samples: number;

  constructor(samples: number) {
    this.#samples = samples;
  }

  /** Counts the kinds of one record, each once. */
  add(kinds: Iterable<Omit<Of, 'records' | 'ids'>>, id: () => string): void {
    const counted = new Set<Entry>();
    for (const kind of kinds) {
      const entry = this.#entryOf(kind);
      if (!entry) this.omitted++;
      if (!entry || counted.has(entry)) continue;
      counted.add(entry);
      entry.records++;
      if (entry.ids.length < this.#samples) entry.ids.push(shorten(id()));
    }
  }

  #entryOf(given: Kind): Entry | undefined {
    const kind = mapTexts(given, shorten);
    const key = keyOf(kind);
    const known = this.#entries.get(key);
    if (known || this.#entries.size >= mostEntries) return known;
    const entry = { ...kind, records: 0, ids: [] };
    this.#entries.set(key, entry);
    return entry;
  }

  /** A copy of the entries, the most frequent first. */
  list(): Of[] {
    const entries = [...this.#entries.values()].sort((a, b) => b.records - a.records || (keyOf(a) < keyOf(b) ? -1 : 1));
    return entries.map((entry) => ({ ...entry, ids: [...entry.ids] })) as object[] as Of[];
  }
}

function keyOf({ path, rule = '' }: Kind): string {
  return JSON.stringify([path, rule]);
}

function mapTexts({ path, rule, message }: Kind, map: (text: string) => string): Kind {
  return { path: map(path), ...(rule !== undefined && { rule: map(rule) }), ...(message !== undefined && { message: map(message) }) };
}

function shorten(text: string): string {
  return text.length <= mostCharacters ? text : `${text.slice(0, mostCharacters)}…`;
}
