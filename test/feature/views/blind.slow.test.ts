import type Koa from 'koa';
import type { Db } from 'mongodb';
import { type Api, checkPatch, defineModel, type Policy, service, t } from '../../../src/index.ts';
import { type Agent, connect } from '../../products/mcp/connect.ts';
import type { Any } from '../../support/any.ts';
import { useDatabase } from '../../support/database/database.ts';
import { type TestServer, useServer } from '../../support/http/serve.ts';

const database = useDatabase();
const serve = useServer();

/** Two ways in which a caller may write a field and not read it. */
const policies: Readonly<Record<string, Policy>> = {
  'of nobody': { private: true, insert: true, update: true },
  'of a role': { read: 'staff', insert: true, update: true },
};

const inner = () =>
  t.object(
    'Inner',
    {
      a: t.string(),
      b: t.int({ default: 1 }),
      c: t.optional(t.int()),
      deep: t.optional(t.object('Deep', { x: t.string(), y: t.optional(t.string()) })),
    },
    { check: ({ b, c }) => (c !== undefined && c < b ? [{ field: 'c', message: 'is below `b`' }] : undefined) },
  );
const spare = () => t.object('Spare', { s: t.int({ default: 1 }), u: t.optional(t.int()) });

const define = (name: string, policy: Policy) =>
  defineModel(`Blind${name}`, {
    collection: `blind${name.toLowerCase()}`,
    fields: {
      id: t.string({ policy: { insert: true } }),
      title: t.string({ default: 'one', policy: { filter: true } }),
      nullable: t.nullable(inner(), { policy }),
      optional: t.optional(inner(), { policy }),
      spare: t.nullable(spare(), { policy }),
      map: t.map(inner(), { merge: true, default: {}, policy }),
      texts: t.map(t.string(), { merge: true, default: {}, policy }),
      list: t.array(inner(), { default: [], policy }),
      text: t.optional(t.string({ policy })),
      shown: t.optional(t.object('Shown', { name: t.string(), hidden: t.nullable(inner(), { policy }) })),
      parts: t.array(t.object('Part', { name: t.string(), cost: t.optional(t.string({ policy })) }), { default: [] }),
      revision: t.revision(),
    },
    history: true,
    outbox: { collection: `blind${name.toLowerCase()}_events` },
  });

const whole = { a: 'a', b: 1 };
/** What is hidden of a record, in each of its states. */
const states: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  nothing: { shown: { name: 'n' }, parts: [{ name: 'p' }], map: {}, texts: {}, list: [] },
  'a little': {
    nullable: whole,
    optional: { ...whole, c: 3 },
    spare: { s: 1 },
    map: { k: whole },
    texts: { k: 'v' },
    list: [whole],
    text: 'guess',
    shown: { name: 'n', hidden: whole },
    parts: [{ name: 'p', cost: 'guess' }],
  },
  all: {
    nullable: { a: 'z', b: 9, c: 10, deep: { x: 'x', y: 'y' } },
    optional: { a: 'z', b: 9, deep: { x: 'x' } },
    spare: { s: 5, u: 1 },
    map: { k: { ...whole, deep: { x: 'x' } }, l: whole },
    texts: { k: 'w', l: 'v' },
    list: [whole, whole],
    text: 'other',
    shown: { name: 'n', hidden: { a: 'z', b: 9, deep: { x: 'x' } } },
    parts: [{ name: 'p', cost: 'other' }],
  },
};

/** What is sent for an object, under each place that takes one. */
const objects: readonly unknown[] = [
  {},
  null,
  { a: 'new' },
  { b: 2 },
  { a: 'a', b: 1 },
  { a: 'a', c: 0 },
  { a: 'a', c: null },
  { a: 'a', deep: {} },
  { a: 'a', deep: { x: 'x' } },
  { a: 'a', deep: null },
  { deep: { y: 'y' } },
  { a: 5, unknown: true },
];
const bodies: readonly object[] = [
  ...objects.flatMap((one) => [
    { nullable: one },
    { optional: one },
    { map: { k: one } },
    { shown: { hidden: one } },
    { list: [one] },
    { title: 'two', nullable: one, map: { l: one } },
  ]),
  { spare: {} },
  { spare: { s: 1 } },
  { spare: { u: null } },
  { map: {} },
  { map: null },
  { texts: { k: 'v' } },
  { texts: { k: null } },
  { texts: {} },
  { text: 'guess' },
  { text: null },
  { parts: [{ name: 'p', cost: 'guess' }] },
  { parts: [{ name: 'p' }] },
  { title: 'one' },
  {},
];

