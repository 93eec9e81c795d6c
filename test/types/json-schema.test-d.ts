import {
  type Create,
  checkBody,
  type Document,
  defineModel,
  jsonBody,
  type Patch,
  type Read,
  service,
  type TypesFrom,
  t,
} from '../../src/index.ts';
import { assert, type Equal } from './equal.ts';

/** The type of the body that a schema describes. */
declare function body<B>(middleware: { readonly '~body': B }): B;

// Without `as const`, in place.
const send = body(
  jsonBody({
    schema: {
      $schema: 'https://json-schema.org/draft/2020-12/schema',
      $defs: { Address: { type: 'object', properties: { city: { type: 'string' }, zip: { type: 'string' } }, required: ['city'] } },
      type: 'object',
      properties: {
        to: { $ref: '#/$defs/Address', description: 'Where it is sent.' },
        days: { type: 'integer', default: 7 },
        note: { type: ['string', 'null'] },
        by: { enum: ['post', 'bike'] },
        kind: { const: 'order' },
        lines: { type: 'array', items: { type: 'object', properties: { sku: { type: 'string' }, gift: { type: 'boolean' } } } },
        prices: { type: 'object', additionalProperties: { type: 'number' } },
      },
      required: ['to', 'lines'],
    },
  }),
);
assert<
  Equal<
    typeof send,
    {
      to: { city: string; zip?: string };
      lines: { sku?: string; gift?: boolean }[];
      days: number;
      note: string | null;
      by?: 'post' | 'bike';
      kind?: 'order';
      prices?: { [x: string]: number };
    }
  >
>();

// With `as const`, from a variable.
const schema = { type: 'object', properties: { a: { type: 'string' } }, required: ['a'], additionalProperties: false } as const;
const constant = body(checkBody(schema));
assert<Equal<typeof constant, { a: string }>>();
const optional = body(jsonBody({ schema, optional: true }));
assert<Equal<typeof optional, { a: string } | undefined>>();

// Where the literal types are lost, little is known, and never anything wrong.
const widened = { type: 'object', properties: { a: { type: 'string' } }, required: ['a'] };
const unsure = body(checkBody(widened));
assert<Equal<typeof unsure, Record<string, unknown>>>();
declare const any: Record<string, unknown>;
const unknown = body(checkBody(any));
assert<Equal<typeof unknown, Record<string, unknown>>>();

// Inside of alternatives and tuples, values are not read field by field: whole numbers beyond 32 bits are bigints.
const mixed = body(
  checkBody({
    type: 'object',
    properties: {
      shape: {
        oneOf: [
          {
            type: 'object',
            properties: { kind: { const: 'circle' }, r: { type: 'number' } },
            required: ['kind', 'r'],
            additionalProperties: false,
          },
          { type: 'object', properties: { kind: { const: 'none' } }, required: ['kind'] },
        ],
      },
      point: { type: 'array', prefixItems: [{ type: 'string' }, { type: 'boolean' }], minItems: 1, items: false },
      open: { type: 'array', prefixItems: [{ const: 1 }], minItems: 1, items: { type: 'string' } },
      both: {
        allOf: [
          { type: 'object', properties: { a: { type: 'string' } }, required: ['a'] },
          { type: 'object', required: ['b'] },
        ],
      },
      size: { anyOf: [{ type: 'number' }, { type: 'null' }] },
      codes: { enum: [1, 5_000_000_000, null] },
    },
    required: ['shape', 'point', 'open', 'both'],
  }),
);
assert<Equal<typeof mixed.shape, { kind: 'circle'; r: number | bigint } | { kind: 'none'; [x: string]: unknown }>>();
assert<Equal<typeof mixed.point, [string, boolean?]>>();
assert<Equal<typeof mixed.open, [1, ...string[]]>>();
const both: { a: string; b: unknown } = mixed.both;
assert<Equal<typeof mixed.size, number | null>>();
assert<Equal<typeof mixed.codes, 1 | 5_000_000_000 | bigint | null>>();

