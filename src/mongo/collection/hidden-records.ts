import type { Document as BsonDocument } from 'mongodb';
import type { CompiledModel } from '../../model/compile/compile-model.ts';
import type { ObjectNode } from '../../model/node.ts';
import { compileSizeShown, readsHidden, type SizeShown, withoutHidden } from '../../model/read/hidden-parts.ts';
import type { SelectedFields } from '../../model/read/select-fields.ts';
import { decode } from '../driver/bson-options.ts';
import { StoredRecord } from '../stored-record.ts';

const measures = new WeakMap<ObjectNode, SizeShown>();

/** The measure of what a model shows of its records. Only a list that could be too large needs it. */
export function sizeShownOf({ root }: CompiledModel): SizeShown {
  const measure = measures.get(root) ?? compileSizeShown(root);
  measures.set(root, measure);
  return measure;
}

/** How records are taken for clients. */
interface ForClients {
  /** What is fetched: all but private fields. Undefined if it is everything. */
  readonly projection: BsonDocument | undefined;
  /** Whether more is read of a record than is shown. */
  readonly hides: boolean;
  /** The bytes that count: those of what is shown. */
  sizeOf(source: Uint8Array): number;
  /** Makes the record, without what is hidden. */
  toRecord(source: Uint8Array, fields: SelectedFields | undefined): StoredRecord;
}

const known = new WeakMap<CompiledModel, ForClients>();

/**
 * How the records of a model are taken for clients. If more is read of them than is shown, that counts for nothing, and
 * goes as soon as a record has arrived.
 */
export function forClients(model: CompiledModel): ForClients {
  const before = known.get(model);
  if (before) return before;
  const made = compileForClients(model);
  known.set(model, made);
  return made;
}

function compileForClients(model: CompiledModel): ForClients {
  const { root, privatePaths } = model;
  const projection = privatePaths.length > 0 ? Object.fromEntries(privatePaths.map((path) => [path, 0])) : undefined;
  const hides = readsHidden(root);
  const toRecord: ForClients['toRecord'] = (source, fields) => new StoredRecord(model, source, fields);
  if (!hides) return { projection, hides, sizeOf: (source) => source.length, toRecord };
  return {
    projection,
    hides,
    sizeOf: sizeShownOf(model),
    toRecord: (source, fields) => new StoredRecord(model, withoutHidden(root, decode(source), fields?.selection), fields),
  };
}
