import { Decimal128, ObjectId } from 'mongodb';
import { t } from '../../../src/model/define/t.ts';
import { compileCreate } from '../../../src/model/write/compile-writes.ts';
import { create, errorsOf, modelOf, refusals } from '../subject.ts';
import { Address, storedWhole, whole } from './address.ts';

describe('create: the body holds writable fields', () => {
  const model = modelOf({
    name: t.string(),
    pin: t.string({ policy: { private: true, insert: true } }),
    secret: t.optional(t.string({ policy: { private: true } })),
    state: t.string({ default: 'open', policy: { insert: false } }),
    locked: t.optional(t.string({ policy: { update: false } })),
    fixed: t.optional(t.string({ immutable: true })),
    revision: t.revision(),
    createdAt: t.createdAt(),
    updatedAt: t.updatedAt(),
  });

  it('stores it with id, revision, timestamps and defaults, in declared order', () => {
    const stored = compileCreate(model)({ pin: '1', name: 'a', locked: 'b', fixed: 'c' });
    expect(Object.keys(stored)).toEqual(['_id', 'name', 'pin', 'state', 'locked', 'fixed', 'revision', 'createdAt', 'updatedAt']);
    expect(stored).toMatchObject({ _id: expect.any(ObjectId), state: 'open', revision: 0, createdAt: expect.any(Date) });
    expect(stored.updatedAt).toEqual(stored.createdAt);
  });

  it.each<[string, object, string[]]>([
    ['a required field that is missing', { pin: '1' }, ['name is required']],
    ['a field with insert: false', { name: 'a', pin: '1', state: 'paid' }, ['state cannot be set on create']],
    ['the id', { name: 'a', pin: '1', id: 'x' }, ['id cannot be set on create']],
    ['the stored name of the id', { name: 'a', pin: '1', _id: 'x' }, ['_id is not a known field']],
    ['the revision', { name: 'a', pin: '1', revision: 5 }, ['revision cannot be set on create']],
    ['a timestamp', { name: 'a', pin: '1', createdAt: '2026-01-01T00:00:00Z' }, ['createdAt cannot be set on create']],
    ['an unknown field', { name: 'a', pin: '1', nmae: 'a' }, ['nmae is not a known field; did you mean `name`?']],
    ['an operator', { name: { $gt: '' }, pin: '1', $set: { a: 1 } }, ['$set is not a known field', 'name must be a string']],
    ['null', { name: null, pin: '1' }, ['name must not be null']],
    ['null for an optional field', { name: 'a', pin: '1', locked: null }, ['locked must not be null: leave it out']],
  ])('refuses %s', (_name, json, errors) => {
    expect(refusals(() => create(model, json))).toEqual(errors);
  });

  it('a private field is refused exactly as one that does not exist', () => {
    const [secret] = errorsOf(() => create(model, { name: 'a', pin: '1', secret: 'x' }));
    const [unknown] = errorsOf(() => create(model, { name: 'a', pin: '1', zzzzzz: 'x' }));
    expect(secret?.message).toBe(unknown?.message);
  });

  it('no hint names a private field', () => {
    expect(refusals(() => create(model, { name: 'a', pin: '1', secre: 'x', pinn: 1 }))).toEqual([
      'secre is not a known field',
      'pinn is not a known field',
    ]);
  });

  it('tells every error at once: unknown keys first, then fields in declared order', () => {
    expect(refusals(() => create(model, { pin: 5, state: 'x', bogus: 1, locked: 7 }))).toEqual([
      'state cannot be set on create',
      'bogus is not a known field',
      'name is required',
      'pin must be a string',
      'locked must be a string',
    ]);
  });

  it.each([['__proto__'], ['constructor'], ['toString'], ['_bsontype'], ['$oid'], ['a\0b'], ['\ud800'], ['']])(
    '%j is an unknown field',
    (key) => {
      const json = `{"name":"a","pin":"1",${JSON.stringify(key)}:{"polluted":true}}`;
      expect(errorsOf(() => create(model, json))).toMatchObject([
        { field: key, message: expect.stringMatching(/^is not a known field/), rule: 'unknown_field' },
      ]);
      expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
    },
  );

  it.each([[[]], ['text'], [5], [null], [undefined], [new Date()]])('a body that is no object is one error of the body: %o', (json) => {
    expect(errorsOf(() => compileCreate(model)(json))).toEqual([
      { field: '', message: 'the body must be a JSON object', rule: 'type', params: { type: 'object' } },
    ]);
  });

  it('a body full of errors is answered with the first hundred', () => {
    const list = modelOf({ list: t.array(t.string()) });
    expect(errorsOf(() => create(list, { list: Array.from({ length: 5_000 }, () => 1) }))).toHaveLength(100);
    const keys = Object.fromEntries(Array.from({ length: 5_000 }, (_, index) => [`key${index}`, 1]));
    expect(errorsOf(() => create(list, keys))).toHaveLength(100);
  });

  it('a body whose errors are long, by the keys of its maps, is answered with fewer', () => {
    const map = modelOf({ map: t.map(t.array(t.string())) });
    const errors = errorsOf(() => create(map, { map: { ['k'.repeat(50_000)]: Array.from({ length: 5_000 }, () => 1) } }));
    expect(errors).toHaveLength(2);
  });
});

