import { Invalid } from '../../rules.ts';
import type { CompiledField, LeafNode, Node, ObjectNode } from '../node.ts';
import { join } from '../node.ts';
import type { Leaf } from '../value/leaf.ts';
import { dateLeaf, enumLeaf, stringLeaf } from '../value/leaves.ts';
import type { CompiledModel } from './compile-model.ts';
import type { QueryField, QueryFields } from './query-fields.ts';

/** What may have happened to a record. */
export const changeKinds = ['created', 'patched', 'deleted', 'restored'] as const;

/** A field of a view that a history may name. */
interface NamedField {
  readonly name: string;
  readonly field: CompiledField;
  /** Whether the view shows all that a history keeps of its values. */
  readonly isShown: boolean;
}

const known = new WeakMap<CompiledModel, readonly NamedField[]>();

/** The fields of a view that are readable together with all that they are in. */
function namedFields(model: CompiledModel): readonly NamedField[] {
  const { fields } = model.root;
  const compared = fields.filter(({ isId, maintained }) => !isId && maintained !== 'revision' && maintained !== 'updatedAt');
  const found = known.get(model) ?? fieldsIn(compared, model.whole.root, '');
  known.set(model, found);
  return found;
}

function fieldsIn(seen: readonly CompiledField[], whole: ObjectNode, path: string): NamedField[] {
  return seen.flatMap((field): NamedField[] => {
    const kept = whole.byName.get(field.name);
    if (!kept || field.policy.private) return [];
    const name = join(path, field.name);
    const { node } = field;
    const within = node.kind === 'object' && kept.node.kind === 'object' ? fieldsIn(node.fields, kept.node, name) : [];
    return [{ name, field, isShown: isReadable(node, kept.node) }, ...within];
  });
}

/**
 * The fields whose changes a history shows in a view of its model, by their dotted names: those that are readable
 * together with all that they are in and all that is in them. What is private to everybody counts for nothing, because
 * no history keeps it.
 */
export function fieldsOfHistory(model: CompiledModel): ReadonlyMap<string, CompiledField> {
  return new Map(namedFields(model).flatMap(({ name, field, isShown }) => (isShown ? [[name, field] as const] : [])));
}

/**
 * The names that a client may ask for, and be shown. An object of which the view hides a part is among them, as it
 * would be without that part, but no change of it is shown.
 */
export function namesOfHistory(model: CompiledModel): string[] {
  return namedFields(model).map(({ name }) => name);
}

/** Whether a view shows all of a value that is kept. */
function isReadable(seen: Node, whole: Node): boolean {
  if (seen.kind === 'array' && whole.kind === 'array') return isReadable(seen.items.node, whole.items.node);
  if (seen.kind === 'map' && whole.kind === 'map') return isReadable(seen.values.node, whole.values.node);
  if (seen.kind !== 'object' || whole.kind !== 'object') return true;
  return whole.fields.every(({ name, policy, node }) => {
    const field = seen.byName.get(name);
    return policy.private || (field !== undefined && !field.policy.private && isReadable(field.node, node));
  });
}

/** What the list of the changes of a record can be filtered and sorted by, in a view of its model. */
export interface HistoryFields {
  readonly fields: QueryFields;
  /** By which the list is sorted. */
  readonly revision: QueryField;
}

/** Compiles the fields of the list of changes. */
export function compileHistoryFields(model: CompiledModel): HistoryFields {
  const names = namesOfHistory(model);
  const revision: QueryField = { ...queryField('revision', revisionLeaf(model), []), sortable: true };
  const fields = [
    revision,
    queryField('at', dateLeaf, ['gt', 'gte', 'lt', 'lte']),
    { ...queryField('actor', stringLeaf, ['eq', 'in']), nullable: true },
    queryField('change', enumLeaf(changeKinds), ['eq', 'in']),
    ...(names.length > 0 ? [{ ...queryField('path', pathLeaf(model, names), ['eq', 'in']), path: 'paths', inList: true }] : []),
  ];
  return { revision, fields: new Map(fields.map((field) => [field.name, field])) };
}

/** A change that is not shown must not be found either: no field has the name that stands for the others. */
function pathLeaf(model: CompiledModel, names: readonly string[]): Leaf {
  const shown = fieldsOfHistory(model);
  const leaf = enumLeaf(names);
  return {
    ...leaf,
    fromText(text) {
      const name = leaf.fromText(text);
      return name instanceof Invalid || shown.has(name) ? name : '';
    },
  };
}

/** The type of the revisions of a model that has some. */
export function revisionLeaf({ revision }: CompiledModel): Leaf {
  return ((revision as CompiledField).node as LeafNode).leaf;
}

function queryField(name: string, leaf: Leaf, operators: readonly ('eq' | 'in' | 'gt' | 'gte' | 'lt' | 'lte')[]): QueryField {
  return {
    name,
    path: name,
    caseless: undefined,
    leaf,
    nullable: false,
    inList: false,
    isId: false,
    array: undefined,
    operators: new Set(operators),
    sortable: false,
    grants: new Map(),
  };
}
