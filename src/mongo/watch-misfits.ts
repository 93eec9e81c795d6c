import type { CompiledModel } from '../model/compile/compile-model.ts';
import { compileFindMisfits } from '../model/write/find-misfits.ts';
import { isDevelopment } from './indexes/watch-scans.ts';

/** So many kinds are remembered, and told of: messages may hold what others have chosen. */
const maxKinds = 1_000;

/**
 * In development, the same model, which tells of stored records that do not fit it when it writes them for a client: by
 * `process.emitWarning`, once for each kind of misfit. The answer is what it would be. Elsewhere the model itself.
 */
export function watchMisfits(model: CompiledModel): CompiledModel {
  if (!isDevelopment()) return model;
  const findMisfits = compileFindMisfits(model.root);
  const seen = new Set<string>();

  function notice(stored: unknown): void {
    for (const { path, message, kind } of findMisfits(stored)) {
      if (seen.has(kind) || seen.size >= maxKinds) continue;
      seen.add(kind);
      const id = model.id.leaf.toJson((stored as { readonly _id?: unknown })._id);
      process.emitWarning(
        `A stored record of ${model.name} does not fit its model: \`${path}\` ${message}. It is served as it is; its id is ${id}.`,
        { type: 'KoaMongoResourceWarning', code: 'RECORD_MISFIT' },
      );
    }
  }

  return {
    ...model,
    writeJson(stored, embedded) {
      notice(stored);
      return model.writeJson(stored, embedded);
    },
  };
}
