import { openapiDocument, t } from '../../../src/index.ts';
import { everyApi } from '../every-api.ts';
import { describeFields } from '../fixtures.ts';
import { compileNamed, schemaOf } from '../published.ts';

const every = openapiDocument(everyApi());

describe('an untyped value', () => {
  const reference = { $ref: '#/components/schemas/UntypedValue' };

  it('is anything to read, and what the database can hold to write', () => {
    expect(schemaOf(every, 'EverythingRead').properties).toMatchObject({ any: {}, anyOrNull: {} });
    expect(schemaOf(every, 'EverythingCreate').properties.anything.additionalProperties).toEqual(reference);
    const fits = compileNamed(every, 'UntypedValue');
    expect([null, true, 'a\0', 0.5, -(2 ** 63), [], {}, { a: [{ b: null }] }].map(fits)).not.toContain(false);
    expect([1e19, [-1e19], { a: [{ b: 1e20 }] }, { 'a\0': 1 }, [{ a: { '\0': 1 } }]].map(fits)).not.toContain(true);
  });

  it('has the keywords of its own beside that, unless those leave no room for numbers and keys', () => {
    const document = describeFields({
      named: { type: 'object', patternProperties: { '^x-': {} } },
      either: { oneOf: [{ type: 'string' }, { type: 'integer' }], allOf: [{ not: { const: 5 } }] },
      short: { type: ['string', 'boolean'], maxLength: 5 },
      one: { enum: [1, 2] },
      two: { const: 2 },
    } as never);
    const { properties } = schemaOf(document, 'ThingCreate');
    expect(properties.named).toEqual({ type: 'object', patternProperties: { '^x-': {} }, allOf: [reference] });
    expect(properties.either).toMatchObject({ allOf: [{ not: { const: 5 } }, reference], not: { type: 'null' } });
    expect(JSON.stringify([properties.short, properties.one, properties.two])).not.toContain('$ref');
    expect(schemaOf(document, 'ThingRead').properties.named).toEqual({ type: 'object', patternProperties: { '^x-': {} } });
  });

  it('has a schema only where a body may hold one', () => {
    expect(describeFields({ text: t.string() }).components.schemas).not.toHaveProperty('UntypedValue');
    expect(describeFields({ any: t.any() }, { ops: ['get'] }).components.schemas).not.toHaveProperty('UntypedValue');
  });
});

describe('a map', () => {
  const key = { pattern: '^[^\\x00]*$' };

  it('has keys without NUL characters', () => {
    for (const name of ['EverythingRead', 'EverythingCreate', 'EverythingPatch'])
      expect(schemaOf(every, name).properties.amounts.propertyNames).toEqual(key);
  });

  it.each<[string, boolean]>([
    ['^[a-z]+$', false],
    ['^(?:[A-Z]{3}-)?[0-9]*$', false],
    ['^.+$', true],
    ['^[^a]$', true],
    ['^\\W$', true],
    ['^a|b$', true],
    ['a$', true],
  ])('says so beside %s where that leaves room for one: %o', (pattern, leavesRoom) => {
    const own = { pattern, maxLength: 9 };
    const document = describeFields({ map: t.map(t.string(), { propertyNames: own }) });
    expect(schemaOf(document, 'ThingCreate').properties.map.propertyNames).toEqual(leavesRoom ? { allOf: [own, key] } : own);
  });
});
