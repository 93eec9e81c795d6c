import { type Document, ObjectId } from 'mongodb';
import { defineModel, t } from '../../../src/index.ts';
import { compileModel } from '../../../src/model/compile/compile-model.ts';
import { type ModelCollection, openCollection } from '../../../src/mongo/collection/collection.ts';
import { bsonOptions, decode } from '../../../src/mongo/driver/bson-options.ts';
import { compileFirstBatch, type ReadFirstBatch } from '../../../src/mongo/driver/read-batches.ts';
import { SharedGets } from '../../../src/mongo/driver/shared-gets.ts';
import { Work } from '../../../src/mongo/driver/work.ts';
import { living } from '../../../src/mongo/lifecycle/within.ts';
import { idTextIn } from '../../../src/mongo/query/text-of.ts';
import { useCommands } from '../../support/database/commands.ts';
import { useDatabase } from '../../support/database/database.ts';

const database = useDatabase({ monitorCommands: true });
const commands = useCommands(database);
const model = compileModel(
  defineModel('Doc', { collection: 'docs', fields: { id: t.string(), owner: t.string(), text: t.string(), revision: t.revision() } }),
);
const ids = Array.from({ length: 100 }, (_, n) => `id-${n}`);
const docs = () => database.db.collection<{ _id: string }>('docs');
const open = (options: object = {}): ModelCollection => openCollection(model, { db: database.db, ...options });
const textOf = async (store: ModelCollection, id: string, scope?: object, work = new Work(), seen = model) =>
  (await store.findOne(id, living(seen, scope as never), {}, work)).toText();
const finds = () => commands.events.filter(({ commandName }) => commandName === 'find').map(({ command }) => command);
const expected = (id: string) => JSON.stringify({ id, owner: Number(id.slice(3)) % 2 ? 'ann' : 'bob', text: `text of ${id}`, revision: 0 });

beforeEach(async () => {
  await docs().deleteMany({});
  await docs().insertMany(ids.map((id, n) => ({ _id: id, owner: n % 2 ? 'ann' : 'bob', text: `text of ${id}`, revision: 0 })));
  commands.clear();
});

