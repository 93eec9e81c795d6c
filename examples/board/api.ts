import type Koa from 'koa';
import { type Api, type RequestContext, service, Unauthorized } from 'koa-mongo-resource';
import type { Db } from 'mongodb';
import { Card } from './model.ts';

interface User {
  readonly name: string;
}

/** The api without a server, for `server.ts` and for tests. */
export function createBoard(db: Db): Api<User> {
  const board = service({ authenticate });
  const changedBy = (ctx: RequestContext<User>) => ({ changedBy: ctx.requirePrincipal().name });
  const cards = board.resource({
    model: Card,
    guards: [(ctx) => ctx.requirePrincipal() !== undefined],
    live: true, // the list, and each card, as a stream
    preconditionRequired: true, // whoever moves a card says, with If-Match, which one they have seen
    serverFields: { create: changedBy, update: changedBy },
  });
  return board.api({ db, prefix: '/api', resources: [cards] });
}

/** Here a token is the name itself. A real service verifies tokens. */
function authenticate(ctx: Koa.Context): User | undefined {
  const credentials = ctx.get('authorization');
  if (credentials === '') return undefined;
  const [, name] = /^Bearer (\w+)$/.exec(credentials) ?? [];
  if (name === undefined) throw new Unauthorized('Send a name, as `Authorization: Bearer <name>`.');
  return { name };
}
