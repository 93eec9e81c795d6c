import { compileModel } from '../../../src/model/compile/compile-model.ts';
import { findBlindPair, mayRead } from '../../../src/model/compile/field-rules.ts';
import { viewOf } from '../../../src/model/compile/view-of.ts';
import { defineModel, type Model } from '../../../src/model/define/define-model.ts';
import type { Allowed } from '../../../src/model/define/policy.ts';
import type { Fields } from '../../../src/model/define/schema.ts';
import { t } from '../../../src/model/define/t.ts';
import type { FieldEntry } from '../../../src/model/node.ts';
import { chainOf, type FieldChain } from '../../../src/model/read/field-chains.ts';
import { modelOf } from '../subject.ts';

const model = modelOf({
  title: t.string({ policy: { filter: true, sort: true } }),
  note: t.optional(t.string({ policy: { read: 'staff', filter: true, sort: true } })),
  margin: t.optional(t.string({ policy: { read: ['staff', 'finance'], insert: 'finance', update: 'finance' } })),
  place: t.nullable(t.object('Place', { city: t.string(), code: t.optional(t.string({ policy: { read: 'staff' } })) })),
  lines: t.array(t.object('Line', { sku: t.string(), cost: t.optional(t.string({ policy: { read: 'finance' } })) }), { default: [] }),
});
const inView = (...held: string[]) => viewOf(model, new Set(held));
const record = {
  _id: 'a',
  title: 'x',
  note: 'n',
  margin: 'm',
  place: { city: 'Bern', code: 'c' },
  lines: [{ sku: 's', cost: 'k' }],
};
const shown = (...held: string[]) => {
  const { id: _, ...rest } = JSON.parse(inView(...held).writeJson(record)) as Record<string, unknown>;
  return rest;
};

describe('a view of a model', () => {
  it('has the fields whose `read` names one of the rules that hold, at any depth', () => {
    expect(shown()).toEqual({ title: 'x', place: { city: 'Bern' }, lines: [{ sku: 's' }] });
    expect(shown('staff')).toEqual({ title: 'x', note: 'n', margin: 'm', place: { city: 'Bern', code: 'c' }, lines: [{ sku: 's' }] });
    expect(shown('finance')).toEqual({ title: 'x', margin: 'm', place: { city: 'Bern' }, lines: [{ sku: 's', cost: 'k' }] });
  });

  it('bounds `filter`, `sort` and `fields` by `read`', () => {
    expect([...inView().clientFields.keys()].filter((name) => name === 'note' || name === 'place.code')).toEqual([]);
    expect([...inView('staff').clientFields.keys()]).toEqual(expect.arrayContaining(['note', 'place.code']));
    expect(inView().selector.names.has('note')).toBe(false);
  });

  it('is compiled once for the rules that the model names, whatever else holds', () => {
    expect(inView('staff')).toBe(inView('staff', 'another'));
    expect(inView('staff')).not.toBe(inView('finance'));
    expect(viewOf(inView('staff'), new Set())).toBe(inView('staff'));
  });

  it('is the model itself if no policy names a rule', () => {
    const plain = modelOf({ title: t.string() });
    expect(viewOf(plain, new Set(['staff']))).toBe(plain);
  });

  it('is one of 32 that are kept: another one may have to be compiled again', () => {
    const names = ['a', 'b', 'c', 'd', 'e', 'f'];
    const many = modelOf(Object.fromEntries(names.map((name) => [name, t.optional(t.string({ policy: { read: name } }))])));
    const sets = Array.from({ length: 33 }, (_, bits) => new Set(names.filter((_name, bit) => bits & (1 << bit))));
    const first = sets.map((held) => viewOf(many, held));
    expect(viewOf(many, sets[32] as Set<string>)).toBe(first[32]);
    expect(viewOf(many, sets[0] as Set<string>)).not.toBe(first[0]);
  });
});

const define = (read: Allowed, more: object = {}) => t.optional(t.string({ policy: { read, ...more } }));

describe('a configuration error refuses', () => {
  it.each<[string, () => Model<never>, string]>([
    [
      'a rule for the id',
      () => defineModel('Order', { collection: 'orders', fields: { id: t.string({ policy: { read: 'staff' } }) } }) as never,
      '`policy.read` of `id` cannot name a rule: it is the path of the record.',
    ],
    [
      'a rule for the revision',
      () => defineModel('Order', { collection: 'orders', fields: { revision: t.revision({ policy: { read: 'staff' } }) } }) as never,
      '`policy.read` of `revision` cannot name a rule: every `ETag` shows it.',
    ],
    [
      'more than eight rules',
      () =>
        defineModel('Order', {
          collection: 'orders',
          fields: Object.fromEntries('abcdefghi'.split('').map((name) => [name, define(name)])),
        }) as never,
      'Its policies name 9 rules, and at most 8 are possible: a, b, c, d, e, f, g, h, i.',
    ],
    [
      'a unique field that some caller may write and not read',
      () =>
        defineModel('Order', {
          collection: 'orders',
          fields: { code: t.string({ unique: true, policy: { read: 'staff', insert: 'clerk', update: false } }) },
        }) as never,
      'A unique index of model `Order` compares `code`: callers for whom only clerk holds may write it and not read it, and a 409 would say which values exist.',
    ],
  ])('%s', (_what, make, message) => {
    expect(() => compileModel(make() as never)).toThrow(message);
  });

  it('no unique field that everybody who may write it reads', () => {
    const fields = { code: t.string({ unique: true, policy: { read: 'staff' } }) };
    expect(compileModel(defineModel('Order', { collection: 'orders', fields }) as never).rules).toEqual(['staff']);
  });
});

