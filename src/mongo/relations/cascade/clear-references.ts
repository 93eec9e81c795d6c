import type { Document as BsonDocument } from 'mongodb';
import { absent } from '../../../model/node.ts';
import { countWrite } from '../../query/update-pipeline.ts';
import type { Edge } from '../references.ts';

/**
 * Builds the update that removes references to these ids from records: the values of a `nullify`, and the items of a
 * `pull`. It looks into arrays and embedded objects as they are stored, and leaves everything else as it is. With the
 * time of the write, it makes one step of the revision, and sets `updatedAt`.
 */
export function buildClear(edges: readonly { readonly edge: Edge; readonly ids: readonly unknown[] }[], now?: Date): BsonDocument[] {
  const stages = edges.map(({ edge, ids }): BsonDocument => {
    const [key = '', ...rest] = edge.field.path.split('.');
    return { $set: { [key]: clear(`$${key}`, rest, edge, ids, 1) } };
  });
  const model = edges[0]?.edge.holder.model;
  const counted = now && model ? countWrite(model, now) : {};
  return Object.keys(counted).length > 0 ? [...stages, { $set: counted }] : stages;
}

/** An expression for a value without the references in it. `depth` gives each variable a name of its own. */
function clear(value: string, keys: readonly string[], edge: Edge, ids: readonly unknown[], depth: number): BsonDocument {
  const item = `item${depth}`;
  const isPull = edge.field.ref.onDelete === 'pull';
  const [key, ...rest] = keys;
  if (key === undefined) {
    const isLost = (one: string): BsonDocument => ({ $in: [one, { $literal: ids }] });
    const none = edge.field.none === absent ? '$$REMOVE' : null;
    const kept = isPull
      ? { $filter: { input: value, as: item, cond: { $not: [isLost(`$$${item}`)] } } }
      : { $map: { input: value, as: item, in: { $cond: [isLost(`$$${item}`), null, `$$${item}`] } } };
    return ifArray(value, kept, { $cond: [isLost(value), isPull ? value : none, value] });
  }
  const member = `member${depth}`;
  const inObject = (object: string): BsonDocument => ({
    $cond: [
      { $eq: [{ $type: object }, 'object'] },
      {
        $let: {
          vars: { [member]: { $getField: { field: { $literal: key }, input: object } } },
          in: { $setField: { field: { $literal: key }, input: object, value: clear(`$$${member}`, rest, edge, ids, depth + 1) } },
        },
      },
      object,
    ],
  });
  return ifArray(value, { $map: { input: value, as: item, in: inObject(`$$${item}`) } }, inObject(value));
}

function ifArray(value: string, then: BsonDocument, otherwise: BsonDocument): BsonDocument {
  return { $cond: [{ $isArray: value }, then, otherwise] };
}
