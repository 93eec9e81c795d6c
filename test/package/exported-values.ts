import * as all from 'koa-mongo-resource';
import { applyFolds, auditCollection } from 'koa-mongo-resource/audit';
import { live as liveList } from 'koa-mongo-resource/client';
import { mcpRoutes, mcpServer, serveStdio } from 'koa-mongo-resource/mcp';
import { guards as aloneGuards } from 'koa-mongo-resource/middleware/guards';
import { jsonBody as aloneBody } from 'koa-mongo-resource/middleware/json-body';
import { stepRevision } from 'koa-mongo-resource/mongoose';
import { dataProvider } from 'koa-mongo-resource/react-admin';
import { dataProvider as refineProvider } from 'koa-mongo-resource/refine';
import { defineRemovals } from 'koa-mongo-resource/removals';
import { defineWebhooks } from 'koa-mongo-resource/webhooks';
import { MongoClient } from 'mongodb';

const { t } = all;

// What an app may export: what each public function returns, with types that only TypeScript writes down.
export const client = new MongoClient('mongodb://127.0.0.1');
export const db = client.db('shop');

export const Address = t.object('Address', { city: t.string(), zip: t.optional(t.string()) });
export const fields = {
  number: t.string({ immutable: true, policy: { filter: ['eq', 'prefix'], sort: true } }),
  amount: t.int({ minimum: 0, policy: { filter: ['gte'], sort: true } }),
  views: t.int64({ default: 0n }),
  weight: t.nullable(t.float()),
  total: t.decimal({ storedAs: 'int', scale: 2 }),
  isPaid: t.boolean({ default: false }),
  sentAt: t.optional(t.date({ storedAs: 'epoch-ms' })),
  other: t.objectId(),
  token: t.uuid({ storedAs: 'legacy-java' }),
  photo: t.optional(t.binary()),
  status: t.enum(['open', 'sent'], { default: 'open', policy: { filter: ['in'] } }),
  place: t.optional(t.point({ policy: { near: { maxMetres: 1_000 } } })),
  tags: t.array(t.string(), { default: [] }),
  names: t.map(t.string()),
  anything: t.any(),
  shipTo: t.nullable(Address),
  customerId: t.ref('Customer', { as: 'customer' }),
  size: t.from({ type: 'object', properties: { w: { type: 'number' } }, required: ['w'] }),
  revision: t.revision(),
  createdAt: t.createdAt({ policy: { sort: true } }),
  updatedAt: t.updatedAt(),
  deletedAt: t.deletedAt(),
};
export const Order = all.defineModel('Order', { collection: 'orders', fields });
export const Customer = all.defineModel('Customer', {
  collection: 'customers',
  fields: {
    name: t.string(),
    initial: t.computed(t.string(), { from: ['name'], get: ({ name }) => `${name}`.slice(0, 1) }),
    orders: t.hasMany('Order', { via: 'customer' }),
  },
});
export type OrderDocument = all.Document<typeof Order>;
export type OrderRead = all.Read<typeof Order>;
export declare const order: OrderDocument;
export const { id, customerId, total, token, photo } = order;

export const open = all.service();
export const shop = all.service({
  authenticate: (ctx) => (ctx.get('x-user') === '' ? undefined : { name: ctx.get('x-user') }),
  rules: { staff: (user) => user.name === 'ann' },
});
export const customers = shop.resource({ model: Customer });
export const orders = shop.resource({
  model: Order,
  ops: ['list', 'get', 'create', 'patch', 'put', 'delete'],
  guards: [(ctx) => ctx.principal !== undefined],
  scope: (ctx) => ({ number: ctx.requirePrincipal().name }),
  paging: all.cursorPaging({ max: 100 }),
  include: ['customer'],
  operations: {
    send: {
      use: [all.jsonBody({ schema: t.object('Send', { carrier: t.string() }) })],
      handler: async (ctx) => ctx.save(await ctx.load()),
    },
  },
});
export const openOrders = open.resource({ model: Order });
export const api = shop.api({ db, prefix: '/api', resources: [orders, customers] });
export const openApi = open.api({ db, resources: [openOrders] });
export const routes = api.routes();
export const ofOrders = api.routes(orders);
export const router = api.router(orders);
export const callback = api.callback();
export const { fetch: answerRequest, close, store: storeOf, transaction, planDelete } = api;
export const orderStore = api.store(Order);
export const alone = all.openStore(Order, { db });
export const found = await alone.find({ amount: { gte: 5 } }, { sort: ['-amount'] });
export const delivery = api.deliver({ handle: (event) => void event.subject });

export const plans = [await all.planIndexes(api), await all.planValidators(api)] as const;
export const applied = [await all.applyIndexes(api), await all.applyValidators(api)] as const;
export const validator = all.collectionValidator(Order);
export const described = { document: all.openapiDocument(api), text: all.openapiText(api), shown: all.diagram([Order]) };
export const schema = all.toJsonSchema(Order, 'create');
export const folded = all.withFolds(Order, { number: 'a' });