describe('gets that come while others are under way', () => {
  it('go out together, the first one at once', async () => {
    const store = open();
    await expect(Promise.all(ids.slice(0, 20).map((id) => textOf(store, id)))).resolves.toEqual(ids.slice(0, 20).map(expected));
    expect(finds().map(({ filter }) => filter)).toEqual([{ _id: 'id-0' }, { _id: { $in: ids.slice(1, 20) } }]);
  });

  it('go out alone where each comes when the one before it has its answer', async () => {
    const store = open();
    for (const id of ids.slice(0, 3)) await textOf(store, id);
    expect(finds().map(({ filter }) => filter)).toEqual([{ _id: 'id-0' }, { _id: 'id-1' }, { _id: 'id-2' }]);
  });

  it('go out alone with `shareRoundTrips: false`', async () => {
    const store = open({ shareRoundTrips: false });
    await Promise.all(ids.slice(0, 5).map((id) => textOf(store, id)));
    expect(finds()).toHaveLength(5);
  });

  it('are at most 64 in one command', async () => {
    const store = open();
    await expect(Promise.all(ids.map((id) => textOf(store, id)))).resolves.toEqual(ids.map(expected));
    expect(finds().map(({ filter }) => filter._id.$in?.length ?? 1)).toEqual([1, 64, 35]);
  });

  it('ask for the same record once', async () => {
    const store = open();
    const asked = ids.slice(0, 5).flatMap((id) => [id, id]);
    await expect(Promise.all(asked.map((id) => textOf(store, id)))).resolves.toEqual(asked.map(expected));
    expect(finds().map(({ filter }) => filter)).toEqual([{ _id: 'id-0' }, { _id: { $in: ids.slice(0, 5) } }]);
  });

  it('share with those of their own scope and projection only', async () => {
    const store = open();
    const asked = ids.slice(0, 12).map((id, n) => ({ id, scope: { owner: { $eq: n % 3 ? 'ann' : 'bob' } } }));
    const answers = await Promise.allSettled(asked.map(({ id, scope }) => textOf(store, id, scope)));
    const own = asked.map(({ id, scope }) => expected(id).includes(`"owner":"${scope.owner.$eq}"`));
    expect(answers.map(({ status }) => status === 'fulfilled')).toEqual(own);
    const shared = finds().filter(({ filter }) => filter._id.$in);
    expect(shared.map(({ filter }) => filter.owner.$eq).sort()).toEqual(['ann', 'bob']);
  });

  it('are 404 where there is no such record, whatever the others find', async () => {
    const store = open();
    const answers = await Promise.allSettled(['id-1', 'none', 'id-2', 'neither'].map((id) => textOf(store, id)));
    expect(answers).toEqual([
      { status: 'fulfilled', value: expected('id-1') },
      { status: 'rejected', reason: expect.objectContaining({ code: 'not_found' }) },
      { status: 'fulfilled', value: expected('id-2') },
      { status: 'rejected', reason: expect.objectContaining({ code: 'not_found' }) },
    ]);
  });

  it('are one command even where ids that can be spelt in one way only do not exist', async () => {
    const byId = compileModel(defineModel('ById', { collection: 'by_id', fields: { text: t.string() } }));
    const store = openCollection(byId, { db: database.db });
    const answers = await Promise.allSettled(
      Array.from({ length: 10 }, () => store.findOne(new ObjectId(), living(model, undefined), {}, new Work())),
    );
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 'rejected'));
    expect(finds()).toHaveLength(2);
  });

  it('share with those of their own selection only, whatever the names of the fields are', async () => {
    const odd = compileModel(
      defineModel('Odd', { collection: 'odd', fields: { id: t.string(), a: t.string(), b: t.string(), 'a,b': t.string() } }),
    );
    await database.db.collection<{ _id: string }>('odd').insertOne({ _id: 'r', a: 'A', b: 'B', 'a,b': 'C' } as never);
    const store = openCollection(odd, { db: database.db });
    const get = async (...names: string[]) =>
      (await store.findOne('r', living(odd, undefined), { fields: odd.selector.select(names) }, new Work())).toText();
    await expect(Promise.all([get('a'), get('a', 'b'), get('a,b'), get('a', 'b'), get('a,b')])).resolves.toEqual([
      '{"id":"r","a":"A"}',
      '{"id":"r","a":"A","b":"B"}',
      '{"id":"r","a,b":"C"}',
      '{"id":"r","a":"A","b":"B"}',
      '{"id":"r","a,b":"C"}',
    ]);
  });

  it('show the first of several records that a view has with one id, as alone', async () => {
    await database.db.collection<{ _id: string }>('many').insertMany(['a', 'b'].map((_id) => ({ _id, n: [1, 2, 3] })));
    await database.db.createCollection('unwound', { viewOn: 'many', pipeline: [{ $unwind: '$n' }] });
    const unwound = compileModel(defineModel('Unwound', { collection: 'unwound', fields: { id: t.string(), n: t.int() } }));
    const store = openCollection(unwound, { db: database.db });
    const answers = await Promise.all(['a', 'a', 'b', 'a'].map((id) => textOf(store, id, undefined, undefined, unwound)));
    expect(answers).toEqual(['a', 'a', 'b', 'a'].map((id) => `{"id":"${id}","n":1}`));
  });

  it('find the record that a collation calls equal', async () => {
    await database.db.createCollection('spelt', { collation: { locale: 'en', strength: 2 } });
    await database.db.collection<{ _id: string; owner: string }>('spelt').insertOne({ _id: 'Ulm', owner: 'ann' });
    const spelt = compileModel(defineModel('Spelt', { collection: 'spelt', fields: { id: t.string(), owner: t.string() } }));
    const store = openCollection(spelt, { db: database.db });
    const answers = await Promise.all(['ulm', 'ULM', 'Ulm', 'uLM'].map((id) => textOf(store, id, undefined, undefined, spelt)));
    expect(new Set(answers)).toEqual(new Set(['{"id":"Ulm","owner":"ann"}']));
  });

  it('are all answered where their records together are larger than a reply', async () => {
    const large = 'x'.repeat(7_000_000);
    const few = ids.slice(0, 5);
    await docs().updateMany({ _id: { $in: few } }, { $set: { text: large } });
    const store = open();
    const answers = await Promise.all(few.map((id) => textOf(store, id)));
    expect(answers.map(({ length }) => length > 7_000_000)).toEqual(few.map(() => true));
  });

  it('see what was written before they came', async () => {
    const store = open();
    await Promise.all(
      ids.slice(0, 30).map(async (id) => {
        for (let round = 1; round <= 5; round++) {
          await docs().updateOne({ _id: id }, { $set: { text: `round ${round}` } });
          await expect(textOf(store, id)).resolves.toContain(`"round ${round}"`);
        }
      }),
    );
    expect(finds().some(({ filter }) => filter._id.$in)).toBe(true);
  });
});

