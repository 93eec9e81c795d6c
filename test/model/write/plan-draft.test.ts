import { Binary, BSON, Decimal128 } from 'mongodb';
import { Problem } from '../../../src/errors.ts';
import { t } from '../../../src/model/define/t.ts';
import { compileCreate } from '../../../src/model/write/compile-writes.ts';
import type { Changes } from '../../../src/model/write/plan-changes.ts';
import { compileDrafts } from '../../../src/model/write/plan-draft.ts';
import type { Any } from '../../support/any.ts';
import { assigned, incomplete, modelOf, patch, put, refusals } from '../subject.ts';

const Place = t.object('Place', {
  city: t.string(),
  zip: t.nullable(t.string()),
  note: t.optional(t.string({ default: 'n' })),
  verified: t.optional(t.string({ policy: { private: true } })),
});
const Sealed = t.object('Sealed', { text: t.string(), by: t.string({ policy: { private: true } }) });
const Open = t.object('Open', { a: t.string(), b: t.optional(t.string({ default: 'b' })) });
const Audit = t.object('Audit', { by: t.string(), at: t.date() });
const model = modelOf({
  name: t.string(),
  count: t.int({ default: 0 }),
  price: t.nullable(t.decimal()),
  big: t.optional(t.int64()),
  on: t.optional(t.date()),
  tags: t.array(t.string(), { default: [] }),
  map: t.map(t.int(), { default: {} }),
  any: t.optional(t.any()),
  place: t.nullable(Place),
  open: t.nullable(Open),
  sealed: t.nullable(Sealed),
  audit: t.nullable(Audit, { policy: { private: true } }),
  slug: t.optional(t.string({ pattern: '^[a-z]+$', policy: { insert: false, update: false } })),
  hash: t.optional(t.string({ maxLength: 5, policy: { private: true } })),
  revision: t.revision(),
  updatedAt: t.updatedAt(),
});
const drafts = compileDrafts(model);

/** The changes after a hook. */
function hooked(changes: Changes, hook: (draft: Any) => unknown): Changes {
  const draft = drafts.showChanges(changes);
  hook(draft);
  return drafts.readChanges(draft, changes);
}
const set = (draft: object, values: object) => Object.assign(draft, values);

