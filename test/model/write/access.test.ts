import { viewOf } from '../../../src/model/compile/view-of.ts';
import { t } from '../../../src/model/define/t.ts';
import type { CompiledField, ObjectNode } from '../../../src/model/node.ts';
import {
  type Access,
  holdsClosedValues,
  insertAccess,
  isRequired,
  maySend,
  needsServer,
  openNames,
  patchAccess,
  serverAccess,
  storeAccess,
  updateAccess,
  writableNames,
} from '../../../src/model/write/access.ts';
import { modelOf } from '../subject.ts';

const closed = { insert: false, update: false };
const unknown = 'is not a known field';
const onCreate = 'cannot be set on create';
const onUpdate = 'cannot be set on update';

describe('writableNames()', () => {
  const { fieldTable } = modelOf({
    plain: t.string(),
    closed: t.string({ policy: closed }),
    fixed: t.string({ immutable: true }),
    changing: t.string({ policy: { insert: false, update: true } }),
    place: t.object('Place', { city: t.string(), code: t.string({ policy: closed }) }),
  });

  it('are those that a client may write on create or on update', () => {
    expect([...writableNames(fieldTable, {})].sort()).toEqual(['changing', 'fixed', 'place', 'place.city', 'plain']);
  });

  it('under explicitWrites are those that a policy opens', () => {
    expect([...writableNames(fieldTable, { explicitWrites: true })]).toEqual(['changing']);
  });
});

describe('a store', () => {
  const { root } = modelOf({ plain: t.string(), closed: t.string({ policy: closed }), revision: t.revision(), createdAt: t.createdAt() });
  const refused = (existing: boolean) => {
    const access = storeAccess({ existing });
    expect(access).toMatchObject({ source: 'document', existing });
    expect(modelOf({ closed: t.string({ policy: closed }) }).root.fields.some(access.protects)).toBe(false);
    return root.fields.filter((field) => access.refusal(field)).map(({ name }) => name);
  };

  it('sets what the library maintains in no record, and never the id of one that exists', () => {
    expect(refused(false)).toEqual(['revision', 'createdAt']);
    expect(refused(true)).toEqual(['id', 'revision', 'createdAt']);
  });
});

describe('a client', () => {
  const { root } = modelOf({
    plain: t.string(),
    opened: t.string({ policy: { insert: true, update: true } }),
    closed: t.string({ policy: closed }),
    fixed: t.string({ immutable: true }),
    secret: t.string({ policy: { private: true } }),
    pin: t.string({ policy: { private: true, insert: true, update: true } }),
    shut: t.string({ policy: { private: true, insert: false, update: false } }),
    createdAt: t.createdAt(),
  });
  const refusals = (access: Access) => Object.fromEntries(root.fields.map((field) => [field.name, access.refusal(field)?.message]));

  it.each<[string, Access, Record<string, string | undefined>]>([
    ['creates', insertAccess({}), { id: onCreate, closed: onCreate, secret: unknown, shut: unknown, createdAt: onCreate }],
    [
      'creates under explicitWrites',
      insertAccess({ explicitWrites: true }),
      {
        id: onCreate,
        plain: onCreate,
        closed: onCreate,
        fixed: onCreate,
        secret: unknown,
        shut: unknown,
        createdAt: onCreate,
      },
    ],
    ['changes', updateAccess({}), { id: onUpdate, closed: onUpdate, fixed: onUpdate, secret: unknown, shut: unknown, createdAt: onUpdate }],
    [
      'changes under explicitWrites',
      updateAccess({ explicitWrites: true }),
      {
        ...{ id: onUpdate, plain: onUpdate, closed: onUpdate, fixed: onUpdate },
        ...{ secret: unknown, shut: unknown, createdAt: onUpdate },
      },
    ],
  ])('that %s is refused what the policy closes, and knows of nothing private', (_name, access, expected) => {
    const none = Object.fromEntries(root.fields.map(({ name }) => [name, undefined]));
    expect(refusals(access)).toEqual({ ...none, ...expected });
  });

  it('says in `params` when it was', () => {
    const [, , , closedField] = root.fields as [CompiledField, CompiledField, CompiledField, CompiledField];
    expect(insertAccess({}).refusal(closedField)).toMatchObject({ rule: 'not_writable', params: { operation: 'create' } });
    expect(updateAccess({}).refusal(closedField)).toMatchObject({ rule: 'not_writable', params: { operation: 'update' } });
  });

  it('may set an id where the policy opens it, and never change it', () => {
    const { root: open } = modelOf({ id: t.string({ policy: { insert: true } }), name: t.string() });
    const id = open.byName.get('id') as CompiledField;
    expect(insertAccess({}).refusal(id)).toBeUndefined();
    expect(updateAccess({}).refusal(id)?.message).toBe(onUpdate);
  });

  it('is told of a fixed private field no more than of any other', () => {
    const { root: hidden } = modelOf({ pin: t.string({ immutable: true, policy: { private: true, insert: true } }) });
    expect(updateAccess({}).refusal(hidden.byName.get('pin') as CompiledField)?.message).toBe(unknown);
  });
});

