import { eventStreamType } from '../../http/media-type.ts';
import { notLive } from '../../middleware/exchange/not-live.ts';
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

/** The streams that keep a list and a record true. `others` are the rows in whose place they may be asked for. */
export function liveRows(r: CompiledResource, parts: Readonly<Record<'list' | 'get', LiveParts>>, others: readonly Row[]): Row[] {
  if (!r.live) return [];
  const { db, liveStreams: streams } = r;
  return (['list', 'get'] as const)
    .filter((name) => r.ops.includes(name))
    .map((name) => {
      const { method, path } = standardOperations[name];
      const refusing = refuseOf(others.filter((row) => row.method === method && row.path === path));
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
        chain: (hooks) => chainOf(r, name, { ...parts[name], refusing }, hooks),
        keep: (own, identifying) => live(own, { db, streams, again: identifying }),
      });
    });
}

/** Refuses the parameters of rows that answer with what no stream can have. */
function refuseOf(rows: readonly Row[]): Chain {
  return rows.flatMap(({ when, notLive: reason }) => (when && 'parameter' in when && reason ? [notLive(when.parameter, reason)] : []));
}

/** The chain that is run for a stream, and again every minute. What it reads is read again after changes. */
function chainOf(
  r: Unguarded,
  name: 'list' | 'get',
  { refusing, parsing, finding }: LiveParts & { readonly refusing: Chain },
  hooks: Hooks,
): Chain {
  const { model, includes, through, live } = r;
  const isShared = hooks.after.length === 0; // hooks may change what one caller is shown
  return [
    ...scopedToRead(r),
    ...trash(r),
    ...refusing,
    ...parsing(r),
    liveRead(model, finding(r, hooks), {
      includes,
      isShared,
      watches: live?.watches ?? [],
      ...(name === 'list' && through ? { through } : {}),
    }),
  ];
}
