import { ConfigurationError } from '../../errors.ts';
import { checkBoolean, checkNames, type Grants, grantOf, type PolicyKey } from '../../model/compile/policy-key.ts';
import type { FieldEntry } from '../../model/node.ts';
import type { Leaf } from '../../model/value/leaf.ts';
import { type Aggregate, aggregates } from './types.ts';

type Figures = ReadonlySet<Aggregate>;
type Granting = { readonly grants: Grants };

const none: Figures = new Set();
const ofNumbers: Figures = new Set(['sum', 'avg', 'min', 'max']);
const ofDates: Figures = new Set(['min', 'max']);
const numbers: ReadonlySet<string> = new Set(['int', 'int64', 'float', 'decimal']);

/** `policy.aggregate`: what an aggregate may tell of a field. */
export const figuresPolicy: PolicyKey<Figures> = {
  name: 'aggregate',
  check: (value, field) => checkNames(value, 'aggregate', aggregates, 'figure', field),

  compile(entry) {
    const { aggregate = [] } = entry.field.policy;
    const leaf = singleLeaf(entry);
    const fitting = figuresOfType(leaf);
    const fits = (one: Aggregate) => (one === 'countDistinct' ? leaf !== undefined : fitting.has(one));
    const wrong = aggregate === true ? fitting.size === 0 : !aggregate.every(fits);
    if (wrong)
      throw new ConfigurationError(
        `\`policy.aggregate\` of field \`${entry.name}\` does not fit its type: numbers have ${[...ofNumbers].join(', ')}, dates min and max, and every single value countDistinct, if it is named.`,
      );
    return aggregate === true ? fitting : new Set(aggregate);
  },
};

/** `policy.group`: whether an aggregate may group by a field. */
export const groupPolicy: PolicyKey<true> = {
  name: 'group',
  check: (value, field) => checkBoolean(value, 'group', field),

  compile(entry) {
    if (singleLeaf(entry)) return true;
    throw new ConfigurationError(
      `\`policy.group\` of field \`${entry.name}\` needs a single value: arrays, objects, maps, points and untyped values make no groups.`,
    );
  },
};

/** What an aggregate may tell of a field. */
export function figuresOf(field: Granting): Figures {
  return grantOf(field, figuresPolicy) ?? none;
}

/** Whether an aggregate may group by a field. */
export function isGroupable(field: Granting): boolean {
  return grantOf(field, groupPolicy) === true;
}

/** The type of a field that is no array. */
function singleLeaf({ field, leaf }: FieldEntry): Leaf | undefined {
  return field.node.kind === 'array' ? undefined : leaf;
}

function figuresOfType(leaf: Leaf | undefined): Figures {
  if (leaf && numbers.has(leaf.name)) return ofNumbers;
  return leaf?.name === 'date' ? ofDates : none;
}
