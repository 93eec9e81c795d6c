import { isCursorPage, isNothing, isPage, isRecordAnswer, type ListedRecord, type RecordAnswer } from './answers.ts';
import { changesOf, newRecordOf } from './changes.ts';
import { createClient, type DataProviderOptions, headersOf, type Query, type Send, type Sent, searchOf } from './client.ts';
import { type Condition, queryOf } from './conditions.ts';
import { createDescriber, type Description } from './description.ts';
import { writeExactly } from './exact-json.ts';
import { HttpError } from './http-error.ts';
import { type AskPage, type Positions, type Range, type Rows, readByCursor, readByNumber } from './read-range.ts';
import { keep, Seen } from './seen.ts';

/** The settings that both frameworks may give a single request. */
export interface RequestMeta {
  /** Further parameters: `{ include: 'customer', fields: ['number', 'total'] }`. An array is a list of names. */
  readonly query?: Readonly<Record<string, string | number | boolean | readonly string[]>>;
  /** Whether a list counts all matches, if its paging allows that. @default true for lists by number */
  readonly total?: boolean;
}

/** A list as both frameworks ask for it. */
export interface ListRequest extends Range {
  readonly sort: readonly { readonly field: string; readonly descending: boolean }[];
  /** Made of the description, because names of fields and of operators may look alike. */
  readonly conditions: (description: Description) => readonly Condition[];
  readonly meta?: RequestMeta | undefined;
  readonly signal?: AbortSignal | undefined;
}

type Id = string | number;
type Options = Pick<Sent, 'signal'> & { readonly meta?: RequestMeta | undefined };

/** How many requests of one call run at once. */
const atOnce = 6;

/** How many ids one request names: a URL of 100 ids is short enough for every server. */
const idsAtOnce = 100;

/** How many lists keep their cursors. */
const maxLists = 50;

/**
 * The records of an api, read and written as forms and tables need it: what the providers of react-admin and Refine
 * have in common.
 */
export class Records {
  readonly seen = new Seen();
  readonly revision: string;
  readonly send: Send;
  readonly #url: string;
  readonly #describe: (resource: string) => Promise<Description>;
  readonly #positions = new Map<string, Positions>();
  readonly #authorization: () => Promise<string | null>;
  #caller: string | null = null;

  constructor(url: string, options: DataProviderOptions) {
    this.#url = url.replace(/\/$/, '');
    this.revision = options.revision ?? 'revision';
    this.send = createClient(options);
    this.#describe = createDescriber(this.#url, options, this.send);
    this.#authorization = async () => (await headersOf(options)).get('Authorization');
  }

