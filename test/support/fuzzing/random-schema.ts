import fc from 'fast-check';

/** A JSON Schema. */
export type Json = Readonly<Record<string, unknown>>;

const names = ['a', 'b', 'c', '1'];
const constants = [0, 7, 5_000_000_000, -2_147_483_649, 1.5, true, false, 'x', 'y', null, { a: 1 }, [5_000_000_000, 'x']];

const simple: fc.Arbitrary<Json> = fc.oneof(
  fc.constantFrom<Json>({ type: 'string' }, { type: 'integer' }, { type: 'number' }, { type: 'boolean' }),
  fc
    .uniqueArray(fc.constantFrom('string', 'integer', 'boolean', 'null', 'object'), { minLength: 1, maxLength: 3 })
    .map((type) => ({ type })),
  fc.constantFrom(...constants).map((only) => ({ const: only })),
  fc.uniqueArray(fc.constantFrom(...constants), { minLength: 1, maxLength: 3 }).map((values) => ({ enum: values })),
  fc.uniqueArray(fc.constantFrom('x', 'y', null), { minLength: 1 }).map((values) => ({ enum: values })),
  fc.constantFrom('text', 'Point', 'none').map((name) => ({ $ref: `#/$defs/${name}` })),
);

/** What `simple` refers to. */
const $defs: Json = {
  text: { type: ['string', 'null'], default: 'x' },
  none: { type: 'null' },
  Point: { type: 'object', properties: { x: { type: 'integer' }, y: { $ref: '#/$defs/text' } }, required: ['x'] },
};

/** What may stand beside the keywords of a schema. */
const beside = fc.constantFrom<Json>({}, {}, { title: 'A' }, { default: 'x' }, { default: null }, { type: 'string' });

function objects(member: fc.Arbitrary<Json>): fc.Arbitrary<Json> {
  const members = fc.dictionary(fc.constantFrom(...names), member, { maxKeys: 3 });
  const defaulted = fc.constantFrom<Json>(
    { type: 'integer', default: 7 },
    { enum: ['x', 'y'], default: 'x' },
    { type: ['string', 'null'], default: null },
  );
  return fc
    .record({ members, defaulted: fc.option(defaulted), required: fc.subarray(names), isClosed: fc.boolean() })
    .map(({ members, defaulted, required, isClosed }) => {
      const properties = { ...members, ...(defaulted && { d: defaulted }) };
      const known = required.filter((name) => name in properties);
      return { type: 'object', properties, required: known, ...(isClosed && { additionalProperties: false }) };
    });
}

const { schema: one } = fc.letrec<{ schema: Json }>((tie) => {
  const some = fc.array(tie('schema'), { minLength: 1, maxLength: 3 });
  return {
    schema: fc.oneof(
      { maxDepth: 3, withCrossShrink: true },
      { weight: 4, arbitrary: simple },
      objects(tie('schema')),
      fc.record({ type: fc.constant('array'), items: tie('schema') }),
      fc.record({ type: fc.constant('object'), additionalProperties: tie('schema') }),
      fc
        .record({ first: some, least: fc.nat(4), items: fc.constantFrom<Json | false>(false, { type: 'number' }) })
        .map(({ first, least, items }) => ({ type: 'array', prefixItems: first, minItems: Math.min(least, first.length), items })),
      some.map((anyOf) => ({ anyOf })),
      some.map((oneOf) => ({ oneOf })),
      some.map((allOf) => ({ allOf })),
      fc
        .record({ schema: tie('schema'), inside: beside, outside: beside })
        .map(({ schema, inside, outside }) => ({ ...outside, anyOf: [{ ...schema, ...inside }, { type: 'null' }] })),
    ),
  };
});

/** Random schemas of bodies. */
export const bodySchemas: fc.Arbitrary<Json> = objects(one).map((schema) => ({ $defs, ...schema }));

const anything = fc.constantFrom<unknown>(...constants, 'zz', 12, {}, [], [1, 'x'], { a: 'x', b: 5_000_000_000 });

/** Random values, most of which are about what a schema describes. */
export function valuesOf(schema: Json): fc.Arbitrary<unknown> {
  return fc.oneof({ weight: 9, arbitrary: wanted(schema) }, { weight: 1, arbitrary: anything });
}

function wanted(schema: Json): fc.Arbitrary<unknown> {
  const { const: only, enum: values, $ref, anyOf, oneOf, allOf, type } = schema;
  if (only !== undefined) return fc.constant(only);
  if (Array.isArray(values)) return fc.constantFrom(...values);
  if (typeof $ref === 'string') return valuesOf($defs[$ref.slice('#/$defs/'.length)] as Json);
  const branches = (anyOf ?? oneOf ?? allOf) as readonly Json[] | undefined;
  if (branches) return fc.oneof(...branches.map(valuesOf));
  if (Array.isArray(type)) return fc.oneof(...type.map((name) => wanted({ type: name })));
  if (type === 'object') return objectOf(schema);
  if (type === 'array') return arrayOf(schema);
  if (type === 'string') return fc.constantFrom('x', 'other');
  if (type === 'boolean') return fc.boolean();
  if (type === 'null') return fc.constant(null);
  return fc.constantFrom(0, 3, 5_000_000_000, ...(type === 'number' ? [0.5] : []));
}

function objectOf({ properties, required = [], additionalProperties }: Json): fc.Arbitrary<unknown> {
  if (!properties)
    return fc.dictionary(fc.constantFrom(...names), additionalProperties ? valuesOf(additionalProperties as Json) : anything, {
      maxKeys: 2,
    });
  const members = Object.entries(properties).map(([name, member]) => [name, valuesOf(member as Json)] as const);
  const others = additionalProperties === undefined ? { z: anything } : {};
  return fc.record<Record<string, unknown>>(
    { ...Object.fromEntries(members), ...others },
    { requiredKeys: required as string[], noNullPrototype: true },
  );
}

function arrayOf({ prefixItems, items, minItems = 0 }: Json): fc.Arbitrary<unknown> {
  if (!prefixItems) return fc.array(valuesOf(items as Json), { maxLength: 3 });
  const first = prefixItems as readonly Json[];
  const rest = items === false ? fc.constant([]) : fc.array(valuesOf(items as Json), { maxLength: 2 });
  return fc
    .tuple(fc.tuple(...first.map(valuesOf)), rest, fc.integer({ min: minItems as number, max: first.length + 2 }))
    .map(([head, tail, length]) => [...head, ...tail].slice(0, length));
}