describe('the draft of a patch', () => {
  it('has what the body sets, nested, in document form, and null where a key is removed', () => {
    const body = {
      price: '1.50',
      big: 5,
      on: '2026-01-01T00:00:00Z',
      place: { city: 'A', zip: null, note: null },
      sealed: {},
      map: { $a: 1 },
    };
    expect(drafts.showChanges(patch(model, body))).toEqual({
      price: Decimal128.fromString('1.50'),
      big: 5n,
      on: new Date('2026-01-01T00:00:00Z'),
      map: { $a: 1 },
      place: { city: 'A', zip: null, note: null },
      sealed: {},
    });
    expect(drafts.showChanges(patch(model, { open: null, big: null }))).toEqual({ open: null, big: null });
    expect(drafts.showChanges(patch(model, {}))).toEqual({});
  });

  it('leaves the plan itself where a hook changes nothing', () => {
    const changes = patch(model, { name: 'a', place: { city: 'A' } });
    expect(hooked(changes, () => undefined)).toBe(changes);
    expect(hooked(changes, (draft) => set(draft, { place: { city: 'A' }, bogus: undefined }))).toBe(changes);
  });

  it('changes values, adds fields that the client may not write, and leaves out what is deleted', () => {
    const changes = patch(model, { name: 'Ann', count: 2, tags: ['a'] });
    const read = hooked(changes, (draft) => {
      set(draft, { name: 'ann', slug: 'ann', hash: 'x' });
      Reflect.deleteProperty(draft, 'count');
    });
    expect(assigned(read)).toEqual({ name: 'ann', tags: ['a'], slug: 'ann', hash: 'x' });
    expect(hooked(patch(model, {}), (draft) => set(draft, { slug: 'a' })).assignments).toEqual([{ path: 'slug', value: 'a' }]);
  });

  it.each<[string, object, RegExp | string[]]>([
    ['a value that does not fit a known field', { count: 'x' }, ['count must be an integer']],
    ['null for a required field', { name: null }, ['name must not be null']],
    ['a constraint of a field that clients know', { slug: 'A!' }, ['slug must match the pattern ^[a-z]+$']],
    ['text that is no decimal', { price: 'five' }, ['price must be a decimal number, such as 12.50 or "12.50"']],
    ['text for an int64', { big: '5' }, ['big must be an integer']],
    ['an invalid date', { on: new Date(Number.NaN) }, ['on must be an RFC 3339 date-time, such as 2026-01-31T12:00:00Z']],
    ['a private value', { hash: 'too long', count: 'x' }, ['count must be an integer', 'hash must have at most 5 characters']],
    ['an unknown key', { nmae: 1 }, /`nmae` is not a field\./],
    ['an unknown key of an object', { place: { twon: 'x' } }, /`place.twon` is not a known field/],
    ['the id', { id: 'x' }, /`id` is set by the service itself/],
    ['the revision', { revision: 7 }, /`revision` is set by the service itself/],
    ['a timestamp', { updatedAt: new Date(0) }, /`updatedAt` is set by the service itself/],
    ['an object of another class', { place: new Map([['city', 'a']]) }, ['place must be an object']],
    ['a function', { name: () => 'x' }, ['name must be a string']],
    ['an array with a hole', { tags: Array(1) }, ['tags.0 must be a string']],
  ])('refuses %s', (_name, values, expected) => {
    const run = () => hooked(patch(model, { name: 'a' }), (draft) => set(draft, values));
    if (Array.isArray(expected)) expect(refusals(run)).toEqual(expected);
    else expect(run).toThrow(expected);
    if (!Array.isArray(expected)) expect(run).not.toThrow(Problem);
  });

  it('refuses own keys `__proto__`, and a draft whose prototype was changed', () => {
    const own = JSON.parse('{"__proto__":{"name":"x"}}');
    const changes = patch(model, { name: 'a' });
    expect(() => hooked(changes, (draft) => Object.defineProperties(draft, Object.getOwnPropertyDescriptors(own)))).toThrow(
      '`__proto__` is not a field',
    );
    expect(() => hooked(changes, (draft) => Object.assign(draft, own))).toThrow('its prototype was changed');
    expect(
      refusals(() => hooked(patch(model, { place: { city: 'A' } }), (draft) => Object.assign(draft.place ?? {}, own, { zip: '1' }))),
    ).toEqual(['place must be an object']);
    expect(({} as { name?: string }).name).toBeUndefined();
  });

  it('is read once, as a copy: what a hook changes later is not written', () => {
    const at = new Date('2026-01-01T00:00:00Z');
    const bytes = new Binary(Buffer.from('abc'));
    const values: Record<string, unknown> = { on: at, any: { bytes, list: [1] }, tags: ['a'] };
    const read = hooked(patch(model, {}), (draft) => set(draft, values));
    at.setTime(0);
    bytes.buffer.fill(0);
    (values.any as { list: number[] }).list.push(2);
    (values.tags as string[]).push('b');
    const plan = assigned(read) as { any: { bytes: Binary } };
    expect(plan).toMatchObject({ on: new Date('2026-01-01T00:00:00Z'), tags: ['a'] });
    expect(BSON.serialize({ any: plan.any })).toEqual(BSON.serialize({ any: { bytes: new Binary(Buffer.from('abc')), list: [1] } }));
  });

  it('sees Dates, Binaries and arrays that are changed in place', () => {
    const changes = patch(model, { on: '2026-01-01T00:00:00Z', tags: ['a'], map: { a: 1 }, any: { deep: [1] } });
    const read = hooked(changes, (draft: Any) => {
      draft.on.setTime(0);
      draft.tags.push('b');
      draft.map.$b = 2;
      draft.any.deep.push(2);
    });
    expect(assigned(read)).toMatchObject({
      on: new Date(0),
      tags: ['a', 'b'],
      map: new Map([
        ['a', 1],
        ['$b', 2],
      ]),
    });
  });
});