describe('of gets that share a command', () => {
  interface Played {
    readonly gets: SharedGets;
    readonly signals: AbortSignal[];
    /** What was sent, each body with the ids that it asks for. */
    readonly sent: Document[];
  }

  /** Gets over the database itself, with something done to the commands of several. */
  function play(meddle: (read: () => ReturnType<ReadFirstBatch>) => ReturnType<ReadFirstBatch>): Played {
    const read = compileFirstBatch(database.db, database.db.collection('docs', bsonOptions));
    const signals: AbortSignal[] = [];
    const sent: Document[] = [];
    const gets = new SharedGets((body, sending) => {
      sent.push(body);
      if (!body.filter._id?.$in) return read(body, sending);
      signals.push(sending.signal);
      return meddle(() => read(body, sending));
    });
    return { gets, signals, sent };
  }

  const plan = { isWrite: false, need: 'primary', maxTimeMS: 5_000, explain: (error: unknown) => error } as const;
  const reachability = { isAway: () => false, watch: () => undefined, forget: () => undefined } as never;

  async function get({ gets }: Played, id: string, work = new Work()): Promise<unknown> {
    const bytes = await find(gets, id, work);
    return bytes && decode(bytes)._id;
  }

  function find(gets: SharedGets, id: string, work = new Work()): Promise<Uint8Array | undefined> {
    const wanted = {
      id,
      idText: `s${id}`,
      isExact: false,
      group: '',
      idTextIn,
      build: (sought: unknown) => ({ find: 'docs', filter: { _id: sought } }),
    };
    return work.run({ ...plan, reachability }, (command) => gets.find(wanted, command));
  }

  it('each is read alone when the command fails', async () => {
    const played = play(() => Promise.reject(new Error('broken')));
    await expect(Promise.all(ids.slice(0, 4).map((id) => get(played, id)))).resolves.toEqual(ids.slice(0, 4));
    expect(played.sent).toHaveLength(1 + 1 + 3);
  });

  it('a small record does not keep a large reply alive', async () => {
    await docs().updateOne({ _id: 'id-1' }, { $set: { text: 'x'.repeat(1_000_000) } });
    const { gets } = play((read) => read());
    const bytes = await Promise.all(ids.slice(0, 3).map((id) => find(gets, id)));
    expect(bytes.map((one) => (one?.byteLength ?? 0) > 1_000_000)).toEqual([false, true, false]);
    expect(bytes[2]?.buffer.byteLength).toBeLessThan(1_000);
  });

  it('those of a command that takes long are read alone in the rest of their time, and nothing is shared for a second', async () => {
    const played = play(
      () =>
        new Promise((_resolve, reject) => {
          const [signal] = played.signals;
          signal?.addEventListener('abort', () => reject(signal.reason));
        }),
    );
    await expect(Promise.all(ids.slice(0, 4).map((id) => get(played, id)))).resolves.toEqual(ids.slice(0, 4));
    await expect(Promise.all(ids.slice(0, 4).map((id) => get(played, id)))).resolves.toEqual(ids.slice(0, 4));
    expect(played.sent.filter(({ filter }) => filter._id?.$in)).toHaveLength(1);
    const limits = played.sent.map(({ maxTimeMS }) => maxTimeMS);
    expect(limits[1]).toBe(250);
    for (const limit of limits.slice(2, 5)) expect(limit).toBeLessThanOrEqual(5_000 - 250);
  });

  it('one that is given up does not abort the others', async () => {
    let go: () => void = () => undefined;
    const played = play(async (read) => {
      await new Promise<void>((resolve) => (go = resolve));
      return read();
    });
    const works = ids.slice(0, 4).map(() => new Work());
    const answers = ids.slice(0, 4).map((id, n) => get(played, id, works[n]));
    await answers[0];
    works[1]?.leave(new Error('gone'));
    await expect(answers[1]).rejects.toThrow('gone');
    go();
    await expect(Promise.all([answers[2], answers[3]])).resolves.toEqual(['id-2', 'id-3']);
    expect(played.signals.map(({ aborted }) => aborted)).toEqual([false]);
  });

  it('the command is aborted when nobody waits for it any more, and nothing is read alone then', async () => {
    const played = play(() => new Promise(() => undefined));
    const works = ids.slice(0, 4).map(() => new Work());
    const answers = ids.slice(0, 4).map((id, n) => get(played, id, works[n]));
    await answers[0];
    for (const work of works) work.leave(new Error('gone'));
    const gone = { status: 'rejected', reason: new Error('gone') };
    expect(await Promise.allSettled(answers.slice(1))).toEqual([gone, gone, gone]);
    expect(played.signals.map(({ aborted }) => aborted)).toEqual([true]);
    expect(played.sent).toHaveLength(2);
  });

  it('one whose client has gone before the command is sent is not asked for', async () => {
    const played = play((read) => read());
    const works = ids.slice(0, 4).map(() => new Work());
    const answers = ids.slice(0, 4).map((id, n) => get(played, id, works[n]));
    works[2]?.leave(new Error('gone'));
    await expect(Promise.allSettled(answers)).resolves.toMatchObject([{}, { value: 'id-1' }, { status: 'rejected' }, { value: 'id-3' }]);
    expect(played.sent[1]?.filter).toEqual({ _id: { $in: ['id-1', 'id-3'] } });
  });
});
