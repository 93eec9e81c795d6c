import { ConfigurationError } from '../../errors.ts';
import { caselessPath, foldedPath } from '../fold/fold-paths.ts';
import { foldCase, foldText } from '../fold/fold-text.ts';
import { absent, type CompiledField, join, type Node, type ObjectNode } from '../node.ts';
import { own } from '../value/plain-object.ts';
import { isStoredObject } from '../value/stored-shape.ts';
import type { Assignment, Changes } from './plan-changes.ts';

type Stored = Record<string, unknown>;

/** The folded values of the fields of an object. */
export interface FoldedObject {
  readonly members: readonly FoldedMember[];
}

/** A field with folded values, or one that holds such fields. */
interface FoldedMember {
  readonly field: CompiledField;
  /** The stored keys beside that of the field, and the values that belong there. */
  readonly folds: readonly Fold[];
  /** Those of its embedded object, or of the objects of its array. */
  readonly within: FoldedObject | undefined;
}

/** A folded value. */
interface Fold {
  readonly key: string;
  /** The value that belongs to a value of the field. `absent` for what is no text. */
  of(value: unknown): unknown;
}

/**
 * Adds folded values to what is written. Each stands beside its text, so it is created, replaced and removed with the
 * object that holds both, and one command writes both.
 */
export interface Folds {
  readonly root: FoldedObject;
  /** Adds them to a new record. Objects within it are copied. */
  addTo(record: Stored): void;
  /** The same changes, with those of folded values. */
  extend(changes: Changes): Changes;
}

/**
 * Compiles the folded values of a model. Undefined if no field is `caseless`. `compared` are the stored paths in unique
 * indexes. Throws a {@link ConfigurationError} where queries compare exactly, or reach nothing.
 */
export function compileFolds(root: ObjectNode, compared: ReadonlySet<string>): Folds | undefined {
  const tree = compileObject(root, '', compared);
  if (!tree) return undefined;
  const byPath = tabulate(tree, '', new Map());

  function extendOne({ path, value }: Assignment): Assignment[] {
    const member = byPath.get(path);
    if (!member) return [{ path, value }];
    const parent = path.slice(0, path.length - member.field.key.length);
    return [
      { path, value: foldWithin(value, member.within) },
      ...member.folds.map((fold) => ({ path: parent + fold.key, value: fold.of(value) })),
    ];
  }

  return {
    root: tree,
    addTo: (record) => addAll(record, tree),
    extend: ({ assignments, embedded, ...rest }) => ({
      ...rest,
      assignments: assignments.flatMap(extendOne),
      embedded: embedded.map((merge) => ({ ...merge, whole: foldWithin(merge.whole, byPath.get(merge.path)?.within) })),
    }),
  };
}

function tabulate({ members }: FoldedObject, path: string, table: Map<string, FoldedMember>): ReadonlyMap<string, FoldedMember> {
  for (const member of members) {
    const at = join(path, member.field.key);
    table.set(at, member);
    if (member.within && member.field.node.kind === 'object') tabulate(member.within, at, table);
  }
  return table;
}

function compileObject(node: ObjectNode, path: string, compared: ReadonlySet<string>): FoldedObject | undefined {
  const members = node.fields.flatMap((field): FoldedMember[] => {
    const at = join(path, field.key);
    const within = compileWithin(field.node, at, compared);
    const folds = compileOwn(field, at, compared);
    return within || folds.length > 0 ? [{ field, folds, within }] : [];
  });
  return members.length > 0 ? { members } : undefined;
}

function compileWithin(node: Node, path: string, compared: ReadonlySet<string>): FoldedObject | undefined {
  switch (node.kind) {
    case 'leaf':
      return undefined;
    case 'object':
      return compileObject(node, path, compared);
    case 'array':
      if (node.items.node.kind === 'array') refuseUnreachable(node.items.node.items.node, path, 'an array of arrays');
      return node.items.node.kind === 'object' ? compileObject(node.items.node, path, compared) : undefined;
    case 'map':
      refuseUnreachable(node.values.node, path, 'a map');
      return undefined;
  }
}

/** Objects are no mistake there: the same one may stand elsewhere, where its fields can be queried. */
function refuseUnreachable(node: Node, path: string, place: string): void {
  if (node.kind === 'array') refuseUnreachable(node.items.node, path, place);
  if (node.kind === 'leaf' && node.caseless)
    throw new ConfigurationError(`\`caseless\` of \`${path}\`: its texts are in ${place}, where no query ignores case.`);
}

function compileOwn({ node, key, ref }: CompiledField, path: string, compared: ReadonlySet<string>): Fold[] {
  const slot = node.kind === 'array' ? node.items : { node, ref };
  if (slot.node.kind !== 'leaf' || !slot.node.caseless) return [];
  if (path === '_id') throw new ConfigurationError('`id` cannot be `caseless`: a path and a reference name one record exactly.');
  if (slot.ref) throw new ConfigurationError(`\`${path}\` cannot be \`caseless\`: a reference names one record exactly.`);
  const isArray = node.kind === 'array';
  const of = (fold: (text: string) => string) => (value: unknown) => foldValue(value, isArray, fold);
  const folded = { key: foldedPath(key), of: of(foldText) };
  return compared.has(caselessPath(path)) ? [folded, { key: caselessPath(key), of: of(foldCase) }] : [folded];
}

/** A value of another type, which another program has stored, has no folded value. */
function foldValue(value: unknown, isArray: boolean, fold: (text: string) => string): unknown {
  if (!isArray) return typeof value === 'string' ? fold(value) : absent;
  if (!Array.isArray(value)) return absent;
  return value.flatMap((item) => (typeof item === 'string' ? [fold(item)] : item === null ? [null] : []));
}

function addAll(object: Stored, { members }: FoldedObject): void {
  for (const { field, folds, within } of members) {
    const value = own(object, field.key);
    for (const { key, of } of folds) {
      const folded = of(value);
      if (folded !== absent) object[key] = folded;
      else if (Object.hasOwn(object, key)) Reflect.deleteProperty(object, key); // of an attempt before, with another text
    }
    if (within && value !== undefined) object[field.key] = foldWithin(value, within);
  }
}

/** A copy of a value in which the objects have folded values. */
function foldWithin(value: unknown, within: FoldedObject | undefined): unknown {
  if (!within) return value;
  if (Array.isArray(value)) return value.map((item) => foldWithin(item, within));
  if (!isStoredObject(value)) return value;
  const copy = { ...value };
  addAll(copy, within);
  return copy;
}
