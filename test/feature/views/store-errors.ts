import type { Db } from 'mongodb';
import { type Api, defineModel, jsonBody, type RequestContext, service, t } from '../../../src/index.ts';
import { type Agent, connect } from '../../products/mcp/connect.ts';
import { useDatabase } from '../../support/database/database.ts';
import { type Answer, type TestServer, useServer } from '../../support/http/serve.ts';

/** Who sees a field, whose name begins so: everybody, callers for whom a rule holds, nobody. */
export const sights = { open: {}, zruled: { read: 'staff' }, zhush: { private: true } } as const;
export type Sight = keyof typeof sights;

const id = t.string({ default: () => Math.random().toString(36), policy: { insert: true } });
export const Parent = defineModel('Parent', { collection: 'parents', fields: { id } });
const Part = t.object('Part', { open: t.optional(t.string({ maxLength: 3 })), ...hiddenParts() });

function hiddenParts() {
  const text = (policy: object) => t.optional(t.string({ maxLength: 3, policy }));
  return { zruled: text(sights.zruled), zhush: text(sights.zhush) };
}

/** A field of each kind that an error can be about. */
function fieldsFor(sight: Sight) {
  const policy = sights[sight];
  const Box = t.object(`Box${sight}`, { first: t.string(), second: t.string() });
  return {
    [`${sight}Text`]: t.optional(t.string({ maxLength: 3, policy })),
    [`${sight}Code`]: t.optional(t.string({ policy })),
    [`${sight}Owner`]: t.string({ default: 'ann', policy }),
    [`${sight}Parent`]: t.optional(t.ref('Parent', { id: t.string(), exists: true, policy })),
    [`${sight}Thing`]: t.optional(t.ref('Thing', { id: t.string(), onDelete: 'restrict', policy })),
    [`${sight}Box`]: t.nullable(Box, { policy }),
    [`${sight}Stock`]: t.counter({ minimum: 0, default: 1, policy }),
  };
}

export const Thing = defineModel('Thing', {
  collection: 'things',
  fields: {
    id,
    title: t.optional(t.string({ maxLength: 3 })),
    parts: t.array(Part, { default: [] }),
    byKey: t.map(Part, { default: {} }),
    half: t.nullable(
      t.object('Half', { name: t.string(), zruled: t.string({ policy: sights.zruled }), zhush: t.string({ policy: sights.zhush }) }),
    ),
    ...(fieldsFor('open') as object),
    ...(fieldsFor('zruled') as object),
    ...(fieldsFor('zhush') as object),
  },
  check: (thing: object) =>
    Object.entries(thing).flatMap(([field, value]) =>
      value === 'bad' ? [{ field, message: 'is bad', rule: 'bad', params: { limit: 'zlimit' } }] : [],
    ),
} as never);

type Used = 'create' | 'createMany' | 'get' | 'remove' | 'save' | 'step' | 'update' | 'updateMany' | 'upsert';
export type AnyStore = Readonly<Record<Used, (...given: unknown[]) => Promise<unknown>>>;
type Values = Record<string, unknown>;

/** What is wrong with the values of a write, by the rule that the error has. */
export const wrongs: Record<
  string,
  { readonly field: (sight: Sight) => string; readonly values: (sight: Sight) => Values; readonly only?: readonly string[] }
> = {
  maxLength: { field: (sight) => `${sight}Text`, values: (sight) => ({ [`${sight}Text`]: 'too long' }) },
  'maxLength of an item': { field: (sight) => `parts.0.${sight}`, values: (sight) => ({ parts: [{ [sight]: 'too long' }] }) },
  'maxLength in a map': { field: (sight) => `byKey.a.b.${sight}`, values: (sight) => ({ byKey: { 'a.b': { [sight]: 'too long' } } }) },
  unknown_field: {
    field: (sight) => `${sight}Box.nothing`,
    values: (sight) => ({ [`${sight}Box`]: { first: '1', second: '2', nothing: 3 } }),
    only: ['create', 'createAll', 'createEach', 'update', 'updateMany', 'upsert'],
  },
  bad: {
    field: (sight) => `${sight}Text`,
    values: (sight) => ({ [`${sight}Text`]: 'bad' }),
    only: ['create', 'createAll', 'createEach', 'upsert', 'save'],
  },
  unique: { field: (sight) => `${sight}Code`, values: (sight) => ({ [`${sight}Code`]: 'taken' }) },
  reference: { field: (sight) => `${sight}Parent`, values: (sight) => ({ [`${sight}Parent`]: 'none' }) },
  scope: { field: (sight) => `${sight}Owner`, values: (sight) => ({ [`${sight}Owner`]: 'ben' }) },
  incomplete: { field: (sight) => `${sight}Box`, values: (sight) => ({ [`${sight}Box`]: { first: '1' } }), only: ['update', 'updateMany'] },
};

