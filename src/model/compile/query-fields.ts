import { ConfigurationError } from '../../errors.ts';
import { type Operator, operators } from '../define/policy.ts';
import type { CompiledField, Node, ObjectNode } from '../node.ts';
import { join } from '../node.ts';
import type { Leaf } from '../value/leaf.ts';
import { anyLeaf, booleanLeaf, stringLeaf } from '../value/leaves.ts';

/** A field as the query string or a scope may name it. */
export interface QueryField {
  /** Dotted, as clients write it. */
  readonly name: string;
  /** Dotted, as it is stored. */
  readonly path: string;
  /** The type of its value, or of its elements where it is a list; undefined for an object, a map or an untyped value. */
  readonly leaf: Leaf | undefined;
  /** Whether null is one of its values, or of its elements where it is a list. */
  readonly nullable: boolean;
  /** Whether a list stands on its path: a filter matches when an element does. */
  readonly inList: boolean;
  /** The operators that its policy allows. */
  readonly operators: ReadonlySet<Operator>;
  readonly sortable: boolean;
}

/** Fields by their dotted names. */
export type QueryFields = ReadonlyMap<string, QueryField>;

/** What a client may name in `filter`s and `sort` of a list: nothing private, nothing below it. */
export function compileClientFields(root: ObjectNode): QueryFields {
  return collect(root, (field) => !field.policy.private, policyOperators);
}

/** What the deployer's own scope may name: every field, with every operator that fits its type. */
export function compileScopeFields(root: ObjectNode): QueryFields {
  return collect(
    root,
    () => true,
    (_field, fitting) => fitting,
  );
}

type Allow = (field: CompiledField, fitting: readonly Operator[], name: string) => readonly Operator[];

function collect(root: ObjectNode, isVisible: (field: CompiledField) => boolean, allow: Allow): QueryFields {
  const found = new Map<string, QueryField>();
  function visit(node: ObjectNode, name: string, path: string, inList: boolean): void {
    for (const field of node.fields.filter(isVisible)) {
      const at = { name: join(name, field.name), path: join(path, field.key) };
      const { value, isList, holdsNull } = throughLists(field.node);
      const listed = inList || isList;
      const leaf = value.kind === 'leaf' && value.leaf !== anyLeaf ? value.leaf : undefined;
      const allowed = allow(field, fittingOperators(leaf), at.name);
      checkSort(field, leaf, isList, at.name);
      found.set(at.name, {
        ...at,
        leaf,
        nullable: field.nullable || field.optional || holdsNull,
        inList: listed,
        operators: new Set(allowed),
        // An embedded object may stand in a list of one model and alone in another: there its policy has an effect.
        sortable: field.policy.sort === true && !listed,
      });
      if (value.kind === 'object') visit(value, at.name, at.path, listed);
    }
  }
  visit(root, '', '', false);
  return found;
}

/** What stands in a list; everything else stands for itself, a list of lists too: the database does not look two lists deep. */
function throughLists(node: Node): { value: Node; isList: boolean; holdsNull: boolean } {
  if (node.kind !== 'array') return { value: node, isList: false, holdsNull: false };
  return { value: node.items.node.kind === 'array' ? node : node.items.node, isList: true, holdsNull: node.items.nullable };
}

function fittingOperators(leaf: Leaf | undefined): readonly Operator[] {
  if (!leaf) return ['exists'];
  const isText = leaf === stringLeaf || leaf.name === 'enum';
  const isOrdered = leaf !== booleanLeaf;
  return operators.filter((operator) => {
    if (operator === 'prefix') return isText;
    return isOrdered || !['gt', 'gte', 'lt', 'lte'].includes(operator);
  });
}

const policyOperators: Allow = (field, fitting, name) => {
  const { filter = [] } = field.policy;
  if (filter === true) return fitting;
  for (const operator of filter) {
    if (!fitting.includes(operator)) {
      throw new ConfigurationError(
        `\`policy.filter\` of field \`${name}\` names \`${operator}\`, which its type does not have: legal are ${fitting.join(', ')}.`,
      );
    }
  }
  return filter;
};

function checkSort(field: CompiledField, leaf: Leaf | undefined, isList: boolean, name: string): void {
  if (field.policy.sort && (!leaf || isList)) {
    throw new ConfigurationError(
      `\`policy.sort\` of field \`${name}\` needs a single value: lists, objects, maps and untyped values have no order.`,
    );
  }
}
