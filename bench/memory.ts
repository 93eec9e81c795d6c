import { writeFile } from 'node:fs/promises';
import type { MongoClient } from 'mongodb';
import type { Child } from './children.ts';
import { loadOrders } from './data.ts';
import type { Load, LoadResult } from './load.ts';
import { type Dataset, Subject } from './measure.ts';

/** What a process holds after so many requests. */
export interface Held {
  readonly requests: number;
  /** Bytes of the heap after a full collection. */
  readonly heap: number;
  /** Resident bytes. */
  readonly rss: number;
}

/** Where the figures are kept: they are measured apart from the report. */
export const memoryFile = 'docs/about/performance/memory.json';

/**
 * Measures what the process of ours holds after each quarter of so many requests, and writes it to {@link memoryFile}.
 */
export async function measureMemory(
  requests: number,
  { uri, client, generator }: { uri: string; client: MongoClient; generator: Child<Load, LoadResult> },
): Promise<void> {
  const dataset: Dataset = { database: 'bench_memory', orders: 20_000, resources: 1, moreFields: 0 };
  await loadOrders(client.db(dataset.database), dataset.orders);
  const subject = await Subject.start('ours', uri, client, dataset, ['--expose-gc']);
  const held: Held[] = [];
  const send = (amount: number) => subject.measure(generator, { name: 'mixed', workload: 'mixed', page: 20, amount, connections: 32 }, 0);
  try {
    await send(5_000); // compiled by now, and connected
    for (let quarter = 0; quarter <= 4; quarter++) {
      if (quarter > 0) await send(requests / 4);
      const { heap, rss } = await subject.use();
      held.push({ requests: (requests / 4) * quarter, heap, rss });
      console.log(
        `${(requests / 4) * quarter} requests: heap ${(heap / 2 ** 20).toFixed(1)} MiB, resident ${(rss / 2 ** 20).toFixed(0)} MiB`,
      );
    }
  } finally {
    subject.stop();
  }
  await writeFile(memoryFile, `${JSON.stringify(held, undefined, 2)}\n`);
}