// A schema that contains itself is refused at start-up. TypeScript does not follow it.
const list = body(checkBody({ type: 'object', properties: { next: { $ref: '#' }, value: { type: 'string' } } }));
assert<Equal<typeof list, { next?: unknown; value?: string }>>();
const graph = body(
  checkBody({
    $ref: '#/$defs/a',
    $defs: {
      a: { type: 'object', properties: { b: { $ref: '#/$defs/b' }, c: { $ref: '#/$defs/c' }, d: { $ref: '#/$defs/d' } } },
      b: { type: 'object', properties: { a: { $ref: '#/$defs/a' }, c: { $ref: '#/$defs/c' }, d: { $ref: '#/$defs/d' } } },
      c: { type: 'object', properties: { a: { $ref: '#/$defs/a' }, b: { $ref: '#/$defs/b' }, d: { $ref: '#/$defs/d' } } },
      d: { anyOf: [{ $ref: '#/$defs/a' }, { $ref: '#/$defs/b' }, { $ref: '#/$defs/d' }] },
    },
  }),
);
const found: unknown = graph.b?.c?.a;
const missing = body(checkBody({ type: 'object', properties: { a: { $ref: '#/$defs/A' } } }));
assert<Equal<typeof missing, { a?: unknown }>>();

// A field of a model: documents, and what clients read and send.
const Order = defineModel('Order', {
  collection: 'orders',
  fields: {
    place: t.from({
      type: 'object',
      properties: {
        city: { type: 'string' },
        zip: { type: 'string' },
        size: { type: 'integer', default: 1 },
        note: { type: ['string', 'null'] },
        secret: { type: 'string', policy: { private: true } },
        hidden: { anyOf: [{ type: 'integer', policy: { private: true } }, { type: 'null' }] },
        unset: { oneOf: [{ type: 'null' }, { type: 'integer', storeNone: true }] },
        floor: { anyOf: [{ type: 'integer', default: 1 }, { type: 'null' }], title: 'Floor' },
      },
      required: ['city', 'size'],
    }),
    level: t.from({ enum: ['low', 'high'], default: 'low' }),
    gift: t.from({ type: ['boolean', 'null'] }, { policy: { update: false } }),
  },
});
interface Place {
  city: string;
  size: number;
  note: string | null;
  hidden: number | null;
  unset?: number | null;
  floor: number | null;
  zip?: string;
  secret?: string;
}
declare const document: Document<typeof Order>;
const place: Place = document.place;
assert<Equal<typeof document.level, 'low' | 'high'>>();
declare const read: Read<typeof Order>;
assert<Equal<keyof typeof read.place, Exclude<keyof Place, 'secret' | 'hidden'>>>();
const create: Create<typeof Order> = { place: { city: 'Bern' } };
// @ts-expect-error: the city is required
const incomplete: Create<typeof Order> = { place: {} };
const patch: Patch<typeof Order> = { place: { zip: null }, level: 'high' };
// @ts-expect-error: it is closed to patches
const closed: Patch<typeof Order> = { gift: true };
// @ts-expect-error: no default of another type
t.from({ type: 'string' }, { default: 5 });

// What a handler answers, as it says itself.
const size = {
  type: 'object',
  properties: { width: { type: 'integer' }, unit: { enum: ['mm', 'in'], default: 'mm' } },
  required: ['width'],
} as const;
const answer: TypesFrom<typeof size>['create'] = { width: 5 };
// @ts-expect-error: it is no unit
const wrong: TypesFrom<typeof size>['create'] = { width: 5, unit: 'm' };

// Beside a schema of another library, in a resource.
service().resource({
  model: Order,
  operations: {
    send: {
      use: [jsonBody({ schema: { type: 'object', properties: { carrier: { type: 'string' } }, required: ['carrier'] } })],
      handler(ctx) {
        assert<Equal<typeof ctx.request.body, { carrier: string }>>();
      },
    },
  },
});

export { answer, both, closed, create, found, incomplete, patch, place, wrong };
