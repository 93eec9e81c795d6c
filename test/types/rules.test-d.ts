import { type Create, defineModel, type Read, service, t } from '../../src/index.ts';
import { assert, type Equal } from './equal.ts';

interface User {
  readonly name: string;
  readonly isStaff: boolean;
}

const Place = t.object('Place', { city: t.string(), code: t.optional(t.string({ policy: { read: 'warehouse' } })) });
const Order = defineModel('Order', {
  collection: 'orders',
  fields: {
    title: t.string(),
    note: t.string({ default: '', policy: { read: 'staff' } }),
    margin: t.optional(t.decimal({ policy: { read: ['staff', 'finance'], insert: 'finance', update: ['finance'] } })),
    place: t.nullable(Place),
    places: t.array(Place),
    secret: t.optional(t.string({ policy: { read: false } })),
  },
});

// A field of a rule may be absent in what a client reads, and may be left out of what it sends.
assert<Equal<Read<typeof Order>['note'], string | undefined>>();
assert<Equal<'secret' extends keyof Read<typeof Order> ? true : false, false>>();
assert<Equal<undefined extends Create<typeof Order>['note'] ? true : false, true>>();

const authenticate = (): User | undefined => undefined;
const whole = service({
  authenticate,
  rules: {
    staff: (user) => user.isStaff, // the principal has its type
    finance: async (user) => user.name === 'fay',
    warehouse: () => true,
  },
});
whole.resource({ model: Order, guards: [(ctx) => ctx.requirePrincipal().isStaff] });

const lacking = service({ authenticate, rules: { staff: (user) => user.isStaff, finance: () => true } });
// @ts-expect-error the service lacks `warehouse`, which a field of an embedded object names
lacking.resource({ model: Order });

const without = service({ authenticate });
// @ts-expect-error the service has no rules
without.resource({ model: Order });
without.resource({ model: defineModel('Plain', { collection: 'plain', fields: { text: t.string({ policy: { read: true } }) } }) });

service({
  authenticate,
  // @ts-expect-error a rule is about the principal alone
  rules: { staff: (user: User, record: object) => user.isStaff && record !== undefined },
});
// @ts-expect-error a rule says yes or no
service({ authenticate, rules: { staff: (user) => user.name } });
// @ts-expect-error a policy names rules
t.string({ policy: { read: 5 } });
