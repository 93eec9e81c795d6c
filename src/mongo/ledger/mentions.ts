import type { Document as BsonDocument, Collection, Db } from 'mongodb';
import type { CompiledModel } from '../../model/compile/compile-model.ts';
import { digestOfId } from '../../model/value/digest-of-id.ts';
import { bsonOptions, decode } from '../driver/bson-options.ts';
import { planCommands } from '../driver/commands.ts';
import { inParts } from '../driver/in-parts.ts';
import { compileFirstBatch } from '../driver/read-batches.ts';
import type { Work } from '../driver/work.ts';
import { type Gone, type Mentions, namesOf } from '../keeps/keep.ts';
import type { Entry } from './entry.ts';
import { mayRefer, shapeOf, withoutReferences } from './referred.ts';

/**
 * Opens the references in the entries of a history. They are found by `refers`, which has an index. An entry that lacks
 * it, or was written when the model had other references, gets it the first time that a purge looks for references.
 */
export function openMentions(name: string, models: readonly CompiledModel[], db: Db, maxTimeMS: number): Mentions | undefined {
  const shapes = [...new Set(models.flatMap((model) => shapeOf(model) ?? []))];
  const [model] = models;
  if (shapes.length === 0 || !model) return undefined;
  const collection: Collection<BsonDocument> = db.collection(name, { ...bsonOptions, readPreference: 'primary' });
  const { readLatest, write } = planCommands(model, db, collection, maxTimeMS);
  const readFirstBatch = compileFirstBatch(db, collection);

  /** As many as fit into one reply. */
  async function find(filter: object, limit: number, work: Work): Promise<Entry[]> {
    const { found } = await readLatest(work, (command) => {
      const body = { find: name, filter: command.handOver(filter), limit, batchSize: limit + 1, maxTimeMS: command.maxTimeMS };
      return command.count(() => readFirstBatch(body, command));
    });
    return found.map((bytes) => decode(bytes) as unknown as Entry);
  }

  async function rewrite(entries: readonly Entry[], isGone: (model: string, id: unknown) => boolean, work: Work): Promise<number> {
    const [first, ...others] = entries.map((entry) => {
      const { _id, ...rest } = withoutReferences(models, entry, isGone);
      return { filter: { _id }, replacement: rest };
    });
    if (!first) return 0;
    await write(work, (command) => {
      const all = [{ ...first, filter: command.handOver(first.filter) }, ...others].map((replaceOne) => ({ replaceOne }));
      return collection.bulkWrite(all as never, { ...command.options, ordered: false });
    });
    return entries.length;
  }

  return {
    concerns: (purged) => models.some((one) => mayRefer(one, namesOf(purged))),

    async erase(gone, most, work) {
      const digests = digestsOf(gone);
      const isGone = (to: string, id: unknown) => digests.has(digestOfId(to, id));
      const outdated = await find({ 'refers.by': { $nin: shapes } }, most, work);
      if (outdated.length > 0) return rewrite(outdated, isGone, work);
      for (const some of inParts([...digests])) {
        const found = await find({ 'refers.by': { $in: shapes }, 'refers.to': { $in: some } }, most, work);
        if (found.length > 0) return rewrite(found, isGone, work);
      }
      return 0;
    },
  };
}

function digestsOf(gone: Gone): ReadonlySet<bigint> {
  return new Set(namesOf(gone).flatMap((name) => gone.ids.map((id) => digestOfId(name, id))));
}
