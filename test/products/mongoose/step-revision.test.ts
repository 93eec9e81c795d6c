import { ConfigurationError, defineModel, t } from '../../../src/index.ts';
import { stepRevision } from '../../../src/products/mongoose/step-revision.ts';
import type { Any } from '../../support/any.ts';
import { useDatabase } from '../../support/database/database.ts';
import { definition, loadMongoose, Task, unique, useMongoose, versions } from './use-mongoose.ts';

const database = useDatabase();

describe.each(versions)('stepRevision with %s', (version) => {
  const tasks = useMongoose(database, version);
  const records = () => database.db.collection('tasks');

  it('makes one record of many upserts at once, if an index is unique, and steps it for the others', async () => {
    await records().createIndex({ note: 1 }, { unique: true, partialFilterExpression: { count: { $gt: 1000 } } });
    const note = unique();
    const write = () => tasks.Task.updateOne({ note, count: 2000 }, { $set: { title: 'one' }, $push: { tags: 'x' } }, { upsert: true });
    await Promise.all(Array.from({ length: 20 }, write));
    const made = await records().find({ note }).toArray();
    expect(made.map(({ revision, tags }) => [revision, tags.length])).toEqual([[19, 20]]);
  });

  it('reports the duplicate key of an upsert that another record has', async () => {
    await records().createIndex({ title: 1 }, { unique: true, partialFilterExpression: { count: 3000 } });
    const { title } = await tasks.insert({ count: 3000, note: unique() });
    await expect(tasks.Task.updateOne({ note: unique(), count: 3000 }, { title }, { upsert: true })).rejects.toMatchObject({
      code: 11_000,
    });
  });

  it('leaves a record alone that `$setOnInsert` finds', async () => {
    const { _id, title } = await tasks.insert();
    const options = { upsert: true, timestamps: false };
    await tasks.Task.updateOne({ title }, { $setOnInsert: { note: 'new' } }, options);
    await tasks.Task.bulkWrite([{ updateOne: { filter: { title }, update: { $setOnInsert: { note: 'new' } }, ...options } }], {
      timestamps: false,
    });
    expect(await tasks.read({ _id })).toMatchObject({ revision: 3, note: 'n' });
    const other = unique();
    await tasks.Task.bulkWrite([{ updateOne: { filter: { title: other }, update: { $setOnInsert: { note: 'new' } }, ...options } }], {
      timestamps: false,
    });
    expect(await tasks.read({ title: other })).toMatchObject({ revision: 0, note: 'new' });
  });

  it('returns what mongoose returns', async () => {
    const { title } = await tasks.insert();
    expect(await tasks.Task.updateOne({ title }, { done: true }, { upsert: true })).toMatchObject({ matchedCount: 1, upsertedCount: 0 });
    expect(await tasks.Task.replaceOne({ title }, { title })).toMatchObject({ matchedCount: 1, modifiedCount: 1 });
    expect(await tasks.Task.updateOne({ title: unique() }, { done: true }, { upsert: true })).toMatchObject({
      matchedCount: 0,
      upsertedCount: 1,
    });
    expect(await tasks.Task.findOneAndUpdate({ title: unique() }, { done: true }, { upsert: true })).toBeNull();
    const after = { upsert: true, returnDocument: 'after', includeResultMetadata: true };
    const made = await tasks.Task.findOneAndReplace({ title: unique() }, { title: unique() }, after);
    expect([made.lastErrorObject.updatedExisting, made.value.revision]).toEqual([false, 0]);
    expect((await tasks.Task.findOneAndReplace({ title }, { title }, after)).value.revision).toBe(6);
    expect(await tasks.Task.updateOne({ title: unique() }, { done: true })).toMatchObject({ matchedCount: 0, upsertedCount: 0 });
  });

  it('steps the updates of subclasses and discriminators, of other databases, and of schemas of another mongoose', async () => {
    const schema = new tasks.mongoose.Schema(definition);
    schema.plugin(stepRevision, { model: Task });
    const { Mongoose } = await loadMongoose(version);
    const other = new Mongoose();
    const connection = await other.createConnection(process.env.MONGODB_URI, { dbName: database.db.databaseName }).asPromise();
    const tenant = tasks.mongoose.connection.useDb(`${database.db.databaseName}`, { noListener: true });
    const Models: Any[] = [
      connection.model('Copied', schema, 'tasks'),
      tenant.model('Task', schema, 'tasks'),
      tasks.mongoose.connection.model('Task', undefined, 'tasks'),
      tasks.Task.discriminator(`Kind${unique()}`, new tasks.mongoose.Schema({ extra: String })),
    ];
    for (const Model of Models) {
      const kind = Model.schema.discriminatorMapping?.value;
      const { _id, title } = await tasks.insert(kind ? { __t: kind } : {});
      await Model.updateOne({ title }, { done: true });
      expect(await tasks.read({ _id })).toMatchObject({ revision: 4, done: true });
    }
    await connection.close();
  });

  it('steps an update that waits for the connection, once', async () => {
    const { Mongoose } = await loadMongoose(version);
    const waiting = new Mongoose();
    const schema = new waiting.Schema(definition, { autoCreate: false, autoIndex: false });
    schema.plugin(stepRevision, { model: Task });
    const Model = waiting.model('Task', schema, 'tasks');
    const { _id, title } = await tasks.insert();
    const first = Model.updateOne({ title }, [{ $set: { done: true } }], { updatePipeline: true }).exec();
    const second = Model.replaceOne({ title }, { title }).exec();
    const third = Model.bulkWrite([{ updateOne: { filter: { title }, update: { count: 5 } } }]);
    await waiting.connect(process.env.MONGODB_URI, { dbName: database.db.databaseName });
    await Promise.all([first, second, third]);
    expect((await tasks.read({ _id })).revision).toBe(6);
    await waiting.disconnect();
  });

  it('refuses with a sentence what it cannot step', async () => {
    const { _id, title } = await tasks.insert();
    const refused: readonly (readonly [() => unknown, string])[] = [
      [() => tasks.Task.aggregate([{ $match: { title } }, { $merge: 'tasks' }]), 'An aggregate that writes into `tasks` would not step'],
      [
        () => tasks.Task.aggregate([{ $match: { title } }, { $merge: { into: { db: database.db.databaseName, coll: 'tasks' } } }]),
        'An aggregate',
      ],
      [() => tasks.Task.aggregate([{ $match: { title } }, { $out: 'tasks' }]), 'An aggregate that writes into `tasks`'],
      [() => tasks.Task.collection.initializeOrderedBulkOp(), '`initializeOrderedBulkOp` of `tasks` cannot step'],
      [() => tasks.Task.collection.initializeUnorderedBulkOp(), '`initializeUnorderedBulkOp` of `tasks` cannot step'],
      [
        () => tasks.Task.collection.bulkWrite([{ mergeOne: { filter: {} } }]),
        '`bulkWrite` of `tasks` cannot step the revision of what `mergeOne`',
      ],
      [
        () => tasks.Task.collection.replaceOne({ title }, { $set: {} }),
        '`replaceOne` of `tasks` takes a record, and `$set` is an operator',
      ],
      [
        () => tasks.mongoose.connection.bulkWrite([{ model: 'Task', name: 'updateOne', filter: { title }, update: { done: true } }]),
        '`bulkWrite` of a connection cannot step the revisions of what it changes in `tasks`',
      ],
      [
        () => tasks.Task.collection.bulkWrite([{ updateOne: { filter: {}, update: [{ $set: { a: 1 } }], upsert: true } }]),
        '`bulkWrite` of `tasks` cannot set `createdAt` where a pipeline makes a record',
      ],
      [
        async () => {
          const document = await tasks.Task.findOne({ title }).select('title');
          document.title = 'other';
          await document.save();
        },
        'A document of `Task` that was read without `revision` cannot be saved',
      ],
    ];
    for (const [run, sentence] of refused) await expect((async () => run())()).rejects.toThrow(sentence);
    expect(await tasks.read({ _id })).toMatchObject({ title, revision: 3 });
    await tasks.Task.aggregate([{ $match: { title } }, { $merge: 'copies' }]);
    expect(await database.db.collection('copies').countDocuments({ title })).toBe(1);
  });

  it('refuses a save without the revision, and compares a missing one, where hooks are skipped, too', async () => {
    const { _id, title } = await tasks.insert();
    await records().updateOne({ _id }, { $unset: { revision: 1 } });
    const document = await tasks.Task.findOne({ title });
    expect(await tasks.patch(_id, 0)).toBe(200);
    document.done = true;
    await expect(document.save({ middleware: false })).rejects.toThrow(/No matching document/);
  });

  describe('refuses a schema', () => {
    const schemaOf = (options: object, fields: object = {}): Any => new tasks.mongoose.Schema({ ...definition, ...fields }, options);
    const plain = defineModel('Plain', { collection: 'plain', fields: { title: t.string() } });
    const renamed = defineModel('Renamed', {
      collection: 'tasks',
      fields: { rev: t.revision({ stored: '__v' }), made: t.createdAt({ stored: 'created_at' }) },
    });

    it.each([
      [
        'with another version key',
        { versionKey: 'v' },
        Task,
        '`versionKey` of the schema is `v`, and the revision of model `Task` is stored as `revision`',
      ],
      ['without a version key', { versionKey: false }, Task, '`versionKey` of the schema is false'],
      ['that compares some paths only', { optimisticConcurrency: ['title'] }, Task, '`optimisticConcurrency` of the schema must be true'],
      [
        'with a timestamp elsewhere',
        { timestamps: true },
        renamed,
        '`timestamps.createdAt` of the schema is `createdAt`, and model `Renamed` has it as `created_at`',
      ],
      ['without a timestamp', { timestamps: { updatedAt: false } }, Task, '`timestamps.updatedAt` of the schema is false'],
      ['for a model without a revision', {}, plain, 'model `Plain` has no `t.revision()`'],
    ])('%s', (_name, options, model, message) => {
      const plugIn = () => schemaOf(options).plugin(stepRevision, { model });
      expect(plugIn).toThrow(ConfigurationError);
      expect(plugIn).toThrow(message);
    });

    it('with another type at a key of the model', () => {
      expect(() => schemaOf({}, { revision: String, createdAt: Number }).plugin(stepRevision, { model: Task })).toThrow(
        /`revision` of the schema must be a Number, as in the model, and is a String\.[\s\S]*`createdAt` of the schema must be a Date/,
      );
      expect(() => schemaOf({}).plugin(stepRevision)).toThrow('The options of `stepRevision` must be an object of model.');
      expect(() => schemaOf({}).plugin(stepRevision, { model: Task, revision: 'r' })).toThrow(
        '`revision` is not an option of `stepRevision`',
      );
    });

    it('and gives it the keys of the model', async () => {
      const schema = schemaOf({});
      schema.plugin(stepRevision, { model: renamed });
      expect([schema.get('versionKey'), schema.get('optimisticConcurrency')]).toEqual(['__v', true]);
      expect(schema.get('timestamps')).toEqual({ createdAt: 'created_at', updatedAt: false });
      const own = schemaOf({ timestamps: true, optimisticConcurrency: true, versionKey: 'revision' });
      own.plugin(stepRevision, { model: Task });
      expect(own.get('timestamps')).toBe(true);
      expect(() => tasks.mongoose.model(`Other${unique()}`, schema, 'tasks')).toThrow(
        'The collection `tasks` has its revision at `revision` by one schema with `stepRevision`, and at `__v` by another',
      );
    });
  });
});
