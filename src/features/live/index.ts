import { checkedLater } from '../../options.ts';
import type { ResourcePlugin } from '../../resource/table/plugin.ts';
import { readLive } from './options.ts';
import { liveRows } from './rows.ts';
import { liveName } from './types.ts';

/** Lists and records that are kept true, as streams of events. */
export const liveStates: ResourcePlugin = {
  legal: { live: checkedLater },
  compile: readLive,
  reads({ given }) {
    const { live = false } = given(liveName);
    return live === false ? [] : [liveName]; // a wrong one is told by itself
  },
  rows: liveRows,
};
