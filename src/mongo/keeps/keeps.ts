import type { Db } from 'mongodb';
import type { CompiledModel } from '../../model/compile/compile-model.ts';
import type { Model } from '../../model/define/define-model.ts';
import { runTransaction } from '../driver/run-transaction.ts';
import type { IdempotencyKeys } from '../idempotency-keys.ts';
import { keepsOfLedgers } from '../ledger/keeps-of-ledgers.ts';
import { seeing } from '../lifecycle/within.ts';
import type { References } from '../relations/references.ts';
import { keepsOfRemovals } from '../removals/keeps-of-removals.ts';
import type { Batch, Keep, Keeps, Purged } from './keep.ts';

/** What is known of a database in which something of records may be kept. */
export interface KeepsSettings {
  readonly db: Db;
  readonly maxTimeMS: number;
  /** All known models. */
  readonly models: readonly CompiledModel[];
  /** The answers that are kept for requests that come again. */
  readonly answers?: IdempotencyKeys | undefined;
  /** What `defineRemovals` has returned. */
  readonly removals?: Model | undefined;
  readonly references?: References | undefined;
}

/** The most documents of one transaction. */
const mostAtOnce = 500;

/** Opens all collections in which something of records is kept: the one list of them. */
export function openKeeps(settings: KeepsSettings): Keeps {
  const { db, maxTimeMS, answers, removals, references } = settings;
  const models = [...new Map(settings.models.map((model) => [`${model.name} ${model.collection}`, model])).values()]; // compiled for each resource
  const all: readonly Keep[] = [
    ...keepsOfLedgers(db, models, maxTimeMS),
    ...(answers ? [answers.kept] : []),
    ...(removals ? keepsOfRemovals(db, removals, maxTimeMS) : []),
    ...(references ? [references.latches.keep((collection) => references.incoming({ collection }).length > 0)] : []),
  ];
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
    async purgeAll(model, records, ids, work, removal) {
      async function purge(): Promise<Batch> {
        await records.purgeAll(ids, seeing('with', undefined), work);
        return { found: ids };
      }
      await keeps.eraseWith(model, work, purge, removal);
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
