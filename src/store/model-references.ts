import { ConfigurationError } from '../errors.ts';
import type { CompiledModel } from '../model/compile/compile-model.ts';
import { openCollection } from '../mongo/collection/collection.ts';
import type { Database } from '../mongo/driver/database.ts';
import { checkIdType } from '../mongo/relations/check-id-type.ts';
import { compileEdges } from '../mongo/relations/compile-edges.ts';
import { checkReferenceLimits, type ReferenceLimits } from '../mongo/relations/limits.ts';
import { type ReferenceEnd, References } from '../mongo/relations/references.ts';

interface Settings extends ReferenceLimits {
  readonly db: Database;
  readonly maxTimeMS?: number;
}

/**
 * Compiles the checked references between models without resources. Throws a {@link ConfigurationError} for a reference
 * to any other model.
 */
export function compileModelReferences(given: readonly CompiledModel[], settings: Settings): References {
  const { db, maxTimeMS = 10_000 } = settings;
  const models = [...new Map(given.map((model) => [model.name, model])).values()];
  const ends = new Map<string, ReferenceEnd>();
  for (const model of models) ends.set(model.name, { model, collection: openCollection(model, settings) });
  const edges = compileEdges(models, {
    targetOf(field, where) {
      const end = ends.get(field.ref.model);
      if (!end)
        throw new ConfigurationError(`${where}, which leads to ${field.ref.model}, a model that is not known here: add it to \`models\`.`);
      checkIdType(field, end.model, where);
      return end;
    },
    holderOf: (model) => ends.get(model.name) as ReferenceEnd,
  });
  return new References(models, edges, { db, maxTimeMS, ...checkReferenceLimits(settings) });
}
