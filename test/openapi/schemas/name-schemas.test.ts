import { ConfigurationError, defineModel, offsetPaging, openapiDocument, service, t } from '../../../src/index.ts';
import { everyApi } from '../every-api.ts';
import { db } from '../fixtures.ts';

const shop = service();
type Resources = Parameters<typeof shop.api>[0]['resources'];

const describeAll = (...resources: Resources) => openapiDocument(shop.api({ db, resources }));
const namesOf = (...resources: Resources) => Object.keys(describeAll(...resources).components.schemas ?? {});

const Order = defineModel('Order', {
  collection: 'orders',
  fields: { text: t.string(), at: t.object('Address', { city: t.string(), zip: t.string() }) },
});

describe('schemas', () => {
  it('are those of the operations that are served, and no others', () => {
    expect(namesOf(shop.resource({ model: Order, ops: ['list'] }))).toEqual(['Address', 'OrderPage', 'OrderRead', 'Problem']);
    expect(namesOf(shop.resource({ model: Order, ops: ['delete'] }))).toEqual(['Problem']);
    expect(namesOf(shop.resource({ model: Order }))).toEqual([
      'Address',
      'AddressPatch',
      'OrderCreate',
      'OrderPage',
      'OrderPatch',
      'OrderRead',
      'Problem',
    ]);
    expect(namesOf(shop.resource({ model: Order, mergePatch: false, ops: ['patch'] }))).toEqual([
      'Address',
      'OrderPatch',
      'OrderRead',
      'Problem',
    ]);
  });

  it('are shared by resources over one model that do not differ', () => {
    const again = shop.resource({ model: Order, path: 'archive', preconditionRequired: true });
    expect(namesOf(shop.resource({ model: Order }), again)).toEqual(namesOf(again));
  });

  it('of resources over one model insert the resource’s name where they differ, and only there', () => {
    const document = describeAll(
      shop.resource({ model: Order }),
      shop.resource({ model: Order, path: 'order-archive', mergePatch: false }),
      shop.resource({ model: Order, path: 'read_only', ops: ['get'] }),
    );
    expect(Object.keys(document.components.schemas ?? {})).toEqual([
      'Address',
      'AddressPatch',
      'OrderCreate',
      'OrderOrderArchivePatch',
      'OrderOrdersPatch',
      'OrderPage',
      'OrderRead',
      'Problem',
    ]);
    const path = document.paths['/order-archive/{id}'] as { patch: { requestBody: unknown } };
    expect(path.patch.requestBody).toEqual({
      required: true,
      content: { 'application/json': { schema: { $ref: '#/components/schemas/OrderOrderArchivePatch' } } },
    });
  });

  it('of pages do so where they are paged differently', () => {
    const archive = shop.resource({ model: Order, path: 'archive', ops: ['list'], paging: offsetPaging() });
    const document = describeAll(shop.resource({ model: Order, ops: ['list'] }), archive);
    expect(Object.keys(document.components.schemas ?? {})).toEqual([
      'Address',
      'OrderArchivePage',
      'OrderOrdersPage',
      'OrderRead',
      'Problem',
    ]);
    expect(document.paths['/archive']).toMatchObject({
      get: { responses: { 200: { content: { 'application/json': { schema: { $ref: '#/components/schemas/OrderArchivePage' } } } } } },
    });
  });

  it('of embedded objects insert it too: who may write what is the resource’s', () => {
    const Item = t.object('Item', { a: t.string(), b: t.string({ policy: { update: true } }) }, { policy: { update: true } });
    const Box = defineModel('Box', { collection: 'boxes', fields: { item: Item } });
    expect(
      namesOf(
        shop.resource({ model: Box, ops: ['patch'] }),
        shop.resource({ model: Box, path: 'strict', ops: ['patch'], explicitWrites: true }),
      ),
    ).toEqual(['BoxBoxesPatch', 'BoxRead', 'BoxStrictPatch', 'Item', 'ItemBoxesPatch', 'ItemStrictPatch', 'Problem']);
  });

  it('are open for answers and closed for bodies', () => {
    const { schemas = {} } = openapiDocument(everyApi()).components;
    for (const [name, schema] of Object.entries(schemas)) {
      if (/(?:Create|Replace|Patch|Put)$/.test(name)) expect([name, schema.additionalProperties]).toEqual([name, false]);
      if (/(?:Read|Page)$/.test(name)) expect([name, schema.additionalProperties]).toEqual([name, undefined]);
    }
  });
});