export const includes = all.compileIncludes(Order, ['customer'], { db, targets: [{ model: Customer }] });
export const references = all.compileReferences({ db, targets: [{ model: Order }] });
export const paging = all.offsetPaging();
export const streams = all.liveStreams();
export const places = all.streamPlaces(5);

// Each middleware.
export const affected = all.affected();
export const afterHooks = all.afterHooks([(ctx, result) => [ctx, result]]);
export const aggregate = all.aggregate(Order, { db });
export const answer = all.answer();
export const answerTimeout = all.answerTimeout(1_000);
export const authenticate = all.authenticate((ctx) => ctx.get('x-user'));
export const beforeHooks = all.beforeHooks(Order);
export const bodyLimit = all.bodyLimit(1_000);
export const caching = all.caching();
export const checkBody = all.checkBody(Address);
export const checkCreate = all.checkCreate(Order);
export const checkPatch = all.checkPatch(Order);
export const checkPut = all.checkPut(Order);
export const crossOrigin = all.crossOrigin();
export const deleted = all.deleted(Order, [() => true]);
export const exportRecords = all.exportRecords(Order, { db, places });
export const selected = all.fields(Order);
export const filterQuery = all.filterQuery(Order);
export const findIncluded = all.findIncluded(includes);
export const findPage = all.findPage(Order, { db });
export const findRecord = all.findRecord(Order, { db });
export const guards = all.guards((ctx) => ctx.principal !== undefined);
export const handler = all.handler(async (ctx) => ctx.load());
export const ifMatch = all.ifMatch({ required: true });
export const inFlightLimit = all.inFlightLimit(5, { by: (ctx) => ctx.ip });
export const include = all.include(includes);
export const insert = all.insert(Order, { db });
export const jsonBody = all.jsonBody({ schema: Address });
export const rawBody = all.jsonBody({ schema: { type: 'object', properties: { by: { enum: ['post', 'bike'] } }, required: ['by'] } });
export const plainBody = all.jsonBody();
export const listQuery = all.listQuery(Order, paging);
export const live = all.live([findPage], { db, streams });
export const liveRead = all.liveRead(Order, [findPage]);
export const noContent = all.noContent();
export const notModified = all.notModified();
export const observe = all.observe((observation, ctx) => [observation, ctx]);
export const page = all.page();
export const problems = all.problems();
export const queryBody = all.queryBody();
export const record = all.record();
export const records = all.records(Order, { db });
export const remove = all.remove(Order, { db });
export const removeMany = all.removeMany(Order, { db });
export const requestId = all.requestId();
export const requestTimeout = all.requestTimeout(1_000);
export const restore = all.restore(Order, { db });
export const rules = all.rules({ staff: () => true });
export const scope = all.scope(Order, () => all.everything);
export const stores = all.stores({ db });
export const through = all.compileThrough(Order, ['customer'], { db, targets: [{ model: Customer }] });
export const typedQuery = all.typedQuery({ q: t.string() });
export const update = all.update(Order, { db });
export const updateMany = all.updateMany(Order, { db });
export const withinTransaction = all.withinTransaction(update, [(ctx, written) => [ctx, written]], { db });
export const chain = [guards, jsonBody, checkPatch, update, record];
export const byName = { guards, jsonBody, handler, routes };

// What an app throws, extends and asks.
export class OutOfStock extends all.Problem {}
export class NotSignedIn extends all.Unauthorized {}
export class Misconfigured extends all.ConfigurationError {}
export class Final extends all.PermanentFailure {}
export const isRecord = (value: unknown) => value instanceof all.StoredRecord;
export const { StoredRecord, everything } = all;
export const isSignedIn = (ctx: all.Context) => ctx.principal !== undefined;
export const around = async (ctx: all.KoaContext, next: all.KoaNext) => {
  ctx.set('x-app', 'shop');
  await next();
};
export const contextOf = (ctx: all.RequestContext<{ name: string }>) => ctx;
export const givenTo = (ctx: all.Context) => ctx;

// The other entries.
export const audit = auditCollection(Order, { db });
export const folds = applyFolds(Order, { db });
export const list = liveList('/orders', { onChange: ({ data }) => data });
export const agents = [mcpRoutes(api), mcpServer(api), serveStdio(api)] as const;
export const agentRoutes = mcpRoutes(api);
export const single = [aloneGuards(() => true), aloneBody({ schema: Address })] as const;
export const plugin = stepRevision;
export const admin = [dataProvider('/api'), refineProvider('/api')] as const;
export const Removals = defineRemovals();
export const webhooks = defineWebhooks('Subscription', { collection: 'subscriptions', fields: { tenant: t.string() } });
export const subscriptions = shop.resource({ model: webhooks.model, operations: webhooks.operations });
