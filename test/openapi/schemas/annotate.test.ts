import { openapiDocument, t } from '../../../src/index.ts';
import { everyApi } from '../every-api.ts';
import { describeFields } from '../fixtures.ts';
import { schemaOf } from '../published.ts';

const every = openapiDocument(everyApi());

describe('bounds', () => {
  const { properties } = schemaOf(every, 'EverythingCreate');

  it.each([
    ['t.int', 'int', { minimum: Number.MIN_SAFE_INTEGER, maximum: Number.MAX_SAFE_INTEGER }],
    ['t.int64', 'int64', { minimum: -(2n ** 63n), maximum: 2n ** 63n - 1n }],
  ])('of %s are exact', (_builder, field, bounds) => {
    expect(properties[field]).toEqual({ type: 'integer', format: 'int64', ...bounds });
  });

  it('of a field are narrower than those of its type, and of two the narrower counts', () => {
    expect(properties.long).toMatchObject({ minimum: 0, maximum: 9223372036854775806n });
    expect(properties.small).toEqual({ type: 'integer', format: 'int64', minimum: -5, exclusiveMaximum: 100, multipleOf: 5 });
    const document = describeFields({
      n: t.int({ minimum: -1e300, exclusiveMaximum: 1e300 }),
      f: t.float({ minimum: 0, exclusiveMinimum: 0 }),
    });
    expect(schemaOf(document, 'ThingCreate').properties).toEqual({
      n: { type: 'integer', format: 'int64', minimum: Number.MIN_SAFE_INTEGER, maximum: Number.MAX_SAFE_INTEGER },
      f: { type: 'number', exclusiveMinimum: 0 },
    });
  });
});

describe('descriptions and examples', () => {
  it('of a field are in every schema', () => {
    for (const name of ['EverythingRead', 'EverythingCreate', 'EverythingPatch']) {
      expect(schemaOf(every, name).properties.text).toMatchObject({ title: 'Text', description: 'Some text.', examples: ['hello'] });
      expect(schemaOf(every, name).properties.flag.deprecated).toBe(true);
    }
  });

  it('are shown as they are sent in bodies, and as they are served in answers', () => {
    expect(schemaOf(every, 'EverythingCreate').properties.decimal.examples).toEqual([12.5, '0.10']);
    expect(schemaOf(every, 'EverythingRead').properties.decimal.examples).toEqual(['12.5', '0.10']);
    expect(schemaOf(every, 'EverythingRead').properties.date.examples).toEqual(['2026-01-31T12:00:00.000Z']);
  });

  it('of an object show what a client reads of it, and nothing in bodies', () => {
    const Card = t.object('Card', { last4: t.string(), number: t.string({ policy: { private: true, insert: true } }) });
    const document = describeFields({ card: t.nullable(Card, { examples: [{ last4: '1234', number: '4111 1111' }] }) });
    expect(schemaOf(document, 'ThingRead').properties.card.examples).toEqual([{ last4: '1234' }]);
    expect(schemaOf(document, 'ThingCreate').properties.card).not.toHaveProperty('examples');
  });

  it('that do not fit are a configuration error', () => {
    expect(() => describeFields({ n: t.int({ examples: ['many'] }) })).toThrow('`examples` of `n` do not fit: `n` must be an integer.');
  });

  it('of a wide integer keep every digit', () => {
    const document = describeFields({ n: { type: 'integer', format: 'int64', bsonType: 'long', examples: [7] } });
    expect(schemaOf(document, 'ThingRead').properties.n.examples).toEqual([7n]);
  });
});

describe('a default', () => {
  it('that a function makes is not made for the description', () => {
    let calls = 0;
    describeFields({ n: t.int({ default: () => ++calls }), at: t.object('Spot', { n: t.int({ default: () => ++calls }) }) });
    expect(calls).toBe(0);
  });
});