describe("the deployer's own code", () => {
  it('may write everything', () => {
    const { root } = modelOf({ secret: t.string({ policy: { private: true, ...closed } }), createdAt: t.createdAt() });
    expect(root.fields.map((field) => serverAccess.refusal(field))).toEqual([undefined, undefined, undefined]);
    expect(root.fields.some(serverAccess.protects)).toBe(false);
    expect(serverAccess).toMatchObject({ source: 'document', existing: true, incompleteObjects: false });
  });
});

describe('values that the client may not set', () => {
  const { root } = modelOf({ open: t.string(), closed: t.string({ policy: closed }) });
  it.each<[string, Access, boolean, readonly string[]]>([
    ['are none of a new record', insertAccess({}), false, []],
    ['are protected by a put', updateAccess({ mergePatch: false }), true, ['id', 'closed']],
    ['are protected by a patch', patchAccess({}), true, ['id', 'closed']],
    ['return to their defaults by a patch that replaces', patchAccess({ mergePatch: false }), true, []],
  ])('%s', (_name, access, existing, kept) => {
    expect(access).toMatchObject({ source: 'json', incompleteObjects: false, existing });
    expect(root.fields.filter(access.protects).map(({ name }) => name)).toEqual(kept);
  });

  it('are protected by a patch that replaces, if a rule hides them from this caller', () => {
    const model = modelOf({
      open: t.string(),
      closed: t.string({ policy: closed }),
      note: t.optional(t.string({ policy: { read: 'staff' } })),
    });
    const hidden = (held: readonly string[]) =>
      viewOf(model, new Set(held))
        .root.fields.filter(patchAccess({ mergePatch: false }).protects)
        .map(({ name }) => name);
    expect([hidden([]), hidden(['staff'])]).toEqual([['note'], []]);
  });
});

const Open = t.object('Open', { a: t.string() });
const Held = t.object('Held', { a: t.string(), b: t.optional(t.string({ policy: closed })) });
const Lacking = t.object('Lacking', { a: t.string(), b: t.string({ policy: closed }) });
const Hollow = t.object('Hollow', {
  a: t.string(),
  b: t.string({ default: 'x', policy: closed }),
  c: t.nullable(t.string({ policy: closed })),
});

describe('an object, a list or a map', () => {
  const { root, fieldTable } = modelOf({
    leaf: t.string(),
    open: Open,
    held: Held,
    lacking: Lacking,
    hollow: Hollow,
    outer: t.object('Outer', { lacking: Lacking }),
    outerOptional: t.object('OuterOptional', { lacking: t.optional(Lacking) }),
    list: t.array(Held),
    listOpen: t.array(Open),
    map: t.map(t.array(Held)),
    mapOpen: t.map(Open),
    closed: t.string({ policy: closed }),
  });
  const access = updateAccess({});
  const fieldOf = (name: string) => root.byName.get(name) as CompiledField;

  it.each([
    ['leaf', false],
    ['open', false],
    ['held', true],
    ['lacking', true],
    ['outer', true],
    ['list', true],
    ['listOpen', false],
    ['map', true],
    ['mapOpen', false],
  ])('%s holds closed values: %o', (name, holds) => {
    expect(holdsClosedValues(fieldOf(name).node, access)).toBe(holds);
    expect(holdsClosedValues(fieldOf(name).node, serverAccess)).toBe(false);
  });

  it.each([
    ['open', false],
    ['held', false],
    ['hollow', false], // defaults and null stand in
    ['lacking', true],
    ['outer', true],
    ['outerOptional', false],
  ])('%s can be made by the server only: %o', (name, needs) => {
    expect(needsServer(fieldOf(name).node as ObjectNode, access)).toBe(needs);
  });

  it.each([
    ['leaf', true, true],
    ['open', true, true],
    ['held', true, true],
    ['lacking', false, false],
    ['outer', false, false],
    ['list', false, true], // it cannot be replaced where there is one
    ['listOpen', true, true],
    ['map', false, true],
    ['mapOpen', true, true],
    ['closed', false, false],
  ])('%s may be sent in a put: %o, and in a create: %o', (name, inPut, inCreate) => {
    expect([maySend(fieldOf(name), access), maySend(fieldOf(name), insertAccess({}))]).toEqual([inPut, inCreate]);
  });

  it('has names that a client may write, but for those within maps', () => {
    expect(openNames(fieldTable, access)).toEqual([
      ...['leaf', 'open', 'open.a', 'held', 'held.a', 'lacking', 'lacking.a', 'hollow', 'hollow.a'],
      ...['outer', 'outer.lacking', 'outer.lacking.a', 'outerOptional', 'outerOptional.lacking', 'outerOptional.lacking.a'],
      ...['list', 'list.a', 'listOpen', 'listOpen.a', 'map', 'mapOpen'],
    ]);
  });
});

describe('a field', () => {
  const { root } = modelOf({
    required: t.string(),
    defaulted: t.string({ default: 'x' }),
    nullable: t.nullable(t.string()),
    optional: t.optional(t.string()),
  });

  it.each([
    ['required', true],
    ['defaulted', false],
    ['nullable', false],
    ['optional', false],
  ])('that is %s must be sent: %o', (name, isOne) => {
    expect(isRequired(root.byName.get(name) as CompiledField)).toBe(isOne);
  });
});
