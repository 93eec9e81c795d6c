import { checkOptions, type LegalOptions } from '../options.ts';
import type { ResourceMiddleware } from './exchange/context.ts';
import { described } from './exchange/descriptor.ts';
import { setHeader } from './exchange/exchange.ts';

/** Options of {@link caching}. */
export interface CachingOptions {
  /** `Cache-Control` of answers with records, unless something else has set it. @default 'private, no-cache' */
  readonly cacheControl?: string;
  /**
   * Names of request headers on which the answer depends. They are appended to `Vary`.
   *
   * @default ['Authorization', 'Cookie']
   */
  readonly vary?: readonly string[];
}

const value = /^[\x21-\x7e](?:[\t\x20-\x7e]*[\x21-\x7e])?$/; // RFC 9110 §5.5
const token = /^[\w!#$%&'*+.^`|~-]+$/; // RFC 9110 §5.6.2
const isName = (name: unknown): boolean => typeof name === 'string' && token.test(name);

/** The legal values of {@link CachingOptions}. */
export const cachingOptions: LegalOptions<CachingOptions> = {
  cacheControl: [(given) => typeof given === 'string' && value.test(given), "the value of a header, such as `'public, max-age=60'`"],
  vary: [(given) => Array.isArray(given) && given.every(isName), "a list of names of headers, such as `['X-Api-Key']`"],
};

/**
 * Sets `Cache-Control` and `Vary` of the answers below it. By default only the client's own cache may keep an answer,
 * and has to revalidate it. A `Cache-Control` that was set above or below is kept. Problems are never cached:
 * `problems` sets `no-store`.
 *
 * @example
 * router.get('/orders/:id', caching({ vary: ['X-Api-Key'] }), notModified(), findRecord(Order, { db }), record());
 */
export function caching(options: CachingOptions = {}): ResourceMiddleware {
  checkOptions(options, cachingOptions, '`caching`');
  const { cacheControl = 'private, no-cache', vary = ['Authorization', 'Cookie'] } = options;
  const isPlain = !vary.includes('*') && new Set(vary.map((name) => name.toLowerCase())).size === vary.length;
  const allNames = vary.join(', ');
  return described({ problems: [] }, async function caching(ctx, next) {
    await next(); // a problem skips the rest
    if (!ctx.res.hasHeader('Cache-Control')) setHeader(ctx, 'Cache-Control', cacheControl);
    if (vary.length === 0) return;
    if (isPlain && !ctx.res.hasHeader('Vary')) setHeader(ctx, 'Vary', allNames);
    else ctx.vary([...vary]);
  });
}