describe('create: embedded objects, lists and maps', () => {
  const model = modelOf({
    address: t.optional(Address),
    history: t.array(Address, { default: [] }),
    places: t.map(Address, { default: {} }),
  });

  it('take defaults, and null where it belongs', () => {
    expect(create(model, { address: whole, history: [whole], places: { 'a.$b': { ...whole, label: 'x', floor: null } } })).toEqual({
      address: storedWhole,
      history: [storedWhole],
      places: new Map([['a.$b', { ...storedWhole, label: 'x' }]]),
    });
  });

  it('each missing key is an error of its own, in declared order', () => {
    expect(refusals(() => create(model, { address: {}, history: [whole, { zip: '1' }], places: { x: {} } }))).toEqual([
      'address.street is required',
      'address.zip is required',
      'history.1.street is required',
      'places.x.street is required',
      'places.x.zip is required',
    ]);
  });

  it('policy holds at every depth', () => {
    const closed = { ...whole, score: 5, verifiedBy: 'me', bogus: 1 };
    expect(refusals(() => create(model, { address: closed, history: [closed], places: { x: closed } }))).toEqual(
      ['address', 'history.0', 'places.x'].flatMap((path) => [
        `${path}.score cannot be set on create`,
        `${path}.verifiedBy is not a known field`,
        `${path}.bogus is not a known field`,
      ]),
    );
  });

  it.each([['__proto__'], ['constructor'], ['_bsontype'], ['toJSON']])('%s is an unknown key of an object and data in a map', (key) => {
    const json = (value: string) => `{"places":{${JSON.stringify(key)}:${value}}}`;
    expect(create(model, json(JSON.stringify(whole))).places).toEqual(new Map([[key, storedWhole]]));
    expect(errorsOf(() => create(model, json(`{"street":"a","zip":"1",${JSON.stringify(key)}:1}`)))).toEqual([
      { field: `places.${key}.${key}`, message: 'is not a known field', rule: 'unknown_field' },
    ]);
  });

  it('keys that BSON cannot hold are refused in a map', () => {
    expect(refusals(() => create(model, { places: { 'a\0': whole, '\ud800': whole } }))).toEqual([
      'places must not have a key with a NUL character or a lone surrogate',
      'places must not have a key with a NUL character or a lone surrogate',
    ]);
  });

  it('what is no object, list or map is refused', () => {
    expect(refusals(() => create(model, { address: [whole], history: whole, places: 'x' }))).toEqual([
      'address must be an object',
      'history must be a list',
      'places must be an object',
    ]);
  });

  it('a required key that the client may not send is never named to the client, and is a fault of the deployer', () => {
    const broken = modelOf({ inner: t.object('Inner', { a: t.string(), secretOwner: t.string({ policy: { private: true } }) }) });
    expect(refusals(() => create(broken, { inner: {} }))).toEqual(['inner.a is required']);
    expect(() => create(broken, { inner: { a: 'x' } })).toThrow(
      'Fields that only the server sets on create: `inner.secretOwner` is required, has no default, and clients may not send it',
    );
    expect(create(broken, {}, { inner: { a: 'x', secretOwner: 'me' } })).toEqual({ inner: { a: 'x', secretOwner: 'me' } });
  });
});

