import { Binary, Decimal128, Double, Int32, Long, MongoClient, ObjectId, UUID } from 'mongodb';
import {
  applyValidators,
  collectionValidator,
  defineModel,
  type FieldSchema,
  type Fields,
  type Model,
  planValidators,
  service,
  t,
} from '../../src/index.ts';
import type { Any } from '../support/any.ts';
import { useCommands } from '../support/database/commands.ts';
import { useDatabase } from '../support/database/database.ts';

const database = useDatabase({ monitorCommands: true });
const commands = useCommands(database);
const shop = service();

beforeEach(async () => {
  await database.db.dropDatabase();
  commands.clear();
});

/**
 * Makes a collection with the validator of a model with these fields. The result says whether MongoDB accepts a
 * document there.
 */
async function validated(fields: Fields): Promise<(document: object) => Promise<boolean>> {
  const validator = collectionValidator(defineModel('Thing', { collection: 'things', fields }));
  const things = await database.db.createCollection('things', { validator });
  return (document) =>
    things.insertOne({ _id: new ObjectId(), ...document }).then(
      () => true,
      (error) => {
        if (error.code !== 121) throw error;
        return false;
      },
    );
}

const long = (value: bigint) => Long.fromBigInt(value);
const decimal = (text: string) => Decimal128.fromString(text);

