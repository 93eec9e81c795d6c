import { answer } from './answers.ts';
import { createClient, type DataProviderOptions } from './client.ts';
import type { Condition } from './conditions.ts';
import { HttpError } from './http-error.ts';
import { Records, type RequestMeta } from './records.ts';

export type { DataProviderOptions } from './client.ts';
export { HttpError } from './http-error.ts';

/** The id of a record. */
export type BaseKey = string | number;

/** The `meta` that the provider reads. */
export interface Meta extends RequestMeta {
  /** The record as the form has loaded it, if that is not what was read last. */
  readonly record?: object;
  readonly queryContext?: { readonly signal?: AbortSignal };
}

/** A filter, as Refine has it. */
export interface CrudFilter {
  readonly field?: string;
  readonly operator: string;
  // biome-ignore lint/suspicious/noExplicitAny: the values of Refine's filters are `any`
  readonly value: any;
}

/** Parameters of `getList`. */
export interface GetListParams {
  readonly resource: string;
  readonly pagination?: { readonly currentPage?: number; readonly pageSize?: number; readonly mode?: 'client' | 'server' | 'off' };
  readonly sorters?: readonly { readonly field: string; readonly order: 'asc' | 'desc' }[];
  readonly filters?: readonly CrudFilter[];
  readonly meta?: Meta;
}

/** A page. */
export interface GetListResult<Result> {
  data: Result[];
  /** How many records match, if the list says it; otherwise how many are known to be there. */
  total: number;
}

/** A request of one record. */
export interface RecordParams {
  readonly resource: string;
  readonly id: BaseKey;
  readonly meta?: Meta;
}

/** Parameters of `custom`. */
export interface CustomParams {
  /** Absolute, or relative to the page. */
  readonly url: string;
  readonly method: string;
  readonly query?: unknown;
  readonly payload?: unknown;
  readonly headers?: object;
  readonly meta?: Meta;
}

/** The `DataProvider` of Refine 5. Refine itself calls `create`, `update` and `deleteOne` for several records. */
export type DataProvider = {
  getList<Result = object>(params: GetListParams): Promise<GetListResult<Result>>;
  getOne<Result = object>(params: RecordParams): Promise<{ data: Result }>;
  getMany<Result = object>(params: {
    readonly resource: string;
    readonly ids: readonly BaseKey[];
    readonly meta?: Meta;
  }): Promise<{ data: Result[] }>;
  create<Result = object, Variables = object>(params: {
    readonly resource: string;
    readonly variables: Variables;
    readonly meta?: Meta;
  }): Promise<{ data: Result }>;
  update<Result = object, Variables = object>(params: RecordParams & { readonly variables: Variables }): Promise<{ data: Result }>;
  deleteOne<Result = object, Variables = object>(params: RecordParams & { readonly variables?: Variables }): Promise<{ data: Result }>;
  custom<Result = object>(params: CustomParams): Promise<{ data: Result }>;
  getApiUrl(): string;
};

/** How many records a list without pages has at most. */
const maxRecords = 10_000;

/**
 * A data provider for Refine, made of the URL of an api.
 *
 * An update sends only the fields that differ from the record as it was last read by `getOne`, and `If-Match` with its
 * revision. If the values of the form contain the revision, that one counts. `meta.record` says otherwise. Errors have
 * `statusCode` and `errors`, as forms expect.
 *
 * @param url the prefix of the api, such as `/api` or `https://shop.example/api`
 * @example
 * const provider = dataProvider('/api', { credentials: 'include' });
 * // <Refine dataProvider={provider} resources={[{ name: 'orders', list: '/orders' }]} />
 */