/** Every operation of a store that is given values. */
export const writes: Record<string, (store: AnyStore, values: Values) => Promise<unknown>> = {
  create: (store, values) => store.create(values),
  createAll: (store, values) => store.createMany([{}, values], { all: true }),
  async createEach(store, values) {
    const created = (await store.createMany([{}, values])) as { readonly error?: Error }[];
    if (created[1]?.error) throw created[1].error;
  },
  update: (store, values) => store.update('one', values),
  updateMany: (store, values) => store.updateMany({ id: 'one' }, values),
  upsert: (store, values) => store.upsert('one', values),
  save: async (store, values) => store.save(Object.assign((await store.get('one')) as object, values)),
};

/** What came back of a request that led to a store. */
interface Told {
  readonly status: number;
  readonly text: string;
  readonly errors?: { field: string }[];
}

export const wayNames = [
  'an operation',
  'the member of a batch',
  'a key, sent twice',
  'a hook of `before`',
  'a hook of `within`',
  'api.fetch',
  'a tool',
] as const;
type WayName = (typeof wayNames)[number];

/** An api whose handlers and hooks do what a test wants. */
export interface Probing {
  /** Runs in the handler or hook that a request leads to. */
  act(ctx: RequestContext<unknown>): Promise<unknown>;
  /** What it has thrown. */
  caught: unknown[];
  readonly api: Api<string>;
  readonly server: TestServer;
  readonly db: Db;
  /** Every way by which a request leads to a store. */
  readonly ways: Readonly<Record<WayName, (caller: string) => Promise<Told>>>;
}

