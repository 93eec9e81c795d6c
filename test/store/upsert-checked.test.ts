import { defineModel, everything, openStore, t } from '../../src/index.ts';
import { Work } from '../../src/mongo/driver/work.ts';
import { Stores } from '../../src/store/stores.ts';
import type { Any } from '../support/any.ts';
import { useCommands } from '../support/database/commands.ts';
import { useDatabase } from '../support/database/database.ts';
import { useApi } from '../support/http/api.ts';

const id = t.string({ policy: { insert: true } });
const Team = defineModel('Team', { collection: 'teams', fields: { id, owner: t.string({ default: 'ann' }) } });
const Player = defineModel('Player', {
  collection: 'players',
  fields: {
    id,
    name: t.string({ default: 'n' }),
    team: t.optional(t.ref('Team', { id: t.string(), exists: true })),
    club: t.optional(t.ref('Team', { id: t.string(), onDelete: 'cascade' })),
    captain: t.optional(t.ref('Player', { id: t.string(), onDelete: 'nullify' })),
    revision: t.revision(),
  },
});
const Note = defineModel('Note', {
  collection: 'notes',
  fields: {
    id,
    text: t.optional(t.string()),
    secret: t.optional(t.string({ policy: { private: true } })),
    team: t.optional(t.ref('Team', { id: t.string(), onDelete: 'cascade' })),
    revision: t.revision(),
    updatedAt: t.updatedAt(),
    deletedAt: t.deletedAt(),
  },
  history: true,
  outbox: true,
});
const Memo = defineModel('Memo', {
  collection: 'memos',
  fields: { id, text: t.optional(t.string()), revision: t.revision() },
  history: true,
});

const database = useDatabase({ monitorCommands: true });
const commands = useCommands(database);
let scope: Any = everything;
const api = useApi(database, (shop) => [
  shop.resource({ model: Team, scope: () => ({ owner: 'ann' }) }),
  shop.resource({
    model: Player,
    scope: () => scope,
    operations: {
      upsert: {
        path: '/upsert',
        problems: ['duplicate_key', 'validation_failed'],
        handler: async (ctx: Any) => {
          const { created, record } = await ctx.store(Player).upsert('p', ctx.request.query);
          return { created, name: record.name };
        },
      },
    },
  }),
]);
const players = () => openStore(Player, { db: database.db, models: [Team as never] });
const teams = () => openStore(Team, { db: database.db, models: [Player as never, Note as never] });
const notes = () => openStore(Note, { db: database.db, models: [Team as never] });
const missing = (field: string) => ({ status: 422, errors: [{ field, rule: 'reference' }] });
const stored = (name: string, of: string) => database.db.collection<Any>(name).findOne({ _id: of });

beforeEach(async () => {
  scope = everything;
  await database.db.dropDatabase();
  await database.db.collection<Any>('teams').insertMany([
    { _id: 't', owner: 'ann' },
    { _id: 'bobs', owner: 'bob' },
  ]);
  commands.clear();
});

describe('upsert() of a record with checked references', () => {
  it('asks for those with `exists`, with one command more, and refuses what is not there', async () => {
    for (const created of [true, false]) {
      commands.clear();
      expect(await players().upsert('p', { team: 't' })).toMatchObject({ created });
      expect(commands.names).toEqual(['find', 'findAndModify']);
      await expect(players().upsert('p', { team: 'no' })).rejects.toMatchObject(missing('team'));
    }
    await expect(players().upsert('new', { team: 'no' })).rejects.toMatchObject(missing('team'));
    expect([await stored('players', 'new'), (await stored('players', 'p')).revision]).toEqual([null, 1]);
  });

  it('takes one that leads nowhere if the record has it already at this field', async () => {
    await database.db.collection<Any>('players').insertOne({ _id: 'p', team: 'gone' });
    expect((await players().upsert('p', { team: 'gone' })).record).toMatchObject({ team: 'gone' });
    await expect(players().upsert('p', { club: 'gone' })).rejects.toMatchObject(missing('club'));
    await expect(players().upsert('other', { team: 'gone' })).rejects.toMatchObject(missing('team'));
  });

  it('takes one to the record itself, which may be new', async () => {
    expect(await players().upsert('p', { captain: 'p' })).toMatchObject({ created: true, record: { captain: 'p' } });
    await expect(players().upsert('p', { captain: 'q' })).rejects.toMatchObject(missing('captain'));
  });

  it('holds those with `onDelete`: a delete takes the record along, whether the upsert has created or replaced it', async () => {
    await players().upsert('new', { club: 't' });
    await players().upsert('old', {});
    await players().upsert('old', { club: 't' });
    await players().upsert('left', { club: 't' });
    await players().upsert('left', {});
    await teams().remove('t');
    expect((await players().find({})).map((one) => one.id)).toEqual(['left']);
    await expect(players().upsert('new', { club: 't' })).rejects.toMatchObject(missing('club'));
  });

  it('keeps what tells a delete that the record is referred to', async () => {
    await players().upsert('c', {});
    await players().upsert('p', { captain: 'c' });
    const { _references } = await stored('players', 'c');
    await players().upsert('c', { name: 'x' });
    expect(await stored('players', 'c')).toMatchObject({ name: 'x', _references });
  });

  it('in a request must lead to what the request may see', async () => {
    const upsert = (query: string) => api.request('POST', `/api/players/upsert?${query}`);
    expect((await upsert('team=bobs')).body).toMatchObject(missing('team'));
    expect((await upsert('team=t&name=x')).body.data).toEqual({ created: true, name: 'x' });
    expect((await upsert('name=y')).body.data).toEqual({ created: false, name: 'y' });
    scope = { name: 'x' };
    expect((await upsert('name=z')).body).toMatchObject({ status: 422, errors: [{ field: 'name', rule: 'scope' }] });
    expect((await upsert('name=x')).body).toMatchObject({ status: 409, errors: [{ field: 'id', rule: 'unique' }] });
  });
});

