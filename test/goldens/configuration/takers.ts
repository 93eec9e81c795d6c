import * as library from '../../../src/index.ts';
import { defineRemovals } from '../../../src/mongo/removals/define-removals.ts';
import { applyFolds, auditCollection } from '../../../src/products/audit/audit-collection.ts';
import { mcpRoutes, mcpServer } from '../../../src/products/mcp/mcp.ts';
import { stepRevision } from '../../../src/products/mongoose/step-revision.ts';
import { defineWebhooks } from '../../../src/products/webhooks/webhooks.ts';
import type { Taker } from './options.ts';
import { Doc, db, define, js, serve, shop, withFields } from './wrong.ts';

const text = js.string();
const handler = () => 1;
const quiet = () => undefined;
const Deleted = define('Deleted', { text, deletedAt: js.deletedAt(), revision: js.revision() }, { history: true });
const Project = define('Project', { name: js.string({ policy: { filter: ['eq'] } }) });
const api = serve([{ model: Doc }]) as typeof shop;
const delivering = serve([{ model: define('Told', { revision: js.revision() }, { outbox: true }) }]) as typeof shop;
const store = library.openStore(Deleted, { db }) as typeof shop;
const id = '0123456789abcdef01234567';
const webhooks = defineWebhooks('Subscription', { collection: 'subscriptions' });
const { cursorPaging, listQuery } = library;
const { aggregate, exportRecords, findPage, findRecord, insert, records, remove, removeMany, update, updateMany } = library;
const { answer, caching, crossOrigin, ifMatch, jsonBody, problems, queryBody, record } = library;

function mapped<Make>(table: Readonly<Record<string, Make>>, change: (make: Make) => Taker): Record<string, Taker> {
  return Object.fromEntries(Object.entries(table).map(([name, make]) => [name, change(make)]));
}

/** The options that every field has are those of `t.string`. */
const field = (make: (options: never) => object): Taker => ({ call: (options) => withFields({ a: make(options) }), beside: 't.string' });
const ofResource = (option: string, needs?: object): Taker => ({
  call: (options) => serve([{ model: Deleted, [option]: options }]),
  ...(needs && { needs }),
});
const ofApi = (option: string, needs?: object): Taker => ({
  call: (options) => serve([{ model: Doc }], { [option]: options }),
  ...(needs && { needs }),
});
const ofModel = (make: (wrong: never) => unknown): Taker => ({ call: (options) => make(options), needs: { db } });

