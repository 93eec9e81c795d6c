import type { CompiledResource } from './define/compiled-resource.ts';
import { type Endpoint, listQueryName, queryEndpoints, standardEndpoints } from './define/endpoints.ts';
import { historyEndpoint } from './define/history-options.ts';
import type { Operation } from './define/resource-options.ts';
import { aggregateEndpoint, aggregateName } from './define/whole-list.ts';

/** An operation that a resource serves, of whichever kind. */
export interface ServedOperation extends Endpoint {
  /** Its name in guards and chains, such as `list`, `send` or `orders.create`. */
  readonly name: string;
  /** The operation of which it is another form: the list whose parameters stand in its body. */
  readonly twinOf?: string;
  /** Whether its path may also be that of a record: no application has chosen it. */
  readonly sharesPath?: boolean;
  /** Whether it reads a JSON body. */
  readonly readsJson: boolean;
  /** How long the database may work for it: the limit of the model whose records it is about, in milliseconds. */
  readonly maxTimeMS: number;
}

const withBody: ReadonlySet<Operation> = new Set<Operation>(['create', 'patch', 'put', 'patchMany']);

/** All operations of a resource: the standard ones, the custom ones, and those of its relations. */
export function servedOperations(resource: CompiledResource): ServedOperation[] {
  const maxTimeMS = limitOf(resource);
  const standard = resource.ops.map((name) => ({ ...standardEndpoints[name], name, readsJson: withBody.has(name), maxTimeMS }));
  const queries = resource.ops.includes('list')
    ? queryEndpoints('/').map((endpoint) => ({
        ...endpoint,
        name: listQueryName,
        twinOf: 'list',
        sharesPath: true,
        readsJson: true,
        maxTimeMS,
      }))
    : [];
  const numbers = resource.aggregate ? [{ ...aggregateEndpoint, name: aggregateName, sharesPath: true, readsJson: false, maxTimeMS }] : [];
  const histories = resource.history ? [{ ...historyEndpoint, readsJson: false, maxTimeMS }] : [];
  const custom = resource.operations.map(({ name, method, path, body }) => ({
    method,
    path,
    name,
    readsJson: body !== undefined,
    maxTimeMS,
  }));
  const nested = resource.nested.flatMap(({ operations, target }) =>
    operations.map(({ name, kind, method, path }) => {
      const twin = kind === 'query' ? { twinOf: name.replace(/query$/, 'list'), sharesPath: true } : {};
      return { method, path, name, ...twin, readsJson: kind !== 'list', maxTimeMS: limitOf(target) };
    }),
  );
  const links = resource.links.flatMap(({ operations }) =>
    operations.map(({ name, method, path }) => ({ method, path, name, readsJson: false, maxTimeMS })),
  );
  return [...standard, ...numbers, ...histories, ...custom, ...nested, ...links, ...queries];
}

/** The time limit of a model wins over that of the api. */
function limitOf({ model, maxTimeMS }: CompiledResource): number {
  return model.maxTimeMS ?? maxTimeMS;
}