describe('collectionValidator()', () => {
  it.each<[name: string, field: FieldSchema, accepted: unknown[], refused: unknown[]]>([
    ['string', t.string({ minLength: 2, maxLength: 3 }), ['ab', '🙂🙂🙂'], ['a', '🙂', 'abcd', 5, null]],
    ['string with a simple pattern', t.string({ pattern: '^[A-Z]{2}-?[0-9]+$' }), ['AB-1', 'AB12'], ['ab-1', 'AB-', 'AB-1\n']],
    ['string with another pattern', t.string({ pattern: '^\\p{Lu}' }), ['Ä', 'ä'], [5]],
    ['string with the longest pattern', t.string({ pattern: `^${'[ab]'.repeat(1023)}ab$` }), [`${'a'.repeat(1023)}ab`], ['ab', 5]],
    ['string with a longer pattern', t.string({ pattern: `^${'[ab]'.repeat(1023)}abc$` }), ['ab'], [5]],
    ['enum', t.enum(['a', 'b']), ['a'], ['c', null, 1]],
    ['int', t.int({ minimum: 1, exclusiveMaximum: 10, multipleOf: 3 }), [3, long(9n), new Double(3)], [0, 4, 12, new Double(3.5), '3']],
    [
      'int beyond 32 bits',
      t.int(),
      [long(9007199254740991n), new Double(-1)],
      [long(9007199254740992n), new Double(2 ** 53), decimal('1')],
    ],
    ['int with two lower bounds', t.int({ minimum: 1, exclusiveMinimum: 1 }), [2], [1]],
    ['int64', t.int64({ minimum: 9007199254740993n }), [long(9007199254740993n)], [long(9007199254740992n), 5]],
    [
      'float',
      t.float({ minimum: 0, exclusiveMaximum: 1, multipleOf: 0.01 }),
      [new Double(0), new Double(0.07), new Int32(0)],
      [new Double(1), new Double(-0.1), new Double(Number.NaN), new Int32(1)],
    ],
    [
      'decimal',
      t.decimal({ minimum: '0.01', maximum: '9.99' }),
      [decimal('0.010'), decimal('9.99'), new Double(0.01), new Double(9.99), 1, long(2n)],
      [decimal('0.009'), decimal('10'), decimal('NaN'), new Double(9.991), 10],
    ],
    ['boolean', t.boolean(), [true], [1, 'true']],
    ['date', t.date(), [new Date()], ['2026-01-31T12:00:00Z', 0]],
    ['objectId', t.objectId(), [new ObjectId()], [new ObjectId().toHexString()]],
    ['uuid', t.uuid(), [new UUID()], ['x']],
    ['binary', t.binary(), [new Binary(Buffer.from('x'))], ['eA==']],
    [
      'point',
      t.point(),
      [{ type: 'Point', coordinates: [new Double(8.5), 47] }],
      [{ type: 'Point', coordinates: [decimal('8'), 47] }, { type: 'Point', coordinates: [8.5, 90.5] }, [8.5, 47.5], { type: 'Point' }],
    ],
    ['any', t.any(), ['x', 5, { a: 1 }], [null]],
    [
      'array',
      t.array(t.string(), { minItems: 1, maxItems: 2, uniqueItems: true }),
      [['a'], ['a', 'b']],
      [[], ['a', 'b', 'c'], ['a', 'a'], [1], 'a', [null]],
    ],
    ['array of what may be null', t.array(t.nullable(t.enum(['a']))), [['a', null], []], [['b']]],
    [
      'map',
      t.map(t.int(), { minProperties: 1, maxProperties: 2 }),
      [{ a: 1 }, { $set: 1, 'a.b': 2 }],
      [{}, { a: 1, b: 1, c: 1 }, { a: 'x' }, []],
    ],
    ['map of what may be null', t.map(t.nullable(t.decimal())), [{ a: null, b: decimal('1') }, { a: 1 }], [{ a: 'x' }]],
    [
      'object',
      t.object('Place', { city: t.string(), zip: t.optional(t.string()) }),
      [{ city: 'Bern' }, { city: 'Bern', more: 1 }],
      [{}, { city: 1 }, { city: 'Bern', zip: 1 }, null, []],
    ],
    ['array of objects', t.array(t.object('Line', { count: t.int() })), [[{ count: 1 }]], [[{}], [{ count: 'x' }]]],
    ['hand-written schema', { type: ['string', 'integer'] }, ['x', true], []],
    ['schema of another library', t.from({ $ref: '#/$defs/a', $defs: { a: { type: 'string', maxLength: 1 } } }), ['x'], ['xy']],
  ])('knows the rules of a field of type %s', async (_name, field, accepted, refused) => {
    const accepts = await validated({ value: field });
    for (const value of accepted) expect([value, await accepts({ value })]).toEqual([value, true]);
    for (const value of refused) expect([value, await accepts({ value })]).toEqual([value, false]);
    expect(await accepts({})).toBe(false);
  });

  it.each<[name: string, field: FieldSchema, mayBeMissing: boolean, mayBeNull: boolean]>([
    ['a plain field', t.string(), false, false],
    ['a field with a default, which older records lack', t.string({ default: '' }), true, true],
    ['an optional field', t.optional(t.string()), true, true],
    ['a nullable field', t.nullable(t.string()), true, true],
    ['a nullable field with storeNone', t.nullable(t.string(), { storeNone: true }), true, true],
    ['an optional nullable field with storeNone', t.optional(t.nullable(t.string(), { storeNone: true })), true, true],
    ['a nullable enum with storeNone', t.nullable(t.enum(['a']), { storeNone: true }), true, true],
  ])('knows how %s stores nothing', async (_name, field, mayBeMissing, mayBeNull) => {
    const accepts = await validated({ value: field });
    expect([await accepts({}), await accepts({ value: null })]).toEqual([mayBeMissing, mayBeNull]);
  });

  it('knows the id, the revision, which older records lack, and the timestamps', async () => {
    const accepts = await validated({ id: t.string(), revision: t.revision(), createdAt: t.createdAt() });
    expect(await accepts({ _id: 'x', revision: 1, createdAt: new Date() })).toBe(true);
    expect(await accepts({ _id: 'y', createdAt: new Date() })).toBe(true);
    const createdAt = new Date();
    for (const wrong of [
      { _id: 5, createdAt },
      { _id: '', createdAt },
      { _id: 'z', revision: -1, createdAt },
      { _id: 'z', createdAt: 'x' },
    ])
      expect(await accepts(wrong)).toBe(false);
  });

  it('is a plain object, the same each time', () => {
    const model = defineModel('Thing', { collection: 'things', fields: { a: t.int({ minimum: 0 }), b: t.optional(t.any()) } });
    expect(collectionValidator(model)).toEqual({
      $jsonSchema: {
        description: 'Made by koa-mongo-resource of a model.',
        title: 'Thing',
        bsonType: 'object',
        required: ['_id', 'a'],
        properties: {
          _id: { bsonType: 'objectId' },
          a: { bsonType: ['int', 'long', 'double'], minimum: 0, maximum: Number.MAX_SAFE_INTEGER, multipleOf: 1 },
          b: {},
        },
      },
    });
  });
});

const Order = defineModel('Order', {
  collection: 'orders',
  fields: { total: t.int({ minimum: 0 }), limit: t.int64({ maximum: 2n ** 62n }) },
});
const Refund = defineModel('Refund', { collection: 'orders', fields: { reason: t.string(), share: t.decimal({ maximum: '1' }) } });
const Tag = defineModel('Tag', { collection: 'tags', fields: { name: t.string() } });
const build = (order: Model<Any> = Order, options: object = {}) =>
  shop.api({
    db: database.db,
    models: [Tag],
    resources: [shop.resource({ model: order }), shop.resource({ model: order, path: 'archive' })],
    ...options,
  });
const infoOf = async (name: string) => {
  const [info] = await database.db.listCollections({ name }).toArray();
  return info && 'options' in info ? info.options : undefined;
};

