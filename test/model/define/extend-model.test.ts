import { ConfigurationError } from '../../../src/errors.ts';
import { compileModel } from '../../../src/model/compile/compile-model.ts';
import { defineModel, type Model } from '../../../src/model/define/define-model.ts';
import { t } from '../../../src/model/define/t.ts';
import type { Any } from '../../support/any.ts';

const Order = defineModel('Order', {
  collection: 'orders',
  fields: {
    owner: t.string(),
    total: t.decimal(),
    note: t.optional(t.string()),
    tasks: t.hasMany('Task', { via: 'order' }),
    revision: t.revision(),
  },
  check: ({ owner }) => (owner === 'nobody' ? 'must have an owner' : undefined),
  maxTimeMS: 500,
  indexes: [{ fields: ['owner', 'total'] }],
  history: true,
});

const compile = (model: unknown) => compileModel(model as Model);
const namesOf = (model: unknown) => compile(model).root.fields.map(({ name }) => name);

describe('a model that extends another one', () => {
  it('has its fields and its relations, and those that are added after them', () => {
    const Paid = Order.extend('Paid', { fields: { paidAt: t.date(), entries: t.hasMany('Entry', { via: 'order' }) } });
    expect(namesOf(Paid)).toEqual(['id', 'owner', 'total', 'note', 'revision', 'paidAt']);
    expect([...compile(Paid).many.keys()]).toEqual(['tasks', 'entries']);
    expect(Paid.schema.required).toEqual(['owner', 'total', 'revision', 'paidAt']);
  });

  it('replaces a field of the same name where it stands, and a relation', () => {
    const Other = Order.extend('Other', { fields: { owner: t.nullable(t.string()), tasks: t.array(t.string()) } });
    expect(namesOf(Other)).toEqual(['id', 'owner', 'total', 'note', 'revision', 'tasks']);
    expect(Other.hasMany).toEqual({});
  });

  it('has the options of the other one, and `indexes` in addition to those', () => {
    const { collection, schema, maxTimeMS, indexes, history, outbox } = Order.extend('Same', { indexes: [{ fields: ['total'] }] });
    expect({ collection, maxTimeMS, history, outbox }).toEqual({ collection: 'orders', maxTimeMS: 500, history: true, outbox: undefined });
    expect(schema.check).toBe(Order.schema.check);
    expect(indexes).toEqual([{ fields: ['owner', 'total'] }, { fields: ['total'] }]);
  });

  it('has its own options where they are given', () => {
    const check = () => undefined;
    const { name, collection, schema, maxTimeMS, history, outbox } = Order.extend('Own', {
      collection: 'own',
      check,
      maxTimeMS: 900,
      history: false,
      outbox: true,
    });
    expect({ name, collection, check: schema.check, maxTimeMS, history, outbox }).toEqual({
      name: 'Own',
      collection: 'own',
      check,
      maxTimeMS: 900,
      history: false,
      outbox: true,
    });
  });

  it('leaves the other one as it was, and can be extended itself', () => {
    const before = JSON.stringify(Order);
    const Third = Order.extend('Second', { fields: { a: t.int() } }).extend('Third', { fields: { b: t.int() } });
    expect(namesOf(Third)).toEqual(['id', 'owner', 'total', 'note', 'revision', 'a', 'b']);
    expect(JSON.stringify(Order)).toBe(before);
  });

  it('may widen a field that both store alike', () => {
    const fields = { owner: t.nullable(t.string({ policy: { private: true } })), note: t.enum(['a', 'b']), total: t.optional(t.decimal()) };
    expect(() => Order.extend('Wider', { fields })).not.toThrow();
  });
});

describe('`extend` refuses', () => {
  const both = 'the records of `orders` belong to both models';
  it.each<[string, string, object, string]>([
    ['the name of the model', 'Order', {}, '`Order.extend` makes another model, which needs another name.'],
    ['a name that is none', 'a b', {}, 'The name of a model must be made of letters'],
    ['an unknown option', 'New', { feilds: {} }, '`feilds`'],
    ['no options', 'New', undefined as Any, 'The options of `Order.extend` must be an object'],
    ['fields that are none', 'New', { fields: [] }, '`fields`'],
    ['a collection that is none', 'New', { collection: '$a' }, '`collection`'],
    [
      'a field of another stored type',
      'New',
      { fields: { total: t.float() } },
      `\`Order.extend\` stores \`total\` as another type, but ${both}`,
    ],
    [
      'the same of one that may be null',
      'New',
      { fields: { total: t.nullable(t.string()) } },
      `stores \`total\` as another type, but ${both}`,
    ],
    ['to turn off the history of a collection', 'New', { history: false }, `\`Order.extend\` turns off \`history\`, but ${both}`],
  ])('%s', (_what, name, options, message) => {
    const extend = () => Order.extend(name, options);
    expect(extend).toThrow(ConfigurationError);
    expect(extend).toThrow(message);
  });

  it('none of these in another collection', () => {
    expect(() => Order.extend('New', { collection: 'new', history: false, fields: { total: t.float() } })).not.toThrow();
  });
});
