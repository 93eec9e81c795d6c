import { describe, expect, it } from '@jest/globals';
import { t } from '../../src/model/t.ts';
import { Guarded, Plain, Sealed, uncleared, unreplaced } from './guarded.ts';
import { assigned, modelOf, patch, put, refusals } from './subject.ts';

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

  it('null clears only what holds no closed value', () => {
    expect(assigned(patch(model, { plain: null }, rules))).toEqual({ plain: 'absent' });
    expect(refusals(() => patch(model, { address: null }, rules))).toEqual([`address ${uncleared}`]);
  });

  it('an object that requires what the client may not send cannot be replaced', () => {
    expect(refusals(() => patch(model, { sealed: { city: 'a' } }, rules))).toEqual([`sealed ${unreplaced}`]);
    const outer = modelOf({ outer: t.object('Outer', { sealed: t.optional(Sealed), n: t.int() }) });
    expect(refusals(() => patch(outer, { outer: { n: 1, sealed: { city: 'a' } } }, rules))).toEqual([`outer.sealed ${unreplaced}`]);
    expect(assigned(patch(outer, { outer: { n: 1 } }, rules))).toEqual({ outer: { n: 1 } });
  });

  it('null, lists and maps of closed values are refused inside a replaced object as well', () => {
    const outer = modelOf({
      outer: t.object('Outer', {
        inner: t.nullable(Guarded),
        list: t.array(Guarded, { default: [] }),
        map: t.map(Guarded, { default: {} }),
      }),
      list: t.array(Guarded),
    });
    expect(refusals(() => patch(outer, { outer: { inner: null, list: [], map: {} }, list: [] }, rules))).toEqual([
      `outer.inner ${uncleared}`,
      `outer.list ${unreplaced}`,
      `outer.map ${unreplaced}`,
      `list ${unreplaced}`,
    ]);
    expect(assigned(patch(outer, { outer: {} }, rules))).toEqual({ outer: { list: [], map: new Map() } });
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
      { path: 'address', whole: { city: 'a', zip: '0000', score: 0 }, missing: [], serverOnly: false, refused: [] },
      { path: 'outer', whole: undefined, missing: ['inner'], serverOnly: false, refused: [] },
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
