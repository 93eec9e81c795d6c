import { deleted } from '../middleware/deleted.ts';
import type { ResourceMiddleware } from '../middleware/exchange/context.ts';
import { guards } from '../middleware/guards.ts';
import { liveRead } from '../middleware/live-read.ts';
import { scope } from '../middleware/scope.ts';
import type { CompiledResource } from './define/compiled-resource.ts';
import { liveName } from './define/live-options.ts';
import { present } from './history-chains.ts';

/**
 * The names of the chains that keep a list or a record true, by those that answer once. No custom operation has such a
 * name.
 */
export const liveChainOf: ReadonlyMap<string, string> = new Map([
  ['list', 'list.live'],
  ['get', 'get.live'],
]);

/** What the chains of `list` and `get` ask and read, without the guards and the answer. */
export interface LiveParts {
  /** What reads the parameters of the request. */
  readonly asking: readonly ResourceMiddleware[];
  /** What reads the records. */
  readonly reading: readonly ResourceMiddleware[];
}

/** Makes the chains that keep a list or a record true, by their names. */
export function liveChains(
  r: CompiledResource,
  parts: Readonly<Record<'list' | 'get', (r: CompiledResource) => LiveParts>>,
): (readonly [name: string, make: () => readonly ResourceMiddleware[]])[] {
  if (!r.live) return [];
  return (['list', 'get'] as const).flatMap((name) =>
    r.ops.includes(name) ? [[liveChainOf.get(name) as string, () => keeping(r, name, parts[name](r))] as const] : [],
  );
}

/** The chain that is run for a stream, and again every minute. What it reads is read again after changes. */
function keeping(r: CompiledResource, name: 'list' | 'get', { asking, reading }: LiveParts): readonly ResourceMiddleware[] {
  const { model, includes, through, live } = r;
  const asked = [...new Set([...r.guardsOf(name), ...r.guardsOf(liveName)])];
  const isShared = r.hooksOf(name).length === 0; // hooks may change what one caller is shown
  return [
    ...(asked.length > 0 ? [guards(...asked)] : []),
    ...(r.isScoped ? [scope(model, r.scope, { writes: false })] : []),
    ...(r.deletedGuards ? [deleted(model, r.deletedGuards)] : []),
    ...(name === 'get' ? present(r) : []),
    ...asking,
    liveRead(model, reading, { includes, isShared, watches: live?.watches ?? [], ...(name === 'list' && through ? { through } : {}) }),
  ];
}