describe('upsert() of a model with a ledger', () => {
  const changesOf = async (of: string) => {
    const found: Any[] = [];
    for await (const { change, revision, changes, private: hidden } of notes().history(of))
      found.push([change, revision, changes.map(({ path }) => path), hidden]);
    return found;
  };

  it('records what it has created, and what it has changed in a record', async () => {
    await notes().upsert('n', { text: 'a', secret: 's' });
    const { _life } = await stored('notes', 'n');
    const { record, created } = await notes().upsert('n', { text: 'b' });
    expect([record.revision, created]).toEqual([1, false]);
    expect(await changesOf('n')).toEqual([
      ['patched', 1, ['text'], ['secret']],
      ['created', 0, ['text'], ['secret']],
    ]);
    expect((await stored('notes', 'n'))._life).toEqual(_life);
    const events = await database.db.collection<Any>('events').find({}).toArray();
    expect(events.map(({ change }) => change)).toEqual(['created', 'patched']);
  });

  it('leaves no entry where it has changed nothing but the revision and the time', async () => {
    await notes().upsert('n', { text: 'a' });
    await notes().upsert('n', { text: 'a' });
    expect((await notes().upsert('n', { text: 'b' })).record.revision).toBe(2);
    expect((await changesOf('n')).map(([change, revision]) => [change, revision])).toEqual([
      ['patched', 2],
      ['created', 0],
    ]);
  });

  it('begins a new life where the record of before is gone for good, and records nothing of what it was refused', async () => {
    await notes().upsert('n', { text: 'a' });
    await notes().remove('n');
    await expect(notes().upsert('n', { text: 'b' })).rejects.toMatchObject({ code: 'duplicate_key' });
    await expect(notes().upsert('m', { team: 'no' })).rejects.toMatchObject(missing('team'));
    expect(await database.db.collection('events').countDocuments()).toBe(2);
    await notes().purge({ olderThan: 0 });
    await notes().upsert('n', { text: 'c', team: 't' });
    expect((await changesOf('n')).map(([change]) => change)).toEqual(['created']);
  });

  it.each<[string, (store: Any) => Promise<unknown>]>([
    ['upsert', (store) => store.upsert('n', {})],
    ['create', (store) => store.create({ id: 'n' })],
    ['createMany', (store) => store.createMany([{ id: 'n' }])],
    ['update', (store) => store.update('m', { text: 'b' })],
    ['updateMany', (store) => store.updateMany({}, { text: 'b' })],
    ['remove', (store) => store.remove('m')],
  ])('%s must be awaited in a transaction: it is refused otherwise, and nothing is stored', async (_name, write) => {
    await openStore(Memo, { db: database.db }).create({ id: 'm', text: 'a' });
    const work = new Work();
    let ended: Promise<unknown> = Promise.resolve();
    const refused = new Stores(database.db).transaction(
      async (tx) => {
        ended = write(tx.store(Memo)).catch(() => undefined);
      },
      { work: () => work },
    );
    await expect(refused).rejects.toThrow('await all of it');
    await ended;
    const left = await database.db
      .collection('memos')
      .find({}, { projection: { _life: 0 } })
      .toArray();
    expect(left).toEqual([{ _id: 'm', text: 'a', revision: 0 }]);
  });

  it('of one new id at the same time: one creates, the others replace, and all are recorded', async () => {
    const count = 6;
    const done = await Promise.all(Array.from({ length: count }, (_, n) => notes().upsert('n', { text: `${n}`, team: 't' })));
    expect(done.filter(({ created }) => created)).toHaveLength(1);
    const changes = await changesOf('n');
    expect(changes.map(([change, revision]) => [change, revision])).toEqual([
      ...Array.from({ length: count - 1 }, (_, at) => ['patched', count - 1 - at]),
      ['created', 0],
    ]);
  });
});
