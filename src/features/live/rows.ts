import { eventStreamType } from '../../http/media-type.ts';
import { include } from '../../middleware/include.ts';
import type { CompiledResource } from '../../resource/define/compiled-resource.ts';
import { facetOf, sharedOf } from '../../resource/define/facet.ts';
import { standardOperations } from '../../resource/define/standard-operations.ts';
import { finding, findingPage, type MakeChain } from '../../resource/table/finding.ts';
import { choice, scopedToRead, trash } from '../../resource/table/parts.ts';
import { queryOf } from '../../resource/table/query-of.ts';
import { type Chain, type Hooks, type Row, rowOf, type Unguarded } from '../../resource/table/row.ts';
import { live } from './live.ts';
import { liveRead } from './live-read.ts';
import { liveStreams } from './live-streams.ts';
import { notLive } from './not-live.ts';
import { readLive } from './options.ts';
import { liveName } from './types.ts';

/** What a chain runs between the scope and the answer. */
interface Parts {
  /** What reads the parameters of the request. */
  parsing(r: Unguarded): Chain;
  /** What reads the records. */
  readonly finding: MakeChain;
}

/** What a list and a record have as streams. */
const parts: Readonly<Record<'list' | 'get', Parts>> = {
  list: { parsing: (r) => [queryOf(r, { isLive: true })], finding: findingPage },
  get: { parsing: (r) => [include(r.includes), ...choice(r)], finding },
};

/** The streams that keep a list and a record true. `others` are the rows in whose place they may be asked for. */
export function liveRows(r: CompiledResource, others: readonly Row[]): Row[] {
  if (!facetOf(r, readLive)) return [];
  const { db } = r;
  const streams = sharedOf(r, liveStreams);
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
        chain: (hooks) => chainOf(r, name, refusing, hooks),
        keep: (own, identifying) => live(own, { db, streams, again: identifying }),
      });
    });
}

/** Refuses the parameters of rows that answer with what no stream can have. */
function refuseOf(rows: readonly Row[]): Chain {
  return rows.flatMap(({ when, unchanging: reason }) => (when && 'parameter' in when && reason ? [notLive(when.parameter, reason)] : []));
}

/** The chain that is run for a stream, and again every minute. What it reads is read again after changes. */
function chainOf(r: Unguarded, name: 'list' | 'get', refusing: Chain, hooks: Hooks): Chain {
  const { model, includes, through } = r;
  const { parsing, finding } = parts[name];
  const isShared = hooks.after.length === 0; // hooks may change what one caller is shown
  return [
    ...scopedToRead(r),
    ...trash(r),
    ...refusing,
    ...parsing(r),
    liveRead(model, finding(r, hooks), {
      includes,
      isShared,
      watches: facetOf(r, readLive)?.watches ?? [],
      ...(name === 'list' && through ? { through } : {}),
    }),
  ];
}
