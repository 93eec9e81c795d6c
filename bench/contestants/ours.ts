import Koa from 'koa';
import { authenticate } from './by-hand.ts';
import type { Contestant } from './contestant.ts';

type Library = typeof import('../../dist/index.js');

/** A build of the library in a Koa app, with its defaults. */
export function serveWith(library: Library): Contestant {
  const { cursorPaging, service } = library;
  const defineOrder = orderDefiner(library);
  return {
    title: 'koa-mongo-resource',
    answersAlike: true,
    async create(db, { resources, moreFields }) {
      const shop = service<string>({ authenticate: (ctx) => authenticate(ctx.get('Authorization')) });
      const serve = (name: string, collection: string) =>
        shop.resource({
          model: defineOrder(name, collection, moreFields),
          ops: ['list', 'get', 'create', 'patch'],
          scope: (ctx) => ({ owner: ctx.requirePrincipal() }),
          scopeFields: ['owner'],
          serverFields: (ctx) => ({ owner: ctx.requirePrincipal() }),
          paging: cursorPaging({ max: 100 }),
        });
      const others = Array.from({ length: resources - 1 }, (_, n) => serve(`Other${n}`, `others_${n}`));
      const last = { number: '' };
      const guarded = shop.resource({
        model: defineOrder('Guarded', 'orders', moreFields),
        path: 'guarded',
        ops: ['patch'],
        scope: (ctx) => ({ owner: ctx.requirePrincipal() }),
        scopeFields: ['owner'],
        guards: [(ctx) => ctx.requirePrincipal().length < 100, async (ctx) => ctx.principal !== 'reader'],
        after: {
          patch: [
            (_ctx, { number }) => {
              last.number = number;
            },
          ],
        },
      });
      const articles = shop.resource({
        model: defineArticle(library),
        ops: ['list'],
        scope: (ctx) => ({ owner: ctx.requirePrincipal() }),
        scopeFields: ['owner'],
        paging: cursorPaging({ max: 100 }),
      });
      const api = shop.api({ db, prefix: '/api', resources: [...others, serve('Order', 'orders'), guarded, articles] });
      return new Koa().use(api.routes()).callback();
    },
  };
}

function defineArticle({ defineModel, t }: Library) {
  return defineModel('Article', {
    collection: 'articles',
    fields: {
      title: t.string(),
      text: t.string(),
      author: t.string({ policy: { filter: ['eq'] } }),
      category: t.string({ policy: { filter: ['eq', 'in'] } }),
      tags: t.array(t.string()),
      views: t.int({ policy: { filter: ['lt'] } }),
      isPublished: t.boolean({ policy: { filter: ['eq'] } }),
      owner: t.string({ policy: { private: true, insert: false } }),
      createdAt: t.createdAt({ policy: { sort: true, filter: ['gte', 'lt'] } }),
      updatedAt: t.updatedAt(),
    },
  });
}

/** What the others write by hand. */
function orderDefiner({ defineModel, t }: Library) {
  const Address = t.object('Address', {
    street: t.string(),
    city: t.string(),
    zip: t.string(),
    country: t.string({ minLength: 2, maxLength: 2 }),
  });

  const Line = t.object('Line', { sku: t.string(), name: t.string(), quantity: t.int({ minimum: 1 }), price: t.decimal() });

  return (name: string, collection: string, moreFields: number) =>
    defineModel(name, {
      collection,
      fields: {
        number: t.string({ minLength: 1, maxLength: 40, policy: { sort: true } }),
        customerId: t.objectId({ policy: { filter: ['eq'] } }),
        status: t.enum(['open', 'paid', 'sent'], { policy: { filter: ['eq', 'in'] } }),
        total: t.decimal(),
        paid: t.boolean(),
        note: t.optional(t.string({ maxLength: 1_000 })),
        shipTo: Address,
        lines: t.array(Line, { maxItems: 1_000 }),
        tags: t.array(t.string(), { maxItems: 20 }),
        owner: t.string({ policy: { private: true, insert: false, update: false } }),
        revision: t.revision(),
        createdAt: t.createdAt({ policy: { sort: true, filter: ['gte', 'lt'] } }),
        updatedAt: t.updatedAt(),
        ...Object.fromEntries(Array.from({ length: moreFields }, (_, n) => [`more${n}`, t.optional(t.string({ maxLength: 100 }))])),
      },
    });
}
