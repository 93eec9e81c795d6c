import Router from '@koa/router';
import Koa from 'koa';
import type { Context, ResourceMiddleware } from '../../src/index.ts';
import {
  answer,
  bodyLimit,
  ConfigurationError,
  type Document,
  defineModel,
  findRecord,
  guards,
  type HandlerContext,
  handler,
  ifMatch,
  jsonBody,
  problems,
  records,
  t,
} from '../../src/index.ts';
import { useDatabase } from '../support/database/database.ts';
import { useListener } from '../support/http/listen.ts';
import { type Answer, type Sent, send } from '../support/http/serve.ts';

const Doc = defineModel('Doc', {
  collection: 'docs',
  fields: { id: t.string(), text: t.string(), secret: t.string({ default: 's', policy: { private: true } }), revision: t.revision() },
});

const database = useDatabase();
const listen = useListener();
const docs = () => database.db.collection<{ _id: string; text: string; secret?: string; revision?: number }>('docs');

beforeEach(async () => {
  await docs().deleteMany({});
  await docs().insertOne({ _id: 'a', text: 'old', revision: 1 });
});

async function serve(build: (router: Router) => void): Promise<(method: string, path: string, sent?: Sent) => Promise<Answer>> {
  const router = new Router();
  build(router);
  const port = await listen(Object.assign(new Koa(), { silent: true }).use(problems()).use(router.routes()).callback());
  return (...given) => send(port, ...given);
}

describe('records, handler and answer, in an app of their own', () => {
  it('load, save and answer a record', async () => {
    const request = await serve((router) => {
      router.post('/docs/:id/shout', ifMatch(), records(Doc, { db: database.db }), handler(shout, { model: Doc }), answer());
    });
    const { status, headers, body } = await request('POST', '/docs/a/shout', { headers: { 'if-match': '"1"' } });
    expect([status, headers.etag, body]).toEqual([200, '"2"', { data: { id: 'a', text: 'OLD', revision: 2 } }]);
    expect((await request('POST', '/docs/a/shout', { headers: { 'if-match': '"1"' } })).status).toBe(412);
    expect((await request('POST', '/docs/none/shout')).status).toBe(404);
  });

  it('answer JSON without a model, and 204 for nothing', async () => {
    const request = await serve((router) => {
      router.get(
        '/json',
        handler(() => ({ a: [1n, undefined, () => 1], b: undefined })),
        answer(),
      );
      router.get(
        '/nothing',
        handler(async () => undefined),
        answer(),
      );
    });
    expect((await request('GET', '/json')).text).toBe('{"data":{"a":[1,null,null]}}');
    expect((await request('GET', '/nothing')).status).toBe(204);
  });

  it('answer nothing private by mistake, without a model too', async () => {
    const store = { db: database.db };
    const load = (ctx: Context) => ctx.load?.();
    const request = await serve((router) => {
      const copy = handler(async (ctx: Context) => ({ ...((await load(ctx)) as object) }));
      const byHand = handler(async (ctx: Context) => void Object.assign(ctx, { body: { doc: await load(ctx) } }));
      router.get('/copy/:id', records(Doc, store), copy, answer());
      router.get('/found/:id', findRecord(Doc, { ...store, fetchPrivate: true }), handler(found), answer());
      router.get('/any/:id', records(Doc, store), handler(load, { answer: t.any() }), answer());
      router.get('/hand/:id', records(Doc, store), byHand);
      router.get(
        '/body/:id',
        findRecord(Doc, { ...store, fetchPrivate: true }),
        (ctx: Context) => void Object.assign(ctx, { body: ctx.record }),
      );
    });
    await docs().updateOne({ _id: 'a' }, { $set: { secret: 'top' } });
    const readable = { id: 'a', text: 'old', revision: 1 };
    for (const path of ['/copy/a', '/found/a']) expect((await request('GET', path)).status).toBe(500);
    expect((await request('GET', '/any/a')).body).toEqual({ data: readable });
    expect((await request('GET', '/hand/a')).body).toEqual({ doc: readable });
    expect((await request('GET', '/body/a')).body).toEqual(readable);
  });

  it('know the records of another `records` before them', async () => {
    const Other = defineModel('Other', { collection: 'others', fields: { id: t.string() } });
    const keep: ResourceMiddleware = async (ctx, next) => {
      ctx.state.doc = await ctx.load?.();
      await next();
    };
    const db = { db: database.db };
    const request = await serve((router) => {
      router.get(
        '/kept/:id',
        records(Doc, db),
        keep,
        records(Other, db),
        handler((ctx: Context) => ({ doc: ctx.state.doc })),
        answer(),
      );
      router.get(
        '/copied/:id',
        records(Doc, db),
        keep,
        records(Other, db),
        handler((ctx: Context) => ({ ...ctx.state.doc })),
        answer(),
      );
      router.get(
        '/saved/:id',
        records(Doc, db),
        keep,
        records(Other, db),
        handler((ctx: Context) => ctx.save?.(ctx.state.doc as never)),
        answer(),
      );
    });
    expect((await request('GET', '/kept/a')).body).toEqual({ data: { doc: { id: 'a', text: 'old', revision: 1 } } });
    for (const path of ['/copied/a', '/saved/a']) expect((await request('GET', path)).status).toBe(500);
  });

  it('are checked when they are made', () => {
    expect(() => handler('send' as never)).toThrow(ConfigurationError);
    expect(() => bodyLimit(0)).toThrow(ConfigurationError);
    expect(() => bodyLimit(1.5)).toThrow('`maxBody`');
  });

  it('say what is missing before them', async () => {
    const errors: Error[] = [];
    const app = new Koa().use(problems()).use(answer());
    app.on('error', (error) => errors.push(error));
    expect((await send(await listen(app.callback()), 'GET', '/')).status).toBe(500);
    expect(errors[0]?.message).toBe('`answer` needs `handler` before it in the chain.');
  });
});

async function shout(ctx: HandlerContext<never, Document<typeof Doc>>): Promise<unknown> {
  const doc = await ctx.load();
  doc.text = doc.text.toUpperCase();
  return ctx.save(doc);
}

function found(ctx: Context): unknown {
  return { ...(ctx.record?.document as object) };
}

describe('bodyLimit', () => {
  it('is the limit of every jsonBody below it that has none of its own', async () => {
    const request = await serve((router) => {
      router.use(
        bodyLimit(20),
        guards(() => true),
      );
      router.post(
        '/small',
        jsonBody(),
        handler((ctx: Context) => ctx.request.body),
        answer(),
      );
      router.post(
        '/large',
        jsonBody({ limit: 100 }),
        handler((ctx: Context) => ctx.request.body),
        answer(),
      );
    });
    const body = { text: 'x'.repeat(30) };
    expect((await request('POST', '/small', { body })).status).toBe(413);
    expect((await request('POST', '/large', { body })).body).toEqual({ data: body });
  });
});
