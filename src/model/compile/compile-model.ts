import { ConfigurationError } from '../../errors.ts';
import { modelParts } from '../../features/models.ts';
import { about, once, tryAll } from '../../mistakes.ts';
import type { Model } from '../define/define-model.ts';
import { type Deliveries, deliveriesOf } from '../define/deliveries.ts';
import { type CompiledField, type FieldTable, type Node, type ObjectNode, tabulateFields } from '../node.ts';
import { tabulateComputed } from '../read/computed-fields.ts';
import { compileHydrate } from '../read/hydrate.ts';
import { compileHydrateReadable } from '../read/hydrate-readable.ts';
import { privateNames, privatePaths } from '../read/private-fields.ts';
import { compileFieldSelector, type FieldSelector } from '../read/select-fields.ts';
import { compileRootBytesWriter } from '../read/write-bytes.ts';
import { compileRootWriter, type ValueWriter } from '../read/write-json.ts';
import { compileHasMany } from '../relations/compile-has-many.ts';
import type { Included } from '../relations/included.ts';
import { compileManyWriters, type ManyRelation } from '../relations/many-relations.ts';
import { compileReferenceFields, type ReferenceField } from '../relations/reference-fields.ts';
import type { Leaf } from '../value/leaf.ts';
import { decimalLeaf } from '../value/number-leaves.ts';
import { isComparable } from '../value/point-leaf.ts';
import type { WriteBson } from '../value/write-bson.ts';
import { compileFolds, type Folds } from '../write/folds.ts';
import { asId } from './as-id.ts';
import { checkPositions } from './check-positions.ts';
import { type CompiledLedger, compileLedger } from './compile-ledger.ts';
import { compileObject, impliedId } from './compile-schema.ts';
import { checkDeletionKey } from './deleted-at.ts';
import { compileExplain } from './explain-record.ts';
import { checkRules, checkRulesOfKinds, hasReadRules, namedRules } from './field-rules.ts';
import { compileDeclaredIndexes, type DeclaredIndex } from './model-index.ts';
import type { ModelPart, ModelParts, ModelToCompile } from './model-part.ts';
import { compileClientFields, compileScopeFields, type QueryFields } from './query-fields.ts';

/** A model, with everything compiled that depends only on its definition. */
export interface CompiledModel {
  readonly name: string;
  readonly collection: string;
  readonly maxTimeMS: number | undefined;
  /** The record: `id` first, then the fields in declared order. */
  readonly root: ObjectNode;
  /** The model with the fields of all views: itself, if it is not a view. */
  readonly whole: CompiledModel;
  /** Every field with a fixed path. */
  readonly fieldTable: FieldTable;
  readonly id: CompiledField & { readonly leaf: Leaf };
  readonly revision: CompiledField | undefined;
  readonly createdAt: CompiledField | undefined;
  readonly updatedAt: CompiledField | undefined;
  /** The time of deletion. Undefined if a delete removes the record. */
  readonly deletedAt: CompiledField | undefined;
  /** The relations by `t.hasMany`. */
  readonly many: ReadonlyMap<string, ManyRelation>;
  /** The fields that the query string of a list may name. */
  readonly clientFields: QueryFields;
  /** The fields that a scope may name. */
  readonly scopeFields: QueryFields;
  /** The indexes of the definition: those of unique fields, and `indexes`. */
  readonly indexes: readonly DeclaredIndex[];
  /** What plug-ins have made of their options, as far as the caller sees it: see `partOf`. */
  readonly parts: ModelParts;
  /** What is kept of each change of a record. Undefined if nothing is. */
  readonly ledger: CompiledLedger | undefined;
  /** The queue of what is delivered to its records. Undefined if nothing is. */
  readonly deliveries: Deliveries | undefined;
  /** Adds folded values to what is written. Undefined if no field is `caseless`. */
  readonly folds: Folds | undefined;
  /** The references that writes check. */
  readonly references: readonly ReferenceField[];
  /** The stored paths that a read for a client does not fetch. */
  readonly privatePaths: readonly string[];
  /** The names of private fields, at any depth. */
  readonly privateNames: ReadonlySet<string>;
  /** The rules that its policies name, in alphabetical order. */
  readonly rules: readonly string[];
  /** Whether some callers read a field that others do not. */
  readonly hasReadRules: boolean;
  /**
   * The rules that hold, if this is a view: the model as some callers see it. Undefined for the whole model.
   */
  readonly held: readonly string[] | undefined;
  /** Whether it has fields that only some callers see, and is not a view. */
  readonly needsView: boolean;
  /** The fields that clients may choose by `fields`. */
  readonly selector: FieldSelector;
  /** Writes the JSON of a stored record, with included records. */
  writeJson(stored: unknown, included?: Included): string;
  /** Writes the same from the BSON bytes of a record, without included records. */
  readonly writeBson: WriteBson;
  /** Makes the document of a stored record, for handlers and hooks. */
  hydrate(stored: unknown): unknown;
  /**
   * Makes the same without private fields, and with the computed fields that its place in an answer takes, whose schema
   * is given.
   */
  hydrateReadable(stored: unknown, place?: Node): unknown;
}

