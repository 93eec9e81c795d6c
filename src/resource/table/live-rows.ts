import { eventStreamType } from '../../http/media-type.ts';
import { onlyAsItIs } from '../../middleware/history/as-it-was.ts';
import { live } from '../../middleware/live.ts';
import { liveRead } from '../../middleware/live-read.ts';
import type { CompiledResource } from '../define/compiled-resource.ts';
import { liveName } from '../define/live-options.ts';
import { standardOperations } from '../define/standard-operations.ts';
import { scopedToRead, trash } from './parts.ts';
import { type Chain, type Hooks, type Row, rowOf, type Unguarded } from './row.ts';

/** What the chains of `list` and `get` run between the scope and the answer. */
export interface LiveParts {
  /** What reads the parameters of the request. */
  parsing(r: Unguarded): Chain;
  /** What reads the records. */
  finding(r: Unguarded, hooks: Hooks): Chain;
}

/** The streams that keep a list and a record true. */
export function liveRows(r: CompiledResource, parts: Readonly<Record<'list' | 'get', LiveParts>>): Row[] {
  if (!r.live) return [];
  const { db, liveStreams: streams } = r;
  return (['list', 'get'] as const)
    .filter((name) => r.ops.includes(name))
    .map((name) => {
      const { method, path } = standardOperations[name];
      return rowOf(r, {
        name: `${name}.live`,
        method,
        path,
        operation: liveName,
        subject: { kind: 'variant' },
        when: { accept: [eventStreamType] },
        asks: [{ resource: r, names: [name, liveName] }],
        runs: { resource: r, names: [name] },
        mayNameRelations: true,
        chain: (hooks) => chainOf(r, name, parts[name], hooks),
        keep: (own, identifying) => live(own, { db, streams, again: identifying }),
      });
    });
}

/** The chain that is run for a stream, and again every minute. What it reads is read again after changes. */
function chainOf(r: Unguarded, name: 'list' | 'get', { parsing, finding }: LiveParts, hooks: Hooks): Chain {
  const { model, includes, through, live } = r;
  const isShared = hooks.after.length === 0; // hooks may change what one caller is shown
  return [
    ...scopedToRead(r),
    ...trash(r),
    ...(name === 'get' && r.history ? [onlyAsItIs()] : []),
    ...parsing(r),
    liveRead(model, finding(r, hooks), {
      includes,
      isShared,
      watches: live?.watches ?? [],
      ...(name === 'list' && through ? { through } : {}),
    }),
  ];
}
