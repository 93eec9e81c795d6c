import { applyIndexes, defineModel, everything, openStore, service, t } from '../../../src/index.ts';
import { defineRemovals } from '../../../src/mongo/removals/define-removals.ts';
import { isWrite, operations } from '../../../src/resource/define/standard-operations.ts';
import type { Any } from '../../support/any.ts';
import { useDatabase } from '../../support/database/database.ts';
import { Note, Tag } from '../../support/matrix/models.ts';
import { type Case, casesOf } from '../../support/matrix/requests.ts';
import { store } from '../../support/matrix/stored.ts';
import { until } from '../../support/until.ts';

const database = useDatabase();
const id = t.string({ policy: { insert: true } });
const life = { revision: t.revision(), deletedAt: t.deletedAt() };
const Person = defineModel('Person', { collection: 'people', fields: { id, ...life }, history: true, outbox: true });
const person = (options: object = {}) => t.nullable(t.ref('Person', { id: t.string(), ...options } as Any)) as Any;
const Bill = defineModel('Bill', { collection: 'bills', fields: { id, payer: person({ onDelete: 'nullify' }), ...life }, history: true });
/** It goes with its note, and comes back with it. */
const Leaf = defineModel('Leaf', {
  collection: 'leaves',
  fields: { id, note: t.ref('Note', { id: t.string(), as: 'of', onDelete: 'cascade' }), ...life },
});
/** It loses its note. */
const Page = defineModel('Page', {
  collection: 'pages',
  fields: { id, note: t.nullable(t.ref('Note', { id: t.string(), as: 'of', onDelete: 'nullify' })), ...life },
});
const ann = 'canary-ann';

/** The functions of an application that get stores. */
const places = ['guard', 'before', 'within', 'after', 'handler'] as const;
type Place = `${(typeof places)[number]}${'' | ' of leaves' | ' of pages'}`;

/** What gives stores there. */
const givers = {
  'ctx.store': (ctx: Any, purge: Purge) => purge(ctx.store.bind(ctx)),
  'ctx.transaction': (ctx: Any, purge: Purge) => ctx.transaction((tx: Any) => purge(tx.store)),
  'tx.store': (_ctx: Any, purge: Purge, tx: Any) => purge(tx.store),
  'tx.transaction': (_ctx: Any, purge: Purge, tx: Any) => tx.transaction((inner: Any) => purge(inner.store)),
} as const;

type StoreOf = (model: unknown, options?: object) => Any;
type Purge = (open: StoreOf) => Promise<unknown>;

const purges: Readonly<Record<string, Purge>> = {
  'of what was deleted': (open) => open(Person, { scope: everything }).purge({ olderThan: 0 }),
  'of one record with what refers to it': (open) => open(Person, { scope: everything }).purge(ann, { cascade: true }),
};

/** The function of the application that purges, when it runs for the first time, and those that have run. */
let purging: { place: Place; giver: keyof typeof givers; purge: Purge; isDone: boolean } | undefined;
const reached = new Set<Place>();

async function runAt(place: Place, ctx: Any, tx?: Any): Promise<void> {
  reached.add(place);
  if (purging?.place !== place || purging.isDone) return;
  await givers[purging.giver](ctx, purging.purge, tx);
  purging.isDone = true;
}

function hooksOf(keys: readonly string[], of: '' | ' of leaves' | ' of pages' = ''): Any {
  const table = (run: unknown, keys: readonly string[]) => Object.fromEntries(keys.map((key) => [key, [run]]));
  return {
    before: table((ctx: Any) => runAt(`before${of}`, ctx), keys),
    within: table((ctx: Any, { tx }: Any) => runAt(`within${of}`, ctx, tx), keys),
    after: table((ctx: Any) => runAt(`after${of}`, ctx), keys),
  };
}

let api: Any;
let worker: Any;
let cases: readonly Case[];
let restore: () => Promise<void>;
const names = ['people', 'bills', 'people_history', 'bills_history', 'events', 'removals', 'removals_steps', 'leaves', 'pages'];
const records = (name: string) => database.db.collection<Any>(name);

