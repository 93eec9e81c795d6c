import { MongoClient } from 'mongodb';
import { defineModel, t } from '../../../src/index.ts';
import { type CompiledModel, compileModel } from '../../../src/model/compile/compile-model.ts';
import { openReferences } from '../../../src/mongo/relations/compile-edges.ts';
import type { ReferenceEnd } from '../../../src/mongo/relations/references.ts';
import { openMemory } from './memory.ts';

const to = (model: string, options: object = { exists: true }) => t.ref(model, { id: t.string(), ...options });
const define = (name: string, fields: object) =>
  defineModel(name, { collection: name.toLowerCase(), fields: { id: t.string(), ...fields } });

describe('compileEdges()', () => {
  it('makes an edge of each checked reference, from the model that has it to the one that it leads to', () => {
    const { edges } = openMemory([
      define('Order', { customerId: to('Customer'), others: t.array(to('Customer', { onDelete: 'pull' })), free: to('Customer', {}) }),
      define('Customer', {}),
    ]);
    expect(edges.map(({ holder, field, target }) => [holder.model.name, field.name, target.model.name])).toEqual([
      ['Order', 'customerId', 'Customer'],
      ['Order', 'others', 'Customer'],
    ]);
  });

  it('refuses `onDelete` to a model with a field of the name under which a record counts what refers to it, and lets `exists` lead there', () => {
    const Customer = define('Customer', { _references: t.optional(t.string()) });
    expect(() => openMemory([define('Order', { customerId: to('Customer', { onDelete: 'cascade' }) }), Customer])).toThrow(
      "`customerId` of Order has `onDelete: 'cascade'`, and Customer has a field stored as `_references`: the library writes under this key when a record is referred to. Give the field another one.",
    );
    expect(openMemory([define('Order', { customerId: to('Customer') }), Customer]).edges).toHaveLength(1);
  });

  it.each([
    ['cascade', true, false, false],
    ['cascade', true, true, true],
    ['cascade', false, false, true],
    ['restrict', true, false, true],
  ])('%s, from a model with deletedAt %s by one with %s: legal %s', (onDelete, isMarked, holderIsMarked, isLegal) => {
    const marked = (is: boolean) => (is ? { deletedAt: t.deletedAt() } : {});
    const open = () =>
      openMemory([
        define('Order', { customerId: to('Customer', { onDelete }), ...marked(holderIsMarked) }),
        define('Customer', marked(isMarked)),
      ]);
    if (isLegal) expect(open().edges).toHaveLength(1);
    else
      expect(open).toThrow(
        "`customerId` of Order has `onDelete: 'cascade'`, and Customer has `t.deletedAt()`: a restore of Customer could not bring back records of Order. Give Order `t.deletedAt()` too, or the reference another `onDelete`.",
      );
  });

  it('refuses a model in the collection of the latches, at either end', () => {
    const inLatches = (name: string, fields = {}) =>
      defineModel(name, { collection: 'reference_latches', fields: { id: t.string(), ...fields } });
    const message = (name: string) =>
      `${name} is stored in \`reference_latches\`, where the library locks records that are referred to: give it another \`collection\`.`;
    expect(() => openMemory([inLatches('Order', { customerId: to('Customer') }), define('Customer', {})])).toThrow(message('Order'));
    expect(() => openMemory([define('Order', { customerId: to('Customer') }), inLatches('Customer')])).toThrow(message('Customer'));
  });

  it('tells all mistakes at once', () => {
    const Counted = define('B', { _references: t.optional(t.int()) });
    const holding = to('B', { onDelete: 'restrict' });
    expect(() => openMemory([define('A', { one: holding, two: holding }), Counted] as never)).toThrow(
      /`one` of A has[\s\S]*`two` of A has/,
    );
  });
});

describe('openReferences()', () => {
  const db = new MongoClient('mongodb://127.0.0.1').db('unasked'); // nobody connects to it
  const models = [define('Order', { customerId: to('Customer', { exists: true, id: t.int() }) }), define('Customer', {})].map(compileModel);
  const open = (given: readonly CompiledModel[], limits = {}) => {
    const end = (name: string) => ({ model: given.find((one) => one.name === name) }) as unknown as ReferenceEnd;
    return openReferences(given, { targetOf: ({ ref }) => end(ref.model), holderOf: ({ name }) => end(name) }, { db, ...limits });
  };

  it('has the limits and the time of all references', () => {
    const customer = compileModel(define('Customer', {}));
    expect(open([customer])).toMatchObject({ maxTimeMS: 10_000, limits: { maxCascade: 1_000, maxCleared: 10_000 } });
    expect(open([customer], { maxTimeMS: 5, maxCascade: 7 })).toMatchObject({ maxTimeMS: 5, limits: { maxCascade: 7 } });
    expect(() => open([customer], { maxCascade: -1 })).toThrow('`maxCascade`');
  });

  it('refuses a reference whose ids are of another type than those of its model', () => {
    expect(() => open(models)).toThrow('`customerId` of Order has `exists: true`: ids of Customer are of type string, not int');
  });
});

describe('models that require one another', () => {
  const circle = (text: string) =>
    `References require one another in a circle, so that no record could be created first, or deleted: ${text}. One of them must be nullable, optional or an array.`;

  it('are refused, with the shortest circle', () => {
    expect(() => openMemory([define('A', { b: to('B') }), define('B', { a: to('A'), c: to('C') }), define('C', { b: to('B') })])).toThrow(
      circle('`b` of A to B, `a` of B to A'),
    );
  });

  it('are refused at any distance, also behind models outside of the circle', () => {
    expect(() =>
      openMemory([
        define('Z', { a: to('A') }),
        define('A', { d: to('D'), b: to('B') }),
        define('B', { c: to('C') }),
        define('C', { a: to('A') }),
        define('D', {}),
      ]),
    ).toThrow(circle('`b` of A to B, `c` of B to C, `a` of C to A'));
  });

  it.each([
    ['of one reference is nullable', { b: t.nullable(to('B')) }],
    ['of one reference is optional', { b: t.optional(to('B')) }],
    ['of one reference is an array', { b: t.array(to('B')) }],
    ['of one reference is not checked', { b: to('B', {}) }],
  ])('are legal if the field %s', (_what, fields) => {
    expect(() => openMemory([define('A', fields), define('B', { a: to('A') })])).not.toThrow();
  });

  it('are legal if a model requires only itself, also as a part of ways of others', () => {
    expect(() => openMemory([define('A', { a: to('A'), b: to('B') }), define('B', { b: to('B') })])).not.toThrow();
  });

  it('are legal if two ways lead to the same model', () => {
    const models = [
      define('A', { b: to('B'), c: to('C') }),
      define('B', { d: to('D') }),
      define('C', { d: to('D') }),
      define('D', { d: to('D') }),
    ];
    expect(openMemory(models).edges).toHaveLength(5);
  });
});
