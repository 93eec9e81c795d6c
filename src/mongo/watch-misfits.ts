import { once } from '../mistakes.ts';
import type { CompiledModel } from '../model/compile/compile-model.ts';
import { withoutPrivate } from '../model/read/private-fields.ts';
import { declined } from '../model/value/bson-bytes.ts';
import { compileFindMisfits } from '../model/write/find-misfits.ts';
import { isDevelopment } from './indexes/watch-scans.ts';

/** How many kinds of misfits are remembered and warned about. Messages may contain values that clients have chosen. */
const maxKinds = 1_000;

/**
 * In development, returns a copy of the model that also warns about stored records that do not fit the model, when it
 * writes them for a client. It warns by `process.emitWarning`, once for each kind of misfit, and does not change the
 * answer. Otherwise returns the model itself.
 */
export function watchMisfits(model: CompiledModel): CompiledModel {
  if (!isDevelopment()) return model;
  const findMisfits = once(() => compileFindMisfits(withoutPrivate(model.root))); // private fields are not fetched
  const seen = new Set<string>();

  function notice(stored: unknown): void {
    for (const { path, place, message } of findMisfits()(stored)) {
      const kind = `${place} ${message}`;
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
      const text = model.writeJson(stored, embedded); // throws if a value cannot be served as it is
      notice(stored);
      return text;
    },
    writeBson() {
      throw declined; // only a decoded record can be checked
    },
  };
}
