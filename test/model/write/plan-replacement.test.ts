import { t } from '../../../src/model/define/t.ts';
import { Guarded, Plain, Sealed, uncleared, unreplaced } from '../guarded.ts';
import { assigned, incomplete, modelOf, patch, put, refusals } from '../subject.ts';

describe('patch with mergePatch: false replaces embedded objects', () => {
  const rules = { mergePatch: false };
  const model = modelOf({
    plain: t.nullable(Plain),
    address: t.nullable(Guarded),
    name: t.optional(t.string()),
    sealed: t.optional(Sealed),
  });

  it('every unsent value returns to its default, closed ones included', () => {
    expect(patch(model, { plain: { street: 'a', city: 'b' }, address: { city: 'c' } }, rules)).toEqual({
      assignments: [
        { path: 'plain', value: { street: 'a', city: 'b', country: 'NL', label: null, tags: [] } },
        { path: 'address', value: { city: 'c', zip: '0000', score: 0 } },
      ],
      embedded: [],
    });
  });

  it('top-level fields stay partial', () => {
    expect(assigned(patch(model, { name: 'a' }, rules))).toEqual({ name: 'a' });
    expect(assigned(patch(model, {}, rules))).toEqual({});
  });

  it('a missing key is an error of its own; closed keys are refused still', () => {
    expect(refusals(() => patch(model, { plain: {}, address: { city: 'a', score: 1, verifiedBy: 'me' } }, rules))).toEqual([
      'plain.street is required',
      'plain.city is required',
      'address.score cannot be set on update',
      'address.verifiedBy is not a known field',
    ]);
  });

  it('null clears what is nullable or optional, closed values or not', () => {
    expect(assigned(patch(model, { plain: null, address: null, sealed: null }, rules))).toEqual({
      plain: 'absent',
      address: 'absent',
      sealed: 'absent',
    });
    const must = modelOf({ must: Guarded, kept: t.nullable(Guarded, { storeNone: true }) });
    expect(assigned(patch(must, { kept: null }, rules))).toEqual({ kept: null });
    expect(refusals(() => patch(must, { must: null }, rules))).toEqual(['must must not be null']);
  });

  it('an object that requires what the client may not send cannot be replaced', () => {
    expect(refusals(() => patch(model, { sealed: { city: 'a' } }, rules))).toEqual([`sealed ${unreplaced}`]);
    expect(refusals(() => patch(model, { sealed: {} }, rules))).toEqual(['sealed.city is required', `sealed ${unreplaced}`]);
    const outer = modelOf({
      outer: t.object('Outer', { sealed: t.optional(Sealed), list: t.array(Sealed, { default: [] }), n: t.int() }),
    });
    expect(refusals(() => patch(outer, { outer: { n: 1, sealed: { city: 'a' } } }, rules))).toEqual([`outer.sealed ${unreplaced}`]);
    expect(refusals(() => patch(outer, { outer: { n: 1, list: [{ city: 'a' }] } }, rules))).toEqual([`outer.list.0 ${unreplaced}`]);
    expect(assigned(patch(outer, { outer: { n: 1, list: [], sealed: null } }, rules))).toEqual({ outer: { n: 1, list: [] } });
  });

  it('null, lists and maps of closed values are taken, at any depth; what is closed in them returns to its default', () => {
    const outer = modelOf({
      outer: t.object('Outer', {
        inner: t.nullable(Guarded),
        list: t.array(Guarded, { default: [] }),
        map: t.map(Guarded, { default: {} }),
      }),
      list: t.array(Guarded),
    });
    const one = { city: 'a', zip: '0000', score: 0 };
    expect(
      assigned(
        patch(
          outer,
          { outer: { inner: null, list: [{ city: 'a' }], map: { k: { city: 'a' } } }, list: [{ city: 'a' }, { city: 'a' }] },
          rules,
        ),
      ),
    ).toEqual({ outer: { list: [one], map: new Map([['k', one]]) }, list: [one, one] });
    expect(assigned(patch(outer, { outer: {} }, rules))).toEqual({ outer: { list: [], map: new Map() } });
  });

  it('a closed key that is named is refused with its own path', () => {
    const list = modelOf({ history: t.array(Guarded), map: t.map(Guarded, { default: {} }) });
    const named = { city: 'a', score: 1, verifiedBy: 'x' };
    expect(refusals(() => patch(list, { history: [named], map: { k: named } }, rules))).toEqual([
      'history.0.score cannot be set on update',
      'history.0.verifiedBy is not a known field',
      'map.k.score cannot be set on update',
      'map.k.verifiedBy is not a known field',
    ]);
  });
});

