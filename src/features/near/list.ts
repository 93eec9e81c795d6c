import type { ListPlugin } from '../../middleware/exchange/list-plugin.ts';
import { grantOf } from '../../model/compile/policy-key.ts';
import type { QueryField } from '../../model/compile/query-fields.ts';
import { coordinateSchemas } from '../../model/value/point-leaf.ts';
import { distancesName, leastMetres, nearName, nearPoints, nearPolicy } from './policy.ts';

/** Lists of records around a place, nearest first. */
export const nearList: ListPlugin = {
  addTo({ clientFields }) {
    const points = nearPoints(clientFields);
    if (points.length === 0) return undefined;
    const filters: ReadonlySet<string | undefined> = clientFields.get(nearName)?.operators ?? new Set(); // a field may be called so
    return {
      parameters: [
        { name: nearName, finds: true, isMeant: ({ operator }) => !filters.has(operator), describe: () => describeNear(points) },
        { name: distancesName, finds: false, describe: () => [describeDistances] },
      ],
      isOfPages: true,
      ofPage: {
        distances: {
          type: 'array',
          items: { type: 'number', minimum: 0 },
          description: 'How far away each record of `data` is, in metres, when it was asked for.',
        },
      },
      load: async () => (await import('./list-read.ts')).compileRead(points),
    };
  },
};

const describeDistances = {
  name: distancesName,
  description: 'With `near`: adds `page.distances`, in metres.',
  schema: { type: 'boolean' },
};

/** The parameter for the records around a place: one, or one for each point. */
function describeNear(points: readonly QueryField[]) {
  return points.map((point) => {
    const { name } = point;
    const description = `Records whose \`${name}\` is around a place, nearest first: longitude, latitude, metres.`;
    const prefixItems = [...coordinateSchemas, { type: 'number', minimum: leastMetres, maximum: grantOf(point, nearPolicy)?.maxMetres }];
    const { length } = prefixItems;
    const schema = { type: 'array', prefixItems, items: { type: 'number' }, minItems: length, maxItems: length };
    return { name: points.length === 1 ? nearName : `${nearName}[${name}]`, description, schema };
  });
}
