import { type Collection, type Db, type Document, MongoServerError } from 'mongodb';
import { defineModel, type Problem, t } from '../../../src/index.ts';
import { compileModel } from '../../../src/model/compile/compile-model.ts';
import { openCollection } from '../../../src/mongo/collection/collection.ts';
import { planCommands } from '../../../src/mongo/driver/commands.ts';
import { SharedInserts } from '../../../src/mongo/driver/shared-inserts.ts';
import { Work } from '../../../src/mongo/driver/work.ts';
import { useCommands } from '../../support/database/commands.ts';
import { useDatabase } from '../../support/database/database.ts';
import { inserting } from '../../support/database/inserting.ts';
import { Gate } from '../../support/http/gate.ts';

const database = useDatabase({ monitorCommands: true, writeConcern: { w: 'majority', wtimeoutMS: 9_000, journal: true } });
const commands = useCommands(database);
const fields = { id: t.string(), code: t.optional(t.string()), text: t.string() };
const model = compileModel(defineModel('Doc', { collection: 'docs', fields }));
const ids = Array.from({ length: 100 }, (_, n) => `id-${n}`);
const docs = () => database.db.collection<Document & { _id: string }>('docs');
const open = (options: object = {}) => inserting(model, openCollection(model, { db: database.db, ...options }));
const make = (_id: string, more: object = {}) => ({ _id, text: `text of ${_id}`, ...more });
const sent = () => commands.events.filter(({ commandName }) => commandName === 'insert').map(({ command }) => command);
const sizes = () => sent().map(({ documents }) => documents.length);
const storedIds = async () => (await docs().find().sort({ _id: 1 }).toArray()).map(({ _id }) => _id);
const tell = (error: unknown) => {
  const { code, detail, errors, status } = error as Problem;
  return { code, detail, errors, status };
};

beforeEach(async () => {
  await docs().deleteMany({});
  await docs().createIndex({ code: 1 }, { unique: true, sparse: true });
  commands.clear();
});

describe('creates that come while others are under way', () => {
  it('go out together, the first one at once', async () => {
    const store = open();
    const records = await Promise.all(ids.slice(0, 20).map((id) => store.insert(make(id), new Work())));
    expect(records.map((one) => one.toText())).toEqual(ids.slice(0, 20).map((id) => JSON.stringify({ id, text: `text of ${id}` })));
    expect(sizes()).toEqual([1, 19]);
    expect(await docs().countDocuments()).toBe(20);
  });

  it('have the write concern and the limits of one alone, and a transaction number by which the write can be retried', async () => {
    const store = open({ maxTimeMS: 4_000 });
    await Promise.all(ids.slice(0, 4).map((id) => store.insert(make(id), new Work())));
    const [alone, together] = sent();
    expect(together?.writeConcern).toEqual({ w: 'majority', wtimeout: 9_000, j: true });
    expect(together?.writeConcern).toEqual(alone?.writeConcern);
    expect([alone?.maxTimeMS, together?.maxTimeMS]).toEqual([4_000, expect.any(Number)]);
    expect(together?.maxTimeMS).toBeLessThanOrEqual(4_000);
    expect([alone?.txnNumber !== undefined, together?.txnNumber !== undefined]).toEqual([true, true]);
    expect(Boolean(together?.ordered?.valueOf())).toBe(false);
  });

  it('have a transaction number of their own each time, where a session is used again', async () => {
    const store = open();
    for (let round = 0; round < 5; round++)
      await Promise.all(ids.slice(0, 6).map((id) => store.insert(make(`${round} ${id}`), new Work())));
    const numbers = sent().map(({ lsid, txnNumber }) => `${lsid.id.toString('hex')} ${txnNumber}`);
    expect(new Set(numbers).size).toBe(numbers.length);
    expect(await docs().countDocuments()).toBe(30);
  });

  it('go out alone where each comes when the one before it has its answer', async () => {
    const store = open();
    for (const id of ids.slice(0, 3)) await store.insert(make(id), new Work());
    expect(sizes()).toEqual([1, 1, 1]);
  });

  it('go out alone with `shareRoundTrips: false`', async () => {
    const store = open({ shareRoundTrips: false });
    await Promise.all(ids.slice(0, 5).map((id) => store.insert(make(id), new Work())));
    expect(sizes()).toEqual([1, 1, 1, 1, 1]);
  });

  it('are at most 64 in one command', async () => {
    const store = open();
    await Promise.all(ids.map((id) => store.insert(make(id), new Work())));
    expect(sizes()).toEqual([1, 64, 35]);
    expect(await storedIds()).toEqual([...ids].sort());
  });

  it('have at most a megabyte in one command, and a larger one goes alone', async () => {
    const store = open();
    const lengths = [1, 100_000, 100_000, 100_000, 100_000, 400_000, 1];
    await Promise.all(lengths.map((length, n) => store.insert({ _id: `id-${n}`, text: 'x'.repeat(length) }, new Work())));
    expect(sizes().sort()).toEqual([1, 1, 1, 1, 3].sort());
    expect(await docs().countDocuments()).toBe(lengths.length);
  });

  it('are refused as alone where a document is larger than the database stores', async () => {
    const store = open();
    const large = { _id: 'large', text: 'x'.repeat(17_000_000) };
    const alone = await store.insert(large, new Work()).catch(tell);
    const answers = await Promise.allSettled([make('a'), make('b'), large, make('c')].map((one) => store.insert(one, new Work())));
    expect(answers.map((answer) => (answer.status === 'rejected' ? tell(answer.reason) : 'done'))).toEqual(['done', 'done', alone, 'done']);
  });
});