/** The models that are compiled. A definition does not change. */
const compiled = new WeakMap<Model, CompiledModel>();

/**
 * Compiles a model, once for all resources, stores and middlewares that have it. Throws a {@link ConfigurationError}
 * that names the model, the field and what is legal, for all fields at once.
 */
export function compileModel(model: Model): CompiledModel {
  if (typeof model?.name !== 'string' || typeof model.collection !== 'string' || !model.schema) {
    throw new ConfigurationError('A `model` is what `defineModel(name, { collection, fields })` returns.');
  }
  const known = compiled.get(model);
  if (known) return known;
  const made = about(`model \`${model.name}\``, () => compileParts(model));
  compiled.set(model, made);
  return made;
}

const noMany: CompiledModel['many'] = new Map();

function compileParts(model: Model): CompiledModel {
  const root = withId(compileObject(model.schema as Record<string, unknown>, ''));
  const fieldTable = tabulateFields(root);
  const rules = namedRules(root);
  const declared = once(() => compileDeclaredIndexes(model.indexes, fieldTable, root, model.name));
  const [id, revision, createdAt, updatedAt, deletedAt, many, clientFields, scopeFields, indexes, parts, references, ledger] = tryAll([
    () => idField(root),
    () => maintainedField(root, 'revision'),
    () => maintainedField(root, 'createdAt'),
    () => maintainedField(root, 'updatedAt'),
    () => deletedAtField(root),
    () => (Object.keys(model.hasMany ?? {}).length > 0 ? compileHasMany(model.hasMany, root) : noMany),
    () => compileClientFields(fieldTable),
    () => compileScopeFields(fieldTable),
    declared,
    () => compileOptions(model, { name: model.name, table: fieldTable, indexes: declared() }),
    () => compileReferenceFields(fieldTable, root, model.name),
    () => compileLedger(model, root, fieldTable),
    () => checkRules(root, rules),
    () => checkRulesOfKinds(fieldTable),
    () => checkPositions(fieldTable, declared(), model),
  ]);
  const compared = new Set(indexes.flatMap(({ key, unique }) => (unique ? key.map(([path]) => path) : [])));
  const folds = compileFolds(root, compared);
  const explain = compileExplain(model.name, root);
  const hydrate = once(() => compileHydrate(root)); // only hooks and handlers need documents
  const made = {
    name: model.name,
    collection: model.collection,
    maxTimeMS: model.maxTimeMS,
    id,
    revision,
    createdAt,
    updatedAt,
    deletedAt,
    many,
    scopeFields,
    indexes,
    parts,
    folds,
    references,
    ledger,
    deliveries: deliveriesOf(model),
    rules,
    hasReadRules: hasReadRules(root),
    held: undefined,
    needsView: rules.length > 0,
    hydrate: explain((stored) => hydrate()(stored)),
    ...compileCallersView({ ...root, name: model.name }, { fieldTable, clientFields, id, many }),
  };
  return Object.assign(made, { whole: made as unknown as CompiledModel });
}

