import { findIncluded } from '../../middleware/find-included.ts';
import { findPage } from '../../middleware/find-page.ts';
import { findRecord } from '../../middleware/find-record.ts';
import { following, store } from './parts.ts';
import type { Chain, Hooks, Unguarded } from './row.ts';

/** Makes what an operation runs after its guards, or a part of it. */
export type MakeChain = (r: Unguarded, hooks: Hooks) => Chain;

/** Reads the page that `ctx.listQuery` asks for, and runs the hooks. */
export const findingPage: MakeChain = (r, hooks) => [
  findPage(r.model, { ...reads(r, hooks), ...through(r), warnOnScan: r.warnOnScan, maxPageBytes: r.maxPageBytes }),
  ...included(r), // before the hooks: what is included may end the page early
  ...following(hooks),
];

/** Reads the record of the path, and runs the hooks. */
export const finding: MakeChain = (r, hooks) => [
  findRecord(r.model, { ...reads(r, hooks), shareRoundTrips: r.shareRoundTrips }),
  ...following(hooks),
  ...included(r),
];

const reads = (r: Unguarded, { after }: Hooks) => ({ ...store(r), fetchPrivate: after.length > 0 });
const through = ({ through }: Unguarded) => (through ? { through } : {});
const included = (r: Unguarded) => (r.includes.names.length > 0 ? [findIncluded(r.includes)] : []);
