import { EventEmitter } from 'node:events';
import { coveredMark } from '../../../src/products/mongoose/collection.ts';
import { stepRevision } from '../../../src/products/mongoose/step-revision.ts';
import type { Any } from '../../support/any.ts';
import { harmless } from './known-methods.ts';
import { definition, loadMongoose, Task, versions } from './use-mongoose.ts';
import { deleting, inserting, replacing, saving, updating } from './ways.ts';

/** The public methods of an object, inherited ones included. */
function methodsOf(object: object): string[] {
  const ends: readonly unknown[] = [null, Object.prototype, Function.prototype, EventEmitter.prototype];
  const names = new Set<string>();
  for (let one: object = object; !ends.includes(one); one = Object.getPrototypeOf(one))
    for (const [name, { value }] of Object.entries(Object.getOwnPropertyDescriptors(one)))
      if (typeof value === 'function' && !/^(?:[$_]|constructor$)/.test(name)) names.add(name);
  return [...names];
}

/** The methods of a class that the matrix of `writes.slow.test.ts` plays, or that are refused. */
function playedOf(name: string): string[] {
  const ways = [updating, replacing, saving, inserting, deleting].flatMap((table) => Object.keys(table));
  const refused = ['Model.aggregate', 'Connection.bulkWrite'];
  return [...ways, ...refused].flatMap((way) => (way.startsWith(`${name}.`) ? [way.slice(name.length + 1).replace(/[ ,].*$/, '')] : []));
}

describe.each(versions)('the methods of %s', (version) => {
  let classes: Record<keyof typeof harmless, object>;
  let collection: Any;
  beforeAll(async () => {
    const mongoose = await loadMongoose(version);
    const { Mongoose } = mongoose;
    const own = new Mongoose();
    const schema = new own.Schema(definition);
    schema.plugin(stepRevision, { model: Task });
    const Model = own.model('Task', schema);
    collection = Model.collection;
    const driver = { prototype: Object.getPrototypeOf(collection) };
    classes = {
      Model,
      Document: Model.prototype,
      Query: Model.Query.prototype,
      Connection: mongoose.Connection.prototype,
      'Collection of the driver': driver.prototype,
    };
  });

  it.each(['Model', 'Document', 'Query', 'Connection'] as const)('of %s write nothing, or are tested, or refused', (name) => {
    const known = [...harmless[name].split(/\s+/), ...playedOf(name)];
    expect(methodsOf(classes[name]).filter((method) => !known.includes(method))).toEqual([]);
  });

  it('of the driver write nothing, or are covered', () => {
    const known = harmless['Collection of the driver'].split(/\s+/);
    const ofDriver = methodsOf(classes['Collection of the driver']).filter((method) => !ofMongoose.includes(method));
    const others = ofDriver.filter((method) => !known.includes(method));
    expect(others.length).toBeGreaterThan(7);
    expect(others.filter((method) => !Object.hasOwn(collection, method))).toEqual([]);
    expect(collection[coveredMark]).toEqual({ revision: 'revision', createdAt: 'createdAt' });
  });
});

/** What collections of mongoose have beside the driver's methods. */
const ofMongoose = [
  'onOpen',
  'onClose',
  'addQueue',
  'removeQueue',
  'doQueue',
  'ensureIndex',
  'findAndModify',
  'getIndexes',
  'insert',
  'mapReduce',
  'save',
];
