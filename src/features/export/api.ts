import type { ApiPlugin } from '../../api/plugin.ts';
import { maxStreams, streamPlaces } from '../../middleware/exchange/stream-places.ts';
import { pickOptions } from '../../options.ts';

/** The places of all exports of an api. */
export const exportPlaces: ApiPlugin = {
  options: ['maxStreams'],
  open({ options }) {
    const places = streamPlaces(pickOptions(options, { maxStreams }).maxStreams);
    return { shared: [streamPlaces, places], endStreams: () => places.close() };
  },
};
