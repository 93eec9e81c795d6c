import { type Allowed, defineModel, everything, type Fields, type Model, service, t } from '../../src/index.ts';
import { useDatabase } from '../support/database/database.ts';

const database = useDatabase();
const staff = (user: string) => user === 'staff';

function create(fields: Fields, options: object = {}, rules: object = { staff }, indexes: readonly object[] = []): void {
  const Order = defineModel('Order', { collection: 'orders', fields, indexes } as never);
  const shop = service({ authenticate: () => 'ann', rules: rules as Record<string, typeof staff> });
  shop.api({ db: database.db, resources: [shop.resource({ model: Order, ...options } as never)] });
}
const text = (read: Allowed, more: object = {}) => t.optional(t.string({ policy: { read, ...more } }));

describe('rules of a service', () => {
  it.each<[string, () => void, string]>([
    [
      'a rule that the service does not have',
      () => create({ note: text('staf') }),
      'A policy of model `Order` names the rule `staf`, which the service does not have; did you mean `staff`?',
    ],
    [
      'a rule without any in the service',
      () => create({ note: text('staff') }, {}, {}),
      'A policy of model `Order` names the rule `staff`, which the service does not have.',
    ],
    [
      'a rule that no policy names',
      () => create({ note: text('staff') }, {}, { staff, finance: staff }),
      'No policy of the models of the service names the rule `finance`. They name staff.',
    ],
    [
      'a rule that takes a record',
      () => create({ note: text('staff') }, {}, { staff: (_user: string, _record: object) => true }),
      'Rule `staff` of the service takes 2 arguments: a rule is about the principal alone, and about no record and no request.',
    ],
    [
      'a field of `scopeFields` that not every caller reads',
      () =>
        create(
          { owner: t.string({ policy: { read: 'staff' } }) },
          { scope: () => everything, scopeFields: ['owner'], serverFields: () => ({}) },
        ),
      '`scopeFields` of resource `orders` has `owner`, which not every caller may read: the scope bounds what all of them write.',
    ],
    [
      'a required field that not every caller may set',
      () => create({ price: t.string({ policy: { insert: 'staff' } }) }),
      'Not every caller may set `price` of Order in a create of resource `orders`, and a record needs a value there. Give it a default, or let `serverFields` set it.',
    ],
    [
      'a required field that not every caller reads',
      () => create({ price: t.string({ policy: { read: 'staff' } }) }),
      'Not every caller may set `price` of Order in a create of resource `orders`, and a record needs a value there. Give it a default, or let `serverFields` set it.',
    ],
  ])('may not have %s', (_what, make, message) => {
    expect(make).toThrow(message);
  });

  it.each<[string, () => void]>([
    [
      'a required field of a rule that `serverFields` sets',
      () => create({ price: t.string({ policy: { insert: 'staff' } }) }, { serverFields: () => ({ price: '1' }) }),
    ],
    ['a required field of a rule with a default', () => create({ price: t.string({ default: '1', policy: { insert: 'staff' } }) })],
    ['a required field of a rule without a create', () => create({ price: t.string({ policy: { insert: 'staff' } }) }, { ops: ['get'] })],
    [
      'a rule that another resource of the service uses',
      () => {
        const shop = service({ authenticate: () => 'ann', rules: { staff } });
        const Note = defineModel('Note', { collection: 'notes', fields: { text: text('staff') } });
        const Plain = defineModel('Plain', { collection: 'plain', fields: { text: t.string() } });
        shop.resource({ model: Note });
        shop.api({ db: database.db, resources: [shop.resource({ model: Plain })] });
      },
    ],
  ])('may have %s', (_what, make) => {
    expect(make).not.toThrow();
  });

  const pair = (one: string, other: string) =>
    `In resource \`orders\`, a unique index of Order joins \`${one}\` with \`${other}\`: callers for whom no rule holds may write the first and not read the second, and a 409 would say which values exist.`;
  const place = t.object('Place', { city: t.string(), code: text('staff') });

  it.each<[string, Fields, object, string]>([
    ['`fields`', { code: t.string(), note: text('staff') }, { fields: ['code', 'note'] }, pair('code', 'note')],
    ['`key`', { code: t.string(), note: text('staff') }, { key: { note: 1, code: 1 } }, pair('code', 'note')],
    ['a key over the object that holds both', { place }, { key: { place: 1 } }, pair('place', 'place.code')],
    ['a key over an array of such objects', { place: t.array(place) }, { key: { place: 1 } }, pair('place', 'place.code')],
    [
      'a filter',
      { code: t.string(), note: text('staff') },
      { key: { code: 1 }, partialFilterExpression: { $or: [{ note: 'x' }, { note: 'y' }] } },
      pair('code', 'note'),
    ],
  ])('may not join in a unique index a field that a caller writes with one that it cannot read, by %s', (_how, fields, index, message) => {
    const make = (options: object) => () =>
      create(fields, { serverFields: () => ({}), ...options }, { staff }, [{ ...index, unique: true }]);
    expect(make({})).toThrow(message);
    const [name = ''] = /(?<=joins `)[^`]+/.exec(message) ?? [];
    if (name !== 'place') expect(make({ scope: () => everything, scopeFields: [name] })).not.toThrow(); // equal in all that they write
  });

  it.each<[string, Fields, object, RegExp]>([
    [
      'writes a field that it does not show',
      { code: t.optional(t.string({ policy: { private: true, insert: true } })) },
      { fields: ['code'] },
      /In resource `shown`, a unique index of Whole compares `code`: callers for whom no rule holds may write it and not read it, and a 409 would say which values exist/,
    ],
    [
      'writes a field that it does not show to all',
      { code: text('staff', { insert: true }) },
      { key: { code: 1 } },
      /In resource `shown`, a unique index of Whole compares `code`: callers for whom no rule holds may write it/,
    ],
    [
      'writes a field beside one that it does not show',
      { code: t.optional(t.string({ policy: { private: true } })) },
      { fields: ['number', 'code'] },
      /In resource `shown`, a unique index of Whole joins `number` with `code`: callers/,
    ],
  ])('may not let another model of the collection make unique what a resource %s', (_how, shown, index, message) => {
    const number = t.optional(t.string());
    const Shown = defineModel('Shown', { collection: 'orders', fields: { number, other: text('staff'), ...shown } });
    const fields = { number, code: t.optional(t.string()) };
    const whole = (isUnique: boolean) =>
      defineModel('Whole', { collection: 'orders', fields, indexes: [{ ...index, unique: isUnique }] as never });
    const shop = service({ authenticate: () => 'ann', rules: { staff } });
    const make = (Whole: Model) => () =>
      shop.api({ db: database.db, models: [Whole], resources: [shop.resource({ path: 'shown', model: Shown as Model })] });
    expect(make(whole(true))).toThrow(message);
    expect(make(whole(false))).not.toThrow();
    expect(
      make(defineModel('Elsewhere', { collection: 'elsewhere', fields, indexes: [{ ...index, unique: true }] as never })),
    ).not.toThrow();
  });

  it('may not hide the field by which a `t.hasMany` is sorted', () => {
    const Order = defineModel('Order', {
      collection: 'orders',
      fields: { customer: t.ref('Customer'), rank: text('staff', { sort: true }) },
    });
    const Customer = defineModel('Customer', {
      collection: 'customers',
      fields: { orders: t.hasMany('Order', { via: 'customer', sort: 'rank' }) },
    });
    const shop = service({ authenticate: () => 'ann', rules: { staff } });
    expect(() => shop.api({ db: database.db, resources: [shop.resource({ model: Customer }), shop.resource({ model: Order })] })).toThrow(
      '`sort` names `rank` of Order, which not every caller may read: the order would tell of its values.',
    );
  });
});
