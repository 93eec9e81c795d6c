import fc from 'fast-check';
import { type Model, openapiDocument, t } from '../../../src/index.ts';
import { compileModel } from '../../../src/model/compile/compile-model.ts';
import { compileCreate } from '../../../src/model/write/compile-writes.ts';
import { cases } from '../../support/fuzzing/fuzz.ts';
import { everyApi } from '../every-api.ts';
import { describeFields, Everything, Guarded } from '../fixtures.ts';
import { compileNamed, schemaOf } from '../published.ts';

const every = openapiDocument(everyApi());

describe('a read schema', () => {
  it('requires every readable field but the optional ones', () => {
    const { properties, required } = schemaOf(every, 'EverythingRead');
    expect(Object.keys(properties).filter((name) => !required.includes(name))).toEqual(['mail', 'uuid', 'spot', 'amounts']);
  });

  it('shows the id first, and what the service itself sets', () => {
    const { properties } = schemaOf(every, 'EverythingRead');
    expect(Object.keys(properties)[0]).toBe('id');
    expect(properties).toMatchObject({
      revision: { type: 'integer', minimum: 0 },
      createdAt: { format: 'date-time' },
      updatedAt: { format: 'date-time' },
    });
  });

  it('is open, so that a field may be added', () => {
    expect(schemaOf(every, 'EverythingRead')).not.toHaveProperty('additionalProperties');
    expect(schemaOf(every, 'Address')).not.toHaveProperty('additionalProperties');
  });

  it('says null only where a field is nullable', () => {
    const { properties } = schemaOf(every, 'EverythingRead');
    expect(properties.code.type).toEqual(['string', 'null']);
    expect(properties.choice).toEqual({ type: ['string', 'null'], enum: ['a', 'b', null] });
    expect(properties.home).toEqual({ anyOf: [{ $ref: '#/components/schemas/Home' }, { type: 'null' }] });
    expect(properties.mail.type).toBe('string');
    expect(properties.grid.items.items).toEqual({ type: ['number', 'null'] });
  });

  it('serves decimals as strings', () => {
    expect(schemaOf(every, 'PriceRead').properties.value).toEqual({ type: 'string', format: 'decimal' });
  });

  it.each<[string, Model]>([
    ['every builder', Everything as unknown as Model],
    ['every policy', Guarded as unknown as Model],
  ])('fits what is answered, of a model with %s', (_name, model) => {
    const compiled = compileModel(model);
    const create = compileCreate(compiled);
    const fits = compileNamed(every, `${model.name}Read`);
    const least = {
      Everything: {
        text: 'ab',
        int: 1,
        int64: 1,
        float: 0.5,
        decimal: '1',
        date: '2026-01-31T12:00:00Z',
        objectId: '65f1a2b3c4d5e6f708192a3b',
        any: [null, { a: 1 }],
        raw: true,
        tags: ['a'],
        place: { city: 'Rome', zip: '00100' },
        friend: '65f1a2b3c4d5e6f708192a3b',
      },
      Guarded: {
        open: 'a',
        createOnly: 'b',
        fixed: 'c',
        address: { city: 'Rome' },
        history: [{ text: 'x' }],
        outer: { inner: { a: 'x' } },
      },
    }[model.name];
    const more =
      {
        Everything: { home: { street: 'Via' }, stops: [{ at: '2026-01-31T12:00:00Z' }], amounts: { a: 1.5, b: null }, labels: { a: 'x' } },
        Guarded: { parts: { a: { name: 'x' } } },
      }[model.name] ?? {};
    fc.assert(
      fc.property(fc.subarray(Object.entries(more)), (chosen) => {
        const answered = JSON.parse(compiled.writeJson(create({ ...least, ...Object.fromEntries(chosen) }))) as unknown;
        expect(fits(answered)).toBe(true);
      }),
      cases(20),
    );
  });
});

