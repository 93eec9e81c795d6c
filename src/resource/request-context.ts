import type Koa from 'koa';
import type { Slots } from '../middleware/parts/context.ts';

/** Koa's context as guards, scopes, hooks and server fields see it: with the principal that `authenticate` found. */
export type RequestContext<Principal> = Koa.Context &
  Omit<Slots, 'principal' | 'load' | 'save' | 'signal'> & {
    /** Aborted when the client has gone or the request was given up: for what your function waits for. */
    readonly signal: AbortSignal;
    /** Who is calling; undefined for an anonymous request. */
    readonly principal: Principal | undefined;
    /** Who is calling; throws 401 for an anonymous request. */
    requirePrincipal(): Principal;
  };
