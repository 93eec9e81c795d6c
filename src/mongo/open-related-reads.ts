import type { CompiledModel } from '../model/compile/compile-model.ts';
import { decode } from './driver/bson-options.ts';
import type { Commands } from './driver/commands.ts';
import type { ReadFirstBatch } from './driver/first-batch.ts';
import type { Command } from './driver/work.ts';
import type { RelatedReads } from './list/related-field.ts';
import type { RelatedQuery } from './list/related-stages.ts';
import { both } from './query/filter.ts';

/** How many bytes the ids of one relation may have in a filter. The database accepts 16 MiB for the whole command. */
const maxBytesOfIds = 1024 * 1024;

/** Opens what lists of other collections need of this one. */
export function openRelatedReads(model: CompiledModel, readFirstBatch: ReadFirstBatch, readMany: Commands['readMany']): RelatedReads {
  const { collection, id } = model;
  // A missing field of a list counts as null in a `$lookup` and in a filter. It must not lead to a record whose id is null.
  const idIsOfType = { _id: { $type: id.leaf.bsonTypes } };

  function buildFind({ filter, stages }: RelatedQuery, limit: number, command: Command): object {
    const { maxTimeMS } = command;
    const projection = { _id: 1 };
    const batchSize = limit + 1; // one more tells the database that there is no second batch
    if (stages.length === 0) return { find: collection, filter: command.handOver(filter), projection, limit, batchSize, maxTimeMS };
    const pipeline = [command.handOver({ $match: filter }), ...stages, { $limit: limit }, { $project: projection }];
    return { aggregate: collection, pipeline, cursor: { batchSize }, maxTimeMS };
  }

  return {
    reachable: (filter) => both(idIsOfType, filter),

    async findRelatedIds(query, max, work) {
      const { found, isCut } = await readMany(work, (command) =>
        command.count(() => readFirstBatch(buildFind(query, max + 1, command), command)),
      );
      const bytes = found.reduce((sum, one) => sum + one.byteLength, 0);
      return isCut || found.length > max || bytes > maxBytesOfIds ? undefined : found.map((one) => decode(one)._id);
    },
  };
}
