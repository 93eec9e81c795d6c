import { type CollectionOptions, type Db, MongoNetworkError, MongoServerError, ReadConcern } from 'mongodb';
import { bsonOptions, decode } from '../../../src/mongo/driver/bson-options.ts';
import { compileFirstBatch, type FirstBatch } from '../../../src/mongo/driver/read-batches.ts';
import { useCommands } from '../../support/database/commands.ts';
import { useDatabase } from '../../support/database/database.ts';

const database = useDatabase({ monitorCommands: true });
const commands = useCommands(database);
const docs = () => database.db.collection<{ _id: number; n?: bigint; text?: string }>('docs');
const sending = new AbortController(); // has a `signal`, which is never aborted

function read(body: object, options: CollectionOptions = {}, db: Db = database.db): Promise<FirstBatch> {
  return compileFirstBatch(db, database.db.collection('docs', { ...bsonOptions, ...options }))({ find: 'docs', ...body }, sending);
}

beforeEach(async () => {
  await docs().deleteMany({});
  await docs().insertMany([1, 2, 3].map((_id) => ({ _id, n: 9007199254740993n })));
  commands.clear();
});

describe('compileFirstBatch()', () => {
  it.each(['primary', 'secondaryPreferred'] as const)('reads records as bytes, by one command: %s', async (readPreference) => {
    const { found, isCut } = await read({ filter: { _id: { $gt: 1 } }, batchSize: 10 }, { readPreference });
    expect(found.map(decode)).toEqual([2, 3].map((_id) => ({ _id, n: 9007199254740993n })));
    expect(isCut).toBe(false);
    expect(commands.names).toEqual(['find']);
  });

  it('sends the read preference and the read concern of the collection', async () => {
    await read({ filter: {} }, { readPreference: 'secondaryPreferred', readConcern: new ReadConcern('majority') });
    expect(commands.events[0]?.command).toMatchObject({
      readConcern: { level: 'majority' },
      $readPreference: { mode: 'secondaryPreferred' },
    });
  });

  it.each(['primary', 'secondaryPreferred'] as const)(
    'says that a reply of 16 MiB was not all, and kills the cursor: %s',
    async (readPreference) => {
      await docs().updateMany({}, { $set: { text: 'x'.repeat(7_000_000) } });
      commands.clear();
      const { found, isCut } = await read({ filter: {}, batchSize: 10 }, { readPreference });
      expect(found).toHaveLength(2);
      expect(isCut).toBe(true);
      while (!commands.names.includes('killCursors')) await new Promise(setImmediate);
      expect(commands.names).toEqual(['find', 'killCursors']);
    },
  );

  it('reads an aggregation in the same way', async () => {
    const readFirstBatch = compileFirstBatch(database.db, database.db.collection('docs', bsonOptions));
    const { found } = await readFirstBatch({ aggregate: 'docs', pipeline: [{ $match: { _id: 2 } }], cursor: {} }, sending);
    expect(found.map(decode)).toEqual([{ _id: 2, n: 9007199254740993n }]);
  });
});

describe('a read that fails', () => {
  const stepDown = new MongoServerError({ message: 'stepped down', code: 189 });
  const badValue = new MongoServerError({ message: 'bad value', code: 2 });

  /** The database, that fails so before it answers. */
  function failing(errors: Error[], retryReads = true): { readonly db: Db; readonly calls: () => number } {
    let calls = 0;
    const command: Db['command'] = (...given) => {
      calls++;
      const error = errors.shift();
      return error ? Promise.reject(error) : database.db.command(...given);
    };
    const client = Object.create(database.client, { options: { value: { ...database.client.options, retryReads } } });
    return { db: Object.create(database.db, { command: { value: command }, client: { value: client } }) as Db, calls: () => calls };
  }

  it.each([new MongoNetworkError('reset'), stepDown])('is sent once more: %s', async (error) => {
    const { db, calls } = failing([error]);
    await expect(read({ filter: { _id: 1 } }, {}, db)).resolves.toMatchObject({ isCut: false });
    expect(calls()).toBe(2);
  });

  it.each<[string, Error[], boolean, number]>([
    ['twice', [stepDown, stepDown], true, 2],
    ['for good', [badValue], true, 1],
    ['with retryReads: false', [stepDown], false, 1],
  ])('throws what the driver threw where it fails %s', async (_name, errors, retryReads, sent) => {
    const [first] = errors;
    const { db, calls } = failing(errors, retryReads);
    await expect(read({ filter: {} }, {}, db)).rejects.toBe(first);
    expect(calls()).toBe(sent);
  });

  it('is not sent again for a request that was given up', async () => {
    const controller = new AbortController();
    const { db, calls } = failing([stepDown]);
    controller.abort();
    await expect(compileFirstBatch(db, docs())({ find: 'docs' }, controller)).rejects.toBe(stepDown);
    expect(calls()).toBe(1);
  });
});
