import { fieldRows, js, modelRows, type Rows } from '../wrong.ts';

/** Names and keys of fields. */
export const names: Rows = modelRows({
  'an empty name': () => [{ '': js.string() }],
  'a name with a dot': () => [{ 'a.b': js.string() }],
  'a name that begins with a dollar sign': () => [{ $a: js.string() }],
  'a name of an object with a bracket': () => [{ a: js.object('A', { 'b[': js.string() }) }],
  'an id by its stored key': () => [{ _id: js.string() }],
  'a key of the id': () => [{ id: js.string({ stored: 'key' }) }],
  'a field at the key of the id': () => [{ a: js.string({ stored: '_id' }) }],
  'a key with a dot': () => [{ a: js.string({ stored: 'b.c' }) }],
  'a key that is no text': () => [{ a: js.string({ stored: 5 }) }],
  'a field in an array, stored by digits, with a filter': () => [
    { a: js.array(js.object('A', { b: js.string({ stored: '1', policy: { filter: ['eq'] } }) })) },
  ],
  'a reference in an array, stored by digits': () => [{ a: js.array(js.object('A', { b: js.ref('Thing', { stored: '1' }) })) }],
  'an index of a field in an array, stored by digits': () => [
    { a: js.array(js.object('A', { b: js.string({ stored: '1' }) })) },
    { indexes: [{ fields: ['a.b'] }], search: { fields: { 'a.b': 1 } } },
  ],
});

/** `policy`. */
export const policies: Rows = {
  ...fieldRows({
    'a policy that is a text': () => js.string({ policy: 'read' }),
    'an unknown option': () => js.string({ policy: { colour: true } }),
    'a misspelt option': () => js.string({ policy: { raed: true } }),
    'filter that is a text': () => js.string({ policy: { filter: 'eq' } }),
    'an unknown operator': () => js.string({ policy: { filter: ['equal'] } }),
    'an operator that is no text': () => js.string({ policy: { filter: [null] } }),
    'an operator that the type does not have': () => js.boolean({ policy: { filter: ['prefix'] } }),
    'an operator of an object': () => js.object('A', { b: js.string() }, { policy: { filter: ['eq'] } }),
    'an unknown figure': () => js.int({ policy: { aggregate: ['median'] } }),
    'figures of a text': () => js.string({ policy: { aggregate: true } }),
    'a sum of dates': () => js.date({ policy: { aggregate: ['sum'] } }),
    'groups of an array': () => js.array(js.string(), { policy: { group: true } }),
    'a sort by an array': () => js.array(js.string(), { policy: { sort: true } }),
    'near of a text': () => js.string({ policy: { near: { maxMetres: 5 } } }),
    'near without a radius': () => js.point({ policy: { near: {} } }),
    'near that is null': () => js.point({ policy: { near: null } }),
    'near with a radius beyond the Earth': () => js.point({ policy: { near: { maxMetres: 1e9 } } }),
    'near with another option': () => js.point({ policy: { near: { maxMetres: 5, minMetres: 1 } } }),
    'sort that is no boolean': () => js.string({ policy: { sort: 1 } }),
    'group that is no boolean': () => js.string({ policy: { group: 'yes' } }),
    'private that is no boolean': () => js.string({ policy: { private: 'yes' } }),
    'read by nobody in particular': () => js.string({ policy: { read: [] } }),
    'insert by what is no rule': () => js.string({ policy: { insert: 'the staff' } }),
    'update by a number': () => js.string({ policy: { update: 5 } }),
    'private and read': () => js.string({ policy: { private: true, read: true } }),
    'private with a filter and a sort': () => js.string({ policy: { private: true, filter: true, sort: true } }),
    'read false with an aggregate': () => js.int({ policy: { read: false, aggregate: true } }),
  }),
  ...modelRows({
    'an id with a rule': () => [{ id: js.string({ policy: { read: 'staff' } }) }],
    'a revision with a rule': () => [{ revision: js.revision({ policy: { read: 'staff' } }) }],
    'too many rules': () => [
      { a: js.string({ policy: { read: ['one', 'two', 'three', 'four', 'five'], update: ['six', 'seven', 'eight', 'nine', 'ten'] } }) },
    ],
    'a counter that may be stepped and not read': () => [{ a: js.counter({ policy: { read: 'staff', update: true } }) }],
    'a unique field that some may write and not read': () => [{ a: js.string({ unique: true, policy: { read: 'staff', update: true } }) }],
    'a unique field that is private': () => [{ a: js.string({ unique: true, policy: { private: true } }) }],
  }),
};

