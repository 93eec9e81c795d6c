import { ConfigurationError } from '../errors.ts';
import type { CompiledModel } from '../model/compile/compile-model.ts';
import type { ReferenceField } from '../model/relations/reference-fields.ts';
import { openCollection } from '../mongo/collection/collection.ts';
import type { Database } from '../mongo/driver/database.ts';
import { openReferences } from '../mongo/relations/compile-edges.ts';
import type { ReferenceLimits } from '../mongo/relations/limits.ts';
import type { ReferenceEnd, References } from '../mongo/relations/references.ts';

interface Settings extends ReferenceLimits {
  readonly db: Database;
  readonly maxTimeMS?: number;
}

/**
 * Compiles the checked references between models without resources. Throws a {@link ConfigurationError} for a reference
 * to any other model.
 */
export function compileModelReferences(given: readonly CompiledModel[], settings: Settings): References {
  const models = [...new Map(given.map((model) => [model.name, model])).values()];
  const ends = new Map<string, ReferenceEnd>();
  for (const model of models) ends.set(model.name, { model, collection: openCollection(model, settings) });
  function targetOf({ ref }: ReferenceField, where: string): ReferenceEnd {
    const end = ends.get(ref.model);
    if (!end) throw new ConfigurationError(`${where}, which leads to ${ref.model}, a model that is not known here: add it to \`models\`.`);
    return end;
  }
  return openReferences(models, { targetOf, holderOf: ({ name }) => ends.get(name) as ReferenceEnd }, settings);
}
