import type { DeliverOptions, Delivery } from '../delivery/deliver.ts';
import type { WatchedQueue } from '../delivery/watched-queues.ts';
import { ConfigurationError } from '../errors.ts';
import { compileModel } from '../model/compile/compile-model.ts';
import type { Api, Indexing } from './api.ts';
import type { Closing } from './close.ts';

/** Creates `deliver` of an api. Whatever delivers is loaded by its first call. */
export function compileDeliver(indexing: Indexing, closing: Closing): Pick<Api, 'deliver' | 'queues'> {
  const models = () => [...indexing.resources.map(({ model }) => model), ...indexing.models.map(compileModel)];
  return {
    async deliver(options: DeliverOptions): Promise<Delivery> {
      const { deliver } = await import('../delivery/deliver.ts');
      if (closing.hasBegun) throw new ConfigurationError('`deliver` was called after `close` of its api.');
      const delivery = deliver(indexing.db, models(), options);
      closing.deliveries.add(delivery);
      return {
        ...delivery,
        async close(given) {
          await delivery.close(given);
          closing.deliveries.delete(delivery);
        },
      };
    },
    async queues(): Promise<WatchedQueue[]> {
      const { openQueues } = await import('../delivery/watched-queues.ts');
      return openQueues(indexing.db, models());
    },
  };
}