/** Everything that takes options. */
export const takers: Readonly<Record<string, Taker>> = {
  service: { call: (options) => library.service(options) },
  'api of a service': { call: (options) => shop.api(options), needs: { db, resources: [] } },
  'maxConcurrency of an api': ofApi('maxConcurrency', { total: 5, each: 2, by: handler }),
  'live of an api': ofApi('live'),
  'crossOrigin of an api': ofApi('crossOrigin'),
  'batch of an api': ofApi('batch'),
  'idempotency of an api': ofApi('idempotency', { principal: handler }),
  'openapi of an api': ofApi('openapi'),
  resource: { call: (options) => serve([options]), needs: { model: Doc } },
  'serverFields of a resource': ofResource('serverFields'),
  'export of a resource': ofResource('export'),
  'aggregate of a resource': ofResource('aggregate'),
  'live of a resource': ofResource('live'),
  'deleted of a resource': ofResource('deleted', { guards: [() => true] }),
  'operation of a resource': { call: (options) => serve([{ model: Doc, operations: { send: options } }]), needs: { handler } },
  cursorPaging: { call: (options) => library.cursorPaging(options) },
  offsetPaging: { call: (options) => library.offsetPaging(options) },
  defineModel: {
    call: (options) => listQuery(library.defineModel('Thing', options), cursorPaging()),
    needs: { collection: 'things', fields: { revision: js.revision() } },
  },
  extend: { call: (options) => listQuery(Deleted.extend('Other', options), cursorPaging()) },
  'search of a model': { call: (search) => withFields({ text }, { search }), needs: { fields: { text: 1 } } },
  'history of a model': { call: (history) => withFields({ revision: js.revision() }, { history }) },
  'outbox of a model': { call: (outbox) => withFields({ revision: js.revision() }, { outbox }) },
  'policy of a field': { call: (policy) => withFields({ a: js.string({ policy }) }) },
  't.string': { call: (options) => withFields({ a: js.string(options) }) },
  't.int': field(js.int),
  't.int64': field(js.int64),
  't.float': field(js.float),
  't.decimal': field(js.decimal),
  't.boolean': field(js.boolean),
  't.date': field(js.date),
  't.objectId': field(js.objectId),
  't.uuid': field(js.uuid),
  't.binary': field(js.binary),
  't.enum': field((options) => js.enum(['x'], options)),
  't.point': field(js.point),
  't.array': field((options) => js.array(text, options)),
  't.map': field((options) => js.map(text, options)),
  't.object': field((options) => js.object('A', { text }, options)),
  't.nullable': field((options) => js.nullable(text, options)),
  't.optional': field((options) => js.optional(text, options)),
  't.counter': field(js.counter),
  't.revision': field(js.revision),
  't.createdAt': field(js.createdAt),
  't.deletedAt': field(js.deletedAt),
  't.ref': field((options) => js.ref('Thing', options)),
  't.hasMany': {
    call: (options) => serve([{ model: define('Thing', { text, thingId: js.ref('Thing'), a: js.hasMany('Thing', options) }) }]),
    needs: { via: 'thingId' },
  },
  ...mapped({ aggregate, exportRecords, findPage, findRecord, insert, records, remove, removeMany, update, updateMany }, (make) =>
    ofModel((options) => make(Doc, options)),
  ),
  ...mapped({ answer, caching, crossOrigin, ifMatch, jsonBody, problems, queryBody, record }, (call) => ({ call })),
  restore: ofModel((options) => library.restore(Deleted, options)),
  stores: ofModel((options) => library.stores(options)),
  live: ofModel((options) => library.live([], options)),
  liveRead: { call: (options) => library.liveRead(Doc, [], options) },
  liveStreams: { call: (options) => library.liveStreams(options) },
  withinTransaction: ofModel((options) => library.withinTransaction(library.update(Doc, { db }), [handler], options)),
  checkCreate: { call: (options) => library.checkCreate(Doc, options) },
  checkPatch: { call: (options) => library.checkPatch(Doc, options) },
  checkPut: { call: (options) => library.checkPut(Doc, options) },
  filterQuery: { call: (options) => library.filterQuery(Doc, options) },
  handler: { call: (options) => library.handler(handler, options) },
  inFlightLimit: { call: (options) => library.inFlightLimit(5, options) },
  listQuery: { call: (options) => listQuery(Doc, cursorPaging(), options) },
  scope: { call: (options) => library.scope(Doc, () => ({ text: 'x' }), options) },
  typedQuery: { call: (options) => library.typedQuery({}, options) },
  compileReferences: { call: (options) => library.compileReferences(options), needs: { db, targets: [] } },
  compileThrough: {
    call: (options) => library.compileThrough(define('Task', { projectId: js.ref('Project', { as: 'project' }) }), ['project'], options),
    needs: { db, targets: [{ model: Project }] },
  },
  openStore: ofModel((options) => library.openStore(Deleted, options)),
  'get of a store': { call: (options) => store.get(id, options) },
  'find of a store': { call: (options) => store.find({}, options) },
  'count of a store': { call: (options) => store.count({}, options) },
  'createMany of a store': { call: (options) => store.createMany([], options) },
  'update of a store': { call: (options) => store.update(id, {}, options) },
  'updateMany of a store': { call: (options) => store.updateMany({}, {}, options) },
  'remove of a store': { call: (options) => store.remove(id, options) },
  'removeMany of a store': { call: (options) => store.removeMany({}, options) },
  'restore of a store': { call: (options) => store.restore(id, options) },
  'purge of a store': { call: (options) => store.purge(options), needs: { olderThan: 0 } },
  'purge of a record': { call: (options) => store.purge(id, options), needs: { cascade: true } },
  'history of a store': { call: (options) => store.history(id, options).next() },
  toJsonSchema: { call: (options) => library.toJsonSchema(Doc, 'create', options) },
  planValidators: { call: (options) => library.planValidators(api, options) },
  'close of an api': { call: (options) => api.close(options) },
  'fetch of an api': { call: (options) => api.fetch(new Request('http://in-process/'), options) },
  'deliver of an api': { call: (options) => closed(delivering.deliver(options)), needs: { handle: handler, observe: quiet } },
  'retry of deliver': { call: (retry) => closed(delivering.deliver({ handle: handler, observe: quiet, retry })) },
  'close of a delivery': { call: async (options) => (await delivering.deliver({ handle: handler, observe: quiet })).close(options) },
  defineRemovals: { call: (options) => defineRemovals(options) },
  defineWebhooks: { call: (options) => defineWebhooks('Subscription', options), needs: { collection: 'subscriptions' } },
  'open of webhooks': { call: (options) => webhooks.open(options), needs: { api: api, scope: () => ({}) } },
  mcpServer: { call: (options) => mcpServer(api, options) },
  mcpRoutes: { call: (options) => mcpRoutes(api, options) },
  stepRevision: { call: (options) => stepRevision(undefined as never, options), needs: { model: Project } },
  auditCollection: { call: (options) => auditCollection(Doc, options).next(), needs: { db } },
  applyFolds: { call: (options) => applyFolds(define('Folded', { text: js.string({ caseless: true }) }), options).next(), needs: { db } },
};

/** A delivery begins at once. */
async function closed(delivery: Promise<{ close(options: object): Promise<void> }>): Promise<void> {
  await (await delivery).close({ timeout: 0 });
}
