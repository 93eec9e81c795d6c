import type { Any } from '../../support/any.ts';

/** What a way to write is given. */
interface Given {
  readonly Task: Any;
  /** The title and the id of the record, which need not be there. */
  readonly filter: { readonly title: string };
  readonly id: Any;
  readonly options: Any;
}

/** A way to write. A `single` one takes no `upsert`: it knows its record. */
interface Way {
  readonly single?: true;
  readonly operatorsOnly?: true;
  readonly run: (given: Given, update: Any) => Promise<unknown>;
}

/**
 * The ways to update, by class and name of the method: all that takes an update, whether operators or a pipeline.
 */
export const updating: Readonly<Record<string, Way>> = {
  'Model.updateOne': { run: ({ Task, filter, options }, update) => Task.updateOne(filter, update, options) },
  'Model.updateMany': { run: ({ Task, filter, options }, update) => Task.updateMany(filter, update, options) },
  'Model.findOneAndUpdate': { run: ({ Task, filter, options }, update) => Task.findOneAndUpdate(filter, update, options) },
  'Model.findOneAndUpdate, with metadata': {
    run: ({ Task, filter, options }, update) => Task.findOneAndUpdate(filter, update, { ...options, includeResultMetadata: true }),
  },
  'Model.findByIdAndUpdate': {
    single: true,
    run: ({ Task, id, options }, update) => Task.findByIdAndUpdate(id, update, options),
  },
  'Query.updateOne': {
    run: ({ Task, filter, options }, update) => Task.find(filter).updateOne({}, update, options),
  },
  'Query.updateMany': { run: ({ Task, filter, options }, update) => Task.where(filter).updateMany({}, update, options) },
  'Query.findOneAndUpdate': { run: ({ Task, filter, options }, update) => Task.find(filter).findOneAndUpdate({}, update, options) },
  'Query.findByIdAndUpdate': { single: true, run: ({ Task, id, options }, update) => Task.find().findByIdAndUpdate(id, update, options) },
  'Document.updateOne': {
    operatorsOnly: true, // mongoose 8 throws for a pipeline where nobody can catch it
    single: true,
    run: async ({ Task, id, options }, update) => (await Task.findById(id).session(options.session ?? null)).updateOne(update, options),
  },
  'Model.bulkWrite': {
    run: ({ Task, filter, options }, update) => sendMembers(Task, [{ updateOne: { filter, update, ...options } }], options),
  },
  'Model.bulkWrite of updateMany': {
    run: ({ Task, filter, options }, update) => sendMembers(Task, [{ updateMany: { filter, update, ...options } }], options),
  },
};

/** The ways to replace. */
export const replacing: typeof updating = {
  'Model.replaceOne': { run: ({ Task, filter, options }, record) => Task.replaceOne(filter, record, options) },
  'Model.findOneAndReplace': { run: ({ Task, filter, options }, record) => Task.findOneAndReplace(filter, record, options) },
  'Query.replaceOne': { run: ({ Task, filter, options }, record) => Task.where(filter).replaceOne({}, record, options) },
  'Query.findOneAndReplace': { run: ({ Task, filter, options }, record) => Task.find(filter).findOneAndReplace({}, record, options) },
  'Document.replaceOne': {
    single: true,
    run: async ({ Task, id, options }, record) => (await Task.findById(id).session(options.session ?? null)).replaceOne(record, options),
  },
  'Model.bulkWrite of replaceOne': {
    run: ({ Task, filter, options }, replacement) => sendMembers(Task, [{ replaceOne: { filter, replacement, ...options } }], options),
  },
};

/** The ways to change a document that was read, and to save it. */
export const saving: Readonly<Record<string, (Task: Any, document: Any, options: Any) => Promise<unknown>>> = {
  'Document.save': (_Task, document, options) => document.save(options),
  'Document.$save': (_Task, document, options) => document.$save(options),
  'Model.bulkSave': (Task, document, options) => Task.bulkSave([document], options),
  'Document.increment': (_Task, document, options) => document.increment().save(options),
};

/** The ways to insert. */
export const inserting: Readonly<Record<string, (Task: Any, record: object) => Promise<unknown>>> = {
  'Document.save': (Task, record) => new Task(record).save(),
  'Model.create': (Task, record) => Task.create(record),
  'Model.insertOne': (Task, record) => Task.insertOne(record),
  'Model.insertMany': (Task, record) => Task.insertMany([record]),
  'Model.insertMany, unordered, raw': (Task, record) => Task.insertMany([record], { ordered: false, rawResult: true }),
  'Model.insertMany, lean': (Task, record) => Task.insertMany([record], { lean: true }),
  'Model.bulkSave': (Task, record) => Task.bulkSave([new Task(record)]),
  'Model.bulkWrite of insertOne': (Task, document) => Task.bulkWrite([{ insertOne: { document } }]),
};

