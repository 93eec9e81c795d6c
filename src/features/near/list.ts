import { grantOf } from '../../model/compile/policy-key.ts';
import type { QueryFields } from '../../model/compile/query-fields.ts';
import { coordinateSchemas } from '../../model/value/point-leaf.ts';
import type { DescribedParameter, ListPlugin } from '../../mongo/list/list-plugin.ts';
import { distancesName, leastMetres, nearName, nearPoints, nearPolicy } from './policy.ts';

/** Lists of records around a place, nearest first. */
export const nearList: ListPlugin = {
  isIn: (fields) => nearPoints(fields).length > 0,
  parameters: [
    { name: nearName, finds: true, describe: describeNear },
    {
      name: distancesName,
      finds: false,
      describe: () => [{ name: distancesName, description: 'With `near`: adds `page.distances`, in metres.', schema: { type: 'boolean' } }],
    },
  ],
  ofPage: {
    distances: {
      type: 'array',
      items: { type: 'number', minimum: 0 },
      description: 'How far away each record of `data` is, in metres, when it was asked for.',
    },
  },
  load: async () => (await import('./list-read.ts')).readNear,
};

/** The parameter for the records around a place: one, or one for each point. */
function describeNear(fields: QueryFields): DescribedParameter[] {
  const points = nearPoints(fields);
  return points.map((point) => {
    const { name } = point;
    const description = `Records whose \`${name}\` is around a place, nearest first: longitude, latitude, metres.`;
    const prefixItems = [...coordinateSchemas, { type: 'number', minimum: leastMetres, maximum: grantOf(point, nearPolicy)?.maxMetres }];
    const { length } = prefixItems;
    const schema = { type: 'array', prefixItems, items: { type: 'number' }, minItems: length, maxItems: length };
    return { name: points.length === 1 ? nearName : `${nearName}[${name}]`, description, schema };
  });
}