/** What contradicts the type of a field, and markers that contradict each other. */
export const markers: Rows = {
  ...fieldRows({
    'storeNone of a field that cannot be null': () => js.string({ storeNone: true }),
    'storeNone that is no boolean': () => js.nullable(js.string(), { storeNone: 1 }),
    'immutable that is no boolean': () => js.string({ immutable: 'yes' }),
    'unique that is no boolean': () => js.string({ unique: 1 }),
    'index that is no boolean': () => js.string({ index: 1 }),
    'counter that is no boolean': () => ({ ...js.counter(), counter: 1 }),
    'an immutable field that may be updated': () => js.string({ immutable: true, policy: { update: true } }),
    'a revision in an object': () => js.object('A', { b: js.revision() }),
    'a revision that is a text': () => ({ type: 'string', maintained: 'revision' }),
    'an unknown field of the service': () => ({ type: 'string', maintained: 'author' }),
    'a time of the service that is a text': () => ({ type: 'string', maintained: 'createdAt' }),
    'a time of the service that is optional': () => js.optional(js.createdAt()),
    'a revision that is private': () => js.revision({ policy: { private: true } }),
    'a revision that clients may set': () => js.revision({ policy: { insert: true } }),
    'a counter that is a text': () => ({ type: 'string', counter: true }),
    'a counter in an object': () => js.object('A', { b: js.counter() }),
    'a counter with multipleOf': () => js.counter({ multipleOf: 5 }),
    'a counter that is optional': () => js.optional(js.counter()),
    'a counter that is immutable': () => js.counter({ immutable: true }),
    'a private counter that clients may step': () => js.counter({ policy: { private: true, update: true } }),
    'a time of deletion that may be null': () => js.nullable(js.deletedAt()),
    'a time of deletion that is unique': () => js.deletedAt({ unique: true }),
    'a unique array': () => js.array(js.string(), { unique: true }),
    'a unique object': () => js.object('A', { b: js.string() }, { unique: true }),
    'a unique field in the values of a map': () =>
      js.map(js.object('A', { b: js.array(js.object('B', { c: js.string({ unique: true }) })) })),
    'a caseless text in a map': () => js.map(js.string({ caseless: true })),
    'caseless texts in an array of arrays': () => js.array(js.array(js.string({ caseless: true }))),
    'a caseless reference': () => js.ref('Thing', { id: js.string({ caseless: true }) }),
    'keys for a filter that are no array': () => js.map(js.string(), { filterKeys: 'b', policy: { filter: ['eq'] } }),
    'keys for a filter twice': () => js.map(js.string(), { filterKeys: ['b', 'b'], policy: { filter: ['eq'] } }),
    'keys for a filter without operators': () => js.map(js.string(), { filterKeys: ['b'] }),
    'keys for a filter of objects': () => js.map(js.object('A', {}), { filterKeys: ['b'], policy: { filter: ['eq'] } }),
    'keys for a filter with a dot': () => js.map(js.string(), { filterKeys: ['b.c'], policy: { filter: ['eq'] } }),
  }),
  ...modelRows({
    'an id that is optional': () => [{ id: js.optional(js.string()) }],
    'an id that may be updated': () => [{ id: js.string({ policy: { update: true } }) }],
    'an id that is an object': () => [{ id: js.object('A', {}) }],
    'an id that is a point': () => [{ id: js.point() }],
    'an id in another form': () => [{ id: js.date({ storedAs: 'string' }) }],
    'an id that is a decimal': () => [{ id: js.decimal() }],
    'an id that is private': () => [{ id: js.string({ policy: { private: true } }) }],
    'an id that is caseless': () => [{ id: js.string({ caseless: true }) }],
    'an id with a member that no path can have': () => [{ id: js.enum(['a', '..']) }],
    'two revisions': () => [{ a: js.revision(), b: js.revision() }],
    'two times of deletion': () => [{ a: js.deletedAt(), b: js.deletedAt() }],
    'a field at the key of a deletion': () => [{ a: js.string({ stored: '_deletion' }), deletedAt: js.deletedAt() }],
  }),
};

const named = { first: js.string(), last: js.string() };
const get = () => 'x';

/** `t.computed`. */
export const computed: Rows = modelRows({
  'no fields': () => [{ ...named, name: js.computed(js.string(), { from: [], get }) }],
  'no function': () => [{ ...named, name: js.computed(js.string(), { from: ['first'] }) }],
  'an id': () => [{ ...named, id: js.computed(js.string(), { from: ['first'], get }) }],
  'a policy of what is stored': () => [{ ...named, name: js.computed(js.string({ policy: { sort: true } }), { from: ['first'], get }) }],
  'a marker of what is stored': () => [{ ...named, name: js.computed(js.string({ unique: true }), { from: ['first'], get }) }],
  'a key': () => [{ ...named, name: js.computed(js.string({ stored: 'n' }), { from: ['first'], get }) }],
  'a field that is not there': () => [{ ...named, name: js.computed(js.string(), { from: ['frist'], get }) }],
  'a private field': () => [{ a: js.string({ policy: { private: true } }), name: js.computed(js.string(), { from: ['a'], get }) }],
  'fields of two rules': () => [
    {
      a: js.string({ policy: { read: 'staff' } }),
      b: js.string({ policy: { read: 'finance' } }),
      name: js.computed(js.string(), { from: ['a', 'b'], get }),
    },
  ],
});
