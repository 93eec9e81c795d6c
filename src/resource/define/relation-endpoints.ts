import { ConfigurationError } from '../../errors.ts';
import { type NamedEndpoint, queryEndpoints } from './endpoints.ts';
import type { RelationOptions } from './relation-options.ts';

/** An operation at the path of a relation, below a record. */
export interface RelationEndpoint<Kind extends string = string> extends NamedEndpoint {
  /** The relation and the kind: `tasks.list`. No operation of an application has a dot in its name. */
  readonly name: string;
  readonly kind: Kind;
}

/** An operation of another resource below a record. */
export interface NestedEndpoint extends RelationEndpoint<'list' | 'query' | 'create'> {
  /** The operation of the other resource whose guards, hooks and chain it has. */
  readonly like: 'list' | 'create';
}

/** The operations of a relation in `nested`. */
export function nestedEndpoints(relation: string): NestedEndpoint[] {
  const path = `/:id/${relation}`;
  return [
    { name: `${relation}.list`, kind: 'list', like: 'list', method: 'GET', path },
    { name: `${relation}.create`, kind: 'create', like: 'create', method: 'POST', path },
    ...queryEndpoints(path).map((endpoint) => ({ name: `${relation}.query`, kind: 'query' as const, like: 'list' as const, ...endpoint })),
  ];
}

/** The operations of all that `nested` names. Throws a {@link ConfigurationError} for a name that no path can have. */
export function endpointsOfNested({ nested = [] }: RelationOptions, where: string): NestedEndpoint[] {
  checkRelationNames('nested', nested, where);
  return nested.flatMap(nestedEndpoints);
}

/** Refuses relations that cannot be a segment of a path, or are named twice. */
export function checkRelationNames(option: string, names: readonly string[], where: string): void {
  for (const [index, name] of names.entries()) {
    if (!/^(?!\.{1,2}$)[\w.~-]+$/.test(name))
      throw new ConfigurationError(`\`${option}\` of ${where} names \`${name}\`, which cannot be a segment of a path.`);
    if (names.indexOf(name) < index) throw new ConfigurationError(`\`${option}\` of ${where} names \`${name}\` twice.`);
  }
}