describe('put', () => {
  const model = modelOf({
    name: t.string(),
    note: t.optional(t.string()),
    gone: t.nullable(t.string()),
    kept: t.nullable(t.string(), { storeNone: true }),
    count: t.int({ default: 7 }),
    state: t.string({ policy: { update: false } }),
    secret: t.optional(t.string({ policy: { private: true } })),
    revision: t.revision(),
  });

  it('a writable field left out returns to its default, a closed one stays', () => {
    expect(assigned(put(model, { name: 'a' }))).toEqual({ name: 'a', note: 'absent', gone: 'absent', kept: null, count: 7 });
    expect(assigned(put(model, { name: 'a', note: null, gone: null, kept: null, count: 1 }))).toEqual({
      name: 'a',
      note: 'absent',
      gone: 'absent',
      kept: null,
      count: 1,
    });
  });

  it('a required field must be sent, and what is read-only must not', () => {
    expect(refusals(() => put(model, { id: 'x', state: 'x', secret: 'x', revision: 1 }))).toEqual([
      'id cannot be set on update',
      'state cannot be set on update',
      'secret is not a known field',
      'revision cannot be set on update',
      'name is required',
    ]);
  });

  it('an embedded object without closed values is replaced whole, each missing key an error of its own', () => {
    const plain = modelOf({ plain: t.nullable(Plain) });
    expect(put(plain, { plain: { street: 'a', city: 'b' } })).toEqual({
      assignments: [{ path: 'plain', value: { street: 'a', city: 'b', country: 'NL', label: null, tags: [] } }],
      embedded: [],
    });
    expect(assigned(put(plain, { plain: null }))).toEqual({ plain: 'absent' });
    expect(assigned(put(plain, {}))).toEqual({ plain: 'absent' });
    expect(refusals(() => put(plain, { plain: { floor: 1 } }))).toEqual(['plain.street is required', 'plain.city is required']);
  });

  it('one that holds closed values is replaced key by key, and stays when it is left out', () => {
    const guarded = modelOf({
      address: Guarded,
      list: t.array(Guarded),
      outer: t.optional(t.object('Outer', { inner: Guarded, n: t.int({ default: 1 }) })),
    });
    expect(put(guarded, {})).toEqual({ assignments: [], embedded: [] });
    const changes = put(guarded, { address: { city: 'a' }, outer: {} });
    expect(assigned(changes)).toEqual({ 'address.city': 'a', 'address.zip': '0000', 'address.floor': 'absent', 'outer.n': 1 });
    expect(changes.embedded).toEqual([
      { path: 'address', whole: { city: 'a', zip: '0000', score: 0 }, refused: [] },
      { path: 'outer', whole: undefined, refused: [incomplete('outer', 'inner')] },
    ]);
    expect(refusals(() => put(guarded, { address: { zip: '1' } }))).toEqual(['address.city is required']);
  });
});

describe('explicitWrites', () => {
  const open = { insert: true, update: true };
  const model = modelOf({
    name: t.string({ policy: open }),
    silent: t.string(),
    address: t.nullable(t.object('Half', { city: t.string({ policy: open }), zip: t.optional(t.string()) }), { policy: open }),
    free: t.nullable(t.object('Free', { city: t.string({ policy: open }) }), { policy: open }),
    list: t.array(t.object('Item', { a: t.optional(t.string()) }), { default: [], policy: open }),
  });
  const rules = { explicitWrites: true };

  it('a field is writable only where its policy says update: true', () => {
    expect(assigned(patch(model, { name: 'a', address: { city: 'b' } }, rules))).toEqual({ name: 'a', 'address.city': 'b' });
    expect(refusals(() => patch(model, { silent: 'a', address: { zip: '1' } }, rules))).toEqual([
      'silent cannot be set on update',
      'address.zip cannot be set on update',
    ]);
  });

  it('closed keys protect the object and the list that hold them', () => {
    expect(refusals(() => patch(model, { address: null, list: [] }, rules))).toEqual([`address ${uncleared}`, `list ${unreplaced}`]);
    expect(assigned(patch(model, { free: null }, rules))).toEqual({ free: 'absent' });
    expect(assigned(patch(model, { address: null, list: [] }))).toEqual({ address: 'absent', list: [] });
  });
});
