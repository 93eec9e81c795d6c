import type Koa from 'koa';
import { afterHooks, type Context, checkCreate, defineModel, guards, handler, type RequestContext, scope, t } from '../../src/index.ts';
import { assert, type Equal } from './equal.ts';

const Order = defineModel('Order', { collection: 'orders', fields: { owner: t.string(), total: t.int() } });
interface User {
  readonly name: string;
}

// In a chain of their own, functions have a context without annotations.
scope(Order, (ctx) => {
  assert<Equal<typeof ctx, Context>>();
  return { owner: ctx.state.user.name };
});
handler(async (ctx) => ({ total: (await ctx.load()).total, of: ctx.params.id, said: ctx.request.body }));
guards(
  (ctx) => ctx.get('x-user') !== '',
  async (ctx) => ctx.principal !== undefined,
);
afterHooks([
  (ctx, result) => {
    assert<Equal<typeof ctx, Context>>();
    assert<Equal<typeof result, unknown>>();
    return ctx.path;
  },
]);
checkCreate(Order, { serverFields: (ctx) => ({ owner: ctx.state.user.name }) });

// With one they may know more of it.
guards(
  (ctx: Koa.Context) => ctx.secure,
  (ctx: RequestContext<User>) => ctx.requirePrincipal().name === 'ann',
);
scope(Order, (ctx: RequestContext<User>) => ({ owner: ctx.requirePrincipal().name }));
afterHooks([(_ctx: unknown, order: { readonly owner: string }) => order.owner]);

// @ts-expect-error: a guard returns a boolean
guards(() => 'yes');
// @ts-expect-error: there is no such thing in Koa's context
guards((ctx: { readonly nothing: string }) => ctx.nothing === '');
