import type { AfterHook } from '../../middleware/after-hooks.ts';
import type { BeforeHook } from '../../middleware/before-hooks.ts';
import type { ResourceMiddleware } from '../../middleware/exchange/context.ts';
import { guards } from '../../middleware/guards.ts';
import type { GuardedSource } from '../../middleware/relations/relation-targets.ts';
import type { WithinHook } from '../../middleware/within-transaction.ts';
import type { CompiledOperation } from '../define/compile-operations.ts';
import type { CompiledResource, NestedResource } from '../define/compiled-resource.ts';
import type { Endpoint } from '../define/endpoints.ts';
import type { FunctionTables } from '../define/function-tables.ts';
import type { Operation } from '../define/standard-operations.ts';

/** The middlewares of an operation, in the order in which they run. */
export type Chain = readonly ResourceMiddleware[];

/** Which requests of its method and path a row answers. `Accept` is looked at before the parameters. */
export type When = { readonly accept: readonly string[] } | { readonly parameter: string };

/** Names of operations of a resource, by which its tables of functions are read. */
export interface TableKeys {
  readonly resource: CompiledResource;
  readonly names: readonly string[];
}

/** The hooks that a row runs. */
export interface Hooks {
  readonly before: readonly BeforeHook<never, never>[];
  readonly within: readonly WithinHook<never, never, never>[];
  readonly after: readonly AfterHook<never, never>[];
}

/** A resource without its guards and hooks, which a chain has from its row alone. */
export type Unguarded = Omit<CompiledResource, keyof FunctionTables>;

/** What a row serves: by it, the row is described. */
export type RowSubject =
  | { readonly kind: 'standard'; readonly operation: Operation }
  | { readonly kind: 'query' }
  /** A read that a plug-in has beside the standard ones, and describes itself. */
  | { readonly kind: 'read' }
  /** A variant of what its endpoint answers by the row without `when`. */
  | { readonly kind: 'variant' }
  | { readonly kind: 'custom'; readonly operation: CompiledOperation }
  | { readonly kind: 'nested'; readonly nested: NestedResource; readonly part: 'list' | 'query' | 'create' }
  | PluginWrite;

/** A write of one record that a plug-in has, in its own words. It answers 204. */
export interface PluginWrite {
  readonly kind: 'plugin';
  /** What it is, without names that an application has chosen: `link add`. */
  readonly name: string;
  readonly summary: string;
  readonly description: string;
  /** The meaning of its 204. */
  readonly done: string;
  /** The records whose ids stand in its path besides `id`, by the names of the parameters. */
  readonly others: Readonly<Record<string, GuardedSource>>;
}

/**
 * A row of the table of operations: something that a resource serves. Rows of one method and path are an endpoint, of
 * which the first row whose `when` holds answers, and else the one without.
 */
export interface Row extends Endpoint {
  /** Its name in the table, such as `list`, `send`, `list.export` or `orders.create`. */
  readonly name: string;
  /** Its name in `ctx.operation`. */
  readonly operation: string;
  readonly subject: RowSubject;
  readonly when?: When;
  /** Why what it shows never changes. A stream that keeps the answers of its endpoint true refuses its parameter. */
  readonly unchanging?: string;
  /** The row of which it is another spelling: the list whose parameters stand in its body. */
  readonly twinOf?: string;
  /**
   * Whether the library has chosen its path, such as `/query`, which may also be that of a record: with another method
   * it is one.
   */
  readonly mayBeRecord: boolean;
  /** Whose guards it asks before anything else, in this order. */
  readonly asks: readonly TableKeys[];
  /** Whose hooks it runs. */
  readonly runs: TableKeys;
  /** Whether the scope of its resource bounds it. */
  readonly isScoped: boolean;
  /** Whether `serverFields` set values in what it writes. */
  readonly setsFields: boolean;
  /** The resources whose fields it takes or shows. What it does depends on what its caller sees of them. */
  readonly fieldsOf: readonly CompiledResource[];
  /**
   * Whether its parameters may name relations of the last of these, by `include` or in a filter. Then it depends on
   * what its caller sees of the related records, too.
   */
  readonly mayNameRelations: boolean;
  /** Whether it is unknown to callers who may not see its field: that of the nested list or of the plug-in. */
  readonly isHidable: boolean;
  readonly readsJson: boolean;
  /** Whether it makes a record of its resource, to which later operations of a batch can refer. */
  readonly makesRecord: boolean;
  /** Whether it only adds something: nothing that is there is changed or lost. */
  readonly isAdditive: boolean;
  /** Whether a write changes nothing more if it is sent twice (RFC 9110 §9.2.2). */
  readonly isIdempotent: boolean;
  /** Whether a batch may have it. */
  readonly isMember: boolean;
  /** How long the database may work for it: the limit of the model whose records it touches, in milliseconds. */
  readonly maxTimeMS: number;
  /** Makes its own chain, without what runs before every operation of the api. */
  chain(): Chain;
  /** Makes a stream: it runs its own chain, and again, after `identifying`, for as long as it lasts. */
  keep?(own: Chain, identifying: Chain): ResourceMiddleware;
}

/** What a row differs in from a read of its resource that takes no body and belongs to no batch. */
type Particulars = Pick<Row, 'name' | 'method' | 'path' | 'subject'> &
  Partial<Omit<Row, 'chain'>> & {
    /** Makes what it runs after its guards, with its hooks in it. */
    chain(hooks: Hooks): Chain;
  };

/**
 * Makes a row of a resource. Unless it says otherwise, it asks and runs what is given for its own name. The guards of
 * `asks` stand before the chain that is given, which gets the hooks of `runs`: it has them from nowhere else.
 */
export function rowOf(r: CompiledResource, row: Particulars): Row {
  const own = { resource: r, names: [row.name] };
  const made = {
    operation: row.name,
    mayBeRecord: false,
    asks: [own],
    runs: own,
    isScoped: r.isScoped,
    setsFields: false,
    fieldsOf: [r],
    mayNameRelations: false,
    isHidable: false,
    readsJson: false,
    makesRecord: false,
    isAdditive: false,
    isIdempotent: false,
    isMember: false,
    maxTimeMS: limitOf(r),
    ...row,
  };
  return { ...made, chain: () => [...guardsOf(made.asks), ...row.chain(hooksOf(made.runs))] };
}

/** The guards of each resource are one middleware. */
function guardsOf(asks: readonly TableKeys[]): Chain {
  const all = asks.map(({ resource, names }) => resource.guardsOf(...names));
  return all.filter((some) => some.length > 0).map((some) => guards(...some));
}

function hooksOf({ resource, names }: TableKeys): Hooks {
  const once = <Hook>(hooksFor: (name: string) => readonly Hook[]) => [...new Set(names.flatMap(hooksFor))];
  return { before: once(resource.beforeOf), within: once(resource.withinOf), after: once(resource.hooksOf) };
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

/** Whether the path of an endpoint leads to one record, or to something of it. */
export function isOfRecord(path: string): boolean {
  return path.startsWith('/:id');
}

/** The path of an endpoint as a template of OpenAPI. `root` is that of its resource. */
export function templateOf(root: string, path: string): string {
  return path === '/' ? root : root + path.replaceAll(/:(\w+)/g, '{$1}');
}
