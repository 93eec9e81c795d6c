import { type Api, cursorPaging, everything, service } from 'koa-mongo-resource';
import type { Db } from 'mongodb';
import { authenticate, isAdmin, signedIn } from './authenticate.ts';
import { Customer, Order } from './model.ts';

/** The api without a server, for `server.ts` and for tests. */
export function createShop(db: Db): Api {
  const shop = service({ authenticate });

  const orders = shop.resource({
    model: Order,
    description: 'What customers have ordered. Everybody sees their own.',
    ops: ['list', 'get', 'create', 'patch', 'put', 'delete'],
    guards: [signedIn],
    guardsFor: { remove: [isAdmin] },
    // Everybody sees their own orders only: those of others are 404. The scope stands in every query, that of a delete
    // too.
    scope(ctx) {
      const user = ctx.requirePrincipal();
      return user.admin ? everything : { owner: user.name };
    },
    scopeFields: ['owner'], // where its indexes begin; the lists of an admin, who sees all, look through the orders
    serverFields: (ctx) => ({ owner: ctx.requirePrincipal().name }),
    paging: cursorPaging({ max: 100, total: true }),
    through: ['customer'], // ?customer.name=Smith and ?sort=customer.name, among the customers that the caller may get
    include: ['customer'], // ?include=customer adds the record to its id, for whoever may get that customer
  });

  const customers = shop.resource({
    model: Customer,
    description: 'Who orders. Only the staff changes them.',
    guards: [signedIn],
    guardsFor: { write: [isAdmin] },
    include: ['orders', 'orderCount'],
    nested: ['orders'], // GET and POST /customers/{id}/orders: the list and the create of `orders`, for one customer
    preconditionRequired: true, // whoever changes a customer says, with If-Match, which version they have seen
  });

  return shop.api({
    db,
    prefix: '/api',
    resources: [orders, customers],
    docs: true, // a page at /api/docs that shows all this and tries it
    title: 'Shop',
    description: 'Orders of a shop, for whoever has a token.',
    contact: { name: 'The maintainers' },
    license: { name: 'MIT', identifier: 'MIT' },
    securitySchemes: { bearer: { type: 'http', scheme: 'bearer' } }, // how clients do what `authenticate` reads
  });
}
