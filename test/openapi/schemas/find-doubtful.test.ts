import fc from 'fast-check';
import { ConfigurationError, defineModel, jsonBody, openapiDocument, service, t } from '../../../src/index.ts';
import { cases } from '../../support/fuzzing/fuzz.ts';
import { db } from '../fixtures.ts';

const shop = service();
const handler = (): undefined => undefined;
type Resources = Parameters<typeof shop.api>[0]['resources'];

/** Names that meet: some are others with the shape of a schema or with a path behind them. */
const names = [
  'Order',
  'OrderRead',
  'OrderCreate',
  'OrderOrdersPatch',
  'Orders',
  'Address',
  'AddressPageCreate',
  'Problem',
  'UntypedValue',
];
const contents = {
  text: () => ({ city: t.string() }),
  limited: () => ({ city: t.string({ maxLength: 3 }) }),
  closed: () => ({ city: t.string(), zip: t.optional(t.string({ policy: { update: false } })) }),
  exemplary: () => ({ city: t.string({ examples: ['Ulm'] }) }),
  unlike: () => ({ city: t.string({ maxLength: 2, examples: ['Ulm'] }) }),
};
/** Mostly the same, so that many apis have nothing that is refused. */
const content = fc.constantFrom<keyof typeof contents>('text', 'text', 'text', 'text', 'text', 'limited', 'closed', 'exemplary', 'unlike');
const embedded = fc.record({ name: fc.constantFrom(...names), content, place: fc.constantFrom('alone', 'in an array', 'in a map') });
const resource = fc.record({
  model: fc.constantFrom(...names),
  path: fc.constantFrom('orders', 'page', 'read'),
  fields: fc.array(embedded, { maxLength: 2 }),
  body: fc.option(embedded, { freq: 1 }),
  answer: fc.option(embedded, { freq: 1 }),
  own: content,
});
type Resource = typeof resource extends fc.Arbitrary<infer Value> ? Value : never;

function fieldOf({ name, content, place }: Resource['fields'][number]) {
  const object = t.object(name, contents[content]());
  if (place === 'alone') return object;
  return place === 'in an array' ? t.array(object) : t.map(object);
}

function resourceOf({ model, path, fields, body, answer, own }: Resource) {
  const embeddedFields = Object.fromEntries(fields.map((field, index) => [`f${index}`, fieldOf(field)]));
  return shop.resource({
    model: defineModel(model, { collection: path, fields: { ...contents[own](), ...embeddedFields } }),
    path,
    operations: Object.fromEntries([
      ...(body ? [['first', { use: [jsonBody({ schema: t.object('Body', { at: fieldOf(body) }) })], handler }] as const] : []),
      ...(answer ? [['second', { answer: t.object(answer.name, contents[answer.content]()), handler }] as const] : []),
    ]),
  });
}

describe('an api', () => {
  it('that was made can be described: what is not looked at has names of its own', () => {
    const told = { made: 0, refused: 0 };
    const resources = fc.uniqueArray(resource, { minLength: 1, maxLength: 3, selector: ({ path }) => path });
    const property = fc.property(resources, (given) => {
      const api = makeApi(given.map(resourceOf));
      told[api ? 'made' : 'refused']++;
      if (api) openapiDocument(api);
    });
    fc.assert(property, cases(400));
    expect(Math.min(told.made, told.refused)).toBeGreaterThan(50);
  });
});

describe('an api is refused when it is made', () => {
  const order = (fields: object) => defineModel('Order', { collection: 'orders', fields: { text: t.string(), ...fields } });
  const address = (name: keyof typeof contents) => t.object('Address', contents[name]());

  it.each([
    ['in a body', { send: { use: [jsonBody({ schema: t.object('Body', { to: address('limited') }) })], handler } }],
    ['in an answer', { send: { answer: t.object('Sent', { to: address('limited') }), handler } }],
    ['of an answer', { send: { answer: address('limited'), handler } }],
  ])('if an object %s of a custom operation has the name of another one in its records', (_place, operations) => {
    expect(() => shop.api({ db, resources: [shop.resource({ model: order({ at: address('text') }), operations })] })).toThrow(
      'Two different embedded objects are called `Address`',
    );
  });

  it('if an object has the name that a schema gets where two resources over one model differ', () => {
    const Order = order({ at: t.object('Place', { city: t.string() }) });
    const resources = [
      shop.resource({ model: Order }),
      shop.resource({ model: Order, path: 'drafts', explicitWrites: true, mergePatch: false }),
    ];
    const Note = (name: string) => defineModel('Note', { collection: 'notes', fields: { at: t.object(name, contents.text()) } });
    expect(Object.keys(openapiDocument(shop.api({ db, resources })).components.schemas ?? {})).toContain('OrderDraftsPatch');
    expect(() => shop.api({ db, resources: [...resources, shop.resource({ model: Note('OrderDraftsPatch') })] })).toThrow(
      'Two different schemas would be called `OrderDraftsPatch`',
    );
  });
});

function makeApi(resources: Resources) {
  try {
    return shop.api({ db, resources });
  } catch (error) {
    expect(error).toBeInstanceOf(ConfigurationError);
    expect((error as Error).message).toMatch(/^(Two different (models|embedded objects|schemas) |`examples` of `city` do not fit)/);
    return undefined;
  }
}
