import { inspect } from 'node:util';
import { type Api, defineModel, jsonBody, Problem, type RequestContext, service, t } from '../../../src/index.ts';
import { connect } from '../../products/mcp/connect.ts';
import { useDatabase } from '../../support/database/database.ts';
import { type Answer, type TestServer, useServer } from '../../support/http/serve.ts';

/** Who sees a field, whose name begins so: everybody, callers for whom a rule holds, nobody. */
const sights = { open: {}, zruled: { read: 'staff' }, zhush: { private: true } } as const;
type Sight = keyof typeof sights;

const id = t.string({ default: () => Math.random().toString(36), policy: { insert: true } });
const Parent = defineModel('Parent', { collection: 'parents', fields: { id } });
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

const Thing = defineModel('Thing', {
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
type AnyStore = Readonly<Record<Used, (...given: unknown[]) => Promise<unknown>>>;
type Values = Record<string, unknown>;

/** What is wrong with the values of a write, by the rule that the error has. */
const wrongs: Record<
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
const writes: Record<string, (store: AnyStore, values: Values) => Promise<unknown>> = {
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

const database = useDatabase();
const serve = useServer();
let caught: unknown[] = [];
/** Runs in the handler or hook that a request leads to. */
let act: (ctx: RequestContext<unknown>) => Promise<unknown> = async () => undefined;
let api: Api<string>;
let server: TestServer;

async function probe(ctx: unknown): Promise<unknown> {
  try {
    return await act(ctx as RequestContext<unknown>);
  } catch (error) {
    caught.push(error);
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
  api = shop.api({
    db: database.db,
    prefix: '/api',
    resources: [things, hooked, shop.resource({ model: Parent, ops: ['get'] })],
    batch: true,
    onError: () => undefined,
  });
  server = await serve(api.routes());
  for (const sight of Object.keys(sights))
    await database.db.collection('things').createIndex({ [`${sight}Code`]: 1 }, { unique: true, sparse: true });
});

beforeEach(async () => {
  caught = [];
  server.errors.length = 0;
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

const storeOf = (ctx: RequestContext<unknown>) => ctx.store(Thing as never) as unknown as AnyStore;

/** Every way by which a request leads to a store. */
const ways: Record<
  string,
  (caller: string) => Promise<{ readonly status: number; readonly text: string; readonly errors?: { field: string }[] }>
> = {
  'an operation': async (caller) =>
    toTold(await server.request('POST', '/api/things/probe', { body: {}, headers: { authorization: caller } })),
  'the member of a batch': async (caller) => {
    const body = { operations: [{ method: 'POST', path: '/things/probe', body: {} }] };
    return toTold(await server.request('POST', '/api/batch', { body, headers: { authorization: caller } }));
  },
  'a hook of `before`': async (caller) =>
    toTold(await server.request('POST', '/api/hooked', { body: { id: 'n' }, headers: { authorization: caller } })),
  'a hook of `within`': async (caller) =>
    toTold(await server.request('PATCH', '/api/hooked/h', { body: { title: 'x' }, headers: { authorization: caller } })),
  'api.fetch': async (caller) => {
    const response = await api.fetch(
      new Request('http://in/api/things/probe', { method: 'POST', body: '{}', headers: { 'content-type': 'application/json' } }),
      { principal: caller },
    );
    const text = await response.text();
    return { status: response.status, text, errors: JSON.parse(text).errors };
  },
  async 'a tool'(caller) {
    const agent = await connect(api as never, { principal: () => caller, write: true } as never);
    const { text, structured } = await agent.call('things_probe', { body: {} });
    const { status, errors = [] } = structured as { status: number; errors?: { argument: string }[] };
    return {
      status,
      text: `${text} ${JSON.stringify(structured)}`,
      errors: errors.map(({ argument }) => ({ field: argument.replace(/^body\./, '') })),
    };
  },
};

function toTold({ status, text, body }: Answer) {
  return { status, text, errors: body?.errors };
}

/** The path of an error without the place or the id of its record. */
const bare = (field: string) => field.replace(/^(?:1|one)\./, '');
const fieldsOf = (errors: readonly { field: string }[] = []) => errors.map(({ field }) => bare(field));

const cases = Object.entries(writes).flatMap(([write, run]) =>
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
const isSeenBy = (caller: string, sight: Sight) => sight === 'open' || (sight === 'zruled' && caller === 'staff');
const hiddenIn = (caller: string) => (caller === 'staff' ? /zhush/ : /zruled|zhush|zlimit.*zruled/);

describe('what a store in a request refuses', () => {
  it.each(cases)(
    '$write: $wrong of $field has everything for the handler, and nothing hidden for the client',
    async ({ wrong, sight, run, field, values }) => {
      act = (ctx) => run(storeOf(ctx), values);
      for (const caller of ['ann', 'staff']) {
        caught = [];
        server.errors.length = 0;
        const told = await (ways['an operation'] as (typeof ways)[string])(caller);
        const [error] = caught as [Problem];
        expect([error.status, fieldsOf(error.errors)]).toEqual([wrong === 'unique' ? 409 : 422, [field]]);
        expect(told.text).not.toMatch(hiddenIn(caller));
        if (isSeenBy(caller, sight)) expect([told.status, fieldsOf(told.errors), server.errors]).toEqual([error.status, [field], []]);
        else
          expect([
            told.status,
            told.text,
            server.errors.map(({ message }) => message.includes(`${bare(error.errors?.[0]?.field ?? '')}\``)),
          ]).toEqual([500, bare500, [true]]);
      }
    },
  );

  it.each(Object.keys(ways))('reaches the client by %s as it may hear it', async (way) => {
    const send = ways[way] as (typeof ways)[string];
    for (const caller of ['ann', 'staff']) {
      caught = [];
      act = (ctx) => storeOf(ctx).create({ openText: 'too long', zruledText: 'too long', zhushText: 'too long' });
      const some = await send(caller);
      expect(fieldsOf((caught[0] as Problem).errors)).toEqual(['openText', 'zruledText', 'zhushText']);
      expect([some.status, fieldsOf(some.errors)]).toEqual([422, caller === 'staff' ? ['openText', 'zruledText'] : ['openText']]);
      expect(some.text).not.toMatch(hiddenIn(caller));
      expect(some.text).toContain(caller === 'staff' ? '2 fields' : 'One field');
      act = (ctx) => storeOf(ctx).create({ zhushText: 'too long' });
      const nothing = await send(caller);
      expect([nothing.status, nothing.text.match(/z\w+/)]).toEqual([500, null]);
    }
  });

  it('is a 500 in a hook of `after`, whatever it names', async () => {
    act = (ctx) => storeOf(ctx).create({ openText: 'too long', zhushText: 'too long' });
    const { status, text } = await server.request('GET', '/api/hooked');
    expect([status, text]).toEqual([500, bare500]);
  });
});

const bare500 = '{"type":"about:blank","title":"Internal Server Error","status":500}';

/** What has no document: reads, and what is tested below. */
const withoutValues = ['count', 'each', 'find', 'get', 'history', 'purge', 'remove', 'removeMany', 'restore', 'step'];

it('every operation of a store with values is in the table above', async () => {
  const names = Object.keys(writes).map((name) => name.replace(/All$|Each$/, 'Many'));
  expect(Object.keys(api.store(Parent)).sort()).toEqual([...new Set([...names, ...withoutValues])].sort());
});

describe('`ctx.save`', () => {
  const saved = Object.entries(wrongs).filter(([wrong, { only }]) => (!only || only.includes('save')) && wrong !== 'scope');
  it.each(
    saved.flatMap(([wrong, { field, values }]) =>
      (Object.keys(sights) as Sight[]).map((sight) => ({ wrong, sight, field: field(sight), values: values(sight) })),
    ),
  )('tells a handler of $wrong of $field, and the client what it sees', async ({ sight, field, values }) => {
    act = async (ctx) => {
      const { load, save } = ctx as never as { load(): Promise<object>; save(record: object): Promise<object> };
      return save(Object.assign(await load(), values));
    };
    for (const caller of ['ann', 'staff']) {
      caught = [];
      const { status, text, body } = await server.request('POST', '/api/things/one/probe', {
        body: {},
        headers: { authorization: caller },
      });
      const [error] = caught as [Problem];
      expect(fieldsOf(error.errors)).toEqual([field]);
      if (isSeenBy(caller, sight)) expect([status, fieldsOf(body.errors)]).toEqual([error.status, [field]]);
      else expect([status, text]).toEqual([500, bare500]);
    }
  });
});

describe('further words of an error', () => {
  it('are those of the caller: what an object lacks, what a name may mean, who refers to a record', async () => {
    const told = async (caller: string, run: typeof act) => {
      caught = [];
      act = run;
      const answer = await server.request('POST', '/api/things/probe', { body: {}, headers: { authorization: caller } });
      return { answer, text: inspect(caught[0], { depth: 5 }) };
    };
    const lacking = (ctx: RequestContext<unknown>) => storeOf(ctx).update('one', { half: {} });
    const [everything, some] = [await told('staff', lacking), await told('ann', lacking)];
    expect(some.text).toMatch(/send also name, zruled, zhush/);
    expect(everything.answer.body.errors[0]).toMatchObject({
      params: { missing: ['name', 'zruled'] },
      message: 'does not exist yet; to create it, send also name, zruled',
    });
    expect(some.answer.body.errors[0]).toMatchObject({
      params: { missing: ['name'] },
      message: 'does not exist yet; to create it, send also name',
    });

    const misspelt = (ctx: RequestContext<unknown>) => storeOf(ctx).create({ zruledTxt: 'x', titel: 'x' });
    expect((await told('staff', misspelt)).answer.text).toContain('did you mean `zruledText`?');
    const unsure = await told('ann', misspelt);
    expect([unsure.answer.status, unsure.answer.text.includes('`title`'), unsure.answer.text.includes('zruledText')]).toEqual([
      422,
      true,
      false,
    ]);

    const restrict = (field: string) =>
      database.db.collection<{ _id: string }>('things').updateOne({ _id: 'taken' }, { $set: { [field]: 'one' } });
    for (const sight of Object.keys(sights)) await restrict(`${sight}Thing`);
    const removing = (ctx: RequestContext<unknown>) => storeOf(ctx).remove('one');
    const [referred, byRule] = [await told('ann', removing), await told('staff', removing)];
    expect(referred.text).toMatch(/openThing.*zruledThing.*zhushThing/);
    expect([referred.answer.status, referred.answer.body.detail]).toEqual([409, expect.not.stringMatching(/zruled|zhush/)]);
    expect(referred.answer.body.detail).toContain('openThing');
    expect(byRule.answer.body.detail).toMatch(/openThing.*zruledThing/);
    expect(byRule.answer.text).not.toContain('zhush');
  });

  it('of a step name its counter and its bound to whoever reads it', async () => {
    for (const [sight, caller, status] of [
      ['open', 'ann', 422],
      ['zruled', 'ann', 500],
      ['zruled', 'staff', 422],
      ['zhush', 'staff', 500],
    ] as const) {
      act = (ctx) => storeOf(ctx).step('one', `${sight}Stock`, -5);
      caught = [];
      const answer = await server.request('POST', '/api/things/probe', { body: {}, headers: { authorization: caller } });
      expect([answer.status, fieldsOf((caught[0] as Problem).errors)]).toEqual([status, [`${sight}Stock`]]);
      if (status === 500) expect(answer.text).toBe(bare500);
    }
  });
});

describe('what a handler makes of an error', () => {
  const ask = (run: typeof act, caller = 'ann') => {
    act = run;
    return server.request('POST', '/api/things/probe', { body: {}, headers: { authorization: caller } });
  };
  const failing = async (ctx: RequestContext<unknown>) =>
    storeOf(ctx)
      .create({ openText: 'too long', zruledText: 'too long' })
      .catch((error: Problem) => error) as Promise<Problem>;

  it('loses what is hidden also within a problem of its own, whose own words stay', async () => {
    const { status, body } = await ask(async (ctx) => {
      const { errors = [] } = await failing(ctx);
      throw new Problem({ status: 400, code: 'import_failed', detail: 'zown', errors: [...errors, { field: 'zown', message: 'is mine' }] });
    });
    expect([status, body.code, body.detail, fieldsOf(body.errors)]).toEqual([400, 'import_failed', 'zown', ['openText', 'zown']]);
    const hidden = await ask(async (ctx) => {
      const { errors = [] } = await failing(ctx);
      throw new Problem({ status: 400, code: 'import_failed', errors: errors.slice(1) });
    });
    expect([hidden.status, hidden.body.code, hidden.body.errors]).toEqual([400, 'import_failed', undefined]);
  });

  it('is the document as the caller may hear it where it returns the problems of many', async () => {
    const run: typeof act = async (ctx) =>
      storeOf(ctx).createMany([{ openText: 'too long', zruledText: 'too long' }, { zhushText: 'too long' }]);
    const { status, body, text } = await ask(run);
    expect([status, fieldsOf(body.data[0].error.errors), body.data[1].error]).toEqual([200, ['openText'], JSON.parse(bare500)]);
    expect(text).not.toMatch(/zruled|zhush/);
    expect(fieldsOf((await ask(run, 'staff')).body.data[0].error.errors)).toEqual(['openText', 'zruledText']);
  });

  it('is told in the view of the caller from a store of the application, too, which throws as it does elsewhere', async () => {
    const own = api.store(Thing as never) as unknown as AnyStore;
    await expect(own.create({ zruledText: 'too long' })).rejects.toMatchObject({ status: 422, errors: [{ field: 'zruledText' }] });
    await expect(own.create({ openText: 'too long', zhushText: 'too long' })).rejects.toThrow('`zhushText`');
    const { status, text } = await ask(() => own.create({ zruledText: 'too long' }));
    expect([status, text]).toEqual([500, bare500]);
    expect((await ask(() => own.create({ openText: 'too long', zruledText: 'too long' }))).body.errors).toMatchObject([
      { field: 'openText' },
    ]);
  });

  it('has no notes that a test would see', async () => {
    let found: unknown;
    await ask(async (ctx) => {
      found = (await failing(ctx)).errors;
    });
    const limit = { message: 'must have at most 3 characters', rule: 'maxLength', params: { limit: 3 } };
    expect(found).toStrictEqual([
      { field: 'openText', ...limit },
      { field: 'zruledText', ...limit },
    ]);
  });
});