describe('a create schema', () => {
  it('is closed, and requires what has no default and is neither nullable nor optional', () => {
    const schema = schemaOf(every, 'EverythingCreate');
    expect(schema.additionalProperties).toBe(false);
    expect(schema.required).toEqual([
      'text',
      'int',
      'int64',
      'float',
      'decimal',
      'date',
      'objectId',
      'any',
      'raw',
      'tags',
      'place',
      'friend',
    ]);
  });

  it('has no default: generated clients would require what has one', () => {
    expect(JSON.stringify(every.components.schemas, (_key, value) => (typeof value === 'bigint' ? String(value) : value))).not.toContain(
      '"default"',
    );
  });

  it('leaves out the id unless its policy opens it, and never requires one that the service makes', () => {
    expect(schemaOf(every, 'EverythingCreate').properties).toHaveProperty('id');
    expect(schemaOf(describeFields({ text: t.string() }), 'ThingCreate').properties).not.toHaveProperty('id');
    const withText = describeFields({ id: t.string({ policy: { insert: true } }), text: t.string() });
    expect(schemaOf(withText, 'ThingCreate').required).toEqual(['id', 'text']);
    expect(schemaOf(withText, 'ThingPatch').properties).not.toHaveProperty('id');
  });

  it('leaves out what the policy closes, at any depth', () => {
    const { properties } = schemaOf(every, 'GuardedGuardedCreate');
    expect(Object.keys(properties)).toEqual([
      'open',
      'createOnly',
      'fixed',
      'explicit',
      'address',
      'lastAddress',
      'history',
      'parts',
      'outer',
    ]);
    expect(Object.keys(schemaOf(every, 'AddressCreate').properties)).toEqual(['city', 'country', 'note', 'geo']);
  });

  it('opens only what the policy opens under explicitWrites', () => {
    expect(Object.keys(schemaOf(every, 'GuardedOldGuardedCreate').properties)).toEqual(['explicit']);
  });

  it('says null only where a field is nullable: an optional one is left out instead', () => {
    const { properties } = schemaOf(every, 'EverythingCreate');
    expect(properties.mail.type).toBe('string');
    expect(properties.code.type).toEqual(['string', 'null']);
    expect(properties.any).toEqual({ $ref: '#/components/schemas/UntypedValue', not: { type: 'null' } });
    expect(properties.anyOrNull).toEqual({ $ref: '#/components/schemas/UntypedValue' });
  });

  it('leaves out an object that requires what only the server may set, but for its null', () => {
    const Locked = t.object('Locked', { by: t.string({ policy: { insert: false } }) });
    const document = describeFields({ text: t.string(), locked: t.optional(Locked), cleared: t.nullable(Locked) });
    expect(schemaOf(document, 'ThingCreate').properties).toEqual({ text: { type: 'string' }, cleared: { type: 'null' } });
  });
});

describe('a patch schema', () => {
  it('is closed and requires nothing', () => {
    expect(schemaOf(every, 'EverythingPatch')).toMatchObject({ additionalProperties: false });
    expect(schemaOf(every, 'EverythingPatch')).not.toHaveProperty('required');
  });

  it('has partial embedded objects, of writable keys only', () => {
    expect(schemaOf(every, 'GuardedGuardedPatch').properties.address).toEqual({ $ref: '#/components/schemas/AddressPatch' });
    const { properties, required, additionalProperties } = schemaOf(every, 'AddressPatch');
    expect(Object.keys(properties)).toEqual(['city', 'country', 'note', 'geo']);
    expect([required, additionalProperties]).toEqual([undefined, false]);
  });

  it('leaves out what is immutable or closed to update', () => {
    expect(Object.keys(schemaOf(every, 'GuardedGuardedPatch').properties)).toEqual([
      'open',
      'changeOnly',
      'explicit',
      'address',
      'lastAddress',
      'parts',
      'outer',
    ]);
  });

  it('leaves out lists and maps of objects that hold closed values', () => {
    expect(schemaOf(every, 'GuardedGuardedPatch').properties).not.toHaveProperty('history');
    expect(schemaOf(every, 'GuardedGuardedPatch').properties).toHaveProperty('parts');
  });

  it('says null exactly where null clears', () => {
    const everything = schemaOf(every, 'EverythingPatch').properties;
    expect(everything.mail.type).toEqual(['string', 'null']); // optional
    expect(everything.code.type).toEqual(['string', 'null']); // nullable
    expect(everything.text.type).toBe('string');
    expect(everything.home.anyOf[1]).toEqual({ type: 'null' });
    // It holds values that only the server may clear, though it is nullable.
    expect(schemaOf(every, 'GuardedGuardedPatch').properties.lastAddress).toEqual({ $ref: '#/components/schemas/AuditPatch' });
  });

  it('has whole embedded objects where they are replaced', () => {
    const fields = { at: t.object('Spot', { x: t.int(), y: t.int() }) };
    expect(schemaOf(describeFields(fields, { mergePatch: false }), 'ThingPatch').properties.at).toEqual({
      $ref: '#/components/schemas/Spot',
    });
    expect(schemaOf(describeFields(fields), 'ThingPatch').properties.at).toEqual({ $ref: '#/components/schemas/SpotPatch' });
  });
});

