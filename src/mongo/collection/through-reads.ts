import type { CompiledModel } from '../../model/compile/compile-model.ts';
import { keyOfId } from '../../model/value/digest-of-id.ts';
import { bsonTypeOf } from '../../model/value/sort-value.ts';
import { decode } from '../driver/bson-options.ts';
import type { Commands } from '../driver/commands.ts';
import type { ReadFirstBatch } from '../driver/read-batches.ts';
import type { Command } from '../driver/work.ts';
import { filterOf } from '../predicate/filter-of.ts';
import type { ReferredId, ThroughReads, Via } from '../through/through-field.ts';
import type { RelatedQuery } from '../through/through-stages.ts';

/** Opens what lists of other collections need of this one. */
export function openThroughReads(
  { collection }: CompiledModel,
  readFirstBatch: ReadFirstBatch,
  readMany: Commands['readMany'],
): ThroughReads {
  function buildFind({ filter: predicate, stages }: RelatedQuery, limit: number, via: Via | undefined, command: Command): object {
    const { maxTimeMS } = command;
    const filter = filterOf(predicate);
    const projection = { _id: 1 };
    const batchSize = limit + 1; // one more tells the database that there is no second batch
    if (via) {
      const grouped = [{ $group: { _id: `$${via.path}` } }, { $limit: limit }]; // many records may refer to one
      const pipeline = [command.handOver({ $match: filter }), ...stages, ...grouped];
      return { aggregate: collection, pipeline, cursor: { batchSize }, maxTimeMS };
    }
    if (stages.length === 0) return { find: collection, filter: command.handOver(filter), projection, limit, batchSize, maxTimeMS };
    const pipeline = [command.handOver({ $match: filter }), ...stages, { $limit: limit }, { $project: projection }];
    return { aggregate: collection, pipeline, cursor: { batchSize }, maxTimeMS };
  }

  return {
    async findIdsThrough(query, room, work, via) {
      const { found, isCut } = await readMany(work, (command) =>
        command.count(() => readFirstBatch(buildFind(query, room.ids + 1, via, command), command)),
      );
      const bytes = found.reduce((sum, one) => sum + one.byteLength, 0);
      if (isCut || found.length > room.ids || bytes > room.bytes) return undefined;
      const ids = found.map((one) => decode(one)._id);
      const referred = via ? idsIn(ids, via) : ids;
      if (referred.length > room.ids) return undefined;
      room.bytes -= bytes;
      return referred;
    },

    async countThrough({ filter, stages }, via, max, work) {
      const grouped = [{ $limit: max + 1 }, { $group: { _id: `$${via.path}`, records: { $sum: 1 } } }];
      const { found, isCut } = await readMany(work, (command) => {
        const pipeline = [command.handOver({ $match: filterOf(filter) }), ...stages, ...grouped];
        const body = { aggregate: collection, pipeline, cursor: { batchSize: max + 2 }, maxTimeMS: command.maxTimeMS };
        return command.count(() => readFirstBatch(body, command));
      });
      const groups = found.map((one) => decode(one));
      if (isCut || groups.reduce((sum, { records }) => sum + Number(records), 0) > max) return undefined;
      const counts = new Map<string, ReferredId>();
      for (const { _id, records } of groups) {
        const referred = new Map(idsIn([_id], via).map((id) => [keyOfId(id), id])); // each once
        for (const [key, id] of referred) counts.set(key, { id, records: (counts.get(key)?.records ?? 0) + Number(records) });
      }
      return [...counts.values()];
    },
  };
}

/** The ids that references hold, also within arrays. A reference that is missing holds none. */
function idsIn(values: readonly unknown[], { idTypes }: Via): unknown[] {
  return values.flat(deepest).filter((value) => idTypes.includes(bsonTypeOf(value) ?? ''));
}

/** The database nests no document deeper. */
const deepest = 100;
