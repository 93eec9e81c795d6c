import type { Operation } from './resource-options.ts';

/** Where an operation is: a method, and a path below the resource, `/` for the resource itself. */
export interface Place {
  readonly method: string;
  /** In the language of path-to-regexp. */
  readonly path: string;
}

/** Where the standard operations are. */
export const standardPlaces: Readonly<Record<Operation, Place>> = {
  list: { method: 'GET', path: '/' },
  get: { method: 'GET', path: '/:id' },
  create: { method: 'POST', path: '/' },
  patch: { method: 'PATCH', path: '/:id' },
  put: { method: 'PUT', path: '/:id' },
  delete: { method: 'DELETE', path: '/:id' },
};
