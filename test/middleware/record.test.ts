import Koa from 'koa';
import { BSON } from 'mongodb';
import { type Context, caching, defineModel, problems, record, t } from '../../src/index.ts';
import { asCompiled } from '../../src/model/compile/compile-model.ts';
import { StoredRecord } from '../../src/mongo/stored-record.ts';
import { useListener } from '../support/http/listen.ts';
import { send } from '../support/http/serve.ts';

const listen = useListener();
const model = asCompiled(defineModel('Doc', { collection: 'docs', fields: { id: t.string(), text: t.string(), revision: t.revision() } }));

describe('record()', () => {
  it('answers a record that cannot be written with a problem that has no header of a record', async () => {
    const bytes = BSON.serialize({ _id: 'a', text: 'éé', revision: 7 });
    bytes[bytes.indexOf(0xc3)] = 0xff; // not UTF-8
    const app = new Koa();
    app.on('error', () => undefined);
    app.use(problems() as Koa.Middleware);
    app.use((ctx, next) => {
      (ctx as unknown as Context).record = new StoredRecord(model, bytes);
      return next();
    });
    app.use(record({ created: true }) as Koa.Middleware);
    const { status, headers } = await send(await listen(app.callback()), 'GET', '/docs');
    expect([status, headers.etag, headers.location]).toEqual([500, undefined, undefined]);
  });

  it('leaves the headers of an answer alone that the app has begun', async () => {
    const failures: unknown[] = [];
    const app = new Koa();
    app.on('error', (error) => failures.push(error));
    app.use(problems() as Koa.Middleware).use(caching() as Koa.Middleware);
    app.use((ctx, next) => {
      (ctx as unknown as Context).record = new StoredRecord(model, BSON.serialize({ _id: 'a', text: 'x', revision: 7 }));
      ctx.res.writeHead(202, { 'X-Own': 'yes' });
      return next();
    });
    app.use(record() as Koa.Middleware);
    const { status, headers, text } = await send(await listen(app.callback()), 'GET', '/docs');
    expect([status, headers['x-own'], headers.etag, headers['cache-control']]).toEqual([202, 'yes', undefined, undefined]);
    expect(JSON.parse(text)).toEqual({ data: { id: 'a', text: 'x', revision: 7 } });
    expect(failures).toEqual([]);
  });
});
