import type { Db } from 'mongodb';
import { service } from '../../dist/index.js';
import { Card, type StoredCard } from './requests.ts';
import type { Table } from './table.ts';

/** A change that one of many streams shows, each of another list: until it has arrived. */
export async function growStreams(table: Table, db: Db): Promise<void> {
  await db.dropDatabase();
  const cards = await db.createCollection<StoredCard>('cards');
  await cards.createIndex({ board: 1, rank: 1, _id: 1 });
  await cards.insertMany(Array.from({ length: 10_001 }, (_, n) => ({ _id: n, board: n, rank: n, revision: 0 })));
  const shop = service();
  const api = shop.api({ db, resources: [shop.resource({ model: Card, ops: ['list'], live: true })], live: { max: 20_000 } });
  const readers: ReadableStreamDefaultReader<Uint8Array>[] = [];
  for (const size of [1, 100, 1_000, 10_000]) {
    const opened = size - readers.length;
    const before = process.cpuUsage();
    while (readers.length < size) {
      const request = new Request(`http://growth/cards?board=${readers.length}`, { headers: { accept: 'text/event-stream' } });
      const answer = await api.fetch(request);
      if (answer.status !== 200) throw new Error(`a stream was answered with ${answer.status}: ${await answer.text()}`);
      const reader = (answer.body as ReadableStream<Uint8Array>).getReader();
      await reader.read(); // the list as it is
      readers.push(reader);
    }
    const { user, system } = process.cpuUsage(before);
    if (size > 1) table.note('streams', 'opening one', size, (user + system) / opened); // the first one loads what they need
    const [first] = readers as [ReadableStreamDefaultReader<Uint8Array>];
    let written = 0;
    await table.add('streams', size, [
      {
        task: 'a change that one of them shows',
        times: 10,
        async ours() {
          await cards.updateOne({ _id: 0 }, { $set: { rank: -++written } });
          for (let text = ''; !text.includes(`"rank":${-written}`); ) text += Buffer.from((await first.read()).value ?? []).toString();
        },
      },
      {
        task: 'a change that none of them shows',
        times: 200,
        async ours() {
          await cards.updateOne({ _id: 10_000 }, { $set: { rank: -++written } });
        },
      },
    ]);
  }
  for (const reader of readers) void reader.cancel();
  await api.close();
}
