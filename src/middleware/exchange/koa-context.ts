import type Koa from 'koa';

/**
 * Koa's context, under a name of this package. The declarations of an app that exports a service or a middleware name
 * the types that they are made of, and under pnpm or Yarn an app can name those of its own dependencies only:
 * `@types/koa` is one of ours.
 */
export interface KoaContext extends Koa.Context {}

/** Koa's `next`. */
// biome-ignore lint/suspicious/noExplicitAny: as Koa's own
export type KoaNext = () => Promise<any>;

/** A middleware for any Koa app or router, whatever the types of its state and of its context are. */
export type KoaMiddleware = (ctx: object, next: KoaNext) => Promise<unknown>;