describe('create: null and defaults', () => {
  let made = 0;
  const model = modelOf({
    plain: t.nullable(t.string()),
    kept: t.nullable(t.string(), { storeNone: true }),
    withDefault: t.nullable(t.string(), { default: 'd' }),
    keptDefault: t.nullable(t.string(), { default: 'd', storeNone: true }),
    nullDefault: t.nullable(t.string(), { default: null, storeNone: true }),
    counter: t.int({ default: () => ++made }),
    tags: t.array(t.string(), { default: ['a'] }),
    meta: t.any({ default: { list: [] } }),
    due: t.date({ default: new Date(0) }),
    price: t.decimal({ default: Decimal128.fromString('1.50') }),
    rate: t.float({ default: 1 }),
    address: t.object(
      'Home',
      { city: t.string(), since: t.date({ default: new Date(0) }) },
      { default: { city: 'Delft', since: new Date(1) } },
    ),
  });

  it('what is left out takes its default, null as a missing key unless storeNone', () => {
    const { counter, ...stored } = create(model, {});
    expect(counter).toEqual(expect.any(Number));
    expect(stored).toEqual({
      kept: null,
      withDefault: 'd',
      keptDefault: 'd',
      nullDefault: null,
      tags: ['a'],
      meta: new Map([['list', []]]),
      due: new Date(0),
      price: Decimal128.fromString('1.50'),
      rate: expect.objectContaining({ value: 1 }),
      address: { city: 'Delft', since: new Date(1) },
    });
  });

  it('null is null, not the default', () => {
    const stored = create(model, { plain: null, kept: null, withDefault: null, keptDefault: null });
    expect(stored).toMatchObject({ kept: null, keptDefault: null });
    expect(stored).not.toHaveProperty('plain');
    expect(stored).not.toHaveProperty('withDefault');
  });

  it('a default is made anew for every record', () => {
    const [one, two] = [create(model, {}), create(model, {})];
    for (const name of ['tags', 'meta', 'due', 'address']) {
      expect(one[name]).toEqual(two[name]);
      expect(one[name]).not.toBe(two[name]);
    }
    expect((one.address as { since: Date }).since).not.toBe((two.address as { since: Date }).since);
    expect(two.counter).toBe((one.counter as number) + 1);
  });

  it('a default written as JSON is read as JSON where it is no value of handlers', () => {
    const raw = modelOf({
      at: { type: 'string', format: 'date-time', bsonType: 'date', default: '2026-01-31T12:00:00Z' },
      amount: { bsonType: 'decimal', default: '1.5' },
    });
    expect(create(raw, {})).toEqual({ at: new Date('2026-01-31T12:00:00Z'), amount: Decimal128.fromString('1.5') });
  });

  it('a decimal by default may be a number or a text at any depth, and an int64 a number', () => {
    const generous = modelOf({
      text: t.decimal({ default: '1.50' }),
      number: t.decimal({ default: 1.5 }),
      integer: t.decimal({ default: 5n }),
      made: t.decimal({ default: () => '1.50' }),
      none: t.nullable(t.decimal(), { default: '1.50' }),
      list: t.array(t.decimal(), { default: ['1.50', 2] }),
      own: t.object('Own', { price: t.decimal() }, { default: { price: 2 } }),
      big: t.int64({ default: 5 }),
    });
    const [exact, two] = [Decimal128.fromString('1.50'), Decimal128.fromString('2')];
    expect(create(generous, {})).toEqual({
      text: exact,
      number: Decimal128.fromString('1.5'),
      integer: Decimal128.fromString('5'),
      made: exact,
      none: exact,
      list: [exact, two],
      own: { price: two },
      big: 5n,
    });
  });

  it('a default function that makes nonsense is a plain error, which is a 500', () => {
    const broken = modelOf({ n: t.int({ default: (() => 'x') as never }) });
    expect(() => create(broken, {})).toThrow(new Error('The `default` of `n` does not fit: `n` must be an integer.'));
  });
});
