import { ConfigurationError } from '../../errors.ts';
import type { Leaf } from '../value/leaf.ts';
import { pointLeaf } from '../value/point-leaf.ts';
import type { PolicyKey } from './policy-key.ts';

/** The least radius around a place, in metres. */
export const leastMetres = 1;

/** Half of the way around the Earth is a little longer. */
const mostMetres = 20_000_000;

interface NearPolicy {
  readonly maxMetres: number;
}

/** `policy.near`: within how many metres at most a list finds the records around a place. */
export const nearPolicy: PolicyKey<NearPolicy> = {
  name: 'near',

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
