import { ConfigurationError } from '../../errors.ts';
import { type Operator, operators } from '../define/policy.ts';
import type { FieldEntry, FieldTable } from '../node.ts';
import type { Leaf } from '../value/leaf.ts';
import { booleanLeaf, stringLeaf } from '../value/leaves.ts';

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
export function compileClientFields(table: FieldTable): QueryFields {
  return compileFields(table, ({ isPrivate }) => !isPrivate, policyOperators);
}

/** What the deployer's own scope may name: every field, with every operator that fits its type. */
export function compileScopeFields(table: FieldTable): QueryFields {
  return compileFields(
    table,
    () => true,
    (_entry, fitting) => fitting,
  );
}

type Allow = (entry: FieldEntry, fitting: readonly Operator[]) => readonly Operator[];

/** A list of lists stands for itself, and nothing in it has a name: the database would not find it. */
function compileFields(table: FieldTable, isVisible: (entry: FieldEntry) => boolean, allow: Allow): QueryFields {
  const reachable = [...table.values()].filter((entry) => isVisible(entry) && !entry.parent?.inListOfLists);
  return new Map(reachable.map((entry) => [entry.name, compileField(entry, allow)]));
}

function compileField(entry: FieldEntry, allow: Allow): QueryField {
  const { field, name, path } = entry;
  const leaf = entry.inListOfLists ? undefined : entry.leaf;
  const inList = entry.listPath !== undefined;
  const allowed = allow(entry, fittingOperators(leaf));
  checkSort(entry, leaf);
  return {
    name,
    path,
    leaf,
    nullable: field.nullable || field.optional || (field.node.kind === 'array' && field.node.items.nullable),
    inList,
    operators: new Set(allowed),
    // An embedded object may stand in a list of one model and alone in another: there its policy has an effect.
    sortable: field.policy.sort === true && !inList,
  };
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

const policyOperators: Allow = ({ field, name }, fitting) => {
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

function checkSort({ field, name }: FieldEntry, leaf: Leaf | undefined): void {
  if (field.policy.sort && (!leaf || field.node.kind === 'array')) {
    throw new ConfigurationError(
      `\`policy.sort\` of field \`${name}\` needs a single value: lists, objects, maps and untyped values have no order.`,
    );
  }
}
