import Router from '@koa/router';
import Koa from 'koa';
import {
  type Context,
  guards,
  type KoaContext,
  type KoaMiddleware,
  type KoaRouter,
  problems,
  type Resource,
  service,
} from '../../src/index.ts';
import { mcpRoutes } from '../../src/products/mcp/mcp.ts';
import { assert, type Equal } from './equal.ts';

// The types of Koa have names of this package, and fit wherever Koa's own are expected.
const api = service().api({ db: undefined as never, resources: [] });
const routes: Koa.Middleware = api.routes();
assert<Equal<ReturnType<typeof api.routes>, KoaMiddleware>>();
const router: Router = api.router(undefined as unknown as Resource<never>);
assert<Equal<ReturnType<typeof api.router>, KoaRouter>>();
const ctx: KoaContext = undefined as unknown as Koa.Context;
const again: Koa.Context = ctx;
void [routes, again];

// An app keeps the types of its state and of its context, whatever it uses.
interface Session {
  readonly visits: number;
}
const app: Koa<{ readonly shop: string }, { readonly session: Session }> = new Koa<
  { readonly shop: string },
  { readonly session: Session }
>().use(api.routes());
app.use(mcpRoutes(api)).use((ctx) => {
  assert<Equal<typeof ctx.state.shop, string>>();
  assert<Equal<typeof ctx.session, Session>>();
});
const plain: Koa = new Koa().use(api.routes());
plain.use(guards(() => true)).use(problems());
new Router().get('/', guards(), api.routes(), (ctx: Context) => ctx.principal).use('/shops/:shop', api.routes(), router.routes());
