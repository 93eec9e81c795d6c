import type { Db, MongoClient } from 'mongodb';
import { type Api, service } from '../../dist/index.js';
import { ask, byHand, Card, fill, type StoredCard, toCard } from './requests.ts';
import type { Point, Table } from './table.ts';

export async function growRecords(table: Table, db: Db, most: number, save: () => Promise<void>): Promise<void> {
  await db.dropDatabase();
  const cards = db.collection<StoredCard>('cards');
  await cards.createIndex({ board: 1, rank: 1, _id: 1 });
  await cards.createIndex({ rank: 1, _id: 1 });
  const shop = service();
  const api = shop.api({ db, resources: [shop.resource({ model: Card })] });
  let [filled, created] = [0, 2 ** 30];
  for (let size = 1_000; size <= most; size *= 10) {
    await fill(cards, filled, size);
    filled = size;
    const any = (n: number) => (n * 7_919) % size;
    const [near, middle] = [await firstCursor(api), await cursorInTheMiddle(db.client, size)];
    const listed = (filter: object) => () =>
      cards
        .find(filter, { sort: { rank: 1, _id: 1 }, limit: 21 })
        .toArray()
        .then((found) => ({ data: found.slice(0, 20).map(toCard), page: { has_next: found.length > 20 } }));
    const points: Point[] = [
      {
        task: 'get',
        times: 300,
        ours: (n) => ask(api, `/cards/${any(n)}`),
        hand: (n) =>
          byHand(`/cards/${any(n)}`, async ({ pathname }) => ({
            data: toCard((await cards.findOne({ _id: Number(pathname.slice(7)) })) as StoredCard),
          })),
      },
      {
        task: 'list by an index',
        times: 100,
        ours: (n) => ask(api, `/cards?board=${n % 1_000}&sort=rank&limit=20`),
        hand: (n) => byHand('/cards', listed({ board: n % 1_000 })),
      },
      {
        task: 'patch',
        times: 150,
        ours: (n) => ask(api, `/cards/${any(n)}`, 'PATCH', { board: n % 1_000 }),
        hand: (n) =>
          byHand(
            `/cards/${any(n)}`,
            async ({ pathname }, body) => {
              const update = { $set: await body(), $inc: { revision: 1 } };
              return {
                data: toCard(
                  (await cards.findOneAndUpdate({ _id: Number(pathname.slice(7)) }, update, { returnDocument: 'after' })) as StoredCard,
                ),
              };
            },
            'PATCH',
            { board: n % 1_000 },
          ),
      },
      {
        task: 'create',
        times: 150,
        ours: () => ask(api, '/cards', 'POST', { id: ++created, board: 1, rank: created }, 201),
        hand: () =>
          byHand(
            '/cards',
            async (_url, body) => {
              const { id, ...card } = (await body()) as { id: number };
              await cards.insertOne({ _id: id, ...card, revision: 0 } as StoredCard);
              return { data: { id, ...card, revision: 0 } };
            },
            'POST',
            { id: ++created, board: 1, rank: created },
          ),
      },
      {
        task: 'a page near the beginning',
        times: 100,
        ours: () => ask(api, `/cards?sort=rank&limit=20&after=${near}`),
        hand: () => byHand('/cards', listed({ rank: { $gt: 19 } })),
      },
      {
        task: 'a page in the middle, by its cursor',
        times: 100,
        ours: () => ask(api, `/cards?sort=rank&limit=20&after=${middle}`),
        hand: () => byHand('/cards', listed({ rank: { $gt: size / 2 } })),
      },
    ];
    await table.add('records', size, points);
    await cards.deleteMany({ _id: { $gt: 2 ** 30 } });
    await save();
  }
  await db.dropDatabase();
}

/**
 * The cursor in the middle of so many records. It has the values of a record and belongs to a list, and not to a
 * database: it is that of the same list of the records that stand there. A walk would be 50,000 requests.
 */
async function cursorInTheMiddle(client: MongoClient, size: number): Promise<string> {
  const db = client.db('bench_growth_middle');
  await db.dropDatabase();
  await fill(db.collection<StoredCard>('cards'), size / 2 - 20, size / 2 + 20);
  const shop = service();
  return firstCursor(shop.api({ db, resources: [shop.resource({ model: Card })], warnOnScan: false }));
}

async function firstCursor(api: Api): Promise<string> {
  const { page } = JSON.parse(await ask(api, '/cards?sort=rank&limit=20')) as { page: { next_cursor: string } };
  return page.next_cursor;
}
