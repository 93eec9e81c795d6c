import { answer } from './answers.ts';
import type { DataProviderOptions } from './client.ts';
import { type Condition, conditionsOf } from './conditions.ts';
import { type ListRequest, Records, type RequestMeta } from './records.ts';

export type { DataProviderOptions } from './client.ts';
export { HttpError } from './http-error.ts';
export type { RequestMeta } from './records.ts';

/** The id of a record. */
export type Identifier = string | number;

/** Further parameters of the functions that read. */
export interface ReadParams {
  readonly meta?: RequestMeta;
  readonly signal?: AbortSignal;
}

/** Parameters of `getList`. */
export interface GetListParams extends ReadParams {
  /** @default the first 25 records */
  readonly pagination?: { readonly page: number; readonly perPage: number };
  readonly sort?: { readonly field: string; readonly order: 'ASC' | 'DESC' };
  readonly filter?: object;
}

/**
 * A page. Lists by number say how many records match, if their paging allows that; lists by cursor say which pages
 * there are beside it.
 */
export interface GetListResult<Result> {
  data: Result[];
  total?: number;
  pageInfo?: { hasNextPage?: boolean; hasPreviousPage?: boolean };
}

/** The `DataProvider` of react-admin 5. */
export type DataProvider = {
  getList<Result = Listed>(resource: string, params: GetListParams): Promise<GetListResult<Result>>;
  getOne<Result = Listed>(resource: string, params: ReadParams & { readonly id: Identifier }): Promise<{ data: Result }>;
  getMany<Result = Listed>(resource: string, params: ReadParams & { readonly ids: readonly Identifier[] }): Promise<{ data: Result[] }>;
  getManyReference<Result = Listed>(
    resource: string,
    params: GetListParams & { readonly target: string; readonly id: Identifier },
  ): Promise<GetListResult<Result>>;
  create<_Values = object, Result = Listed>(resource: string, params: WriteParams & { readonly data: object }): Promise<{ data: Result }>;
  update<Result = Listed>(
    resource: string,
    params: WriteParams & { readonly id: Identifier; readonly data: object; readonly previousData?: object },
  ): Promise<{ data: Result }>;
  updateMany(
    resource: string,
    params: WriteParams & { readonly ids: readonly Identifier[]; readonly data: object },
  ): Promise<{ data: Identifier[] }>;
  delete<Result = Listed>(
    resource: string,
    params: WriteParams & { readonly id: Identifier; readonly previousData?: object },
  ): Promise<{ data: Result }>;
  deleteMany(resource: string, params: WriteParams & { readonly ids: readonly Identifier[] }): Promise<{ data: Identifier[] }>;
  supportAbortSignal: true;
};

/** Further parameters of the functions that write. */
export interface WriteParams {
  readonly meta?: Pick<RequestMeta, 'query'>;
}

/** A record as it is served, if its type is not known. */
export interface Listed {
  id: Identifier;
  // biome-ignore lint/suspicious/noExplicitAny: react-admin's components need records of `any`
  [field: string]: any;
}

/**
 * A data provider for react-admin, made of the URL of an api.
 *
 * An update sends only the fields that were changed, and `If-Match` with the revision of the record as the form has
 * shown it. Errors are an `HttpError` whose `body.errors` has a message for each field, which forms show at their
 * inputs.
 *
 * @param url the prefix of the api, such as `/api` or `https://shop.example/api`
 * @example
 * const provider = dataProvider('/api', { headers: () => ({ Authorization: `Bearer ${token}` }) });
 * // <Admin dataProvider={provider}>…</Admin>
 */
export function dataProvider(url: string, options: DataProviderOptions = {}): DataProvider {
  const records = new Records(url, options);

  async function list<Result>(resource: string, params: GetListParams, more: readonly Condition[] = []): Promise<GetListResult<Result>> {
    const { pagination: { page, perPage } = { page: 1, perPage: 25 }, sort, filter = {}, meta, signal } = params;
    const request: ListRequest = {
      offset: (page - 1) * perPage,
      count: perPage,
      sort: sort ? [{ field: sort.field, descending: sort.order === 'DESC' }] : [],
      conditions: (description) => [...conditionsOf(filter, description), ...more],
      meta,
      signal,
    };
    const { data, hasNext, total = endOf(request.offset, data, hasNext) } = await records.list(resource, request);
    return {
      data: data as Result[],
      ...(total === undefined ? { pageInfo: { hasNextPage: hasNext, hasPreviousPage: page > 1 } } : { total }),
    };
  }

  return {
    supportAbortSignal: true,
    getList: (resource, params) => list(resource, params),
    getManyReference: (resource, params) => list(resource, params, [{ field: params.target, operator: 'eq', value: params.id }]),
    async getOne(resource, { id, meta, signal }) {
      return answer(await records.get(resource, id, { meta, signal }));
    },
    async getMany(resource, { ids, meta, signal }) {
      return answer(await records.getMany(resource, ids, { meta, signal }));
    },
    async create(resource, { data, meta }) {
      return answer(await records.create(resource, data, { meta }));
    },
    async update(resource, { id, data, previousData, meta }) {
      return answer(await records.update(resource, id, data, previousData, { meta }));
    },
    async updateMany(resource, { ids, data, meta }) {
      await records.each(ids, (id) => records.update(resource, id, data, records.seen.latest(resource, id), { meta }));
      return { data: [...ids] };
    },
    async delete(resource, { id, previousData }) {
      await records.remove(resource, id, previousData);
      return answer(previousData ?? { id });
    },
    async deleteMany(resource, { ids }) {
      await records.each(ids, (id) => records.remove(resource, id, records.seen.latest(resource, id)));
      return { data: [...ids] };
    },
  };
}

/**
 * The number of all matches, which the last page tells. Without it react-admin takes a last page for full: "1-10 of 10"
 * of one record.
 */
function endOf(offset: number, data: readonly unknown[], hasNext: boolean): number | undefined {
  return hasNext || (data.length === 0 && offset > 0) ? undefined : offset + data.length;
}
