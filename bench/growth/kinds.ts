import type { Db } from 'mongodb';
import { defineModel, service, t } from '../../dist/index.js';
import { Child } from '../children.ts';
import type { StartUp } from '../starts.ts';
import { median } from '../statistics.ts';
import { ask, byHand, Card, cardOf, type StoredCard, toCard } from './requests.ts';
import type { Table } from './table.ts';

export async function growFields(table: Table, db: Db): Promise<void> {
  await db.dropDatabase();
  for (const size of [10, 50, 200]) {
    const names = Array.from({ length: size }, (_, n) => `field${n}`);
    const model = defineModel(`Wide${size}`, {
      collection: `wide${size}`,
      fields: {
        id: t.int({ policy: { insert: true } }),
        ...Object.fromEntries(names.map((name) => [name, t.optional(t.string({ maxLength: 100 }))])),
      },
    });
    const shop = service();
    const api = shop.api({ db, resources: [shop.resource({ model, path: 'wide' })] });
    const wide = db.collection<{ _id: number }>(`wide${size}`);
    const textsOf = (n: number) => Object.fromEntries(names.map((name) => [name, `Value ${name} of ${n}`]));
    await wide.insertMany(Array.from({ length: 1_000 }, (_, n) => ({ _id: n, ...textsOf(n) })));
    let created = 10_000;
    await table.add('fields', size, [
      {
        task: 'get',
        times: 300,
        ours: (n) => ask(api, `/wide/${n % 1_000}`),
        hand: (n) =>
          byHand(`/wide/${n % 1_000}`, async ({ pathname }) => {
            const { _id, ...rest } = (await wide.findOne({ _id: Number(pathname.slice(6)) })) as { _id: number };
            return { data: { id: _id, ...rest } };
          }),
      },
      {
        task: 'create',
        times: 100,
        ours: (n) => ask(api, '/wide', 'POST', { id: ++created, ...textsOf(n) }, 201),
        hand: (n) =>
          byHand(
            '/wide',
            async (_url, body) => {
              const { id, ...rest } = (await body()) as { id: number };
              await wide.insertOne({ _id: id, ...rest });
              return { data: { id, ...rest } };
            },
            'POST',
            { id: ++created, ...textsOf(n) },
          ),
      },
    ]);
  }
}

export async function growResources(table: Table, db: Db): Promise<void> {
  await db.dropDatabase();
  for (const size of [1, 50, 500]) {
    const models = Array.from({ length: size }, (_, n) => Card.extend(`Card${n}`, { collection: `cards${n}` }));
    const shop = service();
    const api = shop.api({ db, resources: models.map((model) => shop.resource({ model })) });
    for (const n of [0, size - 1]) await db.collection<StoredCard>(`cards${n}`).replaceOne({ _id: 1 }, cardOf(1), { upsert: true });
    const routes = new Map(models.map(({ collection }) => [collection, db.collection<StoredCard>(collection)]));
    await table.add('resources', size, [
      {
        task: 'get',
        times: 300,
        ours: () => ask(api, `/cards${size - 1}/1`),
        hand: () =>
          byHand(`/cards${size - 1}/1`, async ({ pathname }) => {
            const [, name = '', id] = pathname.split('/');
            return { data: toCard((await routes.get(name)?.findOne({ _id: Number(id) })) as StoredCard) };
          }),
      },
    ]);
    const starts: number[] = [];
    for (let round = 0; round < 3; round++)
      starts.push((await new Child<object, never>('start-up.js', ['resources', String(size), '10']).only<StartUp>()).cpu);
    table.note('resources', 'start', size, median(starts) * 1_000);
  }
}

export async function growBatches(table: Table, db: Db): Promise<void> {
  await db.dropDatabase();
  const cards = await db.createCollection<StoredCard>('cards');
  const shop = service();
  const api = shop.api({ db, resources: [shop.resource({ model: Card })], batch: { maxOperations: 1_000 }, maxTimeMS: 60_000 });
  let created = 0;
  for (const size of [1, 10, 100, 1_000]) {
    const operations = () =>
      Array.from({ length: size }, () => ({ method: 'POST', path: '/cards', body: { id: ++created, board: 1, rank: 1 } }));
    await table.add('members of a batch', size, [
      {
        task: 'creates',
        times: Math.max(2, 40 / size),
        ours: () => ask(api, '/batch', 'POST', { operations: operations() }),
        hand: () =>
          byHand(
            '/batch',
            async (_url, body) => {
              const given = (await body()) as { operations: { body: { id: number; board: number; rank: number } }[] };
              const records = given.operations.map(({ body: { id, ...card } }) => ({ _id: id, ...card, revision: 0 }));
              await db.client.withSession((session) =>
                session.withTransaction(async () => {
                  for (const record of records) await cards.insertOne(record, { session }); // each operation may be another one
                }),
              );
              return {
                data: records.map((record) => ({
                  status: 201,
                  etag: '"0"',
                  location: `/cards/${record._id}`,
                  body: { data: toCard(record) },
                })),
              };
            },
            'POST',
            { operations: operations() },
          ),
      },
    ]);
  }
}

/** So many relations, one after the other. */
const nextOf = (depth: number) => Array.from({ length: depth }, () => 'next').join('.');

export async function growIncludes(table: Table, db: Db): Promise<void> {
  await db.dropDatabase();
  const models = Array.from({ length: 5 }, (_, n) =>
    defineModel(`Level${n}`, {
      collection: `level${n}`,
      fields: { id: t.int(), name: t.string(), ...(n < 4 && { nextId: t.ref(`Level${n + 1}`, { id: t.int(), as: 'next' }) }) },
    }),
  );
  for (const [level, { collection }] of models.entries())
    await db
      .collection<{ _id: number }>(collection)
      .insertMany(Array.from({ length: 20 }, (_, n) => ({ _id: n, name: `Record ${n}`, ...(level < 4 && { nextId: (n * 3) % 20 }) })));
  const shop = service();
  const api = shop.api({
    db,
    resources: models.map((model, n) => shop.resource({ model, ...(n === 0 && { include: [1, 2, 4].map(nextOf) }) })) as never,
  });
  for (const size of [1, 2, 4]) {
    await table.add('depth of includes', size, [
      {
        task: 'list 20',
        times: 150,
        ours: () => ask(api, `/level0?limit=20&include=${nextOf(size)}`),
        hand: () =>
          byHand('/level0', async () => {
            const found: object[] = [];
            let ids: unknown[] = [];
            for (let level = 0; level <= size; level++) {
              const filter = level === 0 ? {} : { _id: { $in: ids as number[] } };
              const records = await db.collection<{ _id: number; nextId?: number }>(`level${level}`).find(filter, { limit: 21 }).toArray();
              ids = [...new Set(records.map(({ nextId }) => nextId))];
              found.push(records.map(({ _id, ...rest }) => ({ id: _id, ...rest })));
            }
            return { data: found[0] as object, included: found.slice(1) };
          }),
      },
    ]);
  }
}