/** Compiles the options of plug-ins that a model has. */
function compileOptions(given: Model, model: ModelToCompile): ModelParts {
  const asked = modelParts.filter(({ option }) => given[option] !== undefined);
  return new Map(tryAll(asked.map((part) => (): [ModelPart, unknown] => [part, part.compile(given[part.option], model)])));
}

/** The members of a compiled model that depend on who asks. */
export type CallersView = Pick<
  CompiledModel,
  'root' | 'fieldTable' | 'clientFields' | 'privatePaths' | 'privateNames' | 'selector' | 'writeJson' | 'writeBson' | 'hydrateReadable'
>;

type Seen = Pick<CompiledModel, 'fieldTable' | 'clientFields' | 'id' | 'many'>;

/** Compiles what clients see of a record. */
export function compileCallersView(root: ObjectNode, { fieldTable, clientFields, id, many }: Seen): CallersView {
  const hidden = privateNames(root);
  const hydrateReadable = compileHydrateReadable(root);
  const explain = compileExplain(root.name as string, root);
  const computed = tabulateComputed(root, fieldTable);
  const { write, select } = compileRootWriter(root, many.size > 0 ? compileManyWriters(id.leaf, many) : []);
  const writer: ValueWriter = { write: explain(write), select: (selection) => explain(select(selection)) };
  const bytesWriter = compileRootBytesWriter(root);
  const selectable = [...clientFields.keys()].filter((name) => fieldTable.get(name)?.parent?.value.kind !== 'map');
  return {
    root,
    fieldTable,
    clientFields,
    privatePaths: privatePaths(
      fieldTable,
      computed.flatMap(({ paths }) => paths),
    ),
    privateNames: hidden,
    selector: compileFieldSelector({ root, names: selectable, computed, writer, bytesWriter }),
    writeJson: writer.write,
    writeBson: bytesWriter.write,
    hydrateReadable: explain(hydrateReadable),
  };
}

function withId(root: ObjectNode): ObjectNode {
  const own = root.byName.get('id');
  const declared = own && asId(own);
  const fields = [declared ?? impliedId(), ...root.fields.filter((field) => field !== own)];
  return { ...root, fields, byName: new Map(fields.map((field) => [field.name, field])) };
}

function idField(root: ObjectNode): CompiledModel['id'] {
  const id = root.byName.get('id') as CompiledField;
  if (id.node.kind !== 'leaf' || !isComparable(id.node.leaf))
    throw new ConfigurationError('`id` must be a single value: a string, a number, a UUID, an ObjectId, ….');
  if (id.node.leaf.base && !id.node.leaf.storedAs)
    throw new ConfigurationError('`id` takes no `storedAs`, unless it is a UUID: it is stored as its type says.');
  if (id.node.leaf === decimalLeaf)
    throw new ConfigurationError('`id` cannot be a decimal: 1.0 and 1.00 are equal, so that a record would have several paths.');
  if (id.policy.private) throw new ConfigurationError('`id` cannot be private: it is the path of the record.');
  return { ...id, leaf: id.node.leaf };
}

function maintainedField(root: ObjectNode, maintained: CompiledField['maintained']): CompiledField | undefined {
  const [field, second] = root.fields.filter((one) => one.maintained === maintained);
  if (second) throw new ConfigurationError(`A model has one \`${maintained}\` at most: \`${field?.name}\` and \`${second.name}\` are two.`);
  return field;
}

function deletedAtField(root: ObjectNode): CompiledField | undefined {
  const field = maintainedField(root, 'deletedAt');
  if (field) checkDeletionKey(root);
  return field;
}

/** A model, or a compiled one. */
export type ModelInput = Model | CompiledModel;

/** Compiles a model that is not compiled yet. */
export function asCompiled(model: ModelInput): CompiledModel {
  return typeof model === 'object' && 'root' in model ? model : compileModel(model); // refuses what is not a model
}
