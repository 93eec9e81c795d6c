import { defineModel, t } from '../../../src/index.ts';
import { compileModel } from '../../../src/model/compile/compile-model.ts';
import { latchModel } from '../../../src/mongo/relations/check/latches/latch.ts';
import { type Edge, type References, referencesOf } from '../../../src/mongo/relations/references.ts';
import { openMemory } from './memory.ts';

const to = (model: string, options: object) => t.optional(t.ref(model, { id: t.string(), ...options }));
const define = (name: string, fields: object = {}, collection = name.toLowerCase()) =>
  defineModel(name, { collection, fields: { id: t.string(), ...fields } });
const names = (edges: readonly Edge[]) => edges.map(({ holder, field }) => `${holder.model.name}.${field.name}`);

const Customer = define('Customer', { inviter: to('Customer', { onDelete: 'nullify' }) });
const Order = define('Order', { customer: to('Customer', { onDelete: 'cascade' }), country: to('Country', { exists: true }) });
const Line = define('Line', { order: to('Order', { onDelete: 'cascade' }), unit: to('Country', { onDelete: 'restrict' }) });
const Note = define('Note', { line: to('Line', { onDelete: 'nullify' }) });
const Comment = define('Comment', { note: to('Note', { onDelete: 'cascade' }) });
const Country = define('Country');
const { references, end } = openMemory([Customer, Order, Line, Note, Comment, Country]);
const model = (name: string) => end(name).model;

describe('References', () => {
  it('has the references of a model, with and without `onDelete`', () => {
    expect(names(references.outgoing(model('Order')))).toEqual(['Order.customer', 'Order.country']);
    expect(names(references.outgoing(model('Country')))).toEqual([]);
  });

  it('has the references that lead to a model, if a delete must look for them', () => {
    expect(names(references.incoming(model('Customer')))).toEqual(['Customer.inviter', 'Order.customer']);
    expect(names(references.incoming(model('Country')))).toEqual(['Line.unit']);
    expect(names(references.incoming(model('Comment')))).toEqual([]);
  });

  it('has the references that hold the records of a model', () => {
    expect(names(references.heldBy(model('Line')))).toEqual(['Line.order', 'Line.unit']);
    expect(names(references.heldBy(model('Order')))).toEqual(['Order.customer']);
    expect(names(references.heldBy(model('Country')))).toEqual([]);
  });

  it('reaches from a delete what it may meet: beyond cascades, and not beyond others', () => {
    expect(names(references.reachedFrom(model('Customer')))).toEqual(['Customer.inviter', 'Order.customer', 'Line.order', 'Note.line']);
    expect(names(references.reachedFrom(model('Country')))).toEqual(['Line.unit']);
  });

  it('ends where cascades make a circle', () => {
    const A = define('A', { b: to('B', { onDelete: 'cascade' }) });
    const B = define('B', { a: to('A', { onDelete: 'cascade' }) });
    const circle = openMemory([A, B]);
    expect(names(circle.references.reachedFrom(circle.end('A').model))).toEqual(['B.a', 'A.b']);
  });

  it('names the models that references with `onDelete` lead to', () => {
    expect([...references.heldModels].sort()).toEqual(['Country', 'Customer', 'Customer', 'Line', 'Note', 'Order']);
  });

  it('has the model of the latches if a reference takes one, and the limits of deletes', () => {
    expect(references.latchModel?.name).toBe(latchModel.name);
    const Checked = define('Checked', { country: to('Country', { exists: true }) });
    expect(openMemory([Checked, Country]).references.latchModel).toBeUndefined();
    expect(openMemory([Country], {}, { maxCascade: 3, maxCleared: 4 }).references.limits).toEqual({ maxCascade: 3, maxCleared: 4 });
  });

  it('knows a model by its name and its collection, however often it was compiled, and refuses one that it does not know', () => {
    expect(names(references.outgoing(compileModel(Order)))).toEqual(['Order.customer', 'Order.country']);
    const elsewhere = compileModel(define('Order', { customer: to('Customer', { onDelete: 'cascade' }) }, 'elsewhere'));
    expect(() => references.outgoing(elsewhere)).toThrow(
      "`customer` of Order has `onDelete: 'cascade'` for its reference to Customer, which cannot be checked here: add both models to `resources` or `models` of the api, to `models` of `openStore`, or give the middleware `references`.",
    );
    expect(references.outgoing(compileModel(define('Elsewhere')))).toEqual([]);
  });
});

describe('two models of one collection', () => {
  it('have their common reference once for a delete, and each of them for its own writes', () => {
    const other = define(
      'Other',
      { customer: to('Customer', { onDelete: 'cascade' }), boss: to('Customer', { onDelete: 'nullify' }) },
      'order',
    );
    const both = openMemory([Customer, define('Order', { customer: to('Customer', { onDelete: 'cascade' }) }), other]);
    expect(names(both.references.incoming(both.end('Customer').model))).toEqual(['Customer.inviter', 'Order.customer', 'Other.boss']);
    expect(names(both.references.outgoing(both.end('Other').model))).toEqual(['Other.customer', 'Other.boss']);
    expect(names(both.references.heldBy(both.end('Other').model))).toEqual(['Order.customer', 'Other.boss']);
  });

  it('are refused if they disagree about a delete', () => {
    const one = define('One', { customer: to('Customer', { onDelete: 'cascade' }) }, 'same');
    const two = define('Two', { customer: to('Customer', { onDelete: 'restrict' }) }, 'same');
    expect(() => openMemory([Customer, one, two])).toThrow(
      "`customer` has `onDelete: 'restrict'` in Two and `onDelete: 'cascade'` in One, which are stored in the same collection.",
    );
  });
});

describe('referencesOf()', () => {
  it.each([
    ['has references', 'Order', true],
    ['is only referred to', 'Country', true],
    ['has nothing to do with any', 'Comment', true],
  ])('gives the references to a model that %s', (_what, name, isGiven) => {
    expect(referencesOf(model(name), references)).toBe(isGiven ? references : undefined);
  });

  it('gives none to a model without references, to which none leads', () => {
    expect(referencesOf(compileModel(define('Alone')), references)).toBeUndefined();
    expect(referencesOf(model('Country'), undefined)).toBeUndefined();
  });

  it('refuses a model with checked references that nothing is known of', () => {
    const none: References | undefined = undefined;
    expect(() => referencesOf(model('Note'), none)).toThrow(
      "`line` of Note has `onDelete: 'nullify'` for its reference to Line, which cannot",
    );
    const Checked = compileModel(define('Checked', { country: to('Country', { exists: true }) }));
    expect(() => referencesOf(Checked, none)).toThrow('`country` of Checked has `exists: true` for its reference to Country, which cannot');
  });
});
