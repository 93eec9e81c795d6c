import { asCompiled, type ModelInput } from '../model/compile/compile-model.ts';

/**
 * A copy of a record with the folded texts of its `caseless` fields, as the library would store it: for programs that
 * write records by the driver. Everything else is kept as it is, and nothing is checked. Of a model without such a
 * field, it is the same record.
 *
 * @example
 * await db.collection('orders').insertMany(rows.map((row) => withFolds(Order, { owner: row.owner, revision: 0 })));
 */
export function withFolds<Stored extends object>(model: ModelInput, stored: Stored): Stored {
  const { folds } = asCompiled(model);
  if (!folds) return stored;
  const copy = { ...stored };
  folds.addTo(copy as Record<string, unknown>);
  return copy;
}
