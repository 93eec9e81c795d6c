import Router from '@koa/router';
import Koa from 'koa';
import { authenticate, type Context, guards, ifMatch, jsonBody, notModified, problems, t, Unauthorized } from 'koa-mongo-resource';

/** What the app keeps. It has no models and no database: these are the parts of the library that know neither. */
interface Settings {
  readonly theme: 'light' | 'dark';
  readonly perPage: number;
}

const SettingsBody = t.object('Settings', {
  theme: t.enum(['light', 'dark'], { default: 'light' }),
  perPage: t.int({ minimum: 1, maximum: 100, default: 20 }),
});

/** An ordinary Koa app with routes written by hand. */
export function createApp(): Koa {
  let settings: Settings = { theme: 'light', perPage: 20 };
  let version = 0;
  const router = new Router();

  router.get('/settings', notModified(), (ctx) => {
    ctx.set('ETag', `"${version}"`);
    ctx.body = settings;
  });

  // Who may, then what was sent, then what it was made from: the order of the parts is the order of the checks.
  const mayWrite = guards(isSignedIn, isAdmin);
  const body = jsonBody({ limit: 1000, schema: SettingsBody });
  const unchanged = ifMatch({ required: true, current: () => String(version) });
  router.put('/settings', mayWrite, body, unchanged, (ctx: Context) => {
    settings = ctx.request.body as Settings;
    version++;
    ctx.set('ETag', `"${version}"`);
    ctx.body = settings;
  });

  const app = new Koa();
  app.use(problems()).use(authenticate(identify));
  app.use(router.routes());
  return app;
}

const challenge = { 'www-authenticate': 'Bearer realm="orders"' };

/** A real app verifies signed tokens, or keeps hashes of them. */
function identify(ctx: Koa.Context): string | undefined {
  const [scheme, name] = ctx.get('authorization').split(' ');
  if (scheme && scheme !== 'Bearer') throw new Unauthorized('Send `Authorization: Bearer <name>`.', challenge);
  return name;
}

function isSignedIn(ctx: Context): boolean {
  if (ctx.principal === undefined) throw new Unauthorized('Sign in.', challenge);
  return true;
}

function isAdmin(ctx: Context): boolean {
  return ctx.principal === 'root';
}
