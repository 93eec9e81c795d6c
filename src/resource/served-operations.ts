import type { CompiledResource } from './compiled-resource.ts';
import { type Operation, type Place, standardPlaces } from './resource-options.ts';

/** An operation that a resource serves, of whichever kind. */
export interface ServedOperation extends Place {
  /** Its name in guards and chains, such as `list`, `send` or `orders.create`. */
  readonly name: string;
  /** Whether it reads a JSON body. */
  readonly readsJson: boolean;
}

const withBody: ReadonlySet<Operation> = new Set<Operation>(['create', 'patch', 'put', 'patchMany']);

/** All operations of a resource: the standard ones, the custom ones, and those of its relations. */
export function servedOperations(resource: CompiledResource): ServedOperation[] {
  const standard = resource.ops.map((name) => ({ ...standardPlaces[name], name, readsJson: withBody.has(name) }));
  const custom = resource.operations.map(({ name, method, path, body }) => ({ method, path, name, readsJson: body !== undefined }));
  const nested = resource.nested.flatMap(({ operations }) =>
    operations.map(({ name, kind, method, path }) => ({ method, path, name, readsJson: kind === 'create' })),
  );
  const links = resource.links.flatMap(({ operations }) =>
    operations.map(({ name, method, path }) => ({ method, path, name, readsJson: false })),
  );
  return [...standard, ...custom, ...nested, ...links];
}
