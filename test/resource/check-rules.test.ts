import { type Allowed, defineModel, everything, type Fields, service, t } from '../../src/index.ts';
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
    [
      'a unique index of a field that a caller may write and one that it cannot read',
      () => create({ code: t.string(), note: text('staff') }, {}, { staff }, [{ fields: ['code', 'note'], unique: true }]),
      'A unique index of Order in resource `orders` joins `code` with `note`: callers for whom no rule holds may write the first and not read the second, and a 409 would say which values exist.',
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
