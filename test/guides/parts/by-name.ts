import type Koa from 'koa';

/** The principal whose name a request has as its bearer token. */
export function byName<Principal>(principals: Readonly<Record<string, Principal>>): (ctx: Koa.Context) => Principal | undefined {
  return (ctx) => principals[ctx.get('authorization').slice('Bearer '.length)];
}
