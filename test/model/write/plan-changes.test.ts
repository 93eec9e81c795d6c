import { t } from '../../../src/model/define/t.ts';
import { onlyByServer } from '../../../src/model/write/creation.ts';
import { Guarded, Plain, Sealed, uncleared, unreplaced } from '../guarded.ts';
import { assigned, errorsOf, incomplete, modelOf, patch, put, refusals } from '../subject.ts';

describe('patch: top level', () => {
  const model = modelOf({
    name: t.string({ minLength: 2 }),
    note: t.optional(t.string()),
    gone: t.nullable(t.string({ default: 'd' })),
    kept: t.nullable(t.string(), { storeNone: true }),
    state: t.string({ policy: { update: false } }),
    fixed: t.string({ immutable: true }),
    secret: t.optional(t.string({ policy: { private: true } })),
    pin: t.string({ policy: { private: true, update: true } }),
    once: t.string({ policy: { insert: false } }),
    revision: t.revision(),
    updatedAt: t.updatedAt(),
  });

  it('only named fields change', () => {
    expect(patch(model, {})).toEqual({ assignments: [], embedded: [] });
    expect(assigned(patch(model, { name: 'ab', pin: '1', once: 'x' }))).toEqual({ name: 'ab', pin: '1', once: 'x' });
  });

  it('null removes, or stores null with storeNone', () => {
    expect(assigned(patch(model, { note: null, gone: null, kept: null }))).toEqual({ note: 'absent', gone: 'absent', kept: null });
  });

  it('a forbidden field is 422 naming it, and says why', () => {
    expect(
      refusals(() => patch(model, { id: 'x', state: 'x', fixed: 'x', secret: 'x', revision: 1, updatedAt: null, bogus: 1, name: null })),
    ).toEqual([
      'id cannot be set on update',
      'state cannot be set on update',
      'fixed cannot be set on update',
      'secret is not a known field',
      'revision cannot be set on update',
      'updatedAt cannot be set on update',
      'bogus is not a known field',
      'name must not be null',
    ]);
  });

  it('constraints and types are checked as on create', () => {
    expect(refusals(() => patch(model, { name: 'a', note: { $gt: '' } }))).toEqual([
      'name must have at least 2 characters',
      'note must be a string',
    ]);
  });

  it.each([['__proto__'], ['constructor'], ['_bsontype'], ['$set'], ['name.first'], ['_id']])('%s is an unknown field', (key) => {
    expect(errorsOf(() => patch(model, `{${JSON.stringify(key)}:{"a":1}}`))).toEqual([
      { field: key, message: 'is not a known field', rule: 'unknown_field' },
    ]);
  });

  it('a body that is no object is one error of the body', () => {
    expect(errorsOf(() => patch(model, '[]'))).toEqual([
      { field: '', message: 'the body must be a JSON object', rule: 'type', params: { type: 'object' } },
    ]);
  });
});

describe('patch: merge into embedded objects (RFC 7396)', () => {
  const model = modelOf({
    address: t.nullable(Plain),
    deep: t.optional(t.object('Outer', { inner: t.optional(Plain), n: t.optional(t.int()) })),
  });

  it('each key is written on its own by dotted path', () => {
    const changes = patch(model, { address: { city: 'Delft', note: null, floor: null, label: null, tags: ['a'] } });
    expect(assigned(changes)).toEqual({
      'address.city': 'Delft',
      'address.note': 'absent',
      'address.floor': 'absent',
      'address.label': null,
      'address.tags': ['a'],
    });
  });

  it('an incomplete object tells what is missing to create it, in declared order', () => {
    expect(patch(model, { address: { country: 'BE' } }).embedded).toEqual([
      { path: 'address', whole: undefined, refused: [incomplete('address', 'street', 'city')] },
    ]);
    expect(patch(model, { address: {} }).embedded).toMatchObject([{ refused: [incomplete('address', 'street', 'city')] }]);
  });

  it('a complete one can be created, with its defaults', () => {
    const whole = { street: 'a', city: 'b', country: 'NL', label: null, tags: [] };
    expect(patch(model, { address: { city: 'b', street: 'a', floor: null } }).embedded).toEqual([{ path: 'address', whole, refused: [] }]);
  });

  it('merges at every depth, outermost first', () => {
    const changes = patch(model, { deep: { inner: { street: 'a', city: 'b' }, n: 5 } });
    expect(assigned(changes)).toEqual({ 'deep.inner.street': 'a', 'deep.inner.city': 'b', 'deep.n': 5 });
    expect(changes.embedded.map(({ path, refused }) => [path, refused])).toEqual([
      ['deep', []],
      ['deep.inner', []],
    ]);
    expect(changes.embedded[0]?.whole).toMatchObject({ n: 5, inner: { street: 'a', country: 'NL' } });
  });

  it('an outer object that is complete but for an inner one cannot be created', () => {
    expect(patch(model, { deep: { inner: { city: 'b' } } }).embedded).toEqual([
      { path: 'deep', whole: undefined, refused: [] },
      { path: 'deep.inner', whole: undefined, refused: [incomplete('deep.inner', 'street')] },
    ]);
  });

  it('null clears it', () => {
    expect(patch(model, { address: null, deep: null })).toEqual({
      assignments: [
        { path: 'address', value: expect.anything() },
        { path: 'deep', value: expect.anything() },
      ],
      embedded: [],
    });
    expect(assigned(patch(model, { address: null, deep: null }))).toEqual({ address: 'absent', deep: 'absent' });
  });

  it('errors inside are named by their paths, each once', () => {
    expect(refusals(() => patch(model, { address: { city: 5, bogus: 1, street: null, tags: ['a', 1] }, deep: { inner: [] } }))).toEqual([
      'address.bogus is not a known field',
      'address.street must not be null',
      'address.city must be a string',
      'address.tags.1 must be a string',
      'deep.inner must be an object',
    ]);
  });

  it('lists and maps are replaced whole: their objects must be complete', () => {
    const lists = modelOf({ list: t.array(Plain), map: t.map(Plain) });
    expect(refusals(() => patch(lists, { list: [{ city: 'a' }], map: { k: { street: 'b' } } }))).toEqual([
      'list.0.street is required',
      'map.k.city is required',
    ]);
    expect(assigned(patch(lists, { list: [], map: { k: { street: 'a', city: 'b', note: null } } }))).toEqual({
      list: [],
      map: new Map([['k', { street: 'a', city: 'b', country: 'NL', label: null, tags: [] }]]),
    });
  });

  it.each([['__proto__'], ['constructor'], ['$unset']])('%s inside is an unknown field', (key) => {
    expect(refusals(() => patch(model, `{"address":{${JSON.stringify(key)}:{"a":1}}}`))).toEqual([`address.${key} is not a known field`]);
  });
});

