import { visitReferences } from '../../model/relations/held-references.ts';
import { writeUntyped } from '../../model/value/untyped.ts';
import type { ReferredRecord } from '../../mongo/shown-record.ts';
import type { StoredRecord } from '../../mongo/stored-record.ts';
import type { Context } from './context.ts';

/** The strings and numbers of a JSON text. */
const values = /"(?:[^"\\]|\\.)*"|-?\d[\d.eE+-]*/g;

/** What a record refers to. An answer that shows it may show these ids. */
export function referredIn({ model, stored }: StoredRecord): ReferredRecord[] {
  const found: ReferredRecord[] = [];
  visitReferences({ node: model.whole.root, nullable: false, constraint: undefined }, stored, (name, id) =>
    found.push({ model: name, id }),
  );
  return found;
}

/** Remembers the ids of a record that a handler has read by a store: its answer may have copies of them. */
export function noteRead(ctx: Context, record: StoredRecord): void {
  if (!ctx.noted) return;
  ctx.readIds ??= [];
  ctx.readIds.push({ model: record.model.name, id: record.stored._id }, ...referredIn(record));
}

/** The records whose ids a handler has read by a store, and which are values of its answer. */
export function copiedIn({ body, readIds = [] }: Context): readonly ReferredRecord[] {
  if (readIds.length === 0 || !(typeof body === 'string' || Buffer.isBuffer(body))) return [];
  const answered = new Set(String(body).match(values));
  return readIds.filter(({ id }) => answered.has(writeUntyped(id)));
}
