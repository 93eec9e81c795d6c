import type { Model } from '../../model/define/define-model.ts';
import { runTransaction } from '../driver/run-transaction.ts';
import { keepsOfLedgers } from '../ledger/keeps-of-ledgers.ts';
import type { References } from '../relations/references.ts';
import { keepsOfRemovals } from '../removals/keeps-of-removals.ts';
import type { Keep, Keeps, Known, Purged } from './keep.ts';

/** What all that keeps something of records knows of a database. */
export interface KeepsSettings extends Known {
  /** What plug-ins of the api keep. @default nothing */
  readonly ofPlugins?: readonly Keep[];
  /** What `defineRemovals` has returned. */
  readonly removals?: Model | undefined;
  readonly references?: References | undefined;
}

/** The one list of all that keeps something of records: each says in which collections. */
const keepers: readonly ((settings: KeepsSettings) => readonly Keep[])[] = [
  keepsOfLedgers,
  ({ ofPlugins }) => ofPlugins ?? [],
  keepsOfRemovals,
  ({ references }) => (references ? [references.latches.keep((collection) => references.incoming({ collection }).length > 0)] : []),
];

/** The most documents of one transaction. */
const mostAtOnce = 500;

/** Opens all collections in which something of records is kept. */
export function openKeeps(settings: KeepsSettings): Keeps {
  const { db, maxTimeMS } = settings;
  const models = [...new Map(settings.models.map((model) => [`${model.name} ${model.collection}`, model])).values()]; // compiled for each resource
  const all = keepers.flatMap((keepsOf) => keepsOf({ ...settings, models }));
  const modelsOf = (collection: string) => models.filter((model) => model.collection === collection);

  const keeps: Keeps = {
    all,
    async eraseWith(model, work, run, removal) {
      const own = modelsOf(model.collection);
      const purged: Purged = { models: own.length > 0 ? own : [model] };
      const concerned = all.filter((keep) => keep.concerns(purged));
      if (concerned.length === 0) return run();
      return runTransaction(db, work, maxTimeMS, async () => {
        const batch = await run();
        for (const keep of concerned) await keep.erase({ ...purged, ids: batch.found, removal }, work);
        return batch;
      });
    },
    areMentioned(collection) {
      const purged = { models: modelsOf(collection) };
      return all.some(({ mentions }) => mentions?.concerns(purged));
    },
    async eraseMentions(collection, ids, most, work) {
      const gone = { models: modelsOf(collection), ids };
      let count = 0;
      for (const { mentions } of all) if (count < most && mentions?.concerns(gone)) count += await mentions.erase(gone, most - count, work);
      return count;
    },
    async eraseAllMentions({ collection }, ids, work) {
      if (ids.length === 0 || !keeps.areMentioned(collection)) return;
      for (let count = mostAtOnce; count > 0; ) {
        const own = work();
        count = await runTransaction(db, own, maxTimeMS, () => keeps.eraseMentions(collection, ids, mostAtOnce, own));
      }
    },
  };
  return keeps;
}
