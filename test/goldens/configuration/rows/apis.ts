import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Router from '@koa/router';
import { MongoClient } from 'mongodb';
import { readDocsFiles } from '../../../../src/api/docs-routes.ts';
import { applyIndexes, diagram, openapiDocument, planValidators, service, toJsonSchema } from '../../../../src/index.ts';
import { markOf } from '../../../../src/marks.ts';
import { HeardCollections } from '../../../../src/mongo/changes/heard-collections.ts';
import { apiRows, Doc, db, define, js, type Rows, serve, shop } from '../wrong.ts';

const staff = () => true;
const text = (policy: object) => js.optional(js.string({ policy }));

/** An api with rules. */
function ruled(
  fields: object,
  { rules = { staff }, options = {}, ofModel = {} }: { rules?: object; options?: object; ofModel?: object } = {},
): unknown {
  const own = service({ authenticate: () => 'ann', rules } as never) as typeof shop;
  return own.api({ db, resources: [own.resource({ model: define('Thing', fields, ofModel), ...options })] });
}

/** `service` and its rules. */
export const services: Rows = {
  'options that are null': () => service(null as never),
  'rules that are an array': () => service({ rules: [staff] } as never),
  'a rule with a name that is none': () => service({ rules: { 'the staff': staff } } as never),
  'a rule that is true': () => service({ rules: { staff: true } } as never),
  'a rule that takes a record': () => service({ rules: { staff: (_user: string, _record: object) => true } } as never),
  'a rule that the service does not have': () => ruled({ a: text({ read: 'staf' }) }),
  'a rule of a service without rules': () => ruled({ a: text({ read: 'staff' }) }, { rules: {} }),
  'a rule that is like none of the service': () => ruled({ a: text({ read: 'finance' }) }),
  'a rule that no policy names': () => ruled({ a: text({ read: 'staff' }) }, { rules: { staff, finance: staff } }),
  'rules of models without any': () => ruled({ a: js.string() }),
  'an answer with a rule that the service does not have': () =>
    ruled(
      { a: text({ read: 'staff' }) },
      { options: { operations: { send: { handler: () => 1, answer: js.object('A', { b: text({ read: 'staf' }) }) } } } },
    ),
  'a scope field that not every caller reads': () =>
    ruled({ a: text({ read: 'staff' }) }, { options: { scope: () => ({}), scopeFields: ['a'] } }),
  'a required field that not every caller may set': () => ruled({ a: js.string({ policy: { insert: 'staff' } }) }),
  'a unique index of another model that some callers write and do not read': () => {
    const own = service({ authenticate: () => 'ann', rules: { staff } } as never) as typeof shop;
    const One = define('One', { a: text({ read: 'staff', update: true }) }, { collection: 'c' });
    return own.api({
      db,
      resources: [own.resource({ model: One })],
      models: [define('Other', { a: js.string({ unique: true }) }, { collection: 'c' })],
    });
  },
  'a unique index of what some callers write with what they do not read': () =>
    ruled({ a: text({ read: 'staff' }), b: js.string() }, { ofModel: { indexes: [{ fields: ['a', 'b'], unique: true }] } }),
  'a relation sorted by what not every caller reads': () => {
    const own = service({ authenticate: () => 'ann', rules: { staff } } as never) as typeof shop;
    const Project = define('Project', { tasks: js.hasMany('Task', { via: 'projectId', sort: 'a' }) });
    const Task = define('Task', { projectId: js.ref('Project'), a: text({ read: 'staff' }) });
    return own.api({ db, resources: [own.resource({ model: Project }), own.resource({ model: Task })] });
  },
  'a counter that some callers step and do not read': () => ruled({ a: js.counter({ policy: { read: 'staff', update: true } }) }),
  'an object that some callers write and do not read': () =>
    ruled({ a: js.optional(js.object('A', { b: js.string({ policy: { update: false } }) }, { policy: { read: 'staff', update: true } })) }),
};

const readingOnly = () => new MongoClient('mongodb://127.0.0.1:1').db('shop', { writeConcern: { w: 0 } });

