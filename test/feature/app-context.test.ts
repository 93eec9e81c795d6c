import Koa from 'koa';
import { defineModel, everything, service, t } from '../../src/index.ts';
import { useDatabase } from '../support/database/database.ts';
import { useListener } from '../support/http/listen.ts';
import { send } from '../support/http/serve.ts';

interface Session {
  readonly user: string;
  readonly seen: string[];
}

type Own = Koa.ParameterizedContext<{ readonly shop: string }, { readonly session: Session }>;

const Note = defineModel('Note', {
  collection: 'notes',
  fields: { owner: t.string({ policy: { insert: false, update: false } }), text: t.string(), revision: t.revision() },
});

const database = useDatabase();
const listen = useListener();

function createApp(session: Session): Koa<{ shop: string }, { session: Session }> {
  const shop = service({ authenticate: (ctx: Own) => ({ name: ctx.session.user }) });
  const notes = shop.resource({
    model: Note,
    guards: [(ctx) => ctx.session.seen.push(`guard ${ctx.state.shop}`) > 0],
    scope: (ctx) => (ctx.session.user === 'root' ? everything : { owner: ctx.session.user }),
    serverFields: { create: (ctx) => ({ owner: ctx.session.user }) },
    before: { create: [(ctx) => void ctx.session.seen.push('before')] },
    within: { create: [(ctx) => void ctx.session.seen.push('within')] },
    after: { create: [(ctx) => void ctx.session.seen.push('after')] },
    operations: {
      sign: {
        path: '/:id/signs/:mark',
        async handler(ctx) {
          const note = await ctx.load();
          note.text += ` ${ctx.params.mark} ${ctx.session.user} of ${ctx.state.shop}`;
          return ctx.save(note);
        },
      },
    },
  });
  const app = new Koa<{ shop: string }, { session: Session }>();
  // As koa-session does: a property of each context that its prototype has.
  Object.defineProperty(app.context, 'session', { get: () => session });
  app.use(async (ctx, next) => {
    ctx.state.shop = 'Bern';
    await next();
  });
  return app.use(shop.api({ db: database.db, prefix: '/api', resources: [notes], batch: true }).routes());
}

it('every function of a resource has what the app adds to its context, in a batch too', async () => {
  const session: Session = { user: 'ann', seen: [] };
  const port = await listen(createApp(session).callback());
  const post = (path: string, body?: unknown) => send(port, 'POST', `/api${path}`, { body });
  const made = await post('/notes', { text: 'Hello' });
  expect(made.status).toBe(201);
  expect(session.seen).toEqual(['guard Bern', 'before', 'within', 'after']);
  const signed = await post(`/notes/${made.body.data.id}/signs/x`);
  expect(signed.body.data.text).toBe('Hello x ann of Bern');
  session.seen.length = 0;
  const batch = await post('/batch', { operations: [{ method: 'POST', path: '/notes', body: { text: 'Both' } }] });
  expect(batch.status).toBe(200);
  expect(session.seen).toEqual(['guard Bern', 'before', 'within', 'after']);
  expect(await database.db.collection('notes').distinct('owner')).toEqual(['ann']);
});
