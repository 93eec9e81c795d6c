import type { DeliverOptions, Delivery } from '../delivery/deliver.ts';
import type { WatchedQueue } from '../delivery/watched-queues.ts';
import { ConfigurationError } from '../errors.ts';
import { compileModel } from '../model/compile/compile-model.ts';
import type { RemovalSettings } from '../mongo/removals/begin.ts';
import type { Api, Indexing } from './api.ts';
import type { Closing } from './close.ts';

/** The removals of an api, and what loads what is kept of records. */
type Removing = Omit<RemovalSettings, 'keeps'> & { keeps(): Promise<RemovalSettings['keeps']> };

/** Creates `deliver` of an api. Whatever delivers is loaded by its first call. */
export function compileDeliver(indexing: Indexing, removing: Removing | undefined, closing: Closing): Pick<Api, 'deliver' | 'queues'> {
  const models = () => [...indexing.resources.map(({ model }) => model), ...indexing.models.map(compileModel)];
  return {
    async deliver(options: DeliverOptions): Promise<Delivery> {
      const { deliver } = await import('../delivery/deliver.ts');
      const openRemovals = removing && (await openQueue(removing));
      if (closing.hasBegun) throw new ConfigurationError('`deliver` was called after `close` of its api.');
      const delivery = deliver({ db: indexing.db, models: models(), openRemovals }, options);
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
      const queues = openQueues(indexing.db, models());
      return removing ? [...queues, (await import('../delivery/removal-queue.ts')).watchRemovals(removing)] : queues;
    },
  };
}

async function openQueue({ keeps, ...removing }: Removing) {
  const { compileRemovalQueue } = await import('../delivery/removal-queue.ts');
  return compileRemovalQueue({ ...removing, keeps: await keeps() });
}
