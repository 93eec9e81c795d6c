import { ConfigurationError, defineModel, Problem, service, t, update, withinTransaction } from '../../src/index.ts';
import { jsonBody } from '../../src/middleware/json-body.ts';
import { useDatabase } from '../support/database/database.ts';
import { useServer } from '../support/http/serve.ts';

const Note = defineModel('Note', { collection: 'notes', fields: { id: t.string(), text: t.string() } });
const database = useDatabase();
const serve = useServer();

/** A function of the application around a middleware, with its properties. */
function guarded<Inner extends (ctx: never, next: () => Promise<void>) => Promise<void>>(inner: Inner) {
  return Object.assign(async (ctx: Parameters<Inner>[0], next: () => Promise<void>) => {
    if ((ctx as unknown as { readonly req: Request }).req.headers.authorization !== 'ann') throw new Problem({ code: 'forbidden' });
    await inner(ctx, next);
  }, inner);
}
interface Request {
  readonly headers: Readonly<Record<string, string | undefined>>;
}

describe('a function around a middleware, with its properties copied to it', () => {
  it('runs in `use` of a custom operation, where a `jsonBody` would be divided', async () => {
    const shop = service();
    const notes = shop.resource({
      model: Note,
      ops: [],
      operations: {
        send: {
          path: '/send',
          use: [guarded(jsonBody({ schema: t.object('Send', { to: t.string() }) }))],
          handler: ({ request: { body } }) => body,
        },
      },
    });
    const { request } = await serve(shop.api({ db: database.db, resources: [notes] }).routes());
    const body = { to: 'bob' };
    expect((await request('POST', '/notes/send', { body })).status).toBe(403);
    expect(await request('POST', '/notes/send', { body, headers: { authorization: 'ann' } })).toMatchObject({
      status: 200,
      body: { data: body },
    });
    expect((await request('POST', '/notes/send', { body: {}, headers: { authorization: 'ann' } })).status).toBe(422);
  });

  it('is not what `withinTransaction` runs with hooks: the function may do more than to write', () => {
    const { db } = database;
    expect(() => withinTransaction(guarded(update(Note, { db })), [() => {}], { db })).toThrow(ConfigurationError);
  });
});
