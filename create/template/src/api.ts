import { type Api, type Observe, service } from 'koa-mongo-resource';
import type { Db } from 'mongodb';
import { authenticate, type User } from './auth.ts';
import { Note } from './model.ts';

/** The server, the tests and `npx koa-mongo-resource` call it, each with a database of its own. */
export default function createApi(db: Db, options: { readonly observe?: Observe } = {}): Api<User> {
  const app = service({ authenticate });
  const notes = app.resource({
    model: Note,
    guards: [(ctx) => ctx.requirePrincipal() !== undefined], // 401 for a request without credentials
  });
  return app.api({
    db,
    resources: [notes],
    prefix: '/api',
    title: 'my-app',
    securitySchemes: { bearer: { type: 'http', scheme: 'bearer' } },
    docs: process.env.NODE_ENV !== 'production',
    health: true,
    ...options,
  });
}
