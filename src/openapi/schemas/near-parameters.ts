import { leastMetres, nearPolicy } from '../../model/compile/near-key.ts';
import { grantOf } from '../../model/compile/policy-key.ts';
import { coordinateSchemas } from '../../model/value/point-leaf.ts';
import { distancesName, nearName, nearPoints } from '../../mongo/list/near-parameters.ts';
import type { CompiledResource } from '../../resource/define/compiled-resource.ts';
import type { Part } from '../document.ts';
import { commaSeparated, parameter } from './parameter.ts';

/** The parameter for the records around a place: one, or one for each point. */
export function nearParameter({ model }: CompiledResource): Part[] {
  const points = nearPoints(model.clientFields);
  return points.map((point) => {
    const { name } = point;
    const description = `Records whose \`${name}\` is around a place, nearest first: longitude, latitude, metres.`;
    const prefixItems = [...coordinateSchemas, { type: 'number', minimum: leastMetres, maximum: grantOf(point, nearPolicy)?.maxMetres }];
    const { length } = prefixItems;
    const schema = { type: 'array', prefixItems, items: { type: 'number' }, minItems: length, maxItems: length };
    return parameter(points.length === 1 ? nearName : `${nearName}[${name}]`, description, schema, commaSeparated);
  });
}

/** The parameter that asks how far away the records are. */
export function distancesParameter({ model }: CompiledResource): Part[] {
  if (nearPoints(model.clientFields).length === 0) return [];
  return [parameter(distancesName, 'With `near`: adds `page.distances`, in metres.', { type: 'boolean' })];
}
