import type { CompiledModel } from '../../model/compile/compile-model.ts';
import { bsonOptions } from '../driver/bson-options.ts';
import { planCommands } from '../driver/commands.ts';
import { inParts } from '../driver/in-parts.ts';
import type { Work } from '../driver/work.ts';
import { type Gone, type Keep, type Known, namesOf } from '../keeps/keep.ts';
import { spellId } from '../stored-record.ts';
import { openMentions } from './mentions.ts';

/** What the ledgers of models keep of records: histories, outboxes, and the queues of what is delivered of these. */
export function keepsOfLedgers({ db, models, maxTimeMS }: Known): Keep[] {
  function group(collectionOf: (model: CompiledModel) => string | undefined): [string, CompiledModel[]][] {
    const groups = new Map<string, CompiledModel[]>();
    for (const model of models) {
      const collection = collectionOf(model);
      if (collection !== undefined) groups.set(collection, [...(groups.get(collection) ?? []), model]);
    }
    return [...groups];
  }

  function open(name: string, [model]: readonly CompiledModel[]) {
    const collection = db.collection(name, bsonOptions);
    const { write } = planCommands(model as CompiledModel, db, collection, maxTimeMS);
    return async function remove(values: readonly unknown[], toFilter: (some: readonly unknown[]) => object, work: Work): Promise<void> {
      for (const some of inParts(values))
        await write(work, (command) => collection.deleteMany(command.handOver(toFilter(some)), command.options));
    };
  }

  const histories = group((model) => model.ledger?.history?.collection).map(([collection, ofThem]): Keep => {
    const remove = open(collection, ofThem);
    return {
      collection,
      namesActors: true,
      concerns: (purged) => purged.models.some((one) => ofThem.some((model) => model.collection === one.collection)),
      erase: ({ ids }, work) => remove(ids, (some) => ({ record: { $in: some } }), work),
      mentions: openMentions(collection, ofThem, db, maxTimeMS),
    };
  });

  const outboxes = group((model) => model.ledger?.outbox?.collection).map(([collection, ofThem]): Keep => {
    const remove = open(collection, ofThem);
    return {
      collection,
      namesActors: true,
      concerns: (purged) => purged.models.some(({ ledger }) => ledger?.outbox?.collection === collection),
      erase: (gone, work) => remove(gone.ids, (some) => ({ model: { $in: namesOf(gone) }, record: { $in: some } }), work),
    };
  });

  const deliveries = group((model) => model.deliveries?.collection).map(([collection, ofThem]): Keep => {
    const remove = open(collection, ofThem);
    return {
      collection,
      namesActors: true,
      concerns: (purged) => purged.models.some(({ ledger }) => ledger?.outbox),
      erase: (gone, work) => remove(spell(gone), (some) => ({ model: { $in: namesOf(gone) }, subject: { $in: some } }), work),
    };
  });

  return [...histories, ...outboxes, ...deliveries]; // `forgetActor` comes to events before what is written from them
}

/** The ids of records, as they stand in paths. */
export function spell({ models: [model], ids }: Gone): string[] {
  return model ? ids.map((id) => spellId(model, id)) : [];
}
