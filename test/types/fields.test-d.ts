import type { Binary, Decimal128, ObjectId, UUID } from 'mongodb';
import Type from 'typebox';
import { defineModel } from '../../src/model/define/define-model.ts';
import type { Create, Document, Patch, Read } from '../../src/model/define/infer.ts';
import { t } from '../../src/model/define/t.ts';
import type { Point } from '../../src/model/value/point-leaf.ts';
import { assert, type Equal } from './equal.ts';

// Every builder, from what handlers hold to what travels.
const All = defineModel('All', {
  collection: 'all',
  fields: {
    string: t.string(),
    int: t.int(),
    int64: t.int64(),
    float: t.float(),
    decimal: t.decimal(),
    boolean: t.boolean(),
    date: t.date(),
    objectId: t.objectId(),
    uuid: t.uuid(),
    binary: t.binary(),
    point: t.point({ policy: { near: { maxMetres: 5 } } }),
    enum: t.enum(['a', 'b']),
    array: t.array(t.date()),
    map: t.map(t.int64()),
    any: t.any(),
    object: t.object('O', { a: t.date() }),
    ref: t.ref('Other'),
    uuidRef: t.ref('Other', { id: t.uuid() }),
    textRef: t.ref('Other', { id: t.string(), as: 'other' }),
  },
});

assert<
  Equal<
    Document<typeof All>,
    {
      id: ObjectId;
      string: string;
      int: number;
      int64: bigint;
      float: number;
      decimal: Decimal128;
      boolean: boolean;
      date: Date;
      objectId: ObjectId;
      uuid: UUID;
      binary: Binary;
      point: Point;
      enum: 'a' | 'b';
      array: Date[];
      map: Record<string, bigint>;
      any: unknown;
      object: { a: Date };
      ref: ObjectId;
      uuidRef: UUID;
      textRef: string;
    }
  >
>();

assert<
  Equal<
    Read<typeof All>,
    {
      id: string;
      readonly string: string;
      readonly int: number;
      readonly int64: number | bigint;
      readonly float: number;
      readonly decimal: string;
      readonly boolean: boolean;
      readonly date: string;
      readonly objectId: string;
      readonly uuid: string;
      readonly binary: string;
      readonly point: Point;
      readonly enum: 'a' | 'b';
      readonly array: string[];
      readonly map: Record<string, number | bigint>;
      readonly any: unknown;
      readonly object: { readonly a: string };
      readonly ref: string;
      readonly uuidRef: string;
      readonly textRef: string;
    }
  >
>();

assert<Equal<Create<typeof All>['decimal'], string | number | bigint>>();
assert<Equal<Create<typeof All>['array'], readonly string[]>>();
assert<Equal<Patch<typeof All>['object'], { readonly a?: string } | undefined>>();
assert<Equal<Patch<typeof All>['array'], readonly string[] | undefined>>();

// What may be left out, may be null, may be absent.
const Lacking = defineModel('Lacking', {
  collection: 'lacking',
  fields: {
    optional: t.optional(t.string()),
    nullable: t.nullable(t.string()),
    both: t.optional(t.nullable(t.string())),
    bothOtherwise: t.nullable(t.optional(t.string())),
    withDefault: t.string({ default: 'x' }),
    made: t.date({ default: () => new Date() }),
    list: t.array(t.string(), { default: [] }),
    filled: t.array(t.string(), { default: ['a', 'b'] }),
    map: t.map(t.int(), { default: {} }),
    object: t.object('O', { a: t.string(), b: t.optional(t.int()) }, { default: { a: 'x' } }),
    any: t.any({ default: { a: [1] } }),
    nullDefault: t.nullable(t.string(), { default: null }),
    innerDefault: t.nullable(t.string({ default: 'x' })),
  },
});

assert<
  Equal<
    Document<typeof Lacking>,
    {
      id: ObjectId;
      nullable: string | null;
      withDefault: string;
      made: Date;
      list: string[];
      filled: string[];
      map: Record<string, number>;
      object: { a: string; b?: number };
      any: unknown;
      nullDefault: string | null;
      innerDefault: string | null;
      optional?: string;
      both?: string | null;
      bothOtherwise?: string | null;
    }
  >
