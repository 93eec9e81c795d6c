import { openStore } from '../../../../src/index.ts';
import { mcpServer, serveStdio } from '../../../../src/products/mcp/mcp.ts';
import { stepRevision } from '../../../../src/products/mongoose/step-revision.ts';
import { loadSigner } from '../../../../src/products/webhooks/sign.ts';
import { defineWebhooks } from '../../../../src/products/webhooks/webhooks.ts';
import { loadMongoose } from '../../../products/mongoose/use-mongoose.ts';
import type { Any } from '../../../support/any.ts';
import { Doc, db, define, js, type Rows, serve } from '../wrong.ts';

const id = '0123456789abcdef01234567';
const mongoose = await loadMongoose('mongoose-9');
const any = (value: unknown) => value as never;
const api = (options: object = {}) => serve([{ model: Doc, ...options }]) as never;

/** Stores. */
export const stores: Rows = {
  'a store without a database': () => openStore(Doc, any({})),
  'a store with a scope that is none': () => openStore(Doc, any({ db, scope: 'ann' })),
  'deleted records of what a delete removes': () => openStore(Doc, { db }).get(any(id), { deleted: 'with' } as never),
  'an unknown option of a store of a request': () => inHandler((ctx) => ctx.store(Doc, { scop: {} })),
  'restore of what a delete removes': () => openStore(Doc, { db }).restore(any(id)),
  'purge of what a delete removes': () => openStore(Doc, { db }).purge({ olderThan: 5 }),
  'documents that are none': () => openStore(Doc, { db }).createMany(any({})),
  'a sort that is none': () => openStore(Doc, { db }).find({}, any({ sort: 'text' })),
};

/** MCP, webhooks and mongoose. */
export const products: Rows = {
  'an MCP server that reads nothing': () => mcpServer(api({ ops: ['create'] })),
  'an MCP server of an operation that is not served': () => mcpServer(api(), { operations: ['docs.lst'] }),
  'an MCP server of what is like no operation': () => mcpServer(api(), { operations: ['x'] }),
  'an MCP server that may not write': () => mcpServer(api(), { operations: ['docs.create'] }),
  'an MCP server by stdio with an unknown option': () => serveStdio(api(), { colour: 1 } as never),
  'an MCP server of nothing': () => mcpServer(any({})),
  'webhooks with a field that every subscription has': () =>
    defineWebhooks('Subscription', { collection: 'subscriptions', fields: { url: js.string() } }),
  'webhooks of an api that does not know them': () =>
    defineWebhooks('Subscription', { collection: 'subscriptions' }).open({ api: api(), scope: () => ({}) } as never),
  'webhooks of nothing': () =>
    defineWebhooks('Subscription', { collection: 'subscriptions' }).open({ api: {}, scope: () => ({}) } as never),
  'webhooks without their package': () =>
    loadSigner(() => Promise.reject(Object.assign(new Error('not found'), { code: 'ERR_MODULE_NOT_FOUND' }))),
  'mongoose with a model without a revision': () => stepRevision(schemaOf({}), { model: define('Note', { text: js.string() }) }),
  'mongoose with another key of the version': () => stepRevision(schemaOf({}, { versionKey: 'version' }), { model: Doc }),
  'mongoose with concurrency of some paths': () => stepRevision(schemaOf({}, { optimisticConcurrency: ['text'] }), { model: Doc }),
  'mongoose with other timestamps': () =>
    stepRevision(schemaOf({}, { timestamps: { createdAt: 'made' } }), {
      model: define('Note', { createdAt: js.createdAt(), revision: js.revision() }),
    }),
  'mongoose with a revision that is a text': () => stepRevision(schemaOf({ revision: String }), { model: Doc }),
  'two plugins of one collection': () => {
    const connection = mongoose.createConnection();
    for (const [name, model] of [
      ['One', Doc],
      ['Other', define('Doc', { revision: js.revision({ stored: 'rev' }) })],
    ] as const) {
      const schema = schemaOf({});
      stepRevision(schema, { model });
      connection.model(name, schema as never, 'docs');
    }
  },
};

/** Runs a function in a handler, and throws what it throws. */
async function inHandler(run: (ctx: Any) => unknown): Promise<void> {
  let thrown: unknown;
  const handler = (ctx: Any) => {
    try {
      run(ctx);
    } catch (error) {
      thrown = error;
    }
  };
  const served: Any = api({ operations: { send: { method: 'GET', path: '/send', handler } } });
  await served.fetch(new Request('http://in-process/docs/send'));
  throw thrown;
}

function schemaOf(paths: object, options: object = {}): never {
  return new mongoose.Schema(paths, options) as never;
}
