import { METHODS } from 'node:http';

/** The method of an operation, and its path below the resource: `/` is the resource itself. */
export interface Endpoint {
  readonly method: string;
  /** Segments, and parameters with a colon: `/:id/lines`. */
  readonly path: string;
}

/** An endpoint, and the name of the operation that it has. */
export interface NamedEndpoint extends Endpoint {
  readonly name: string;
}

/** The name of the list whose parameters stand in a body. No operation of an application has a dot in its name. */
export const listQueryName = 'list.query';

/**
 * Where a list is served whose parameters stand in a body, by the path of the list: by POST below it, and by the method
 * QUERY (RFC 10008) at its own path if the HTTP parser of Node knows it.
 */
export function queryEndpoints(path: string): readonly Endpoint[] {
  return [{ method: 'POST', path: `${path === '/' ? '' : path}/query` }, ...queryMethods.map((method) => ({ method, path }))];
}

/** A method that reads, as GET does, and has a body. None if the HTTP parser of Node does not know it. */
export const queryMethods: readonly string[] = METHODS.filter((method) => method === 'QUERY');
