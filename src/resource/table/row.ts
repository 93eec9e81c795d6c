import type { ResourceMiddleware } from '../../middleware/exchange/context.ts';
import type { CompiledOperation } from '../define/compile-operations.ts';
import type { CompiledResource, LinkedArray, NestedResource } from '../define/compiled-resource.ts';
import type { Endpoint } from '../define/endpoints.ts';
import type { Operation } from '../define/standard-operations.ts';

/** The middlewares of an operation, in the order in which they run. */
export type Chain = readonly ResourceMiddleware[];

/** Which requests of its method and path a row answers. `Accept` is looked at before the parameters. */
export type When = { readonly accept: readonly string[] } | { readonly parameter: string };

/** Names of operations of a resource, as keys of its tables of functions. */
export interface Asked {
  readonly resource: CompiledResource;
  readonly names: readonly string[];
}

/** What a row is about: by it, the row is described. */
export type Subject =
  | { readonly kind: 'standard'; readonly operation: Operation }
  | { readonly kind: 'query' | 'aggregate' | 'history' }
  /** Another form of what the row answers that its endpoint has without `when`. */
  | { readonly kind: 'form' }
  | { readonly kind: 'custom'; readonly operation: CompiledOperation }
  | { readonly kind: 'nested'; readonly nested: NestedResource; readonly part: 'list' | 'query' | 'create' }
  | { readonly kind: 'link'; readonly link: LinkedArray; readonly part: 'add' | 'remove' };

/**
 * A row of the table of operations: something that a resource serves. Rows of one method and path are an endpoint, of
 * which the first row whose `when` holds answers, and else the one without.
 */
export interface Row extends Endpoint {
  /** Its name in the table, such as `list`, `send`, `list.export` or `orders.create`. */
  readonly name: string;
  /** Its name in `ctx.operation`. */
  readonly operation: string;
  readonly subject: Subject;
  readonly when?: When;
  /** The row of which it is another spelling: the list whose parameters stand in its body. */
  readonly twinOf?: string;
  /** Whether its path may also be that of a record: no application has chosen it. */
  readonly sharesPath: boolean;
  /** Whose guards it asks, in this order. */
  readonly asks: readonly Asked[];
  /** Whose hooks it runs. */
  readonly runs: Asked;
  /** Whether the scope of its resource bounds it. */
  readonly isScoped: boolean;
  /** Whether `serverFields` set values in what it writes. */
  readonly setsFields: boolean;
  /** The resources whose fields it takes or shows. */
  readonly about: readonly CompiledResource[];
  /** Whether its parameters may name records that the last of these refers to. */
  readonly takesRelations: boolean;
  /** Whether it is unknown to callers who may not see the field that it is about. */
  readonly isHidable: boolean;
  readonly readsJson: boolean;
  /** Whether a batch may have it. */
  readonly isMember: boolean;
  /** How long the database may work for it: the limit of the model whose records it is about, in milliseconds. */
  readonly maxTimeMS: number;
  /** Makes its own chain, without what runs before every operation of the api. */
  chain(): Chain;
  /** Makes a stream: it runs its own chain, and again, after `identifying`, for as long as it lasts. */
  keep?(own: Chain, identifying: Chain): ResourceMiddleware;
}

/** What a row differs in from a read of its resource that takes no body and belongs to no batch. */
type Particulars = Pick<Row, 'name' | 'method' | 'path' | 'subject' | 'chain'> & Partial<Row>;

/** Makes a row of a resource. Unless it says otherwise, it asks and runs what is given for its own name. */
export function rowOf(r: CompiledResource, row: Particulars): Row {
  const own = { resource: r, names: [row.name] };
  return {
    operation: row.name,
    sharesPath: false,
    asks: [own],
    runs: own,
    isScoped: r.isScoped,
    setsFields: false,
    about: [r],
    takesRelations: false,
    isHidable: false,
    readsJson: false,
    isMember: false,
    maxTimeMS: limitOf(r),
    ...row,
  };
}

/** The time limit of a model wins over that of the api. */
export function limitOf({ model, maxTimeMS }: CompiledResource): number {
  return model.maxTimeMS ?? maxTimeMS;
}

/** The rows of one method and path, in the order of the table. */
export interface RowsOfEndpoint<Found extends Row = Row> extends Endpoint {
  readonly rows: readonly [Found, ...Found[]];
}

/** Gathers rows by method and path. */
export function endpointsOf<Found extends Row>(rows: readonly Found[]): RowsOfEndpoint<Found>[] {
  const endpoints = new Map<string, [Found, ...Found[]]>();
  for (const row of rows) {
    const at = `${row.method} ${row.path}`;
    const known = endpoints.get(at);
    if (known) known.push(row);
    else endpoints.set(at, [row]);
  }
  return Array.from(endpoints.values(), (all) => ({ method: all[0].method, path: all[0].path, rows: all }));
}

/** The row that answers when no other row of the endpoint does: the only one without `when`. */
export function usualOf<Found extends Row>({ rows }: RowsOfEndpoint<Found>): Found {
  return rows.find(({ when }) => when === undefined) ?? rows[0];
}

/** The path of an endpoint as a template of OpenAPI. `root` is that of its resource. */
export function templateOf(root: string, path: string): string {
  return path === '/' ? root : root + path.replaceAll(/:(\w+)/g, '{$1}');
}
