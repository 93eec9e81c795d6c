import { invalidQuery } from '../errors.ts';
import { parametersIn } from '../http/query-body.ts';
import { parseQueryString } from '../http/query-string.ts';
import { settingKinds } from '../mongo/list/list-settings.ts';
import { aTimeLimit, byDefault, checkOptions, orUndefined } from '../options.ts';
import { Invalid } from '../rules.ts';
import { aBodyLimit, anAmountOfValues } from './body-limit.ts';
import type { ResourceMiddleware } from './exchange/context.ts';
import { problemsOf } from './exchange/descriptor.ts';
import { runAlone, step } from './exchange/step.ts';
import { type JsonBodyOptions, jsonBody } from './json-body.ts';

/** Options of {@link queryBody}. */
export interface QueryBodyOptions extends Pick<JsonBodyOptions, 'limit' | 'timeout' | 'maxValues'> {
  /** Largest body in bytes. @default 65,536 */
  readonly limit?: number;
  /** Time in which the body must arrive, in milliseconds. @default the api's `bodyTimeout`, or 30,000 */
  readonly timeout?: number;
  /** The most values in the body. @default the api's `maxValues`, or 25,000 */
  readonly maxValues?: number;
}

const legal = {
  limit: byDefault(65_536, aBodyLimit),
  timeout: orUndefined(aTimeLimit),
  maxValues: orUndefined(anAmountOfValues),
};

const inBodyOnly = new Invalid('not_available', 'is not available in the URL: the parameters of this request stand in its body');

/**
 * Reads the parameters of a list from a JSON body instead of the URL: `{ "status": "open", "filter": "…" }`. It leaves
 * them in `ctx.queryParameters` for `deleted` and `listQuery`. A parameter in the URL is 400, so that none is
 * overlooked.
 *
 * What is separated by commas in a URL is an array here. A filter compares with a JSON value as records have it: a
 * number for a number, null for null; `limit` and `page` are numbers, `total` is true, false or `"estimate"`.
 *
 * @example
 * router.post('/orders/query', queryBody(), listQuery(Order, cursorPaging()), findPage(Order, { db }), page());
 */
export function queryBody(options: QueryBodyOptions = {}): ResourceMiddleware {
  const read = jsonBody({ ...checkOptions(options, legal, '`queryBody`'), requireObject: false });
  const problems = (method: string) => ['invalid_query' as const, ...problemsOf(read, method)];
  return step({ problems, body: { schema: 'any' } }, async function queryBody(ctx) {
    const [first] = parseQueryString(ctx.querystring);
    if (first) throw invalidQuery([inBodyOnly.at(first.name)]);
    await runAlone(read, ctx);
    ctx.queryParameters = parametersIn(ctx.request.body, settingKinds);
  });
}