>();
assert<Record<never, never> extends Create<typeof Lacking> ? true : false>();
assert<Equal<Patch<typeof Lacking>['optional'], string | null | undefined>>();
assert<Equal<Patch<typeof Lacking>['withDefault'], string | undefined>>();
assert<Equal<Create<typeof Lacking>['optional'], string | undefined>>();

// Policies at every depth, and a wrapper's options laid over those of what it wraps.
const Inner = t.object('Inner', {
  shown: t.string(),
  secret: t.string({ policy: { private: true } }),
  pin: t.string({ policy: { private: true, insert: true } }),
  fixed: t.int({ immutable: true }),
  born: t.int({ policy: { update: false } }),
});

const Guarded = defineModel('Guarded', {
  collection: 'guarded',
  fields: {
    inner: Inner,
    list: t.array(Inner),
    wrapped: t.optional(t.string({ policy: { private: true } })),
    wrappedOutside: t.optional(t.string(), { policy: { private: true } }),
    merged: t.nullable(t.string({ policy: { private: true } }), { policy: { insert: true } }),
    overlaid: t.optional(t.string({ policy: { private: true } }), { policy: { private: false } }),
  },
});

interface InnerRead {
  readonly shown: string;
  readonly fixed: number;
  readonly born: number;
}
type InnerCreate = InnerRead & { readonly pin: string };
type Flat<T> = { [K in keyof T]: T[K] } & {};

assert<
  Equal<Read<typeof Guarded>, { id: string; readonly inner: Flat<InnerRead>; readonly list: Flat<InnerRead>[]; readonly overlaid?: string }>
>();
assert<Equal<Patch<typeof Guarded>['inner'], { readonly shown?: string } | undefined>>();
assert<Equal<keyof Patch<typeof Guarded>, 'inner' | 'list' | 'overlaid'>>();
assert<Equal<keyof Create<typeof Guarded>, 'inner' | 'list' | 'overlaid' | 'merged'>>();
assert<Equal<Flat<Create<typeof Guarded>['inner']>, Flat<InnerCreate>>>();
assert<Equal<Document<typeof Guarded>['inner']['secret'], string>>();

// An id of another type.
const Keyed = defineModel('Keyed', { collection: 'keyed', fields: { id: t.string({ policy: { insert: true } }), n: t.int() } });
assert<Equal<Document<typeof Keyed>, { id: string; n: number }>>();
assert<Equal<Create<typeof Keyed>, { readonly id: string; readonly n: number }>>();
assert<Equal<Patch<typeof Keyed>, { readonly n?: number }>>();

const Made = defineModel('Made', { collection: 'made', fields: { id: t.uuid({ policy: { insert: true } }), n: t.int() } });
assert<Equal<Document<typeof Made>['id'], UUID>>();
assert<Equal<Create<typeof Made>, { readonly n: number; readonly id?: string }>>(); // the service makes one where none is sent

const Closed = defineModel('Closed', { collection: 'closed', fields: { id: t.uuid(), n: t.int() } });
assert<Equal<Create<typeof Closed>, { readonly n: number }>>();

// A schema written by hand: its policy counts, its values are unknown.
const Raw = defineModel('Raw', {
  collection: 'raw',
  fields: {
    a: { type: 'string', minLength: 2 },
    b: { type: 'string', policy: { private: true } },
    c: { type: 'integer', default: 5 },
    d: t.optional({ type: 'object', properties: { x: { type: 'string' } } }),
  },
});
assert<Equal<Document<typeof Raw>, { id: ObjectId; a: unknown; b: unknown; c: unknown; d?: unknown }>>();
assert<Equal<keyof Read<typeof Raw>, 'id' | 'a' | 'c' | 'd'>>();
assert<Equal<Create<typeof Raw>, { readonly a: unknown; readonly c?: unknown; readonly d?: unknown }>>();

// One that TypeBox built likewise; what is optional there is so here.
const Built = defineModel('Built', { collection: 'built', fields: { a: Type.String(), b: Type.Optional(Type.Integer()) } });
assert<Equal<Document<typeof Built>, { id: ObjectId; a: unknown; b?: unknown }>>();