describe('of creates that share a command', () => {
  it('each has its own error: those with a value of another one among them, or of a stored one, are refused as alone', async () => {
    const store = open();
    await docs().insertOne({ _id: 'old', code: 'taken', text: '' });
    const alone = await Promise.all(
      [make('old'), make('x', { code: 'taken' })].map((one) => open({ shareRoundTrips: false }).insert(one, new Work()).catch(tell)),
    );
    const [byId, byCode] = alone;
    expect(alone.map((one) => (one as Problem).errors?.map(({ field }) => field))).toEqual([['id'], ['code']]);
    commands.clear();
    const documents = [
      make('first'),
      make('a', { code: 'new' }),
      make('old'),
      make('b', { code: 'taken' }),
      make('a'),
      make('c', { code: 'new' }),
      make('d', { code: 'other' }),
    ];
    const answers = await Promise.allSettled(documents.map((one) => store.insert(one, new Work())));
    expect(answers.map((one) => (one.status === 'rejected' ? tell(one.reason) : 'done'))).toEqual([
      'done',
      'done',
      byId,
      byCode,
      byId,
      byCode,
      'done',
    ]);
    expect(sizes()).toEqual([1, 6]);
    expect(await storedIds()).toEqual(['a', 'd', 'first', 'old']);
  });

  it('one with an id that is taken is 412 where it must be free, whatever the others ask for', async () => {
    const store = open();
    await store.insert(make('old'), new Work());
    const answers = await Promise.allSettled([
      store.insert(make('a'), new Work()),
      store.insert(make('old'), new Work(), { ifIdIsFree: true }),
      store.insert(make('old'), new Work()),
      store.insert(make('b'), new Work(), { ifIdIsFree: true }),
    ]);
    expect(answers.map((one) => (one.status === 'rejected' ? one.reason.code : 'done'))).toEqual([
      'done',
      'precondition_failed',
      'duplicate_key',
      'done',
    ]);
  });

  it('one that a validator of the collection refuses fails as alone', async () => {
    await database.db.createCollection('checked', { validator: { text: { $ne: 'bad' } } });
    const checked = compileModel(defineModel('Checked', { collection: 'checked', fields }));
    const store = inserting(checked, openCollection(checked, { db: database.db }));
    const bad = { _id: 'bad', text: 'bad' };
    const alone = await store.insert(bad, new Work()).catch((error: unknown) => error);
    const answers = await Promise.allSettled([make('a'), make('b'), bad, make('c')].map((one) => store.insert(one, new Work())));
    expect(answers.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'rejected', 'fulfilled']);
    const { reason } = answers[2] as PromiseRejectedResult;
    expect(reason.cause).toBeInstanceOf(MongoServerError);
    expect([reason.name, reason.message, { ...reason }]).toEqual([
      (alone as Error).name,
      (alone as Error).message,
      { ...(alone as Error) },
    ]);
  });

  it('one that cannot be written as BSON fails as alone, and the others are stored', async () => {
    const store = open();
    const bad = make('bad', { more: { 'a\0b': 1 } });
    const alone = await store.insert(bad, new Work()).catch(tell);
    commands.clear();
    const answers = await Promise.allSettled([make('a'), make('b'), bad, make('c')].map((one) => store.insert(one, new Work())));
    expect(answers.map((one) => (one.status === 'rejected' ? tell(one.reason) : 'done'))).toEqual(['done', 'done', alone, 'done']);
    expect(await storedIds()).toEqual(['a', 'b', 'c']);
  });

  it.each([
    [
      'a getter that throws',
      {
        get more() {
          throw new Error('of the test');
        },
      },
    ],
    [
      'an object that contains itself',
      (() => {
        const more: Document = {};
        more.more = more;
        return more;
      })(),
    ],
  ])('one with %s ends no other, and not the process', async (_name, more) => {
    const store = open();
    const bad = Object.defineProperties(make('bad'), Object.getOwnPropertyDescriptors(more));
    const answers = await Promise.allSettled([make('a'), make('b'), bad, make('c')].map((one) => store.insert(one, new Work())));
    expect(answers.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'rejected', 'fulfilled']);
  });
});

