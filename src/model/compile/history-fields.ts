import type { CompiledField, LeafNode, Node, ObjectNode } from '../node.ts';
import { join } from '../node.ts';
import type { Leaf } from '../value/leaf.ts';
import { dateLeaf, enumLeaf, stringLeaf } from '../value/leaves.ts';
import type { CompiledModel } from './compile-model.ts';
import type { QueryField, QueryFields } from './query-fields.ts';

/** What may have happened to a record. */
export const changeKinds = ['created', 'patched', 'deleted', 'restored'] as const;

const shown = new WeakMap<CompiledModel, ReadonlyMap<string, CompiledField>>();

/**
 * The fields whose changes a history shows in a view of its model, by their dotted names: those that are readable
 * together with all that they are in and all that is in them. What is private to everybody counts for nothing, because
 * no history keeps it.
 */
export function fieldsOfHistory(model: CompiledModel): ReadonlyMap<string, CompiledField> {
  const known = shown.get(model);
  if (known) return known;
  const { fields, byName } = model.root;
  const compared = fields.filter(({ key, maintained }) => key !== '_id' && maintained !== 'revision' && maintained !== 'updatedAt');
  const found = new Map(namesIn({ ...model.root, fields: compared, byName }, model.ledger?.root ?? model.root, ''));
  shown.set(model, found);
  return found;
}

function namesIn(seen: ObjectNode, whole: ObjectNode, path: string): [string, CompiledField][] {
  return seen.fields.flatMap((field): [string, CompiledField][] => {
    const kept = whole.byName.get(field.name);
    if (!kept || field.policy.private) return [];
    const name = join(path, field.name);
    const own: [string, CompiledField][] = isReadable(field.node, kept.node) ? [[name, field]] : [];
    const { node } = field;
    return node.kind === 'object' && kept.node.kind === 'object' ? [...own, ...namesIn(node, kept.node, name)] : own;
  });
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
  const paths = [...fieldsOfHistory(model).keys()];
  const revision: QueryField = { ...queryField('revision', revisionLeaf(model), []), sortable: true };
  const fields = [
    revision,
    queryField('at', dateLeaf, ['gt', 'gte', 'lt', 'lte']),
    { ...queryField('actor', stringLeaf, ['eq', 'in']), nullable: true },
    queryField('change', enumLeaf(changeKinds), ['eq', 'in']),
    ...(paths.length > 0 ? [{ ...queryField('path', enumLeaf(paths), ['eq', 'in']), path: 'paths', inList: true }] : []),
  ];
  return { revision, fields: new Map(fields.map((field) => [field.name, field])) };
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
    ofObjects: false,
    operators: new Set(operators),
    sortable: false,
    aggregates: new Set(),
    isGroupable: false,
  };
}
