import { type Api, cursorPaging, everything, service } from 'koa-mongo-resource';
import type { Db } from 'mongodb';
import { authenticate, isAdmin, signedIn } from './authenticate.ts';
import { Customer, Order } from './model.ts';

/** The api without a server, for `server.ts` and for tests. */
export function createShop(db: Db): Api {
  const shop = service({ authenticate });

  const orders = shop.resource({
    model: Order,
    ops: ['list', 'get', 'create', 'patch', 'put', 'delete'],
    guards: [signedIn],
    guardsFor: { delete: [isAdmin] },
    // Everybody sees their own orders only: those of others are 404. The scope stands in every query, that of a delete too.
    scope(ctx) {
      const user = ctx.requirePrincipal();
      return user.admin ? everything : { owner: user.name };
    },
    scopeFields: ['owner'], // where its indexes begin; the lists of an admin, who sees all, look through the orders
    serverFields: (ctx) => ({ owner: ctx.requirePrincipal().name }),
    paging: cursorPaging({ max: 100, total: true }),
    include: ['customer'], // ?include=customer adds the record to its id, for whoever may get that customer
  });

  const customers = shop.resource({
    model: Customer,
    guards: [signedIn],
    guardsFor: { create: [isAdmin], patch: [isAdmin], delete: [isAdmin] },
    preconditionRequired: true, // whoever changes a customer says, with If-Match, which version they have seen
  });

  return shop.api({ db, prefix: '/api', resources: [orders, customers] });
}