/** Options of an api that contradict each other, or that are checked by more than their type. */
export const apis: Rows = {
  ...apiRows({
    'an unknown option': () => ({ prefx: '/api' }),
    'an unknown option that is like none': () => ({ colour: 1 }),
    'no database': () => ({ db: undefined }),
    'a database of another driver': () => ({ db: { collection() {}, client: { options: { pkFactory: { createPk: () => oldId } } } } }),
    'a database that does not acknowledge writes': () => ({ db: readingOnly() }),
    'no resources': () => ({ resources: undefined }),
    'a resource of another service': () => ({ resources: [service({ authenticate: () => 5 } as never).resource({ model: Doc } as never)] }),
    'a resource of two services with guards': () => {
      const definition = { model: Doc };
      service({ guards: [() => true] }).resource(definition as never);
      return { resources: [shop.resource(definition)] };
    },
    'a resource that no service has made': () => ({ resources: [{}] }),
    'a prefix with a parameter': () => ({ prefix: '/:shop' }),
    'a prefix that is a symbol': () => ({ prefix: Symbol('api') }),
    'places of each that are all': () => ({ maxConcurrency: { total: 5, each: 5, by: () => 'ann' } }),
    'places of each without a name': () => ({ maxConcurrency: { each: 5 } }),
    'crossOrigin with an origin that no browser sends': () => ({ crossOrigin: { trustedOrigins: ['https://app.example/'] } }),
    'openapi without options': () => ({ openapi: {} }),
    'openapi with guards that are none': () => ({ openapi: { guards: [] } }),
    'docs without openapi': () => ({ openapi: false, docs: true }),
    'idempotency without a principal': () => ({ idempotency: {} }),
    'idempotency that is undefined': () => ({ idempotency: undefined }),
    'removals that are none': () => ({ removals: Doc }),
    'a scheme with a space': () => ({ securitySchemes: { 'the token': { type: 'http', scheme: 'bearer' } } }),
    'a scheme of an unknown type': () => ({ securitySchemes: { bearer: { type: 'token' } } }),
    'security by a scheme that is not there': () => ({ security: [{ bearer: [] }] }),
    'security by a misspelt scheme': () => ({
      securitySchemes: { bearer: { type: 'http', scheme: 'bearer' } },
      security: [{ baerer: [] }],
    }),
    'security that is no array': () => ({ security: { bearer: [] } }),
    'problems that do not exist': () => ({ problems: ['forbiden'] }),
    'several mistakes of several parts': () => ({ prefix: 'api', maxBody: 0, openapi: 'yes', models: [undefined] }),
  }),
  'options that are nothing': () => shop.api(undefined),
  'a misspelt database': () => shop.api({ dbs: db, resources: [] }),
  'misspelt resources': () => shop.api({ db, resource: [] }),
};

/** An ObjectId of another major version of `bson`. */
const oldId = Object.assign(Object.create({ [Symbol.for('@@mdb.bson.version')]: 5 }), {});

const api = () => serve([{ model: Doc }]) as never;
const otherCopy = { [markOf('api')]: true };

/** The functions of an api, and what is made of one. */
export const ofApis: Rows = {
  'a router of a resource that it does not have': () => (api() as typeof shop).router(shop.resource({ model: Doc })),
  'a function of `param` for an operation': () => {
    const resource = shop.resource({ model: Doc });
    const own = shop.api({ db, resources: [resource] });
    return own.router(resource).param('id', () => undefined);
  },
  'a function of `param` around an operation': () => {
    const resource = shop.resource({ model: Doc });
    const own = shop.api({ db, resources: [resource] });
    const router = new Router();
    router.param('id', () => undefined);
    return router.use(own.router(resource).routes());
  },
  'a description of nothing': () => openapiDocument(undefined as never),
  'a description of an api of another copy': () => openapiDocument(otherCopy as never),
  'a diagram of what is no model': () => diagram([{}] as never),
  'indexes of nothing': () => applyIndexes({} as never),
  'validators of nothing': () => planValidators({} as never),
  'a schema of an unknown shape': () => toJsonSchema(Doc, 'update' as never),
  'docs without their package': () => readDocsFiles(['swagger-ui.css'], 'file:///nowhere/index.js'),
  'docs without one of their files': () => readDocsFiles(['missing.css']),
  'docs of an older package': () => readOlderDocs(),
  'deliver without an outbox': () => (api() as typeof shop).deliver({ handle: () => undefined }),
  'deliver without handle': () => kept([['A', 'a']]).deliver({}),
  'deliver of a model without an outbox': () => kept([['A', 'a']]).deliver({ handle: () => undefined, models: [Doc] }),
  'deliver of one model of a collection': () =>
    kept([
      ['A', 'a'],
      ['B', 'a'],
    ]).deliver({ handle: () => undefined, models: [{ name: 'A' }] }),
  'deliver after close': async () => {
    const own = kept([['A', 'a']]);
    await own.close();
    return own.deliver({ handle: () => undefined });
  },
  'live of a view': () => heard('view'),
  'live of a time series': () => heard('timeseries'),
};

/** Reads the docs where version 4 of their package is installed. */
function readOlderDocs(): void {
  const folder = mkdtempSync(join(tmpdir(), 'docs-'));
  try {
    const installed = join(folder, 'node_modules/swagger-ui-dist');
    mkdirSync(installed, { recursive: true });
    writeFileSync(join(installed, 'package.json'), '{ "name": "swagger-ui-dist", "version": "4.19.1" }');
    readDocsFiles(['swagger-ui.css'], join(folder, 'index.js'));
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function heard(type: string): unknown {
  const listCollections = () => ({ toArray: async () => [{ name: 'docs', type }] });
  return new HeardCollections({ listCollections } as never).require(new Set(['docs']), 1_000);
}

function kept(models: readonly (readonly [name: string, collection: string])[]): typeof shop {
  const all = models.map(([name, collection]) => define(name, { revision: js.revision() }, { collection, outbox: true }));
  return serve([], { models: all }) as typeof shop;
}