beforeAll(async () => {
  const shop = service({ authenticate: () => ({ id: 'somebody' }), rules: { staff: () => true } });
  const handler = async (ctx: Any) => {
    await runAt('handler', ctx);
    return ctx.save(Object.assign(await ctx.load(), { text: 'y' }));
  };
  const all = [...operations.filter(isWrite), 'mark', 'stock'];
  const notes = shop.resource({
    model: Note,
    ops: operations,
    operations: { mark: { method: 'PUT', handler } },
    guards: [async (ctx: Any) => (await runAt('guard', ctx)) ?? true],
    ...hooksOf(all),
  } as Any);
  const others = [Leaf, Page].map((model) => {
    const keys = ['patch', 'delete', 'restore'];
    return shop.resource({ model, ops: ['get', ...keys], ...hooksOf(keys, model === Leaf ? ' of leaves' : ' of pages') } as Any);
  });
  api = shop.api({
    db: database.db,
    resources: [notes, ...others, shop.resource({ model: Person, ops: ['get', 'create'] } as Any)],
    models: [Bill, Tag],
    removals: defineRemovals(),
    batch: true,
    warnOnScan: false,
    idempotency: { principal: () => 'somebody' },
  } as Any);
  restore = await store(database.db);
  await applyIndexes(api);
  const [resource] = api.description.resources;
  cases = resource.rows.filter(({ method }: Any) => method !== 'GET').flatMap((row: Any) => casesOf(resource, row));
  worker = await api.deliver({ handle: () => undefined, poll: 100, observe: () => undefined });
});
afterAll(() => worker?.close());

async function send(method: string, path: string, body?: object, key?: string): Promise<void> {
  const headers = { 'content-type': 'application/json', ...(key && { 'idempotency-key': `"${key}"` }) };
  const sent = { method, headers, ...(body && { body: JSON.stringify(body) }) };
  const answer: Response = await api.fetch(new Request(`http://shop${path}`, sent));
  if (!answer.ok) throw new Error(`${method} ${path} is ${answer.status}: ${await answer.text()}`);
  await answer.text();
}

/** A person who is kept in a history, an event, the answer to a request and its key, and in the history of a bill. */
async function prepare(): Promise<void> {
  await restore();
  for (const name of names) await records(name).deleteMany({});
  await records('leaves').insertMany([
    { _id: 'l', note: 'a', revision: 0 },
    { _id: 'm', note: 'gone', revision: 0 },
  ]);
  await records('pages').insertOne({ _id: 'p', note: 'a', revision: 0 });
  await send('POST', '/people', { id: ann }, 'key-1');
  await api.store(Bill).create({ id: 'b', payer: ann });
  await api.store(Bill).update('b', { payer: null });
  await api.store(Person).remove(ann);
  expect(await holding()).toEqual(['bills_history', 'events', 'idempotency_keys', 'people', 'people_history']);
}

/** The collections in which her id stands, in any document and in any form. */
async function holding(): Promise<string[]> {
  await until(async () => (await records('removals').countDocuments({ state: 'pending' })) === 0);
  const found = new Set<string>();
  for (const { name } of await database.db.listCollections({}, { nameOnly: true }).toArray())
    for await (const bytes of database.db.collection(name).find({}, { raw: true }) as Any)
      if (Buffer.from(bytes).includes(ann)) found.add(name);
  found.delete('removals'); // of which one purges her
  return [...found].sort();
}

const sendCase = ({ method, path, body }: Case) => send(method, path, body);

describe.each(Object.entries(purges))('a purge %s', (_, purge) => {
  it('erases the same by the stores of the api, and of its transactions', async () => {
    const ways: Readonly<Record<string, () => Promise<unknown>>> = {
      'api.store': () => purge(api.store),
      'api.transaction': () => api.transaction((tx: Any) => purge(tx.store)),
      'a transaction in one': () => api.transaction((tx: Any) => tx.transaction((inner: Any) => purge(inner.store))),
    };
    for (const [way, run] of Object.entries(ways)) {
      await prepare();
      await run();
      expect([way, await holding()]).toEqual([way, []]);
    }
  });

  it('erases the same by every store that a function of a request gets, whatever the request does', async () => {
    const seen = new Set<string>();
    for (const one of cases) {
      reached.clear();
      purging = undefined;
      await prepare();
      await sendCase(one);
      if (one.row.name !== 'list.query') expect([one.name, [...reached]]).toEqual([one.name, expect.arrayContaining(['within'])]);
      for (const place of [...reached])
        for (const giver of Object.keys(givers) as (keyof typeof givers)[]) {
          const hasTransaction = place.startsWith('within');
          const isNew = !seen.has(`${place} ${giver} ${hasTransaction ? one.row.name : ''}`); // others are reached in one way
          if (!isNew || giver.startsWith('tx.') !== hasTransaction) continue;
          seen.add(`${place} ${giver} ${hasTransaction ? one.row.name : ''}`);
          await prepare();
          purging = { place, giver, purge, isDone: false };
          await sendCase(one);
          expect([one.name, place, giver, purging.isDone, await holding()]).toEqual([one.name, place, giver, true, []]);
        }
    }
    expect([...new Set([...seen].map((one) => one.split(' ').slice(0, -2).join(' ')))]).toEqual(expect.arrayContaining([...places]));
  });
});

it('erases what is kept of models by a store without an api, which knows of no keys', async () => {
  await prepare();
  const people: Any = openStore(Person, { db: database.db, models: [Bill, Note, Tag, Leaf, Page] } as Any);
  await people.purge({ olderThan: 0 });
  expect(await holding()).toEqual(['idempotency_keys']);
});