  async list(resource: string, { sort, conditions, meta, signal, offset, count }: ListRequest): Promise<Rows> {
    const description = await this.#describe(resource);
    const { parameters } = description;
    const query = [...queryOf(conditions(description)), ...sortOf(sort, description), ...this.#furtherOf(meta, description)];
    const byNumber = parameters.has('page');
    const counts = (meta?.total ?? byNumber) && (parameters.get('total')?.enum?.includes('true') ?? false);
    const names = new Set(query.map(([name]) => name));
    const isRanked = names.has('q') && !names.has('sort'); // the best matches, which are one page
    const isAnswer = byNumber || isRanked ? isPage : isCursorPage;
    const ask: AskPage = (page) => {
      const all = [...query, ...page, ...(counts ? [['total', 'true'] as const] : [])];
      return this.send('GET', this.#pathOf(resource), { query: all, signal, isAnswer });
    };
    const rows = await (byNumber
      ? readByNumber(ask, { offset, count })
      : this.#readByCursor(ask, `${resource}?${searchOf(query)}`, { offset, count }));
    for (const record of rows.data) this.seen.list(resource, record);
    return rows;
  }

  async get(resource: string, id: Id, { meta, signal }: Options): Promise<ListedRecord> {
    const query = this.#furtherOf(meta, await this.#describe(resource));
    return this.#open(
      resource,
      await this.send('GET', this.#recordPathOf(resource, id), { query, signal, isAnswer: isRecordAnswer }),
      meta,
    );
  }

  /**
   * The records in the order of the ids, without missing ones. It asks by lists if the model allows `id[in]`, otherwise
   * one by one.
   */
  async getMany(resource: string, ids: readonly Id[], { meta, signal }: Options): Promise<ListedRecord[]> {
    const { parameters } = await this.#describe(resource);
    const parameter = parameters.get('id[in]');
    if (!parameter) {
      const found = await inTurns(ids, (id) => this.get(resource, id, { meta, signal }).catch(undefinedIfMissing));
      return found.filter((record) => record !== undefined);
    }
    const size = Math.min(parameter.maxItems ?? idsAtOnce, idsAtOnce);
    const chunks = Array.from({ length: Math.ceil(ids.length / size) }, (_, index) => ids.slice(index * size, (index + 1) * size));
    const pages = await inTurns(chunks, (value) => {
      const conditions = () => [{ field: 'id', operator: 'in', value }];
      return this.list(resource, { offset: 0, count: value.length, sort: [], conditions, meta: { ...meta, total: false }, signal });
    });
    const byId = new Map(pages.flatMap(({ data }) => data).map((record) => [String(record.id), record]));
    return ids.flatMap((id) => byId.get(String(id)) ?? []);
  }

  async create(resource: string, values: object, { meta }: Options): Promise<ListedRecord> {
    const description = await this.#describe(resource);
    const { create, schemas } = description;
    const body = writeExactly(newRecordOf({ ...values }, create, schemas), create, schemas);
    const query = this.#furtherOf(meta, description);
    return this.#open(resource, await this.send('POST', this.#pathOf(resource), { query, body, isAnswer: isRecordAnswer }), meta);
  }

  /**
   * Sends what differs between a record and the values of its form, for the revision that the form has shown. Nothing
   * is sent if nothing differs.
   *
   * @param before the record as the user has seen it; without it, all values are sent, for any revision
   */
  async update(resource: string, id: Id, values: object, before?: object, { meta }: Options = {}): Promise<ListedRecord> {
    const description = await this.#describe(resource);
    const { patch, schemas } = description;
    const changes = changesOf({ ...before }, { ...values }, patch, schemas);
    if (before && 'id' in before && Object.keys(changes).length === 0) return before as ListedRecord;
    const query = this.#furtherOf(meta, description);
    const sent = {
      query,
      body: writeExactly(changes, patch, schemas),
      ifMatch: this.#tagOf(before, description),
      isAnswer: isRecordAnswer,
    };
    return this.#open(resource, await this.send('PATCH', this.#recordPathOf(resource, id), sent), meta);
  }

  /** @param before the record as the user has seen it: what has been changed since is not deleted */
  async remove(resource: string, id: Id, before?: object): Promise<void> {
    const ifMatch = this.#tagOf(before, await this.#describe(resource));
    await this.send('DELETE', this.#recordPathOf(resource, id), { ifMatch, isAnswer: isNothing });
    this.seen.forget(resource, id);
  }

  /** Runs a write for each id. All are tried; if some fail, it rejects with the first error, which says how many. */
  async each(ids: readonly Id[], write: (id: Id) => Promise<unknown>): Promise<void> {
    const failures: unknown[] = [];
    await inTurns(ids, (id) => write(id).catch((error) => failures.push(error)));
    const [first] = failures;
    if (failures.length === 0) return;
    if (!(first instanceof HttpError) || ids.length === 1) throw first;
    const { errors: _errors, ...body } = first.body;
    throw new HttpError(`${failures.length} of ${ids.length} records were not written. ${first.message}`, first.status, body);
  }

  /** Cursors of an older version of the api may not fit any more: then the list is read from its beginning. */
  async #readByCursor(ask: AskPage, key: string, range: Range): Promise<Rows> {
    await this.#forgetOtherCaller();
    const positions = this.#positions.get(key) ?? new Map();
    keep(this.#positions, key, positions, maxLists);
    try {
      return await readByCursor(ask, positions, range);
    } catch (error) {
      if (!(error instanceof HttpError) || error.body.code !== 'invalid_cursor') throw error;
      positions.clear();
      return await readByCursor(ask, positions, range);
    }
  }

  /** Cursors lead through what one caller may see. */
  async #forgetOtherCaller(): Promise<void> {
    const caller = await this.#authorization();
    if (caller !== this.#caller) this.#positions.clear();
    this.#caller = caller;
  }

  /** A record of chosen fields is not what a form shows. */
  #open(resource: string, { data }: RecordAnswer, meta: RequestMeta | undefined): ListedRecord {
    if (meta?.query?.fields === undefined) this.seen.open(resource, data);
    else this.seen.list(resource, data);
    return data;
  }

  /** Chosen fields include the revision: without it, a later write would be one for any revision. */
  #furtherOf({ query = {} }: RequestMeta = {}, { hasRevision }: Description): Query {
    return Object.entries(query).map(([name, value]) => {
      const names = String(value).split(',');
      const isWithout = name === 'fields' && hasRevision && !names.includes(this.revision);
      return [name, isWithout ? [...names, this.revision].join() : String(value)];
    });
  }

  #tagOf(before: object | undefined, { hasRevision }: Description): string | undefined {
    const revision = (before as Readonly<Record<string, unknown>> | undefined)?.[this.revision];
    return hasRevision && revision !== undefined ? `"${revision}"` : undefined;
  }

  #pathOf(resource: string): string {
    return `${this.#url}/${resource}`;
  }

  /**
   * Throws for a segment that a URL would drop (RFC 3986 §5.2.4) or cannot have, and for an empty one. No record has
   * such an id.
   */
  #recordPathOf(resource: string, id: Id | null | undefined): string {
    const text = String(id ?? '');
    const isSegment = text !== '' && text !== '.' && text !== '..' && !/\p{Surrogate}/u.test(text);
    if (!isSegment) throw new HttpError(`${JSON.stringify(text)} is not the id of a record.`, 404);
    return `${this.#pathOf(resource)}/${encodeURIComponent(text)}`;
  }
}

/**
 * Ascending ids are the order of every list. Both frameworks ask for ids by default, and most models do not sort by
 * them.
 */
function sortOf(sort: ListRequest['sort'], { sortable }: Description): Query {
  const keys = sort.filter(({ field }) => field !== 'id' || sortable.has(field));
  return keys.length === 0 ? [] : [['sort', keys.map(({ field, descending }) => `${descending ? '-' : ''}${field}`).join()]];
}

function undefinedIfMissing(error: unknown): undefined {
  if (error instanceof HttpError && error.status === 404) return undefined;
  throw error;
}

/** The results in order; few requests at once, as a browser has few connections. */
async function inTurns<Item, Result>(items: readonly Item[], run: (item: Item) => Promise<Result>): Promise<Result[]> {
  const results: Result[] = [];
  const waiting = items.entries();
  async function work(): Promise<void> {
    for (const [index, item] of waiting) results[index] = await run(item);
  }
  await Promise.all(Array.from({ length: atOnce }, work));
  return results;
}
