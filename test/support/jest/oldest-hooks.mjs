/** @type {Readonly<Record<string, string>>} */
const oldest = { koa: 'koa-oldest', mongodb: 'mongodb-oldest' };

/**
 * A hook of Node's loader: the sources and their tests get the oldest versions, and packages those that they ask for.
 *
 * @type {import('node:module').ResolveHook}
 */
export function resolve(specifier, context, nextResolve) {
  const isOurs = !context.parentURL?.includes('/node_modules/');
  return nextResolve((isOurs && oldest[specifier]) || specifier, context);
}
