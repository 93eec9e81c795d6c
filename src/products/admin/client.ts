import { parseExactly } from './exact-json.ts';
import { errorOf, foreignAnswer, type Messages } from './http-error.ts';

type Headers = NonNullable<RequestInit['headers']>;

/** Options of the data providers. */
export interface DataProviderOptions {
  /** Headers of every request, such as `Authorization`, or a function that is called for each request. @default none */
  readonly headers?: Headers | (() => Headers | Promise<Headers>);
  /** Whether cookies are sent to an api of another origin: `'include'`. @default 'same-origin' */
  readonly credentials?: NonNullable<RequestInit['credentials']>;
  /** Used instead of the global `fetch`. */
  readonly fetch?: typeof fetch;
  /**
   * The OpenAPI description of the api: where it is served, or the document itself, as `npx koa-mongo-resource openapi`
   * writes it. It tells how lists are paged, which parameters they have, and which objects a patch merges. It is read
   * once, before the first request that needs it.
   *
   * @default `<url>/openapi.json`
   */
  readonly openapi?: string | object;
  /** The name of the field that is `t.revision()`. @default 'revision' */
  readonly revision?: string;
  /**
   * Messages by the code of the problem, or keys of translations: `{ precondition_failed: 'shop.conflict' }`.
   *
   * @default those of the api
   */
  readonly messages?: Messages;
}

/** The parts of a request besides its method and path, and the kind of answer that it accepts. */
export interface Sent<Answer = unknown> {
  readonly query?: Query;
  /** JSON. */
  readonly body?: string | undefined;
  readonly ifMatch?: string | undefined;
  readonly headers?: Headers | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Whether the JSON of a success, undefined without a body, is an answer to this request. @default all JSON is */
  readonly isAnswer?: (json: unknown) => json is Answer;
}

/** Parameters of a query string, in their order. */
export type Query = readonly (readonly [name: string, value: string])[];

/**
 * Sends one request and gives the JSON of its answer; undefined without a body. Rejects with an `HttpError` if it is
 * not a success, or no answer to this request.
 */
export type Send = <Answer = unknown>(method: string, url: string, sent?: Sent<Answer>) => Promise<Answer>;

/** Makes the function that sends all requests of a data provider. */
export function createClient(options: DataProviderOptions): Send {
  const { credentials, messages } = options;
  return async function send<Answer>(method: string, url: string, sent: Sent<Answer> = {}) {
    const { query = [], body, ifMatch, headers: more, signal, isAnswer = isAny } = sent;
    const all = await headersOf(options);
    new Headers(more).forEach((value, name) => {
      all.set(name, value);
    });
    if (body !== undefined) all.set('Content-Type', 'application/json');
    if (ifMatch !== undefined) all.set('If-Match', ifMatch);
    const search = searchOf(query);
    const answer = await (options.fetch ?? fetch)(search === '' ? url : `${url}${url.includes('?') ? '&' : '?'}${search}`, {
      method,
      headers: all,
      ...(credentials ? { credentials } : {}),
      ...(body === undefined ? {} : { body }),
      ...(signal ? { signal } : {}),
    });
    const text = await answer.text();
    if (!answer.ok) throw errorOf(answer.status, text, messages);
    const json = readJson(text, answer.status);
    if (!isAnswer(json)) throw foreignAnswer(answer.status);
    return json;
  };
}

function isAny<Answer>(_json: unknown): _json is Answer {
  return true;
}

function readJson(text: string, status: number): unknown {
  try {
    return text === '' ? undefined : parseExactly(text);
  } catch {
    throw foreignAnswer(status);
  }
}

/** The headers that every request has. */
export async function headersOf({ headers }: DataProviderOptions): Promise<globalThis.Headers> {
  return new Headers(typeof headers === 'function' ? await headers() : headers);
}

/** The query string, without its question mark. */
export function searchOf(query: Query): string {
  return new URLSearchParams(query.map(([name, value]): [string, string] => [name, value])).toString();
}