interface Write {
  readonly method: string;
  readonly path: string;
  readonly body: object;
  /** The tool, and its arguments beside the body. */
  readonly tool: string;
  readonly given: object;
}

/** Each write of the record `a` that takes a body. */
const writes: Readonly<Record<string, (body: object) => Write>> = {
  PATCH: (body) => ({ method: 'PATCH', path: '/a', body, tool: 'things_patch', given: { id: 'a' } }),
  PUT: (body) => ({ method: 'PUT', path: '/a', body: { title: 'one', ...body }, tool: 'things_put', given: { id: 'a' } }),
  patchMany: (body) => ({ method: 'PATCH', path: '?title=one', body, tool: 'things_patchMany', given: { title: 'one' } }),
};

const patch = (body: object) => (writes.PATCH as (typeof writes)[string])(body);

/** An api that is open in every way. */
interface Open {
  readonly server: TestServer;
  readonly api: Api<string>;
  readonly agent: Agent;
}

const headers = { authorization: 'anna' };
const failing = { method: 'PATCH', path: '/things/none', body: { title: 'x' } };
const inBatch = ({ server }: Open, operations: readonly object[]) => server.request('POST', '/batch', { body: { operations }, headers });
let keys = 0;

/** Sends a write in each way that there is, and returns everything that its caller is told. */
const ways: Readonly<Record<string, (open: Open, write: Write) => Promise<unknown>>> = {
  async HTTP({ server }, { method, path, body }) {
    const answer = await server.request(method, `/things${path}`, { body, headers });
    return [answer.status, answer.body, answer.headers.etag];
  },
  async 'a batch'(open, { method, path, body }) {
    const { status, text } = await inBatch(open, [{ method, path: `/things${path}`, body }]);
    return [status, text];
  },
  async 'a batch that fails'(open, { method, path, body }) {
    const { status, text } = await inBatch(open, [{ method, path: `/things${path}`, body }, failing]);
    return [status, text];
  },
  async 'api.fetch'({ api }, { method, path, body }) {
    const init = { method, body: JSON.stringify(body), headers: { 'content-type': 'application/json' } };
    const answer = await api.fetch(new Request(`http://in-process/things${path}`, init), { principal: 'anna' });
    return [answer.status, await answer.text(), answer.headers.get('etag')];
  },
  async 'a tool'({ agent }, { tool, given, body }) {
    const { isError, text, structured } = await agent.call(tool, { ...given, body });
    return [isError, text, structured];
  },
  async 'a key, sent twice'({ server }, { method, path, body }) {
    const own = { ...headers, 'idempotency-key': `key${++keys}` };
    const send = () => server.request(method, `/things${path}`, { body, headers: own });
    const [first, second] = [await send(), await send()];
    return [first.status, first.text, second.status, second.text];
  },
};
const wayNames = Object.keys(ways);

