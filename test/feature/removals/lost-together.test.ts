import { type Api, defineModel, service, t } from '../../../src/index.ts';
import type { Any } from '../../support/any.ts';
import { useDatabase } from '../../support/database/database.ts';
import { carryOut, Removal } from './tree.ts';

const id = t.string({ policy: { insert: true } });
const life = { revision: t.revision(), deletedAt: t.deletedAt() };
const Person = defineModel('Person', { collection: 'people', fields: { id, ...life } });
const Card = defineModel('Card', {
  collection: 'cards',
  fields: { id, person: t.ref('Person', { id: t.string(), as: 'ofPerson', onDelete: 'cascade' }), ...life },
});
let names = 0;
const to = (model: 'Person' | 'Card', onDelete: 'nullify' | 'pull') => t.ref(model, { id: t.string(), as: `embedded${names++}`, onDelete });

/** References to a person and to its card, at every kind of place. */
const fields = {
  person: t.optional(to('Person', 'nullify')),
  payer: t.nullable(to('Person', 'nullify')),
  people: t.array(to('Person', 'pull'), { default: [] }),
  place: t.object('Place', { person: t.optional(to('Person', 'nullify')) }, { default: {} }),
  lines: t.array(t.object('Line', { person: t.optional(to('Person', 'nullify')) }), { default: [] }),
  card: t.optional(to('Card', 'nullify')),
  cards: t.array(to('Card', 'pull'), { default: [] }),
};
const Bill = defineModel('Bill', { collection: 'bills', fields: { id, ...fields, ...life }, history: true, outbox: true });
/** What a bill has at each place that leads to the person, or to its card, and beside it what leads to others. */
const held: Readonly<Record<string, object>> = {
  person: { person: 'p' },
  payer: { payer: 'p' },
  people: { people: ['other', 'p', 'p'] },
  'place.person': { place: { person: 'p' } },
  lines: { lines: [{ person: 'p' }, { person: 'other' }] },
  card: { card: 'c' },
  cards: { cards: ['c', 'd'] },
};
const pairs = Object.keys(held).flatMap((one, at) =>
  Object.keys(held)
    .slice(at + 1)
    .map((other) => [one, other] as const),
);

const database = useDatabase();
const rows = (name: string, filter: object) => database.db.collection<Any>(name).find(filter).toArray();

type Way = (api: Api) => Promise<unknown>;
const ways: Readonly<Record<string, Way>> = {
  delete: (api) => api.store(Person).remove('p'),
  'delete of many': (api) => api.store(Person).removeMany({ id: 'p' }),
  'delete in the background': (api) => api.store(Person).remove('p', { inBackground: true }),
  purge: (api) => api.store(Person).purge('p', { cascade: true }),
};

beforeEach(async () => {
  for (const name of ['people', 'cards', 'bills', 'bills_history', 'events', 'removals', 'removals_steps'])
    await database.db.collection(name).deleteMany({});
});

const open = () => service().api({ db: database.db, resources: [], models: [Person, Card, Bill], removals: Removal } as Any) as Api;

describe.each(Object.entries(ways))('a %s', (_name, go) => {
  it('is one change of a record that loses several references, whichever they are', async () => {
    const api = open();
    for (const one of ['p', 'other']) await api.store(Person).create({ id: one });
    for (const one of ['c', 'd']) await api.store(Card).create({ id: one, person: one === 'c' ? 'p' : 'other' });
    await api.store(Bill).createMany(pairs.map(([one, other]) => ({ id: `${one}+${other}`, ...held[one], ...held[other] })));
    await go(api);
    await carryOut(api, database);
    const changes = await rows('bills_history', { change: 'patched' });
    expect(changes.map(({ record, revision, paths }) => [record, revision, paths]).sort()).toEqual(
      pairs.map(([one, other]) => [`${one}+${other}`, 1, [one, other]]).sort(),
    );
    expect((await rows('events', { change: 'patched' })).map(({ subject }) => subject).sort()).toEqual(
      changes.map(({ record }) => record).sort(),
    );
    const bills = await rows('bills', {});
    expect(JSON.stringify(bills)).not.toMatch(/"(p|c)"/);
    expect(bills.find(({ _id }) => _id === 'people+cards')).toMatchObject({ people: ['other'], cards: ['d'], revision: 1 });
  });
});

it('a delete in the background leaves what leads to records that are gone for another reason', async () => {
  const api = open();
  for (const one of ['p', 'other']) await api.store(Person).create({ id: one });
  await api.store(Bill).create({ id: 'b', person: 'p', payer: 'other', people: ['other'] });
  await database.db.collection<Any>('people').deleteOne({ _id: 'other' });
  await api.store(Person).remove('p', { inBackground: true });
  await carryOut(api, database);
  expect((await rows('bills', {}))[0]).toMatchObject({ payer: 'other', people: ['other'], revision: 1 });
  expect((await rows('bills', {}))[0]).not.toHaveProperty('person');
});
