import { checkRelationNames, type RelationEndpoint } from '../../resource/define/relation-endpoints.ts';
import type { ResourceParts } from '../../resource/define/resource-parts.ts';
import { namesOfLinks } from './facet.ts';

/** The operations of a relation in `links`. */
export function linkEndpoints(relation: string): RelationEndpoint<'add' | 'remove'>[] {
  const path = `/:id/${relation}/:other`;
  return [
    { name: `${relation}.add`, kind: 'add', method: 'PUT', path },
    { name: `${relation}.remove`, kind: 'remove', method: 'DELETE', path },
  ];
}

/** The operations of all that `links` names. Throws a {@link ConfigurationError} for a name that no path can have. */
export function endpointsOfLinks(parts: ResourceParts): RelationEndpoint[] {
  const links = namesOfLinks(parts);
  checkRelationNames('links', links, parts.where);
  return links.flatMap(linkEndpoints);
}