export function dataProvider(url: string, options: DataProviderOptions = {}): DataProvider {
  const records = new Records(url, options);
  const { headers: _headers, credentials: _credentials, ...others } = options;
  const sendAbroad = createClient(others);
  return {
    getApiUrl: () => url,
    async getList<Result>({ resource, pagination = {}, sorters = [], filters = [], meta }: GetListParams) {
      const { currentPage = 1, pageSize = 10, mode = 'server' } = pagination;
      const range = mode === 'server' ? { offset: (currentPage - 1) * pageSize, count: pageSize } : { offset: 0, count: maxRecords };
      const conditions = filters.flatMap(conditionsOfFilter);
      const { data, hasNext, total } = await records.list(resource, {
        ...range,
        sort: sorters.map(({ field, order }) => ({ field, descending: order === 'desc' })),
        conditions: () => conditions,
        meta: { total: true, ...meta },
        signal: meta?.queryContext?.signal,
      });
      return { data: data as readonly unknown[] as Result[], total: total ?? range.offset + data.length + (hasNext ? 1 : 0) };
    },
    async getOne({ resource, id, meta }) {
      return answer(await records.get(resource, id, { meta, signal: meta?.queryContext?.signal }));
    },
    async getMany({ resource, ids, meta }) {
      return answer(await records.getMany(resource, ids, { meta, signal: meta?.queryContext?.signal }));
    },
    async create({ resource, variables, meta }) {
      return answer(await records.create(resource, { ...(variables as object) }, { meta }));
    },
    async update({ resource, id, variables, meta }) {
      const { [records.revision]: revision, ...values } = { ...variables } as Readonly<Record<string, unknown>>;
      const loaded = meta?.record ?? records.seen.opened(resource, id);
      // Of a record that was read again meanwhile, the form does not show all values: then nothing is left out, and the
      // api answers 412.
      const isShown = revision === undefined || String(loaded?.[records.revision as keyof object]) === String(revision);
      return answer(await records.update(resource, id, values, isShown ? loaded : { [records.revision]: revision }, { meta }));
    },
    async deleteOne({ resource, id, meta }) {
      const loaded = meta?.record ?? records.seen.latest(resource, id);
      await records.remove(resource, id, loaded);
      return answer(loaded ?? { id });
    },
    async custom({ url: target, method, query, payload, headers = {}, meta }) {
      const send = isOfSameOrigin(target, url) ? records.send : sendAbroad; // only the api learns who calls
      const body = await send(method.toUpperCase(), target, {
        query: Object.entries(query ?? {}).map(([name, value]) => [name, String(value)]),
        body: payload === undefined ? undefined : JSON.stringify(payload),
        headers: { ...headers } as Record<string, string>,
        signal: meta?.queryContext?.signal,
      });
      return answer((body as { readonly data?: unknown } | undefined)?.data ?? body);
    },
  };
}

function isOfSameOrigin(target: string, url: string): boolean {
  const page = (globalThis as { readonly location?: { readonly href: string } }).location?.href ?? 'http://page';
  return new URL(target, page).origin === new URL(url, page).origin;
}

/**
 * Operators of Refine that lists have as well, with their names there. Texts are compared in the same case, unless
 * their field is `caseless`. `useSelect` sends `contains`.
 */
const operators: Readonly<Record<string, string>> = {
  eq: 'eq',
  eqs: 'eq',
  ne: 'ne',
  nes: 'ne',
  lt: 'lt',
  lte: 'lte',
  gt: 'gt',
  gte: 'gte',
  in: 'in',
  nin: 'nin',
  startswiths: 'prefix',
  contains: 'contains',
  containss: 'contains',
};

function conditionsOfFilter({ field, operator, value }: CrudFilter): Condition[] {
  if (operator === 'and') return (value as readonly CrudFilter[]).flatMap(conditionsOfFilter);
  if (field === undefined) throw new HttpError(`Lists of the api cannot be filtered by "${operator}".`, 400);
  if (value === undefined || (value === null && operator !== 'null' && operator !== 'nnull')) return [];
  if (operator === 'between')
    return [
      { field, operator: 'gte', value: value[0] },
      { field, operator: 'lte', value: value[1] },
    ];
  if (operator === 'null' || operator === 'nnull') return [{ field, operator: 'exists', value: operator === 'nnull' }];
  const name = operators[operator];
  if (name === undefined)
    throw new HttpError(`Lists of the api have no filter "${operator}" (of "${field}"). They have ${known}, between, null and nnull.`, 400);
  return [{ field, operator: name, value }];
}

const known = Object.keys(operators).join(', ');
