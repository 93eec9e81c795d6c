import { defineModel, Problem, t } from '../../../src/index.ts';
import { compileModel } from '../../../src/model/compile/compile-model.ts';
import { compileRelations } from '../../../src/model/relations/includable.ts';
import { Included, Room } from '../../../src/model/relations/included.ts';
import { Book, bookRelations } from '../../support/models/books.ts';

const ref = (options: object = {}) => t.ref('Other', { id: t.string(), ...options });
const modelOf = (fields: object) => compileModel(defineModel('Doc', { collection: 'docs', fields: { id: t.string(), ...fields } }));

/** The ids that a relation of such fields visits in a stored record. */
function visited(fields: object, name: string, stored: unknown): unknown[] {
  const ids: unknown[] = [];
  compileRelations(modelOf(fields).fieldTable)
    .get(name)
    ?.visitIds(stored, (id) => ids.push(id));
  return ids;
}

describe('the relations of a model', () => {
  it('are named by `as` or by their field, with the path of the object they stand in', () => {
    expect([...compileRelations(compileModel(Book).fieldTable).keys()]).toEqual(bookRelations);
  });

  it('are not those of private fields, of objects that are private, nor what stands in a map', () => {
    const hidden = t.object('Hidden', { to: ref() });
    const fields = {
      a: ref({ policy: { private: true } }),
      b: t.optional(t.object('Hidden', { to: ref() }, { policy: { private: true } })),
      c: t.map(hidden),
      d: t.map(ref()),
    };
    expect([...compileRelations(modelOf(fields).fieldTable).keys()]).toEqual([]);
  });
});

describe('visitIds', () => {
  it.each<[string, object, string, unknown, readonly unknown[]]>([
    ['an id', { to: ref() }, 'to', { to: 'a' }, ['a']],
    ['null', { to: t.nullable(ref()) }, 'to', { to: null }, []],
    ['a missing one', { to: t.optional(ref()) }, 'to', {}, []],
    ['a missing one with a default', { to: ref({ default: 'd' }) }, 'to', {}, ['d']],
    ['a null that reads as the default', { to: ref({ default: 'd' }) }, 'to', { to: null }, ['d']],
    ['a null that is null in spite of a default', { to: t.nullable(ref(), { default: 'd', storeNone: true }) }, 'to', { to: null }, []],
    ['a list', { to: t.array(t.nullable(ref())) }, 'to', { to: ['a', null, 'b', 'a'] }, ['a', 'b', 'a']],
    ['a list of lists', { to: t.array(t.array(ref({ as: 'all' }))) }, 'all', { to: [['a'], [], ['b', 'c']] }, ['a', 'b', 'c']],
    ['no list where one is declared', { to: t.array(ref()) }, 'to', { to: 'a' }, []],
    ['an embedded object', { in: t.nullable(t.object('In', { to: ref() })) }, 'in.to', { in: { to: 'a' } }, ['a']],
    ['an embedded object that is null', { in: t.nullable(t.object('In', { to: ref() })) }, 'in.to', { in: null }, []],
    ['something else where an object is declared', { in: t.object('In', { to: ref() }) }, 'in.to', { in: 'x' }, []],
    [
      'objects in a list',
      { in: t.array(t.object('In', { to: ref() })) },
      'in.to',
      { in: [{ to: 'a' }, {}, null, 5, { to: 'b' }] },
      ['a', 'b'],
    ],
    ['a field of Object.prototype', { constructor: t.optional(ref()) }, 'constructor', {}, []],
  ])('visits %s', (_what, fields, name, stored, ids) => {
    expect(visited(fields, name, stored)).toEqual(ids);
  });
});

describe('writeJson with included records', () => {
  const texts = new Map([
    ['"a"', { text: '{"id":"a"}', bytes: 10 }],
    ['null', { text: '"of no id"', bytes: 10 }],
  ]);
  function write(fields: object, name: string, stored: object, room = new Room(1000)): unknown {
    const model = modelOf(fields);
    return JSON.parse(model.writeJson({ _id: 'x', ...stored }, new Included(new Map([[name, texts]]), room)));
  }
  const a = { id: 'a' };

  it.each<[string, object, string, object, object]>([
    ['in the place of the id', { to: ref() }, 'to', { to: 'a' }, { to: a }],
    ['in the places of a list', { to: t.array(t.array(ref())) }, 'to', { to: [['a', 'b'], ['a']] }, { to: [[a, 'b'], [a]] }],
    ['beside the id', { to: ref({ as: 'one' }) }, 'one', { to: 'a' }, { to: 'a', one: a }],
    [
      'beside lists',
      { to: t.array(t.array(ref({ as: 'all' }))) },
      'all',
      { to: [['a', 'b'], []] },
      { to: [['a', 'b'], []], all: [[a, null], []] },
    ],
    ['for a default', { to: ref({ as: 'one', default: 'a' }) }, 'one', {}, { to: 'a', one: a }],
    ['as null where an optional id is absent', { to: t.optional(ref({ as: 'one' })) }, 'one', {}, { one: null }],
    ['as null where an id is null', { to: t.nullable(ref({ as: 'one' })) }, 'one', { to: null }, { to: null, one: null }],
    [
      'as null where an id in a list is',
      { to: t.array(t.nullable(ref({ as: 'all' }))) },
      'all',
      { to: [null] },
      { to: [null], all: [null] },
    ],
    ['not in the place of an id that stays beside it', { to: ref({ as: 'one' }) }, 'to', { to: 'a' }, { to: 'a' }],
    ['not in a map', { to: t.map(ref()) }, 'to', { to: { k: 'a' } }, { to: { k: 'a' } }],
    ['as null where no list is, though one is declared', { to: t.array(ref({ as: 'all' })) }, 'all', { to: 'a' }, { to: 'a', all: null }],
    ['alone in an object', { in: t.object('In', { to: t.optional(ref({ as: 'one' })) }) }, 'in.one', { in: {} }, { in: { one: null } }],
    [
      'at one of two relations to one model',
      { to: ref({ as: 'one' }), other: ref({ as: 'two' }) },
      'one',
      { to: 'a', other: 'a' },
      { to: 'a', other: 'a', one: a },
    ],
  ])('writes them %s', (_where, fields, name, stored, shown) => {
    expect(write(fields, name, stored)).toEqual({ id: 'x', ...shown });
  });

  it('writes no more than there is room for, each counted wherever it is shown', () => {
    const fields = { to: t.array(ref()) };
    const stored = { to: ['a', 'a', 'b', 'a'] };
    expect(write(fields, 'to', stored, new Room(30))).toEqual({ id: 'x', to: [a, a, 'b', a] });
    expect(() => write(fields, 'to', stored, new Room(29))).toThrow(Problem);
  });

  it('writes what it writes without, where none are given', () => {
    const model = modelOf({ to: ref(), at: ref({ as: 'one' }), all: t.array(ref({ as: 'some' })) });
    const stored = { _id: 'x', to: 'a', at: 'a', all: ['a'] };
    const without = '{"id":"x","to":"a","at":"a","all":["a"]}';
    expect([model.writeJson(stored), model.writeJson(stored, new Included(new Map(), new Room(0)))]).toEqual([without, without]);
  });
});
