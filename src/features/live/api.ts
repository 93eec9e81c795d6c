import type { ApiPlugin } from '../../api/plugin.ts';
import { liveStreams } from './live-streams.ts';

/** The places and limits of all live lists and records of an api. */
export const limitsOfLive: ApiPlugin = {
  options: ['live'],
  open({ options }) {
    const streams = liveStreams(options.live);
    return {
      shared: [liveStreams, streams],
      methods: { recheck: (given) => streams.recheck(given) },
      endStreams: () => streams.places.close(),
    };
  },
};
