import { toStandardJsonSchema } from '@valibot/to-json-schema';
import { type } from 'arktype';
import * as v from 'valibot';
import { z } from 'zod';
import { type Create, checkBody, type Document, defineModel, jsonBody, type Patch, type Read, service, t } from '../../src/index.ts';
import { assert, type Equal } from './equal.ts';

const Member = defineModel('Member', {
  collection: 'members',
  fields: {
    mail: t.from(z.email(), { unique: true, policy: { filter: ['eq'] } }),
    level: t.from(type("'low' | 'high'"), { default: 'low' }),
    place: t.nullable(t.from(z.object({ city: z.string(), zip: z.string().optional(), size: z.int().default(1) }))),
    tags: t.array(t.from(toStandardJsonSchema(v.picklist(['a', 'b'])))),
    note: t.optional(t.from({ $ref: '#/$defs/text', $defs: { text: { type: 'string' } } })),
    secret: t.from(z.string(), { policy: { private: true } }),
  },
});

interface Place {
  city: string;
  size: number;
  zip?: string | undefined;
}

// Documents and what is read have the output of a schema, and what is sent its input.
declare const member: Document<typeof Member>;
assert<Equal<typeof member.mail, string>>();
assert<Equal<typeof member.level, 'low' | 'high'>>();
const place: Place | null = member.place;
assert<Equal<typeof member.tags, ('a' | 'b')[]>>();
assert<Equal<typeof member.note, string | undefined>>();
declare const read: Read<typeof Member>;
assert<Equal<(typeof read)['level'], 'low' | 'high'>>();
// @ts-expect-error: clients do not read what is private
read.secret;
const created: Create<typeof Member> = { mail: 'a@example.org', place: { city: 'Bern' }, tags: ['a'] };
const patched: Patch<typeof Member> = { place: { zip: null } };
// @ts-expect-error: a city cannot be removed
const wrong: Patch<typeof Member> = { place: { city: null } };

// @ts-expect-error: what may be absent is marked by `t.optional`
t.from(z.string().optional());
t.from(z.unknown());
// @ts-expect-error: a misspelt option
t.from(z.string(), { uniqe: true });
// @ts-expect-error: no default of another type
t.from(z.string(), { default: 5 });
// @ts-expect-error: without `t.from` it is no field
t.object('A', { a: z.string() });

const shop = service();
shop.resource({
  model: Member,
  operations: {
    zod: {
      use: [jsonBody({ schema: z.object({ size: z.int().default(1), name: z.string() }) })],
      answer: z.object({ size: z.int() }),
      handler(ctx) {
        assert<Equal<typeof ctx.request.body, { size: number; name: string }>>();
        return { size: ctx.request.body.size };
      },
    },
    optional: {
      use: [jsonBody({ optional: true, schema: type({ name: 'string' }) })],
      handler(ctx) {
        assert<Equal<typeof ctx.request.body, { name: string } | undefined>>();
      },
    },
  },
});

const checked = checkBody(toStandardJsonSchema(v.object({ name: v.string() })));
assert<Equal<(typeof checked)['~body'], { name: string }>>();

// @ts-expect-error: Valibot alone cannot tell its JSON Schema
jsonBody({ schema: v.object({ name: v.string() }) });

export { created, patched, place, wrong };
