import { anArrayOf } from '../../options.ts';
import type { ResourcePlugin } from '../../resource/table/plugin.ts';
import { endpointsOfLinks } from './endpoints.ts';
import { namesOfLinks } from './facet.ts';
import { linkRows } from './rows.ts';

/** Arrays of references of which clients write single elements. */
export const links: ResourcePlugin = {
  legal: { links: anArrayOf("relations, such as ['tasks']", (name) => typeof name === 'string') },
  compile: namesOfLinks,
  endpoints: endpointsOfLinks,
  rows: linkRows,
};
