import type { KnownTarget } from '../../middleware/relations/relation-targets.ts';
import type { ApiSettings, UnlinkedResource } from './compiled-resource.ts';

/**
 * Makes what a plug-in needs of a resource and the others to which its relations lead, once for each view of it. Throws
 * a {@link ConfigurationError} for options that cannot be served.
 */
export type MakeFacet<Facet = unknown> = (resource: UnlinkedResource, targets: readonly KnownTarget[], settings: ApiSettings) => Facet;

/** Returns what a plug-in has made of a resource by this function: of the resource alone, or with its relations. */
export function facetOf<Facet>({ facets }: Pick<UnlinkedResource, 'facets'>, make: (...of: never[]) => Facet): Facet {
  return facets.get(make) as Facet;
}

/** Returns what a plug-in shares among all resources of an api, such as places, by the function that makes it. */
export function sharedOf<Shared>({ shared }: Pick<ApiSettings, 'shared'>, make: (...of: never[]) => Shared): Shared {
  return shared.get(make) as Shared;
}