describe('of creates that wait for a command that several share', () => {
  const held = new Promise(() => undefined);

  /** Creates over the database itself that all come while one is under way, with something done to their command. */
  function play(meddle: (run: () => Promise<Document>) => Promise<Document> = (run) => run()) {
    const signals: AbortSignal[] = [];
    const db = {
      client: database.client,
      command: (command: Document, options: { signal: AbortSignal }) => {
        signals.push(options.signal);
        return meddle(() => database.db.command(command, options));
      },
    } as unknown as Db;
    const real = docs();
    let isFirst = true;
    const collection = {
      collectionName: 'docs',
      insertOne(document: never, options: object) {
        if (!isFirst) return real.insertOne(document, options);
        isFirst = false;
        return held;
      },
    } as unknown as Collection<Record<string, unknown>>;
    const inserts = new SharedInserts(db, collection, true);
    const { write } = planCommands(model, database.db, docs() as never, 5_000);
    const insert = (id: string, work = new Work()) => write(work, (command) => inserts.insert(make(id), command)).then(() => id, tell);
    void insert('held');
    return { insert, signals };
  }

  const given = new Error('given up');
  const unknown = { code: 'write_outcome_unknown' };

  it('one that is given up before it is sent is left out, and was never sent', async () => {
    const { insert } = play();
    const works = [new Work(), new Work(), new Work()];
    const answers = works.map((work, n) => insert(`id-${n}`, work));
    works[1]?.giveUp(given);
    await expect(Promise.all(answers)).resolves.toEqual(['id-0', tell(given), 'id-2']);
    expect(works.map(({ hasHandedOver }) => hasHandedOver)).toEqual([true, false, true]);
    expect(sent().flatMap(({ documents }) => documents.map(({ _id }: Document) => _id))).toEqual(['id-0', 'id-2']);
  });

  it('one that is given up while the command waits for a connection is left out, and the errors of the others are theirs', async () => {
    const gate = new Gate();
    const { insert } = play(async (run) => {
      await gate.opened;
      return run();
    });
    await docs().insertOne(make('id-2'));
    commands.clear();
    const works = Array.from({ length: 4 }, () => new Work());
    const answers = works.map((work, n) => insert(`id-${n}`, work));
    await new Promise(setImmediate);
    works[0]?.giveUp(given);
    gate.open();
    await expect(Promise.all(answers)).resolves.toMatchObject([tell(given), 'id-1', { code: 'duplicate_key' }, 'id-3']);
    expect(works.map(({ hasHandedOver }) => hasHandedOver)).toEqual([false, true, true, true]);
    expect(sent().flatMap(({ documents }) => documents.map(({ _id }: Document) => _id))).toEqual(['id-1', 'id-2', 'id-3']);
    expect(await storedIds()).toEqual(['id-1', 'id-2', 'id-3']);
  });

  it('one that is given up after it was sent is unknown, and the others have their answers', async () => {
    const gate = new Gate();
    const { insert, signals } = play(async (run) => {
      const reply = await run();
      await gate.opened;
      return reply;
    });
    const works = Array.from({ length: 3 }, () => new Work());
    const answers = works.map((work, n) => insert(`id-${n}`, work));
    while ((await docs().countDocuments()) < 3) await new Promise(setImmediate);
    works[1]?.giveUp(given);
    await expect(answers[1]).resolves.toMatchObject(unknown);
    gate.open();
    await expect(Promise.all([answers[0], answers[2]])).resolves.toEqual(['id-0', 'id-2']);
    expect(signals.map(({ aborted }) => aborted)).toEqual([false]);
  });

  it('the command is aborted when nobody waits for it any more', async () => {
    const { insert, signals } = play(() => new Promise(() => undefined));
    const works = Array.from({ length: 3 }, () => new Work());
    const answers = works.map((work, n) => insert(`id-${n}`, work));
    await new Promise(setImmediate);
    for (const work of works) work.giveUp(given);
    await Promise.all(answers);
    expect(signals.map(({ aborted }) => aborted)).toEqual([true]);
    expect(await docs().countDocuments()).toBe(0);
  });

  it('a client that goes ends none: its record is written', async () => {
    const { insert } = play();
    const works = Array.from({ length: 3 }, () => new Work());
    const answers = works.map((work, n) => insert(`id-${n}`, work));
    works[1]?.leave(given);
    await expect(Promise.all(answers)).resolves.toEqual(['id-0', 'id-1', 'id-2']);
  });

  it('those with another time limit go out by themselves', async () => {
    const { insert } = play();
    const slow = new Work();
    await slow.run({ ...planOf(300), isWrite: false }, async () => undefined); // the budget of its request
    const answers = [insert('id-0'), insert('id-1', slow), insert('id-2')];
    await expect(Promise.all(answers)).resolves.toEqual(['id-0', 'id-1', 'id-2']);
    expect(sent().map(({ documents, maxTimeMS }) => [documents.length, maxTimeMS <= 300])).toEqual(
      expect.arrayContaining([
        [2, false],
        [1, true],
      ]),
    );
  });

  it('all are unknown where the database answers for fewer than were sent', async () => {
    const { insert } = play(async (run) => ({ ...(await run()), n: 2 }));
    await expect(Promise.all(ids.slice(0, 3).map((id) => insert(id)))).resolves.toMatchObject([unknown, unknown, unknown]);
  });

  function planOf(maxTimeMS: number) {
    const reachability = { isAway: () => false, watch: () => undefined, forget: () => undefined } as never;
    return { isWrite: true, need: 'primary', maxTimeMS, reachability, explain: (error: unknown) => error } as const;
  }
});
