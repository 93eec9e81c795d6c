import fc from 'fast-check';
import { Decimal128 } from 'mongodb';
import { defineModel, type Field, type Model, type Policy, t } from '../../../src/index.ts';

/**
 * A stored value in plain form: integers are bigints, doubles numbers, Decimal128 and Date themselves. What a client
 * sends and reads has the same form, with text for decimals and dates.
 */
export type Plain = unknown;
export type PlainObject = Readonly<Record<string, Plain>>;

export type LeafName = keyof typeof leaves;
export type Kind =
  | { readonly type: 'leaf'; readonly leaf: LeafName }
  | { readonly type: 'array'; readonly items: Kind }
  | { readonly type: 'map'; readonly items: Kind; readonly merges: boolean }
  | { readonly type: 'object'; readonly name: string; readonly fields: readonly FieldSpec[] };

/**
 * One decision about a field in one place of one step: generated beside the field, so that shrinking drops both
 * together.
 */
export interface Cell {
  readonly pick: number;
  readonly omit: boolean;
  readonly none: boolean;
  readonly slip: 'no' | 'null' | 'wrong' | 'drop' | 'closed' | 'unknown';
}

export interface FieldSpec {
  readonly name: string;
  readonly kind: Kind;
  readonly presence: 'required' | 'nullable' | 'optional';
  readonly storeNone: boolean;
  readonly default: Plain | undefined;
  readonly isLazy: boolean;
  readonly immutable: boolean;
  readonly policy: Pick<Policy, 'insert' | 'update' | 'private'>;
  /** Whether a wrapper carries the options, or what it wraps. */
  readonly isOuter: boolean;
  readonly cells: readonly Cell[];
}

/** Texts of what is sent, stored and shown, and what a client may mistake for it. */
interface LeafSamples {
  readonly good: readonly { readonly sent: Plain; readonly stored: Plain; readonly shown: Plain }[];
  readonly wrong: readonly Plain[];
}

const same = (...values: readonly Plain[]) => values.map((value) => ({ sent: value, stored: value, shown: value }));
const decimal = (sent: Plain, shown: string) => ({ sent, stored: Decimal128.fromString(shown), shown });
const date = (sent: string, shown = sent) => ({ sent, stored: new Date(shown), shown });
const pointAt = (longitude: Plain, latitude: Plain) => ({ type: 'Point', coordinates: [longitude, latitude] });
const double = (sent: Plain, stored: number) => ({ sent, stored, shown: sent });

export const leaves = {
  string: { good: same('s', '', 'Zürich', '$set', 'a.b', 'null'), wrong: [5n, true, { $gt: '' }, ['s']] },
  int: { good: same(0n, 1n, -7n, 2147483648n, 9007199254740991n), wrong: ['5', 1.5, false, { $inc: 1n }, 2n ** 70n] },
  int64: { good: same(0n, 9007199254740993n, 2n ** 63n - 1n, -(2n ** 63n)), wrong: ['5', 0.5, 2n ** 63n, [1n]] },
  float: { good: [...same(0.5, -1.25), double(4n, 4)], wrong: ['1.5', true, { $mul: 2n }] },
  decimal: {
    good: [decimal('12.50', '12.50'), decimal(1.5, '1.5'), decimal(3n, '3'), decimal('-0.001', '-0.001')],
    wrong: ['much', true, {}],
  },
  boolean: { good: same(true, false), wrong: [1n, 'true'] },
  date: {
    good: [date('2026-01-31T12:00:00.000Z'), date('2026-01-31T12:00:00.5+02:00', '2026-01-31T10:00:00.500Z')],
    wrong: ['soon', 5n, { $date: 1n }],
  },
  enum: { good: same('red', 'green'), wrong: ['purple', 1n, { $in: ['red'] }] },
  point: {
    good: [
      { sent: pointAt(8n, 47.5), stored: pointAt(8, 47.5), shown: pointAt(8n, 47.5) },
      { sent: pointAt(-180n, 90n), stored: pointAt(-180, 90), shown: pointAt(-180n, 90n) },
    ],
    wrong: ['8,47', [8n, 47n], { type: 'Point' }, pointAt(181n, 0n), { ...pointAt(0n, 0n), bbox: [] }, { $near: pointAt(0n, 0n) }],
  },
  any: { good: same('x', 7n, { $oid: '0123456789abcdef01234567' }, [1.5, null, { a: null, 'b.c': true }], {}, false), wrong: [] },
} satisfies Record<string, LeafSamples>;

export const mapKeys = ['k', '$set', 'x.y'] as const;
const cellsOf = 7;

