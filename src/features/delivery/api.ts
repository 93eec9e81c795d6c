import type { ApiPlugin } from '../../api/plugin.ts';
import { ConfigurationError } from '../../errors.ts';
import type { Delivery } from './deliver.ts';

/** The method `deliver` of an api. Whatever delivers is loaded by its first call. */
export const delivery: ApiPlugin = {
  options: [],
  open(api) {
    const underWay = new Set<Pick<Delivery, 'close'>>();
    return {
      methods: {
        async deliver(options) {
          const { deliver } = await import('./deliver.ts');
          const openRemovals = await api.removalQueue();
          if (api.isClosing()) throw new ConfigurationError('`deliver` was called after `close` of its api.');
          const one = deliver({ db: api.db(), models: api.models(), openRemovals }, options);
          underWay.add(one);
          return {
            ...one,
            async close(given) {
              await one.close(given);
              underWay.delete(one);
            },
          };
        },
      },
      close: (timeout) => Promise.all(Array.from(underWay, (one) => one.close({ timeout }))),
    };
  },
};
