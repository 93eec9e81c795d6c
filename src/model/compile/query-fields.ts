import { ConfigurationError } from '../../errors.ts';
import { policyKeys } from '../../features/policies.ts';
import { queriedPath } from '../fold/fold-paths.ts';
import { foldText } from '../fold/fold-text.ts';
import type { FieldEntry, FieldTable } from '../node.ts';
import { type OperandKind, type Operator, operatorDef, operators, withoutScans } from '../operators/operators.ts';
import type { Leaf } from '../value/leaf.ts';
import { objectIdLeaf, stringLeaf, uuidLeaf } from '../value/leaves.ts';
import type { Grants } from './policy-key.ts';

/** A field that a query string or a scope may name. */
export interface QueryField {
  /** The dotted name that clients write. */
  readonly name: string;
  /** The dotted path of the stored keys that are compared. */
  readonly path: string;
  /** Set if a query ignores case: then `path` is that of folded values. */
  readonly caseless?: Caseless | undefined;
  /**
   * The type of its value, or of its items if it is an array. Undefined for an object, a map, a point or an untyped
   * value.
   */
  readonly leaf: Leaf | undefined;
  /** Whether its value may be null or missing, or one of its items may be null. */
  readonly nullable: boolean;
  /** Whether the field is an array or lies in one. A filter then matches if one of the items matches. */
  readonly inList: boolean;
  /** Whether its values are ids, which the application may also give as their texts. */
  readonly isId: boolean;
  /** What is known of an array. Undefined for any other field. */
  readonly array: QueryArray | undefined;
  /** The operators that its policy allows. */
  readonly operators: ReadonlySet<Operator>;
  readonly sortable: boolean;
  /** What plug-ins have made of its policy. */
  readonly grants: Grants;
}

/** An array of whose items a filter may ask. */
interface QueryArray {
  readonly items: 'objects' | 'values' | 'others';
  /** Whether the step of a path that is a number can only be a position in it. */
  readonly hasPositions: boolean;
  /** The stored path of the innermost array that it lies in. */
  readonly within: string | undefined;
}

/** A field whose folded values are compared with folded texts. */
interface Caseless {
  /** The path of the texts themselves. */
  readonly exactPath: string;
  fold(text: string): string;
}

/** Fields by their dotted names. */
export type QueryFields = ReadonlyMap<string, QueryField>;

/**
 * The fields that clients may name in the filters and the sort of a list: all but the private ones and those inside
 * them.
 */
export function compileClientFields(table: FieldTable): QueryFields {
  return compileFields(table, ({ isPrivate }) => !isPrivate, policyOperators, queriedPath);
}

/**
 * The fields that a scope may name: every field, with every operator that fits its type. They are compared exactly. One
 * whose path may be that of a position is left out.
 */
export function compileScopeFields(table: FieldTable): QueryFields {
  return compileFields(
    table,
    ({ mayBePosition }) => !mayBePosition,
    (_entry, fitting) => fitting,
    ({ path }) => path,
  );
}

type Allow = (entry: FieldEntry, fitting: ReadonlySet<Operator>) => ReadonlySet<Operator>;
type PathOf = (entry: FieldEntry) => string;

/**
 * The fields inside an array of arrays are left out: a query of the database cannot reach them. The array itself stays.
 */
function compileFields(table: FieldTable, isVisible: (entry: FieldEntry) => boolean, allow: Allow, pathOf: PathOf): QueryFields {
  const reachable = [...table.values()].filter((entry) => isVisible(entry) && !entry.parent?.inNestedArray);
  return new Map(reachable.map((entry) => [entry.name, compileField(entry, allow, pathOf(entry))]));
}

function compileField(entry: FieldEntry, allow: Allow, path: string): QueryField {
  const { field, name, path: exactPath } = entry;
  const leaf = entry.inNestedArray ? undefined : entry.leaf;
  const inList = entry.arrayPath !== undefined;
  const allowed = allow(entry, fittingOperators(leaf));
  checkSort(entry, leaf);
  const grants = compileGrants(entry);
  return {
    name,
    path,
    caseless: path === exactPath ? undefined : { exactPath, fold: foldText },
    leaf,
    nullable: field.nullable || field.optional || (field.node.kind === 'array' && field.node.items.nullable),
    inList,
    isId: isId(entry, leaf),
    array: compileArray(entry),
    operators: allowed,
    // Not an error in an array: the same embedded object may stand outside of an array elsewhere, where its policy has
    // an effect.
    sortable: field.policy.sort === true && !inList,
    grants: inList ? noGrants : grants,
  };
}

function compileArray({ field: { node }, leaf, inNestedArray, parent }: FieldEntry): QueryArray | undefined {
  if (node.kind !== 'array') return undefined;
  const of = node.items.node;
  const within = parent?.arrayPath;
  if (of.kind === 'object') return { items: 'objects', hasPositions: of.fields.every(({ key }) => !/^\d+$/.test(key)), within };
  const isOfValues = leaf !== undefined && !inNestedArray;
  return { items: isOfValues ? 'values' : 'others', hasPositions: isOfValues, within };
}

/** The id, a reference, or any other ObjectId or UUID. */
function isId({ field, path }: FieldEntry, leaf: Leaf | undefined): boolean {
  const { ref } = field.node.kind === 'array' ? field.node.items : field;
  return path === '_id' || ref !== undefined || leaf === objectIdLeaf || leaf?.name === uuidLeaf.name;
}

// Made once: a model has hundreds of fields, and there is a set for each kind of value only.
const ofNone: ReadonlySet<Operator> = new Set();
const byKind: Readonly<Record<OperandKind, ReadonlySet<Operator>>> = {
  none: operatorsOf('none'),
  text: operatorsOf('text'),
  boolean: operatorsOf('boolean'),
  other: operatorsOf('other'),
};

/** What `filter: true` allows of them. */
const unnamed = new Map(Object.values(byKind).map((fitting) => [fitting, withoutScans(fitting)]));

function operatorsOf(kind: OperandKind): ReadonlySet<Operator> {
  return new Set(operators.filter((operator) => operatorDef(operator).fits.includes(kind)));
}

function fittingOperators(leaf: Leaf | undefined): ReadonlySet<Operator> {
  if (!leaf) return byKind.none;
  if (leaf === stringLeaf || leaf.name === 'enum') return byKind.text;
  return leaf.name === 'boolean' ? byKind.boolean : byKind.other;
}

const policyOperators: Allow = ({ field, name }, fitting) => {
  const { filter } = field.policy;
  if (filter === undefined) return ofNone;
  if (filter === true) return unnamed.get(fitting) ?? fitting;
  for (const operator of filter) {
    if (!fitting.has(operator)) {
      throw new ConfigurationError(
        `\`policy.filter\` of field \`${name}\` names \`${operator}\`, which its type does not have. Allowed: ${[...fitting].join(', ')}.`,
      );
    }
  }
  return new Set(filter);
};

function checkSort({ field, name }: FieldEntry, leaf: Leaf | undefined): void {
  if (field.policy.sort && (!leaf || field.node.kind === 'array')) {
    throw new ConfigurationError(
      `\`policy.sort\` of field \`${name}\` needs a single value: arrays, objects, maps, points and untyped values have no order.`,
    );
  }
}

const noGrants: Grants = new Map();

function compileGrants(entry: FieldEntry): Grants {
  const granting = policyKeys.filter(({ name }) => (entry.field.policy as Readonly<Record<string, unknown>>)[name]);
  return granting.length > 0 ? new Map(granting.map((key) => [key, key.compile(entry)])) : noGrants;
}