describe('what a client cannot set it cannot clear', () => {
  const model = modelOf({
    address: t.nullable(Guarded),
    outer: t.nullable(
      t.object('Outer', { inner: t.optional(Guarded), note: t.optional(t.string()), list: t.array(Guarded, { default: [] }) }),
    ),
    list: t.optional(t.array(Guarded)),
    map: t.nullable(t.map(t.array(Guarded))),
    frozen: t.optional(t.object('Frozen', { a: t.optional(t.int({ immutable: true })) })),
  });

  it.each<[string, object, string[]]>([
    ['not the closed key itself', { address: { score: 5 } }, ['address.score cannot be set on update']],
    ['not the private key, which reads as unknown', { address: { verifiedBy: null } }, ['address.verifiedBy is not a known field']],
    ['not through null', { address: null }, [`address ${uncleared}`]],
    ['not through null at a deeper level', { outer: { inner: null } }, [`outer.inner ${uncleared}`]],
    ['not through null of a parent', { outer: null }, [`outer ${uncleared}`]],
    ['not through a list', { list: [] }, [`list ${unreplaced}`]],
    ['not through null for a list', { list: null }, [`list ${uncleared}`]],
    ['not through a map', { map: {} }, [`map ${unreplaced}`]],
    ['not through null for a map', { map: null }, [`map ${uncleared}`]],
    ['not through a list inside an object', { outer: { list: [] } }, [`outer.list ${unreplaced}`]],
    ['not where it is immutable', { frozen: null }, [`frozen ${uncleared}`]],
    ['not an immutable key', { frozen: { a: 1 } }, ['frozen.a cannot be set on update']],
  ])('%s', (_name, json, errors) => {
    expect(refusals(() => patch(model, json))).toEqual(errors);
    expect(refusals(() => put(model, json))).toEqual(expect.arrayContaining(errors));
  });

  it('a merge leaves it where it is, and gives it its default in an object that is created', () => {
    const changes = patch(model, { address: { city: 'a', floor: null } });
    expect(assigned(changes)).toEqual({ 'address.city': 'a', 'address.floor': 'absent' });
    expect(changes.embedded).toEqual([{ path: 'address', whole: { city: 'a', zip: '0000', score: 0 }, refused: [] }]);
  });

  it('an object that only the server can create says so, and names no private key', () => {
    const sealed = modelOf({
      sealed: t.optional(Sealed),
      outer: t.optional(t.object('Outer', { sealed: Sealed, n: t.optional(t.int()) })),
    });
    for (const city of [{ city: 'a' }, {}]) {
      const changes = patch(sealed, { sealed: city, outer: { n: 1, sealed: city } });
      expect(changes.embedded).toEqual([
        { path: 'sealed', whole: undefined, refused: [onlyByServer.at('sealed')] },
        { path: 'outer', whole: undefined, refused: [] },
        { path: 'outer.sealed', whole: undefined, refused: [onlyByServer.at('outer.sealed')] },
      ]);
      expect(JSON.stringify(changes)).not.toContain('seal"');
    }
    expect(patch(sealed, { outer: { n: 1 } }).embedded).toEqual([{ path: 'outer', whole: undefined, refused: [onlyByServer.at('outer')] }]);
  });

  it('an object whose inner object only the server can create cannot be created with one', () => {
    const model = modelOf({ outer: t.optional(t.object('Outer', { sealed: t.optional(Sealed), n: t.optional(t.int()) })) });
    expect(patch(model, { outer: { sealed: { city: 'a' } } }).embedded).toEqual([
      { path: 'outer', whole: undefined, refused: [] },
      { path: 'outer.sealed', whole: undefined, refused: [onlyByServer.at('outer.sealed')] },
    ]);
    expect(patch(model, { outer: { n: 1 } }).embedded).toEqual([{ path: 'outer', whole: { n: 1 }, refused: [] }]);
  });
});