describe('embedded objects in the draft of a patch', () => {
  it('stay as the client planned them where they are unchanged, with what would create them', () => {
    const changes = patch(model, { name: 'a', place: { zip: '1' }, sealed: { text: 't' } });
    const read = hooked(changes, (draft) => set(draft, { slug: 'a' }));
    expect(read.embedded).toEqual(changes.embedded);
    expect(read.assignments).toEqual([...changes.assignments, { path: 'slug', value: 'a' }]);
  });

  it('get keys, and are created with them', () => {
    const read = hooked(patch(model, { place: { city: 'A' } }), (draft) => set(draft.place ?? {}, { verified: 'me' }));
    expect(read.embedded).toEqual([{ path: 'place', whole: { city: 'A', note: 'n', verified: 'me' }, refused: [] }]);
    expect(assigned(read)).toEqual({ 'place.city': 'A', 'place.verified': 'me' });
  });

  it('can be created if hooks add what only the server may set', () => {
    const changes = patch(model, { sealed: { text: 't' } });
    expect(changes.embedded[0]).toMatchObject({ whole: undefined, refused: [{ rule: 'server_only' }] });
    const read = hooked(changes, (draft) => set(draft.sealed ?? {}, { by: 'me' }));
    expect(read.embedded).toEqual([{ path: 'sealed', whole: { text: 't', by: 'me' }, refused: [] }]);
  });

  it('that the client left incomplete are refused as before, without the names of private fields', () => {
    const changes = patch(model, { place: { zip: '1' }, sealed: {} });
    const read = hooked(changes, (draft) => {
      set(draft.place ?? {}, { verified: 'me' });
      set(draft.sealed ?? {}, { by: 'me' });
    });
    expect(read.embedded.map(({ whole, refused }) => [whole, refused])).toEqual([
      [undefined, [incomplete('place', 'city')]],
      [undefined, changes.embedded[1]?.refused],
    ]);
  });

  it('that hooks left incomplete are a mistake, and not the fault of the client', () => {
    const removed = hooked(patch(model, { place: { city: 'A', zip: '1' } }), (draft) => Reflect.deleteProperty(draft.place ?? {}, 'city'));
    const added = hooked(patch(model, {}), (draft) => set(draft, { audit: { by: 'me' } }));
    for (const { embedded } of [removed, added]) {
      expect(embedded[0]).toMatchObject({ whole: undefined, refused: [] });
      expect(embedded[0]?.mistake).toMatch(/the record has no `(place|audit)`, and the draft does not suffice/);
    }
    expect(assigned(added)).toEqual({ 'audit.by': 'me' });
  });

  it('are cleared by null, merged into where they are added, and replaced where the client cleared them', () => {
    expect(hooked(patch(model, { place: { city: 'A' } }), (draft) => set(draft, { place: null }))).toMatchObject({
      assignments: [{ path: 'place' }],
      embedded: [],
    });
    const added = hooked(patch(model, {}), (draft) => set(draft, { place: { zip: '1' } }));
    expect(assigned(added)).toEqual({ 'place.zip': '1' });
    const replaced = hooked(patch(model, { open: null }), (draft) => set(draft, { open: { a: 'x' } }));
    expect(replaced).toEqual({ assignments: [{ path: 'open', value: { a: 'x', b: 'b' } }], embedded: [] });
  });
});

