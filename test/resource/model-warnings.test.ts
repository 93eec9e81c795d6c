import { defineModel, type Model, service, t } from '../../src/index.ts';

const shop = service();
const server = { insert: false } as const;

let warnings: { text: string; options: unknown }[] = [];

/** What building an api says of these resources. */
function build(resources: readonly object[], models: readonly Model[] = []): string[] {
  warnings = [];
  shop.api({
    db: { collection: () => ({}), client: { on: () => {} } } as never,
    models,
    resources: resources.map((one) => shop.resource(one as never)),
  });
  return warnings.map(({ text }) => text);
}

beforeEach(() => {
  jest.spyOn(process, 'emitWarning').mockImplementation((...given: unknown[]) => {
    warnings.push({ text: String(given[0]), options: given[1] });
  });
});
afterEach(() => {
  jest.restoreAllMocks();
});

describe('a required field that nobody can set is told of when the api is built', () => {
  const Address = t.object('Address', { city: t.string(), seal: t.string({ policy: { private: true } }) });
  const nobody = (fields: string) =>
    `No create of resource \`tasks\` can succeed: nobody can set ${fields} of Task, and a record needs a value there. Give it a default, or let \`serverFields\`, \`before.create\` or \`policy.insert\` set it.`;
  const task = (fields: object) => defineModel('Task', { collection: 'tasks', fields: { title: t.string(), ...fields } as never });

  it.each<[what: string, fields: object, named: string]>([
    ['closed', { owner: t.string({ policy: server }) }, '`owner`'],
    ['private', { secret: t.string({ policy: { private: true } }) }, '`secret`'],
    ['several', { owner: t.string({ policy: server }), at: t.date({ policy: server }) }, '`owner`, `at`'],
    ['in an embedded object that is required', { address: Address }, '`address.seal`'],
    ['an id that nobody makes', { id: t.string() }, '`id`'],
  ])('%s', (_what, fields, named) => {
    expect(build([{ model: task(fields) }])).toEqual([nobody(named)]);
    expect(warnings[0]?.options).toEqual({ type: 'KoaMongoResourceWarning', code: 'UNSETTABLE_FIELD' });
  });

  it.each<[what: string, resource: object, named: string]>([
    [
      '`serverFields` set fields on update only',
      { model: task({ owner: t.string({ policy: server }) }), serverFields: { update: () => ({}) } },
      '`owner`',
    ],
    ['there are hooks, which cannot set an id', { model: task({ id: t.string() }), before: { create: [() => undefined] } }, '`id`'],
  ])('also if %s', (_what, resource, named) => {
    expect(build([resource])).toEqual([nobody(named)]);
  });

  it('under explicitWrites every field that its policy does not open', () => {
    const model = task({ note: t.string({ policy: { insert: true } }) });
    expect(build([{ model, explicitWrites: true }])).toEqual([nobody('`title`')]);
  });

  it.each<[what: string, resource: object]>([
    ['create is not served', { model: task({ owner: t.string({ policy: server }) }), ops: ['get', 'patch'] }],
    ['`serverFields`, a function, may set it', { model: task({ owner: t.string({ policy: server }) }), serverFields: () => ({}) }],
    ['`serverFields.create` may set it', { model: task({ owner: t.string({ policy: server }) }), serverFields: { create: () => ({}) } }],
    [
      'a hook before the create may set it',
      { model: task({ owner: t.string({ policy: server }) }), before: { create: [() => undefined] } },
    ],
    ['it has a default', { model: task({ owner: t.string({ default: 'x', policy: server }) }) }],
    ['it is nullable', { model: task({ owner: t.nullable(t.string(), { policy: server }) }) }],
    ['it is optional', { model: task({ owner: t.optional(t.string({ policy: server })) }) }],
    ['its policy lets clients insert it', { model: task({ secret: t.string({ policy: { private: true, insert: true } }) }) }],
    ['it stands in an object that is not required', { model: task({ address: t.optional(Address) }) }],
    ['it stands in a list, which may be empty', { model: task({ all: t.array(Address) }) }],
    ['the service makes it', { model: task({ id: t.uuid(), revision: t.revision(), at: t.createdAt() }) }],
    ['it makes the id', { model: task({}) }],
  ])('and not where %s', (_what, resource) => {
    expect(build([resource])).toEqual([]);
  });
});

describe('a reference to a model that is unknown but nearly one that is known is told of', () => {
  const Customer = defineModel('Customer', { collection: 'customers', fields: { name: t.string() } });
  const order = (fields: object) => defineModel('Order', { collection: 'orders', fields: fields as never });
  const meant = (field: string, name: string) =>
    `\`${field}\` of Order refers to the model \`${name}\`, which this api does not know; did you mean \`Customer\`?`;

  it.each<[what: string, fields: object, warning: string]>([
    ['a field', { customer: t.ref('Custmer') }, meant('customer', 'Custmer')],
    ['another case', { customer: t.ref('customer') }, meant('customer', 'customer')],
    ['the items of a list', { buyers: t.array(t.ref('Customers')) }, meant('buyers', 'Customers')],
    ['an embedded object', { by: t.object('By', { who: t.nullable(t.ref('Cusotmer')) }) }, meant('by.who', 'Cusotmer')],
    ['a map', { byRole: t.map(t.ref('Custome')) }, meant('byRole.*', 'Custome')],
    ['a private field', { by: t.optional(t.ref('Custmer', { policy: { private: true } })) }, meant('by', 'Custmer')],
  ])('in %s', (_what, fields, warning) => {
    expect(build([{ model: order(fields) }, { model: Customer }])).toEqual([warning]);
    expect(warnings[0]?.options).toEqual({ type: 'KoaMongoResourceWarning', code: 'UNKNOWN_MODEL' });
  });

  it('in a model and to a model that no resource serves', () => {
    expect(build([{ model: Customer }], [order({ customer: t.ref('Custmer') })])).toEqual([meant('customer', 'Custmer')]);
    expect(build([{ model: order({ customer: t.ref('Custmer') }) }], [Customer])).toEqual([meant('customer', 'Custmer')]);
  });

  it('once, though two resources have the model', () => {
    const model = order({ customer: t.ref('Custmer') });
    expect(build([{ model }, { model, path: 'archive' }, { model: Customer }], [model])).toHaveLength(1);
  });

  it.each(['Customer', 'Supplier', 'Cust'])('and not one to %s', (name) => {
    expect(build([{ model: order({ customer: t.ref(name) }) }, { model: Customer }])).toEqual([]);
  });
});