const cell: fc.Arbitrary<Cell> = fc.record({
  pick: fc.nat(11),
  omit: fc.boolean(),
  none: fc.nat(4).map((chance) => chance === 4),
  slip: fc.oneof(
    { arbitrary: fc.constant('no' as const), weight: 12 },
    { arbitrary: fc.constantFrom('null' as const, 'wrong' as const, 'drop' as const, 'closed' as const, 'unknown' as const), weight: 7 },
  ),
});

const policies: readonly FieldSpec['policy'][] = [
  { update: false },
  { insert: false },
  { insert: false, update: false },
  { private: true },
  { private: true, insert: true },
  { private: true, update: true },
  { private: true, insert: true, update: true },
  { insert: true },
  { update: true },
  { insert: true, update: true },
];
const policy = fc.oneof({ arbitrary: fc.constant({}), weight: 14 }, { arbitrary: fc.constantFrom(...policies), weight: 10 });
const leafKind = fc.constantFrom(...(Object.keys(leaves) as LeafName[])).map((leaf): Kind => ({ type: 'leaf', leaf }));
const collectionOf = (items: fc.Arbitrary<Kind>): fc.Arbitrary<Kind> =>
  fc.oneof(
    fc.record({ type: fc.constant('array' as const), items }),
    fc.record({ type: fc.constant('map' as const), items, merges: fc.boolean() }),
  );

type RawField = Omit<FieldSpec, 'name' | 'default'> & { readonly hasDefault: boolean };

function kind(depth: number): fc.Arbitrary<Kind> {
  const leafList = collectionOf(leafKind);
  if (depth === 0) return fc.oneof({ arbitrary: leafKind, weight: 5 }, { arbitrary: leafList, weight: 1 });
  const object = fields(depth - 1, 3).map((members): Kind => ({ type: 'object', name: '', fields: members }));
  return fc.oneof(
    { arbitrary: leafKind, weight: 8 },
    { arbitrary: object, weight: 8 },
    { arbitrary: leafList, weight: 2 },
    { arbitrary: collectionOf(object), weight: 3 },
  );
}

function fields(depth: number, maxLength: number): fc.Arbitrary<FieldSpec[]> {
  const field: fc.Arbitrary<RawField> = fc.record({
    kind: kind(depth),
    presence: fc.constantFrom('required', 'nullable', 'optional', 'required'),
    storeNone: fc.boolean(),
    hasDefault: fc.nat(2).map((chance) => chance === 2),
    isLazy: fc.boolean(),
    immutable: fc.nat(9).map((chance) => chance === 9),
    policy,
    isOuter: fc.boolean(),
    cells: fc.array(cell, { minLength: cellsOf, maxLength: cellsOf }),
  });
  // Cast: what is still missing, the names and the defaults, follows from the place; `finish` adds it.
  return fc.array(field, { minLength: 1, maxLength, size: 'max' }) as unknown as fc.Arbitrary<FieldSpec[]>;
}

/** The fields of a model, before {@link finishFields}. */
export const rawFields: fc.Arbitrary<readonly FieldSpec[]> = fields(3, 6);

/**
 * Gives fields their names, and the defaults that go with them. Inside an object a field that a client cannot send on
 * create has a default, for the server sets top-level fields only; where policies must open fields (`explicitWrites`),
 * most do.
 */
export function finishFields(raw: readonly FieldSpec[], isExplicit: boolean, path = 'Part'): readonly FieldSpec[] {
  return raw.map((field, index): FieldSpec => {
    const name = 'abcdefgh'[index] as string;
    const { hasDefault } = field as unknown as RawField;
    const opened = isExplicit && Object.keys(field.policy).length === 0 && field.cells[0]?.slip !== 'closed';
    const finished: FieldSpec = {
      ...field,
      name,
      kind: finishKind(field.kind, isExplicit, `${path}_${name}`),
      policy: opened ? { insert: true, update: true } : field.policy,
      immutable: field.immutable && !opened && field.policy.update !== true, // both are a configuration error
      storeNone: field.storeNone && field.presence === 'nullable',
    };
    const isClosed = finished.policy.insert === false || ((isExplicit || finished.policy.private) && finished.policy.insert !== true);
    const isForced = isClosed && path !== 'Part';
    if (field.presence !== 'required' || !(hasDefault || isForced)) return finished;
    return { ...finished, default: completeValue(finished.kind, finished, 5) };
  });
}

