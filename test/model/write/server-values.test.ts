import { ObjectId, UUID } from 'mongodb';
import { t } from '../../../src/model/define/t.ts';
import { compileCreate } from '../../../src/model/write/compile-writes.ts';
import { create, modelOf, refusals } from '../subject.ts';
import { Address, storedWhole, whole } from './address.ts';

describe('create: values of the server', () => {
  const model = modelOf({
    owner: t.string({ policy: { insert: false } }),
    name: t.string(),
    note: t.optional(t.string()),
    toString: t.optional(t.string()),
    address: t.optional(Address),
  });

  it('are set, closed fields included, at any depth', () => {
    const address = { ...whole, verifiedBy: 'me', score: 3, floor: null };
    expect(create(model, { name: 'a' }, { owner: 'ann', address })).toEqual({
      owner: 'ann',
      name: 'a',
      address: { ...storedWhole, verifiedBy: 'me', score: 3 },
    });
  });

  it('win over what a client may send and has sent', () => {
    expect(create(model, { name: 'client' }, { owner: 'ann', name: 'server' })).toMatchObject({ name: 'server' });
  });

  it('an undefined one does not let the client decide', () => {
    expect(create(model, { name: 'a', note: 'mine' }, { owner: 'ann', note: undefined })).toEqual({ owner: 'ann', name: 'a' });
    expect(() => create(model, { name: 'mine' }, { owner: 'ann', name: undefined })).toThrow('`name` is required');
  });

  it('a required field that only the server sets and did not is a plain error, which is a 500', () => {
    expect(() => create(model, { name: 'a' })).toThrow(new Error('Fields that only the server sets on create: `owner` is required'));
  });

  it("the client's errors come first", () => {
    expect(refusals(() => create(model, {}))).toEqual(['name is required']);
  });

  it('that do not fit are a plain error', () => {
    expect(() => create(model, { name: 'a' }, { owner: 5 })).toThrow('`owner` must be a string');
    expect(() => create(model, { name: 'a' }, { ownr: 'a' })).toThrow('serverFields set `ownr`, which is not a field of Thing.');
  });

  it('cannot name what the service itself sets', () => {
    const dated = modelOf({ at: t.createdAt() });
    expect(() => create(dated, {}, { at: new Date() })).toThrow('serverFields set `at`, which is set by the service itself.');
  });
});

describe('create: ids', () => {
  it('an ObjectId or a UUID is made where nobody gives one', () => {
    expect(compileCreate(modelOf({}))({})).toEqual({ _id: expect.any(ObjectId) });
    expect(compileCreate(modelOf({ id: t.uuid() }))({})).toEqual({ _id: expect.any(UUID) });
  });

  it('a default makes it', () => {
    expect(compileCreate(modelOf({ id: t.string({ default: () => 'made' }) }))({})).toEqual({ _id: 'made' });
  });

  it('the client gives it where the policy says insert', () => {
    const model = modelOf({ id: t.string({ minLength: 2, policy: { insert: true } }) });
    expect(compileCreate(model)({ id: 'ab' })).toEqual({ _id: 'ab' });
    expect(refusals(() => compileCreate(model)({}))).toEqual(['id is required']);
    expect(refusals(() => compileCreate(model)({ id: 'a' }))).toEqual(['id must have at least 2 characters']);
  });

  it('the server gives it', () => {
    expect(compileCreate(modelOf({ id: t.int() }))({}, { id: 5 })).toEqual({ _id: 5 });
    expect(() => compileCreate(modelOf({ id: t.int() }))({})).toThrow('`id` is required');
  });
});

describe('create: explicitWrites', () => {
  const model = modelOf({
    open: t.string({ policy: { insert: true } }),
    silent: t.optional(t.string()),
    hidden: t.optional(t.string({ policy: { private: true, insert: true } })),
    inner: t.optional(
      t.object('Inner', { a: t.optional(t.string({ policy: { insert: true } })), b: t.optional(t.string()) }, { policy: { insert: true } }),
    ),
  });
  const rules = { explicitWrites: true };

  it('a field is settable only where its policy says insert: true, at any depth', () => {
    expect(create(model, { open: 'a', hidden: 'b', inner: { a: 'c' } }, {}, rules)).toEqual({ open: 'a', hidden: 'b', inner: { a: 'c' } });
    expect(refusals(() => create(model, { open: 'a', silent: 'b', inner: { b: 'c' } }, {}, rules))).toEqual([
      'silent cannot be set on create',
      'inner.b cannot be set on create',
    ]);
  });

  it('without it they are open', () => {
    expect(create(model, { open: 'a', silent: 'b', inner: { b: 'c' } })).toEqual({ open: 'a', silent: 'b', inner: { b: 'c' } });
  });
});