describe('planValidators()', () => {
  it('calls the validators of an empty database missing, reads each collection once, and changes nothing', async () => {
    const plan = await planValidators(build());
    expect(String(plan)).toBe('missing   orders  Order: moderate, error\nmissing   tags    Tag: moderate, error');
    expect(commands.names).toEqual(['listCollections', 'listCollections']);
    expect(await database.db.listCollections().toArray()).toEqual([]);
  });

  it('tells what exists, what is outdated and what somebody else has set', async () => {
    await applyValidators(build());
    expect((await planValidators(build())).collections.map(({ state }) => state)).toEqual(['exists', 'exists']);
    const Changed = defineModel('Order', { collection: 'orders', fields: { total: t.int({ minimum: 1 }) } });
    expect(String(await planValidators(build(Changed)))).toContain(
      'outdated  orders  Order: moderate, error; there is an older one: moderate, error',
    );
    expect((await planValidators(build(), { validationLevel: 'strict' })).collections.map(({ state }) => state)).toEqual([
      'outdated',
      'outdated',
    ]);
    for (const validator of [{ $jsonSchema: { required: ['name'] } }, { ...collectionValidator(Tag), name: { $exists: true } }]) {
      await database.db.command({ collMod: 'tags', validator });
      expect(String(await planValidators(build()))).toContain(
        'conflict  tags    Tag: moderate, error; there is a validator that this library has not made',
      );
    }
  });

  it('refuses unknown options', async () => {
    await expect(planValidators(build(), { validationLevel: 'off' } as never)).rejects.toThrow(
      '`validationLevel` of `planValidators` must be one of strict, moderate',
    );
  });

  it('says within maxTimeMS that the database does not answer', async () => {
    const client = new MongoClient('mongodb://127.0.0.1:1');
    const away = shop.api({ db: client.db('x'), maxTimeMS: 100, resources: [shop.resource({ model: Tag })] });
    await expect(planValidators(away)).rejects.toThrow('The validators cannot be read, because the database does not answer');
    await client.close();
  });
});

describe('applyValidators()', () => {
  it('sets what is missing, creates collections, and does nothing the second time', async () => {
    await database.db.createCollection('orders');
    const done = await applyValidators(build(), { validationAction: 'warn' });
    expect(done.map(({ collection }) => collection)).toEqual(['orders', 'tags']);
    for (const name of ['orders', 'tags'])
      expect(await infoOf(name)).toMatchObject({ validationLevel: 'moderate', validationAction: 'warn' });
    expect(await applyValidators(build(), { validationAction: 'warn' })).toEqual([]);
  });

  it('replaces a validator that it has made, and no other: it sets the rest, and throws', async () => {
    await applyValidators(build());
    await database.db.command({ collMod: 'tags', validator: { name: { $type: 'string' } } });
    const Changed = defineModel('Order', { collection: 'orders', fields: { total: t.int() } });
    await expect(applyValidators(build(Changed))).rejects.toThrow(
      'Validators that this library has not made are in the way: drop them, and call `applyValidators` again, or leave these collections to them: `tags`.',
    );
    expect(await infoOf('tags')).toMatchObject({ validator: { name: { $type: 'string' } } });
    expect((await infoOf('orders'))?.validator).toEqual(collectionValidator(Changed));
  });

  it('lets a collection that several models share have the records of each', async () => {
    const api = build(Order, { models: [Refund] });
    await applyValidators(api);
    expect((await planValidators(api)).collections).toMatchObject([{ state: 'exists', models: ['Order', 'Refund'] }]);
    await api.store(Order).create({ total: 5, limit: 1 });
    await api.store(Refund).create({ reason: 'broken', share: '0.5' });
    await expect(database.db.collection('orders').insertOne({ total: -1 })).rejects.toMatchObject({ code: 121 });
  });

  it('makes a write that does not fit a bare 500', async () => {
    await applyValidators(build());
    const Wider = defineModel('Order', { collection: 'orders', fields: { total: t.int(), limit: t.int64() } });
    const request = { method: 'POST', body: '{"total":-1,"limit":0}', headers: { 'content-type': 'application/json' } };
    const answer = await build(Wider, { onError: () => undefined }).fetch(new Request('http://in-process/orders', request));
    expect([answer.status, await answer.json()]).toEqual([500, { type: 'about:blank', title: 'Internal Server Error', status: 500 }]);
  });

  it('may run in several processes at once', async () => {
    await Promise.all(Array.from({ length: 4 }, () => applyValidators(build())));
    expect((await planValidators(build())).collections.map(({ state }) => state)).toEqual(['exists', 'exists']);
  });

  it('leaves the records of before alone, and their updates with validationLevel moderate', async () => {
    const { insertedId } = await database.db.collection('orders').insertOne({ total: -1 });
    await applyValidators(build());
    await database.db.collection('orders').updateOne({ _id: insertedId }, { $set: { total: -2 } });
    await applyValidators(build(), { validationLevel: 'strict' });
    await expect(database.db.collection('orders').updateOne({ _id: insertedId }, { $set: { total: -3 } })).rejects.toMatchObject({
      code: 121,
    });
  });
});