describe('the rules of a model', () => {
  const fields = {
    b: define('zoo'),
    a: t.optional(t.object('A', { x: define('abc', { insert: 'mid', update: ['mid', 'far'] }) })),
    list: t.array(t.object('L', { y: define('in-list') }), { default: [] }),
    map: t.map(t.object('M', { z: define('in_map') }), { default: {} }),
  };

  it('are those of all its fields, at any depth, in alphabetical order', () => {
    expect(modelOf(fields).rules).toEqual(['abc', 'far', 'in-list', 'in_map', 'mid', 'zoo']);
    expect(modelOf({ a: t.string() }).rules).toEqual([]);
  });

  it('are at most eight', () => {
    const some = (names: string) => modelOf(Object.fromEntries(names.split('').map((name) => [name, define(name)])));
    expect(some('abcdefgh').rules).toHaveLength(8);
    expect(() => some('abcdefghi')).toThrow(/9 rules/);
  });

  it('are said to be about reading only if one is', () => {
    expect(modelOf(fields).hasReadRules).toBe(true);
    expect(modelOf({ list: fields.list }).hasReadRules).toBe(true);
    expect(modelOf({ a: t.optional(t.string({ policy: { insert: 'staff', update: 'staff' } })) }).hasReadRules).toBe(false);
    expect(modelOf({ a: t.string(), b: define('staff'), c: t.string() }).hasReadRules).toBe(true);
    expect(modelOf({ a: t.string() }).hasReadRules).toBe(false);
  });

  it('leave in a view only what names none as it is', () => {
    const plain = t.object('Plain', {
      x: t.string(),
      list: t.array(t.object('Item', { y: t.string() }), { default: [] }),
      map: t.map(t.string(), { default: {} }),
    });
    const model = modelOf({ plain, other: t.optional(plain), ...fields });
    const seen = viewOf(model, new Set(['abc']));
    const nodeOf = (one: typeof model, name: string) => one.root.byName.get(name)?.node;
    for (const name of ['plain', 'other']) expect(nodeOf(seen, name)).toBe(nodeOf(model, name));
    for (const name of ['a', 'list', 'map']) expect(nodeOf(seen, name) === nodeOf(model, name)).toBe(false);
    expect([seen.needsView, model.needsView, seen.held, model.held]).toEqual([false, true, ['abc'], undefined]);
    expect(viewOf(model, new Set()).held).toEqual([]);
    expect(viewOf(model, new Set(['mid', 'abc'])).held).toEqual(['abc', 'mid']);
  });
});

describe('who may write a field and not read another', () => {
  const chainsOf = (fields: Fields) => {
    const { fieldTable } = modelOf(fields);
    return (...names: string[]) => names.map((name) => chainOf(fieldTable.get(name) as FieldEntry));
  };
  const chains = chainsOf({
    open: t.string(),
    fixed: t.string({ immutable: true, policy: { insert: false } }),
    onCreate: t.string({ immutable: true }),
    onUpdate: t.string({ policy: { insert: false } }),
    closed: t.string({ default: '', policy: { insert: false, update: false } }),
    ofStaff: define('staff'),
    alsoOfStaff: define('staff'),
    writtenByClerks: t.optional(t.string({ policy: { insert: 'clerk', update: false } })),
    updatedByClerks: t.optional(t.string({ policy: { insert: false, update: 'clerk' } })),
    hidden: t.optional(t.string({ policy: { private: true } })),
    place: t.optional(t.object('Place', { city: t.string() }, { policy: { read: 'staff' } })),
    shop: t.optional(t.object('Shop', { city: t.string({ policy: { read: true } }) }, { policy: { insert: false, update: false } })),
    createdAt: t.createdAt(),
  });

  it.each([
    ['open', 'ofStaff', 'callers for whom no rule holds'],
    ['onCreate', 'ofStaff', 'callers for whom no rule holds'],
    ['onUpdate', 'ofStaff', 'callers for whom no rule holds'],
    ['open', 'place.city', 'callers for whom no rule holds'],
    ['writtenByClerks', 'ofStaff', 'callers for whom only clerk holds'],
    ['updatedByClerks', 'ofStaff', 'callers for whom only clerk holds'],
    ['open', 'hidden', 'callers for whom no rule holds'],
  ])('finds `%s` beside `%s`', (written, hidden, by) => {
    expect(findBlindPair(chains(written, hidden))).toEqual({ written, hidden, by });
    expect(findBlindPair(chains(hidden, written))).toEqual({ written, hidden, by });
  });

  it.each([
    ['ofStaff', 'alsoOfStaff'],
    ['closed', 'ofStaff'],
    ['fixed', 'ofStaff'],
    ['createdAt', 'ofStaff'],
    ['id', 'ofStaff'],
    ['shop.city', 'ofStaff'],
    ['place.city', 'ofStaff'],
    ['open', 'onCreate'],
    ['ofStaff', 'ofStaff'],
  ])('finds nothing in `%s` beside `%s`', (one, other) => {
    expect(findBlindPair(chains(one, other))).toBeUndefined();
  });

  it('reads a field only if it reads all objects that hold it', () => {
    const [city] = chains('place.city') as [FieldChain];
    expect([mayRead(city, new Set()), mayRead(city, new Set(['staff']))]).toEqual([false, true]);
  });
});