/** The ways to delete. */
export const deleting: Readonly<Record<string, (Task: Any, filter: { readonly title: string }, id: Any) => Promise<unknown>>> = {
  'Model.deleteOne': (Task, filter) => Task.deleteOne(filter),
  'Model.deleteMany': (Task, filter) => Task.deleteMany(filter),
  'Model.findOneAndDelete': (Task, filter) => Task.findOneAndDelete(filter),
  'Model.findByIdAndDelete': (Task, _filter, id) => Task.findByIdAndDelete(id),
  'Query.deleteOne': (Task, filter) => Task.find(filter).deleteOne(),
  'Query.deleteMany': (Task, filter) => Task.find(filter).deleteMany(),
  'Query.findOneAndDelete': (Task, filter) => Task.find(filter).findOneAndDelete(),
  'Query.findByIdAndDelete': (Task, _filter, id) => Task.find().findByIdAndDelete(id),
  'Document.deleteOne': async (Task, _filter, id) => (await Task.findById(id)).deleteOne(),
  'Model.bulkWrite of deleteOne': (Task, filter) => Task.bulkWrite([{ deleteOne: { filter } }]),
  'Model.bulkWrite of deleteMany': (Task, filter) => Task.bulkWrite([{ deleteMany: { filter } }]),
};

/** Updates by operators, and how the library reads the record afterwards. */
export const updates: Readonly<Record<string, { readonly update: Any; readonly options?: object }>> = {
  'an object': { update: { done: true } },
  $set: { update: { $set: { done: true } } },
  '$set of a path': { update: { $set: { 'place.city': 'Rome' } } },
  $unset: { update: { $unset: { note: 1 }, $set: { count: 2 } } },
  $inc: { update: { $inc: { count: 1 } } },
  '$push and $min': { update: { $push: { tags: { $each: ['b', 'c'], $slice: 5 } }, $min: { count: 0 } } },
  $addToSet: { update: { $addToSet: { tags: 'b' } } },
  'what is there already': { update: { $set: { done: false } } },
  '$setOnInsert beside others': { update: { $set: { done: true }, $setOnInsert: { note: 'new' } } },
  'a value for the revision': { update: { $set: { done: true, revision: 70 } } },
  'a value for the revision of a new record': { update: { $set: { done: true }, $setOnInsert: { revision: 70 } } },
  'a step of its own': { update: { $set: { done: true }, $inc: { revision: 1 } } },
  'a key that the schema lacks': { update: { $set: { extra: 1 } }, options: { strict: false } },
  'no defaults on insert': { update: { $set: { done: true } }, options: { setDefaultsOnInsert: false } },
};

/** The stages that an update may have, each of which leaves a record that the library reads. */
export const pipelines: Readonly<Record<string, readonly object[]>> = {
  $set: [{ $set: { done: true, count: { $add: [{ $ifNull: ['$count', 0] }, 1] } } }],
  '$addFields of the revision': [{ $addFields: { revision: { $add: [{ $ifNull: ['$revision', 0] }, 5] } } }],
  $unset: [{ $unset: ['note'] }],
  '$unset of the revision': [{ $unset: 'revision' }],
  '$project of what stays': [{ $project: { title: 1, tags: 1, createdAt: 1 } }, { $set: { done: true } }],
  '$project of what is computed': [{ $project: { _id: 0, title: '$title', createdAt: { $toDate: '$createdAt' } } }],
  '$project of what goes': [{ $project: { note: 0, place: { city: 0 } } }],
  '$project of the id alone': [{ $set: { note: 'kept' } }, { $project: { _id: 0 } }],
  $replaceWith: [{ $replaceWith: { title: '$title', createdAt: '$createdAt', revision: 9 } }],
  $replaceRoot: [{ $replaceRoot: { newRoot: { $mergeObjects: ['$$ROOT', { done: true }] } } }],
  several: [{ $set: { kept: '$title' } }, { $replaceWith: { title: '$kept' } }, { $project: { title: 1 } }, { $set: { count: 4 } }],
};

function sendMembers(Task: Any, members: Any[], { session, strict }: Any): Promise<unknown> {
  return Task.bulkWrite(members, { ...(session && { session }), ...(strict !== undefined && { strict }) });
}
