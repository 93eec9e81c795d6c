import { ConfigurationError } from '../../errors.ts';
import { type Grants, grantOf, type PolicyKey } from '../../model/compile/policy-key.ts';
import type { Leaf } from '../../model/value/leaf.ts';
import { pointLeaf } from '../../model/value/point-leaf.ts';
import type { NearPolicy } from './types.ts';

/** The key of policies, and the parameter that finds the records around a place. */
export const nearName = 'near';

/** The parameter by which clients ask how far away each record is. */
export const distancesName = 'distances';

/** The least radius around a place, in metres. */
export const leastMetres = 1;

/** Half of the way around the Earth is a little longer. */
const mostMetres = 20_000_000;

/** `policy.near`: within how many metres at most a list finds the records around a place. */
export const nearPolicy: PolicyKey<NearPolicy> = {
  name: nearName,

  check(value, field) {
    const { maxMetres, ...others } = (value ?? {}) as Partial<NearPolicy>;
    const isRadius = typeof maxMetres === 'number' && maxMetres >= leastMetres && maxMetres <= mostMetres;
    if (!isRadius || Object.keys(others).length > 0)
      throw new ConfigurationError(
        `\`policy.near\` of field \`${field}\` must be { maxMetres }, the largest radius in metres: from ${leastMetres} to ${mostMetres}.`,
      );
  },

  compile({ field, name }) {
    if (field.node.kind === 'leaf' && field.node.leaf === (pointLeaf as Leaf)) return field.policy.near;
    throw new ConfigurationError(`\`policy.near\` of field \`${name}\` needs a point: \`t.point()\`.`);
  },
};

/** The points around which a list of these fields finds records. */
export function nearPoints<Field extends { readonly grants: Grants }>(fields: ReadonlyMap<string, Field>): readonly Field[] {
  return [...fields.values()].filter((field) => grantOf(field, nearPolicy) !== undefined);
}