describe('the draft of a put', () => {
  const body = { name: 'a', place: { city: 'A' }, sealed: { text: 't' } };

  it('has what returns to its default too', () => {
    expect(drafts.showChanges(put(model, body))).toEqual({
      name: 'a',
      count: 0,
      price: null,
      big: null,
      on: null,
      tags: [],
      map: {},
      any: null,
      place: { city: 'A', zip: null, note: 'n' },
      sealed: { text: 't' },
      open: null,
    });
  });

  it('keeps a value that is written whole whole, and says what is missing in it', () => {
    const Whole = modelOf({ place: t.nullable(t.object('Open', { city: t.string(), note: t.optional(t.string({ default: 'n' })) })) });
    const own = compileDrafts(Whole);
    const changes = put(Whole, { place: { city: 'A', note: null } });
    const draft = own.showChanges(changes) as { place: Record<string, unknown> };
    draft.place.city = 'B';
    expect(own.readChanges(draft, changes)).toEqual({ assignments: [{ path: 'place', value: { city: 'B' } }], embedded: [] });
    delete draft.place.city;
    expect(refusals(() => own.readChanges(draft, changes))).toEqual(['place.city is required']);
  });

  it('keeps protected values where an object that holds some is unchanged', () => {
    const changes = put(model, body);
    const read = hooked(changes, (draft) => set(draft, { name: 'b' }));
    expect(read.embedded).toEqual(changes.embedded);
    expect(assigned(read)).toEqual({ ...assigned(changes), name: 'b' });
  });
});

describe('the draft of a create', () => {
  const read = (body: object, hook: (draft: Any) => unknown, missing: string[] = []) => {
    const stored = compileCreate(model)(body, {}, missing);
    const draft = model.hydrate(stored);
    hook(draft);
    return drafts.readRecord(draft, stored, missing.length > 0);
  };

  it('may be changed, and keeps the declared order', () => {
    const stored = read({ name: 'Ann', price: '1' }, (draft) => set(draft, { name: 'ann', slug: 'ann', hash: 'x', place: { city: 'A' } }));
    expect(stored).toMatchObject({ name: 'ann', slug: 'ann', hash: 'x', place: { city: 'A', note: 'n' }, revision: 0 });
    expect(Object.keys(stored)).toEqual(['_id', 'name', 'count', 'price', 'tags', 'map', 'place', 'slug', 'hash', 'revision', 'updatedAt']);
  });

  it.each<[string, object, RegExp]>([
    ['the id', { id: 'x' }, /`id` is set by the service itself/],
    ['the revision', { revision: 1 }, /`revision` is set by the service itself/],
    ['a timestamp', { updatedAt: new Date(0) }, /`updatedAt` is set by the service itself/],
    ['an unknown key', { bogus: 1 }, /`bogus` is not a field/],
  ])('refuses %s', (_name, values, message) => {
    expect(() => read({ name: 'a' }, (draft) => set(draft, values))).toThrow(message);
    expect(() => read({ name: 'a' }, (draft) => set(draft, values))).not.toThrow(Problem);
  });

  it('refuses a private value', () => {
    expect(refusals(() => read({ name: 'a' }, (draft) => set(draft, { hash: 5 })))).toEqual(['hash must be a string']);
  });

  it('must be complete in the end, at any depth', () => {
    const Incomplete = modelOf({ name: t.string(), slug: t.string({ policy: { insert: false } }), all: t.array(Sealed, { default: [] }) });
    const own = compileDrafts(Incomplete);
    const missing: string[] = [];
    const stored = compileCreate(Incomplete)({ name: 'a', all: [{ text: 't' }] }, {}, missing);
    expect(missing).toEqual(['slug', 'all.0.by']);
    const draft = Incomplete.hydrate(stored) as Record<string, unknown>;
    expect(() => own.readRecord(draft, stored, true)).toThrow('`all.0.by` is required; `slug` is required');
    set(draft, { slug: 's', all: [{ text: 't', by: 'me' }] });
    expect(own.readRecord(draft, stored, true)).toMatchObject({ slug: 's', all: [{ text: 't', by: 'me' }] });
  });
});