function finishKind(raw: Kind, isExplicit: boolean, path: string): Kind {
  if (raw.type === 'leaf') return raw;
  if (raw.type === 'object') return { ...raw, name: path, fields: finishFields(raw.fields, isExplicit, path) };
  return { ...raw, items: finishKind(raw.items, isExplicit, path) };
}

export const cellAt = (field: FieldSpec, salt: number): Cell => field.cells[salt % cellsOf] as Cell;
export const sampleOf = (leaf: LeafName, pick: number) => {
  const { good } = leaves[leaf];
  return good[pick % good.length] as LeafSamples['good'][number];
};

/** A stored value that lacks nothing but what may be absent; `null` where a nullable field has none. */
export function completeValue(kind: Kind, field: FieldSpec, salt: number, complete = completeObject): Plain {
  const { pick } = cellAt(field, salt);
  switch (kind.type) {
    case 'leaf':
      return sampleOf(kind.leaf, pick + salt).stored;
    case 'object':
      return complete(kind.fields, salt);
    case 'array':
      return Array.from({ length: pick % 3 }, (_, index) => completeValue(kind.items, field, salt + index, complete));
    case 'map':
      return Object.fromEntries(
        mapKeys.slice(0, pick % 3).map((key, index) => [key, completeValue(kind.items, field, salt + index, complete)]),
      );
  }
}

function completeObject(members: readonly FieldSpec[], salt: number): PlainObject {
  const entries = members.map((field): [string, Plain] => {
    const { none, omit } = cellAt(field, salt);
    if (field.presence === 'nullable' && none) return [field.name, null];
    if (field.presence === 'optional' && omit) return [field.name, undefined];
    return [field.name, completeValue(field.kind, field, salt)];
  });
  return Object.fromEntries(entries.filter(([, value]) => value !== undefined));
}

/** The same value as handlers hold it: `t.int` and `t.float` as numbers. */
function toDocument(kind: Kind, value: Plain): Plain {
  if (value === null) return null;
  switch (kind.type) {
    case 'leaf':
      if (kind.leaf === 'any') return typeof value === 'bigint' ? Number(value) : value;
      return kind.leaf === 'int' ? Number(value) : value;
    case 'array':
      return (value as Plain[]).map((item) => toDocument(kind.items, item));
    case 'map':
      return Object.fromEntries(Object.entries(value as PlainObject).map(([key, item]) => [key, toDocument(kind.items, item)]));
    case 'object':
      return toDocumentFields(kind.fields, value as PlainObject);
  }
}

export function toDocumentFields(members: readonly FieldSpec[], value: PlainObject): PlainObject {
  return Object.fromEntries(
    members.filter(({ name }) => Object.hasOwn(value, name)).map((field) => [field.name, toDocument(field.kind, value[field.name])]),
  );
}

function buildKind(kind: Kind, options: object): Field {
  switch (kind.type) {
    case 'leaf':
      return kind.leaf === 'enum' ? t.enum(['red', 'green'], options) : (t[kind.leaf] as (given: object) => Field)(options);
    case 'array':
      return t.array(buildKind(kind.items, {}), options);
    case 'map':
      return t.map(buildKind(kind.items, {}), kind.merges ? { ...options, merge: true } : options);
    case 'object':
      return t.object(kind.name, buildFields(kind.fields), options as never);
  }
}

function buildField(field: FieldSpec): Field {
  const fallback = field.default === undefined ? undefined : toDocument(field.kind, field.default);
  const options = {
    ...(Object.keys(field.policy).length > 0 && { policy: field.policy }),
    ...(field.immutable && { immutable: true }),
    ...(fallback !== undefined && { default: field.isLazy ? () => fallback : fallback }),
  };
  const [inner, outer] = field.isOuter ? [{}, options] : [options, {}];
  if (field.presence === 'nullable') return t.nullable(buildKind(field.kind, inner), { ...outer, storeNone: field.storeNone }) as Field;
  if (field.presence === 'optional') return t.optional(buildKind(field.kind, inner), outer as never) as Field;
  return buildKind(field.kind, options);
}

const buildFields = (members: readonly FieldSpec[]) => Object.fromEntries(members.map((field) => [field.name, buildField(field)]));

/** The model of these fields, with the markers asked for. */
export function buildModel(
  members: readonly FieldSpec[],
  { revision, timestamps, collection = 'records' }: { revision: boolean; timestamps: boolean; collection?: string },
): Model {
  return defineModel('Random', {
    collection,
    fields: {
      ...buildFields(members),
      ...(revision && { revision: t.revision() }),
      ...(timestamps && { createdAt: t.createdAt(), updatedAt: t.updatedAt() }),
    },
  });
}