describe.each(Object.entries(policies))('a field %s that a caller may write and not read', (kind, policy) => {
  const name = kind === 'of nobody' ? 'Nobody' : 'Role';
  const model = define(name, policy);
  const opened = new Map<boolean, Open>();

  const make = (db: Db, mergePatch: boolean) => {
    const authenticate = (ctx: Koa.Context) => ctx.get('authorization');
    const shop = kind === 'of nobody' ? service({ authenticate }) : service({ authenticate, rules: { staff: (who) => who === 'staff' } });
    const ops = ['list', 'get', 'create', 'patch', 'put', 'patchMany'] as const;
    return shop.api({
      db,
      resources: [shop.resource({ model, path: 'things', ops, mergePatch, history: true })],
      batch: {},
      idempotency: { principal: () => 'anna' },
    });
  };

  beforeAll(async () => {
    for (const mergePatch of [true, false]) {
      const api = make(database.db, mergePatch) as Api<string>;
      const agent = await connect(api, { headers, write: true });
      opened.set(mergePatch, { api, agent, server: await serve(api.routes()) });
    }
  });

  /** Everything that the caller, and a subscriber, is told of a write to a record in this state. */
  async function told(open: Open, state: object, write: Write, way = 'HTTP') {
    const [records, changes, events] = [model.collection, `${model.collection}_history`, `${model.collection}_events`].map((one) =>
      database.db.collection<{ _id: string }>(one),
    );
    await Promise.all([records?.deleteMany({}), changes?.deleteMany({}), events?.deleteMany({})]);
    await records?.insertOne({ _id: 'a', title: 'one', ...state, revision: 0 } as never);
    const { server } = open;
    const answer = await (ways[way] as (typeof ways)[string])(open, write);
    const now = await server.request('GET', '/things/a', { headers });
    const history = await server.request('GET', '/things/a/history', { headers });
    const written = await events?.find({}, { projection: { _id: 0, type: 1, subject: 1, revision: 1 } }).toArray();
    const entries = history.body.data.map(({ at: _at, request_id: _id, ...rest }: Record<string, unknown>) => rest);
    return { answer, now: now.body, entries, written, errors: server.errors.length };
  }

  describe.each([true, false])('with `mergePatch: %s`', (mergePatch) => {
    // Each body goes by HTTP or, in turn, by another way: with the writes and the policies, by each of them.
    it.each(Object.keys(writes))(
      'is judged by the body alone in a %s',
      async (name) => {
        const { server } = opened.get(mergePatch) as Open;
        const turn = Object.keys(writes).indexOf(name) + (mergePatch ? 3 : 0);
        const differing: unknown[] = [];
        for (const [index, body] of bodies.entries()) {
          const write = (writes[name] as (typeof writes)[string])(body);
          const way = wayNames[(index + turn) % wayNames.length] as string;
          const answers: string[] = [];
          for (const state of Object.values(states))
            answers.push(JSON.stringify(await told(opened.get(mergePatch) as Open, state, write, way)));
          if (new Set(answers).size > 1) differing.push({ body, way, answers });
        }
        expect(differing).toEqual([]);
        expect(server.errors).toEqual([]);
      },
      300_000,
    );
  });

  it('is merged, so that keys which are not named stay', async () => {
    const open = opened.get(true) as Open;
    const sent = { nullable: { a: 'new' }, map: { k: { a: 'new' } }, shown: { hidden: { a: 'new' } } };
    await told(open, states.all as object, patch(sent));
    expect(await database.db.collection(model.collection).findOne({})).toMatchObject({
      nullable: { a: 'new', b: 9, c: 10, deep: { x: 'x', y: 'y' } },
      map: { k: { a: 'new', deep: { x: 'x' } }, l: whole },
      shown: { hidden: { a: 'new', b: 9 } },
    });
  });

  it('must be complete at every depth', async () => {
    const open = opened.get(true) as Open;
    const { answer } = await told(open, states.all as object, patch({ nullable: { deep: {} } }));
    const [status, body] = answer as [number, Any];
    const fields = body.errors.map(({ field, rule }: { field: string; rule: string }) => [field, rule]);
    expect([status, fields]).toEqual([
      422,
      [
        ['nullable.a', 'required'],
        ['nullable.deep.x', 'required'],
      ],
    ]);
  });

  it('has an event and an entry, also if its value was there already', async () => {
    const open = opened.get(true) as Open;
    const { written } = await told(open, states['a little'] as object, patch({ text: 'guess' }));
    expect(written).toEqual([expect.objectContaining({ revision: 1 })]);
    const { body } = await open.server.request('GET', '/things/a/history', { headers: { authorization: 'staff' } });
    // Nobody sees the changes of a private field in a history.
    const seen = kind === 'of nobody' ? [] : [expect.objectContaining({ change: 'patched', changes: [] })];
    expect(body.data).toEqual(seen);
  });
});

describe('what no caller could be judged by its body alone for', () => {
  const policy: Policy = { read: 'staff', update: true };
  const closed = () => t.object('Closed', { key: t.string({ policy: { update: false } }), note: t.optional(t.string()) });
  const asPatch = (fields: Parameters<typeof defineModel>[1]['fields']) => () =>
    checkPatch(defineModel('Refused', { collection: 'refused', fields }));

  it.each([
    ['a nullable object', { field: t.nullable(closed(), { policy }) }],
    ['an optional object', { field: t.optional(closed(), { policy }) }],
    ['objects of a merged map', { field: t.map(closed(), { merge: true, default: {}, policy }) }],
    ['an object in an object', { field: t.object('Outer', { within: t.nullable(closed()) }, { policy }) }],
    ['a merged map with `maxProperties`', { field: t.map(t.string(), { merge: true, maxProperties: 2, default: {}, policy }) }],
    ['a merged map with `minProperties`', { field: t.map(t.string(), { merge: true, minProperties: 1, policy }) }],
  ])('refuses %s', (_what, fields) => {
    expect(asPatch(fields as never)).toThrow(/`field.*may write it and not read it/);
  });

  it.each([
    ['a merged map without a bound', { field: t.map(t.string(), { merge: true, default: {}, policy }) }],
    [
      'an object whose closed key has a default',
      { field: t.nullable(t.object('D', { key: t.string({ default: 'd', policy: { update: false } }) }), { policy }) },
    ],
    ['an object that every writer reads', { field: t.nullable(closed(), { policy: { read: 'staff', update: 'staff' } }) }],
  ])('takes %s', (_what, fields) => {
    expect(asPatch(fields as never)).not.toThrow();
  });
});