describe('one name for two', () => {
  const resourceOf = (name: string, fields: object, collection = name.toLowerCase()) =>
    shop.resource({ model: defineModel(name, { collection, fields: fields as Record<string, ReturnType<typeof t.string>> }) });
  const withAddress = (name: string, address: object) => resourceOf(name, { at: t.object('Address', address as never) });

  it.each<[string, object, object]>([
    ['fields', { city: t.string() }, { town: t.string() }],
    ['types', { city: t.string() }, { city: t.int() }],
    ['limits', { city: t.string() }, { city: t.string({ maxLength: 3 }) }],
    ['policies', { city: t.string() }, { city: t.string({ policy: { insert: false } }) }],
    ['private fields', { city: t.string() }, { city: t.string(), hidden: t.optional(t.string({ policy: { private: true } })) }],
    ['items', { city: t.array(t.int()) }, { city: t.array(t.nullable(t.int())) }],
    ['objects inside', { geo: t.object('Geo', { x: t.int() }) }, { geo: t.object('Place', { x: t.int() }) }],
  ])('is a configuration error: embedded objects with different %s', (_what, one, other) => {
    const build = () => describeAll(withAddress('A', one), withAddress('B', other));
    expect(build).toThrow(ConfigurationError);
    expect(build).toThrow('Two different embedded objects are called `Address` (in the resources `a` and `b`)');
  });

  it('is a configuration error within one model, too', () => {
    const fields = { a: t.object('Address', { city: t.string() }), b: t.array(t.object('Address', { zip: t.string() })) };
    expect(() => describeAll(resourceOf('A', fields))).toThrow('Two different embedded objects are called `Address`');
  });

  it('is no error where only filters and sorts differ, or where they are equal', () => {
    const build = () =>
      describeAll(withAddress('A', { city: t.string() }), withAddress('B', { city: t.string({ policy: { filter: true, sort: true } }) }));
    expect(build).not.toThrow();
  });

  it('is a configuration error for two models', () => {
    const build = () => describeAll(resourceOf('Order', { a: t.string() }, 'x'), resourceOf('Order', { b: t.string() }, 'y'));
    expect(build).toThrow('Two different models are called `Order` (in the resources `x` and `y`)');
  });

  it('is a configuration error where an embedded object would have the name of a model’s schema, or of one of the library’s own', () => {
    expect(() => describeAll(resourceOf('Order', { a: t.object('OrderRead', { b: t.string() }) }))).toThrow(
      'Two different schemas would be called `OrderRead`',
    );
    expect(() => describeAll(resourceOf('Order', { a: t.object('OrderPage', { b: t.string() }) }))).toThrow(
      'Two different schemas would be called `OrderPage`',
    );
    for (const name of ['Problem', 'UntypedValue']) {
      expect(() => describeAll(resourceOf('Order', { a: t.object(name, { b: t.string() }) }))).toThrow(
        `Two different schemas would be called \`${name}\``,
      );
    }
  });

  it('may be a model’s and an embedded object’s: their schemas are called differently', () => {
    const Address = defineModel('Address', { collection: 'addresses', fields: { at: t.object('Address', { city: t.string() }) } });
    expect(namesOf(shop.resource({ model: Address, ops: ['create'] }))).toEqual(['Address', 'AddressCreate', 'AddressRead', 'Problem']);
    expect(() => describeAll(shop.resource({ model: Address }))).toThrow('Two different schemas would be called `AddressPatch`');
  });
});
