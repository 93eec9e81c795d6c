import type { ListedRecord } from './answers.ts';

/** How many records are remembered. */
const size = 1_000;

/** The records that the user has seen: what writes are compared with if the framework does not say it. */
export class Seen {
  readonly #opened = new Map<string, ListedRecord>();
  readonly #latest = new Map<string, ListedRecord>();

  /** Remembers a record that was read alone, as forms do, or as the answer of a write. */
  open(resource: string, record: ListedRecord): void {
    keep(this.#opened, keyOf(resource, record.id), record);
    this.list(resource, record);
  }

  /** Remembers a record of a list. */
  list(resource: string, record: ListedRecord): void {
    keep(this.#latest, keyOf(resource, record.id), record);
  }

  forget(resource: string, id: string | number): void {
    this.#opened.delete(keyOf(resource, id));
    this.#latest.delete(keyOf(resource, id));
  }

  /** The record as a form has opened it. */
  opened(resource: string, id: string | number): ListedRecord | undefined {
    return this.#opened.get(keyOf(resource, id));
  }

  /** The record as it was last read, alone or in a list. */
  latest(resource: string, id: string | number): ListedRecord | undefined {
    return this.#latest.get(keyOf(resource, id));
  }
}

function keyOf(resource: string, id: string | number): string {
  return `${resource}/${id}`;
}

/** The entry that was used first goes first. */
export function keep<Value>(entries: Map<string, Value>, key: string, value: Value, max = size): void {
  entries.delete(key);
  entries.set(key, value);
  const [oldest] = entries.keys();
  if (entries.size > max && oldest !== undefined) entries.delete(oldest);
}