describe('a put schema', () => {
  it('is there only when put is served', () => {
    expect(Object.keys(every.components.schemas ?? {}).filter((name) => name.endsWith('Put'))).toEqual([
      'AddressPut',
      'AuditPut',
      'EverythingPut',
      'GuardedPut',
      'InnerPut',
      'OuterPut',
    ]);
  });

  it('requires what must be sent: nothing that holds closed values, which stay', () => {
    expect(schemaOf(every, 'GuardedPut').required).toEqual(['open']);
    expect(schemaOf(every, 'AddressPut').required).toEqual(['city']);
    expect(schemaOf(every, 'EverythingPut').required).toEqual(schemaOf(every, 'EverythingCreate').required);
  });

  it('has embedded objects of their own only where they hold protected values', () => {
    const { properties } = schemaOf(every, 'EverythingPut');
    expect(properties.place).toEqual({ $ref: '#/components/schemas/Place' });
    expect(schemaOf(every, 'GuardedPut').properties.address).toEqual({ $ref: '#/components/schemas/AddressPut' });
    expect(schemaOf(every, 'OuterPut').properties.inner).toEqual({ $ref: '#/components/schemas/InnerPut' });
  });
});

describe('an embedded object', () => {
  it('is one schema where what is read is what is sent, and closed then', () => {
    expect(schemaOf(every, 'Place').additionalProperties).toBe(false);
    expect(every.components.schemas).not.toHaveProperty('PlaceCreate');
    expect(every.components.schemas).not.toHaveProperty('PlaceReplace');
  });

  it('has a create schema where that differs', () => {
    expect(schemaOf(every, 'HomeCreate').required).toEqual(['street']);
    expect(schemaOf(every, 'Home').required).toEqual(['street', 'since']);
  });

  it('shares its create schema with what replaces it, unless null means something else', () => {
    expect(schemaOf(every, 'EverythingPatch').properties.stops.items).toEqual({ $ref: '#/components/schemas/StopCreate' });
    expect(every.components.schemas).not.toHaveProperty('StopReplace');
    expect(schemaOf(every, 'PartReplace').properties.size.type).toEqual(['integer', 'null']);
    expect(schemaOf(every, 'Part').properties.size.type).toBe('integer');
  });

  it('without a name is described in its place', () => {
    expect(schemaOf(every, 'EverythingRead').properties.unnamed).toMatchObject({ type: 'object', required: ['a'] });
    expect(schemaOf(every, 'EverythingCreate').properties.unnamed).toMatchObject({ additionalProperties: false });
    expect(schemaOf(every, 'EverythingPatch').properties.unnamed).not.toHaveProperty('required');
  });

  it('written by hand takes its name from its title', () => {
    const byHand = { type: 'object', title: 'Postal address', properties: { zip: { type: 'string' } }, required: ['zip'] } as const;
    expect(schemaOf(describeFields({ at: byHand }), 'PostalAddress').required).toEqual(['zip']);
  });
});
