import type { Db } from 'mongodb';
import type { Any } from '../any.ts';

/** What a history and an outbox say that does not fit the records: for a test that expects nothing of it. */
export interface Discrepancy {
  readonly what: string;
  readonly record: unknown;
  readonly given?: unknown;
  readonly stored?: unknown;
}

const addressOf = ({ record, life, revision, change }: Any) => JSON.stringify([record, life, Number(revision), change]);

/**
 * Replays the history of a collection from nothing, and compares it with the records, but for private fields: every
 * change has one entry and one event, and no entry or event is there without its change. Embedded objects and arrays of
 * entries have their values as they are stored.
 */
export async function ledgerDiscrepancies(
  db: Db,
  collection: string,
  model: string,
  isPrivate: (path: string) => boolean,
): Promise<Discrepancy[]> {
  const [records, entries, events] = await Promise.all([
    db.collection<Any>(collection).find().toArray(),
    db.collection<Any>(`${collection}_history`).find().sort({ record: 1, life: 1, revision: 1 }).toArray(),
    db.collection<Any>('events').find({ model }).sort({ record: 1, life: 1, revision: 1 }).toArray(),
  ]);
  const found: Discrepancy[] = [];
  const [ofEntries, ofEvents] = [entries, events].map((rows) => rows.map(addressOf).sort());
  if (JSON.stringify(ofEntries) !== JSON.stringify(ofEvents))
    found.push({ what: 'entries and events differ', record: model, given: ofEntries, stored: ofEvents });
  const lives = new Map<string, Any[]>();
  for (const entry of entries) {
    const key = JSON.stringify([entry.record, entry.life]);
    lives.set(key, [...(lives.get(key) ?? []), entry]);
  }
  for (const record of records) if (!lives.has(JSON.stringify([record._id, record._life]))) found.push({ what: 'has no history', record });
  for (const [key, changes] of lives) {
    const present = records.find(({ _id, _life }) => JSON.stringify([_id, _life]) === key);
    const replayed = replay(changes);
    const last = changes.at(-1);
    if (!replayed) found.push({ what: 'is no chain', record: key, given: changes });
    else if (!present && last.change !== 'deleted') found.push({ what: 'is gone', record: key, given: last });
    else if (present && last.change === 'deleted' && !present.deletedAt) found.push({ what: 'was never deleted', record: key });
    else if (present) {
      const stored = readable(present, isPrivate);
      if (JSON.stringify(stored) !== JSON.stringify(sorted(replayed)))
        found.push({ what: 'differs', record: key, given: replayed, stored });
      if (Number(last.revision) > Number(present.revision)) found.push({ what: 'is ahead', record: key });
    }
  }
  return found;
}

/** The state that the changes lead to; undefined if one of them does not follow the one before it. */
function replay(changes: readonly Any[]): Record<string, unknown> | undefined {
  const state: Record<string, unknown> = {};
  let at = -1;
  for (const [index, { change, revision, previous = -1, changes: values }] of changes.entries()) {
    if ((change === 'created') !== (index === 0) || Number(previous) < at || Number(revision) <= Number(previous)) return undefined;
    at = Number(revision);
    for (const { path, before, after } of values) {
      const steps = path.split('.');
      const last = steps.pop() as string;
      const holder = steps.reduce((object: Any, key: string) => object[key], state);
      if (JSON.stringify(holder[last]) !== JSON.stringify(before) && path !== 'updatedAt') return undefined;
      if (after === undefined) delete holder[last];
      else holder[last] = after;
    }
  }
  return state;
}

function readable(record: Any, isPrivate: (path: string) => boolean): object {
  const own = Object.entries(record).filter(([key]) => !key.startsWith('_') && key !== 'revision' && !isPrivate(key));
  return sorted(Object.fromEntries(own));
}

function sorted(object: object): object {
  return Object.fromEntries(Object.entries(object).sort(([a], [b]) => (a < b ? -1 : 1)));
}
