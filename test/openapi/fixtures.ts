import { type Db, MongoClient } from 'mongodb';
import { defineModel, type Model, openapiDocument, service, t } from '../../src/index.ts';
import { limitsOfLists } from '../../src/middleware/exchange/further-parameters.ts';
import { filterLimits } from '../../src/middleware/list-query.ts';
import { throughLimits } from '../../src/middleware/relations/compile-through.ts';
import { referenceLimits } from '../../src/mongo/relations/limits.ts';
import { pickOptions } from '../../src/options.ts';
import { compileResource } from '../../src/resource/compile-resource.ts';
import type { CompiledResource } from '../../src/resource/define/compiled-resource.ts';
import type { ResourceDefinition } from '../../src/resource/define/resource-options.ts';
import { linkResources } from '../../src/resource/relations/link-resources.ts';

/** A database that nobody speaks to: describing an api needs none. */
export const db: Db = new MongoClient('mongodb://127.0.0.1:1').db('nowhere');

/** Compiles a resource alone, with its options as a user writes them. */
export function compile(options: unknown): CompiledResource {
  const { resources } = linkResources([compileResource(options as ResourceDefinition, 0)], [], {
    db,
    prefix: '',
    bodyTimeout: 30_000,
    maxBody: 1_048_576,
    maxTimeMS: 10_000,
    maxPageBytes: 16_777_216,
    maxValues: 25_000,
    warnOnScan: false,
    shareRoundTrips: true,
    shared: new Map(),
    isCarried: false,
    again: undefined,
    filterLimits: pickOptions({}, filterLimits),
    throughLimits: pickOptions({}, throughLimits),
    listLimits: pickOptions({}, limitsOfLists),
    referenceLimits: pickOptions({}, referenceLimits),
  });
  return resources[0] as CompiledResource;
}

/** All builders, each plain, optional, nullable and in a list or map somewhere. */
export const Everything = defineModel('Everything', {
  collection: 'everything',
  fields: {
    id: t.uuid({ policy: { insert: true, filter: true, sort: true } }),
    text: t.string({
      minLength: 2,
      maxLength: 40,
      title: 'Text',
      description: 'Some text.',
      examples: ['hello'],
      policy: { filter: true, sort: true },
    }),
    mail: t.optional(t.string({ format: 'email' })),
    code: t.nullable(t.string({ pattern: '^[A-Z]{2}$' }), { policy: { filter: true } }),
    int: t.int({ policy: { filter: true, sort: true } }),
    small: t.int({ minimum: -5, exclusiveMaximum: 100, multipleOf: 5, default: 0 }),
    int64: t.int64({ policy: { filter: true } }),
    long: t.nullable(t.int64({ minimum: 0, maximum: 9_223_372_036_854_775_806n })),
    float: t.float({ minimum: 0, maximum: 1, policy: { filter: true } }),
    decimal: t.decimal({ policy: { filter: true }, examples: [12.5, '0.10'] }),
    flag: t.boolean({ default: false, policy: { filter: true }, deprecated: true }),
    date: t.date({ policy: { filter: true, sort: true }, examples: ['2026-01-31T12:00:00Z'] }),
    objectId: t.objectId({ policy: { filter: ['in'] } }),
    uuid: t.optional(t.uuid()),
    binary: t.nullable(t.binary(), { storeNone: true }),
    spot: t.optional(t.point({ policy: { near: { maxMetres: 5000 } } })),
    status: t.enum(['open', 'paid', 'sent'], { default: 'open', policy: { filter: true } }),
    choice: t.nullable(t.enum(['a', 'b']), { policy: { filter: true } }),
    any: t.any({ policy: { filter: true } }),
    anyOrNull: t.nullable(t.any()),
    raw: { type: ['string', 'boolean'], description: 'By hand.' },
    tags: t.array(t.string({ minLength: 1 }), { minItems: 1, maxItems: 5, uniqueItems: true, policy: { filter: true } }),
    grid: t.array(t.array(t.nullable(t.float())), { default: [] }),
    labels: t.map(t.string(), { maxProperties: 3, propertyNames: { pattern: '^[a-z]+$' }, default: {} }),
    anything: t.map(t.any(), { default: {} }),
    amounts: t.optional(t.map(t.nullable(t.decimal()))),
    place: t.object('Place', { city: t.string({ policy: { filter: ['eq'] } }), zip: t.string() }),
    home: t.nullable(t.object('Home', { street: t.string(), floor: t.optional(t.int()), since: t.nullable(t.date()) })),
    stops: t.array(t.object('Stop', { at: t.date(), note: t.string({ default: '' }) }), { default: [] }),
    byName: t.map(t.object('Entry', { rank: t.int(), price: t.decimal() }), { default: {} }),
    unnamed: {
      type: 'object',
      properties: { a: { type: 'string' }, b: { type: ['integer', 'null'] } },
      required: ['a'],
      default: { a: '' },
    },
    friend: t.ref('Everything'),
    owner: t.nullable(t.ref('User', { as: 'ownerRecord', id: t.string() })),
    revision: t.revision({ policy: { filter: true } }),
    createdAt: t.createdAt({ policy: { sort: true } }),
    updatedAt: t.updatedAt(),
  },
});

/** All policies, at every depth. Each private name holds the word `secret`, and none other does. */
export const Guarded = defineModel('Guarded', {
  collection: 'guarded',
  fields: {
    open: t.string({ policy: { sort: true } }),
    createOnly: t.string({ policy: { update: false } }),
    changeOnly: t.optional(t.string({ policy: { insert: false } })),
    readOnly: t.optional(t.string({ policy: { insert: false, update: false } })),
    fixed: t.string({ immutable: true }),
    explicit: t.string({ default: '', policy: { insert: true, update: true } }),
    secret: t.optional(t.string({ policy: { private: true } })),
    secretIn: t.optional(t.string({ policy: { private: true, insert: true, update: true }, examples: ['secret example'] })),
    address: t.object('Address', {
      city: t.string({ policy: { filter: ['eq'], sort: true } }),
      country: t.string({ default: 'IT' }),
      note: t.optional(t.string()),
      checkedBy: t.optional(t.string({ policy: { insert: false, update: false } })),
      secretScore: t.optional(t.int({ policy: { private: true } })),
      geo: t.optional(t.object('Geo', { lat: t.float(), lon: t.float() })),
    }),
    lastAddress: t.nullable(
      t.object('Audit', { by: t.optional(t.string({ policy: { update: false } })), comment: t.nullable(t.string()) }),
    ),
    history: t.array(t.object('Step', { text: t.string(), secretAuthor: t.optional(t.string({ policy: { private: true } })) }), {
      default: [],
    }),
    parts: t.map(t.object('Part', { name: t.string(), size: t.optional(t.int()) }), { default: {} }),
    outer: t.optional(
      t.object('Outer', {
        inner: t.object('Inner', { a: t.string(), locked: t.string({ default: '', immutable: true }) }),
        b: t.nullable(t.int()),
      }),
    ),
  },
});

/** The description of one resource over a model of these fields. */
export function describeFields(fields: Model['~fields'], options: object = {}) {
  const shop = service();
  const model = defineModel('Thing', { collection: 'things', fields });
  return openapiDocument(shop.api({ db, resources: [shop.resource({ model, ops: ['get', 'create', 'patch', 'put'], ...options })] }));
}
