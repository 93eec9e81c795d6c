import { eventStreamType } from '../../http/media-type.ts';
import { onlyAsItIs } from '../../middleware/history/as-it-was.ts';
import { live } from '../../middleware/live.ts';
import { liveRead } from '../../middleware/live-read.ts';
import type { CompiledResource } from '../define/compiled-resource.ts';
import { liveName } from '../define/live-options.ts';
import { standardOperations } from '../define/standard-operations.ts';
import { guard, rowsToRead, trash } from './parts.ts';
import { type Chain, type Row, rowOf } from './row.ts';

/** What the chains of `list` and `get` ask and read, without the guards and the answer. */
export interface LiveParts {
  /** What reads the parameters of the request. */
  readonly asking: Chain;
  /** What reads the records. */
  readonly reading: Chain;
}

/** The streams that keep a list and a record true. */
export function liveRows(r: CompiledResource, parts: Readonly<Record<'list' | 'get', (r: CompiledResource) => LiveParts>>): Row[] {
  if (!r.live) return [];
  const { db, liveStreams: streams } = r;
  return (['list', 'get'] as const)
    .filter((name) => r.ops.includes(name))
    .map((name) => {
      const { method, path } = standardOperations[name];
      const asked = [name, liveName];
      return rowOf(r, {
        name: `${name}.live`,
        method,
        path,
        operation: liveName,
        subject: { kind: 'form' },
        when: { accept: [eventStreamType] },
        asks: [{ resource: r, names: asked }],
        runs: { resource: r, names: [name] },
        takesRelations: true,
        chain: () => chainOf(r, name, asked, parts[name](r)),
        keep: (own, identifying) => live(own, { db, streams, again: identifying }),
      });
    });
}

/** The chain that is run for a stream, and again every minute. What it reads is read again after changes. */
function chainOf(r: CompiledResource, name: 'list' | 'get', asked: readonly string[], { asking, reading }: LiveParts): Chain {
  const { model, includes, through, live } = r;
  const isShared = r.hooksOf(name).length === 0; // hooks may change what one caller is shown
  return [
    ...guard(r, asked),
    ...rowsToRead(r),
    ...trash(r),
    ...(name === 'get' && r.history ? [onlyAsItIs()] : []),
    ...asking,
    liveRead(model, reading, { includes, isShared, watches: live?.watches ?? [], ...(name === 'list' && through ? { through } : {}) }),
  ];
}
