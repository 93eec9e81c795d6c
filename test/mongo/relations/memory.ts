import { MongoClient } from 'mongodb';
import { type CompiledModel, compileModel } from '../../../src/model/compile/compile-model.ts';
import type { WriteManyPlan } from '../../../src/mongo/collection/write-plan.ts';
import type { KnownTargets } from '../../../src/mongo/collection/writer.ts';
import { compileEdges } from '../../../src/mongo/relations/compile-edges.ts';
import { type CascadeLimits, type Edge, type ReferenceEnd, References } from '../../../src/mongo/relations/references.ts';
import type { Any } from '../../support/any.ts';

/** A record in stored form. */
export type StoredOne = Readonly<Record<string, unknown>> & { readonly _id: string };

/** Models with references, over records in memory: enough of a collection for plans that only look for ids. */
export interface Memory {
  readonly references: References;
  readonly edges: readonly Edge[];
  /** What was looked for, oldest first: the operation, the collection, the path, the ids, the scope and the limit. */
  readonly asked: (readonly unknown[])[];
  end(model: string): ReferenceEnd;
  /** The edge of a reference, by the name of its model and its own. */
  edge(model: string, field: string): Edge;
}

/** A database that nobody connects to. */
const unasked = new MongoClient('mongodb://127.0.0.1').db('unasked');

type Definition = Parameters<typeof compileModel>[0];

/** Opens models with their records, by collection. */
export function openMemory(
  definitions: readonly Definition[],
  records: Readonly<Record<string, readonly StoredOne[]>> = {},
  { maxCascade = 100, maxCleared = 100 }: Partial<CascadeLimits> = {},
): Memory {
  const asked: (readonly unknown[])[] = [];
  const ends = new Map(
    definitions.map((definition): [string, ReferenceEnd] => {
      const model = compileModel(definition);
      return [model.name, { model, collection: openRecords(model, records[model.collection] ?? [], asked) }];
    }),
  );
  const end = (name: string) => ends.get(name) as ReferenceEnd;
  const edges = compileEdges(
    [...ends.values()].map(({ model }) => model),
    { targetOf: ({ ref }) => end(ref.model), holderOf: ({ name }) => end(name) },
  );
  const models = [...ends.values()].map(({ model }) => model);
  return {
    references: new References(models, edges, { db: unasked, maxTimeMS: 1, maxCascade, maxCleared, maxLatches: 1 }),
    edges,
    asked,
    end,
    edge: (model, field) => edges.find(({ holder, field: { name } }) => holder.model.name === model && name === field) as Edge,
  };
}

function openRecords(model: CompiledModel, records: readonly StoredOne[], asked: (readonly unknown[])[]): Any {
  const name = model.collection;
  const those = (scope: Any) => records.filter((record) => Object.entries(scope ?? {}).every(([key, value]) => record[key] === value));
  return {
    async find({ path = '_id', among: ids, within, limit = ids.length }: Any) {
      const scope = within.predicate;
      asked.push(['find', name, path, ids, scope, limit]);
      const refers = (record: StoredOne) => [record[path]].flat().some((id) => ids.includes(id));
      return those(scope)
        .filter(refers)
        .map(({ _id }) => _id)
        .slice(0, limit);
    },
    async writeMany({ kind, targets }: WriteManyPlan) {
      const { ids, within } = targets as KnownTargets;
      const scope = within.predicate;
      asked.push([kind, name, '_id', ids, scope]);
      return { matched: those(scope).filter(({ _id }) => ids.includes(_id)).length };
    },
  };
}