/** Serves the api, and stores two things before each test. */
export function useProbing(): Probing {
  const database = useDatabase();
  const serve = useServer();
  const probing = {} as Probing;
  const agents = new Map<string, Promise<Agent>>();
  let keys = 0;

  async function probe(ctx: unknown): Promise<unknown> {
    try {
      return await probing.act(ctx as RequestContext<unknown>);
    } catch (error) {
      probing.caught.push(error);
      throw error;
    }
  }

  beforeAll(async () => {
    const shop = service({
      authenticate: (ctx): string => ctx.get('authorization') || 'ann',
      rules: { staff: async (name: string) => name === 'staff' },
    });
    const Hooked = defineModel('Hooked', { collection: 'hooked', fields: { id, title: t.optional(t.string()) } });
    const things = shop.resource({
      model: Thing as typeof Hooked,
      ops: ['get', 'patch'],
      scope: () => ({ openOwner: 'ann', zruledOwner: 'ann', zhushOwner: 'ann' }) as never,
      operations: {
        probe: { path: '/probe', summary: 'Probe', use: [jsonBody()], handler: (ctx) => probe(ctx) },
        probeOne: { path: '/:id/probe', summary: 'Probe one', use: [jsonBody()], handler: (ctx) => probe(ctx) },
      },
    });
    const hooked = shop.resource({
      model: Hooked,
      ops: ['create', 'patch', 'list'],
      before: { create: [async (ctx) => void (await probe(ctx))] },
      within: { patch: [async (ctx) => void (await probe(ctx))] },
      after: { list: [async (ctx) => void (await probe(ctx))] },
    });
    const api = shop.api({
      db: database.db,
      prefix: '/api',
      resources: [things, hooked, shop.resource({ model: Parent, ops: ['get'] })],
      batch: true,
      idempotency: { principal: (ctx) => String(ctx.principal) },
      onError: () => undefined,
    });
    Object.assign(probing, { api, server: await serve(api.routes()), db: database.db, ways: openWays() });
    for (const sight of Object.keys(sights))
      await database.db.collection('things').createIndex({ [`${sight}Code`]: 1 }, { unique: true, sparse: true });
  });

  beforeEach(async () => {
    probing.caught = [];
    probing.server.errors.length = 0;
    const owners = { openOwner: 'ann', zruledOwner: 'ann', zhushOwner: 'ann' };
    await database.db.collection('things').deleteMany({});
    await database.db
      .collection<{ _id: string }>('things')
      .insertMany([
        { _id: 'one', ...owners },
        { _id: 'taken', openCode: 'taken', zruledCode: 'taken', zhushCode: 'taken', ...owners } as never,
      ]);
    await database.db.collection<{ _id: string }>('hooked').deleteMany({});
    await database.db.collection<{ _id: string }>('hooked').insertOne({ _id: 'h' });
  });

  const openWays = (): Probing['ways'] => ({
    'an operation': async (caller) =>
      toTold(await probing.server.request('POST', '/api/things/probe', { body: {}, headers: { authorization: caller } })),
    'the member of a batch': async (caller) => {
      const body = { operations: [{ method: 'POST', path: '/things/probe', body: {} }] };
      return toTold(await probing.server.request('POST', '/api/batch', { body, headers: { authorization: caller } }));
    },
    async 'a key, sent twice'(caller) {
      const headers = { authorization: caller, 'idempotency-key': `key${++keys}` };
      const send = () => probing.server.request('POST', '/api/things/probe', { body: {}, headers });
      const first = await send();
      expect((await send()).text).toBe(first.text);
      return toTold(first);
    },
    'a hook of `before`': async (caller) =>
      toTold(await probing.server.request('POST', '/api/hooked', { body: { id: 'n' }, headers: { authorization: caller } })),
    'a hook of `within`': async (caller) =>
      toTold(await probing.server.request('PATCH', '/api/hooked/h', { body: { title: 'x' }, headers: { authorization: caller } })),
    'api.fetch': async (caller) => {
      const response = await probing.api.fetch(
        new Request('http://in/api/things/probe', { method: 'POST', body: '{}', headers: { 'content-type': 'application/json' } }),
        { principal: caller },
      );
      const text = await response.text();
      return { status: response.status, text, errors: JSON.parse(text).errors };
    },
    async 'a tool'(caller) {
      const agent = agents.get(caller) ?? connect(probing.api as never, { principal: () => caller, write: true } as never);
      agents.set(caller, agent);
      const { text, structured } = await (await agent).call('things_probe', { body: {} });
      const { status, errors = [] } = structured as { status: number; errors?: { argument: string }[] };
      return {
        status,
        text: `${text} ${JSON.stringify(structured)}`,
        errors: errors.map(({ argument }) => ({ field: argument.replace(/^body\./, '') })),
      };
    },
  });

  return probing;
}

export const storeOf = (ctx: RequestContext<unknown>) => ctx.store(Thing as never) as unknown as AnyStore;

function toTold({ status, text, body }: Answer) {
  return { status, text, errors: body?.errors };
}

/** The path of an error without the place or the id of its record. */
export const bare = (field: string) => field.replace(/^(?:1|one)\./, '');
export const fieldsOf = (errors: readonly { field: string }[] = []) => errors.map(({ field }) => bare(field));

export const cases = Object.entries(writes).flatMap(([write, run]) =>
  Object.entries(wrongs).flatMap(([wrong, { field, values, only }]) =>
    only && !only.includes(write)
      ? []
      : Object.keys(sights).map((sight) => ({
          write,
          wrong,
          sight: sight as Sight,
          run,
          field: field(sight as Sight),
          values: values(sight as Sight),
        })),
  ),
);
export const isSeenBy = (caller: string, sight: Sight) => sight === 'open' || (sight === 'zruled' && caller === 'staff');
export const hiddenIn = (caller: string) => (caller === 'staff' ? /zhush/ : /zruled|zhush|zlimit.*zruled/);

export const bare500 = '{"type":"about:blank","title":"Internal Server Error","status":500}';
