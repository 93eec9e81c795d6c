import { EventEmitter, once } from 'node:events';
import { defineModel, jsonBody, type Service, t, Unauthorized } from '../../src/index.ts';
import { useDatabase } from '../support/database/database.ts';
import { useApi } from '../support/http/api.ts';
import type { Answer } from '../support/http/serve.ts';

const Part = t.object('Part', { a: t.int(), b: t.nullable(t.int()) });
const Thing = defineModel('Thing', {
  collection: 'things',
  fields: {
    id: t.string(),
    code: t.string(),
    owner: t.string({ default: 'ann', policy: { private: true } }),
    part: t.nullable(Part),
    revision: t.revision(),
  },
});

const held = new EventEmitter();
const database = useDatabase();
const things = (shop: Service<string>, path: string, preconditionRequired: boolean) =>
  shop.resource({
    model: Thing,
    path,
    preconditionRequired,
    ops: ['list', 'get', 'create', 'patch', 'put', 'delete'],
    guards: [
      async (ctx) => {
        if (ctx.get('x-hold')) {
          held.emit('held');
          await once(held, 'go on');
        }
        return ctx.get('x-guard') !== 'closed';
      },
    ],
    scope: () => ({ owner: 'ann' }),
    operations: {
      rename: {
        use: [jsonBody({ schema: t.object('Rename', { code: t.string() }) })],
        handler: async (ctx) => ctx.save(Object.assign(await ctx.load(), ctx.request.body)),
      },
    },
  });
const api = useApi<string>(database, (shop) => [things(shop, 'things', false), things(shop, 'careful', true)], {
  maxBody: 500,
  maxConcurrency: { total: 2, each: 1, by: (ctx) => ctx.get('x-client') || undefined },
  authenticate(ctx) {
    if (ctx.get('authorization') === 'bad') throw new Unauthorized();
    return 'ann';
  },
});

/** What a request is made of, so that every failure can be added to it, alone or with another. */
interface Draft {
  path: string;
  readonly headers: Record<string, string>;
  body: Record<string, unknown>;
  /** What the text of the body becomes at last. */
  text: (text: string) => string;
}

interface Failure {
  readonly name: string;
  /** The status and the code that it alone gives. */
  readonly answer: string;
  spoil(draft: Draft): void;
}

const withHeader = (name: string, value: string) => (draft: Draft) => void Object.assign(draft.headers, { [name]: value });
const withField = (name: string, value: unknown) => (draft: Draft) => void Object.assign(draft.body, { [name]: value });
const withId = (id: string) => (draft: Draft) => void Object.assign(draft, { path: draft.path.replace('anns', id) });

const inFlight: Failure = { name: 'too many requests in flight', answer: '503 overloaded', spoil: () => undefined };
const inFlightOfClient: Failure = {
  name: 'too many requests in flight of one client',
  answer: '429 too_many_requests',
  spoil: withHeader('x-client', 'own'),
};

// In the order of decisions.md, "One record"; the requests of one client are counted as soon as it is known.
const failures: readonly Failure[] = [
  inFlight,
  { name: 'bad credentials', answer: '401 unauthorized', spoil: withHeader('authorization', 'bad') },
  inFlightOfClient,
  { name: 'a closed guard', answer: '403 forbidden', spoil: withHeader('x-guard', 'closed') },
  { name: 'a body too large', answer: '413 body_too_large', spoil: (draft) => pad(draft) },
  {
    name: 'another media type',
    answer: '415 unsupported_media_type',
    spoil: withHeader('content-type', 'text/plain'),
  },
  { name: 'broken JSON', answer: '400 malformed_json', spoil: (draft) => addText(draft, (text) => `${text}}`) },
  { name: 'a malformed If-Match', answer: '400 malformed_header', spoil: withHeader('if-match', 'x') },
  { name: 'no If-Match where one is required', answer: '428 precondition_required', spoil: withoutIfMatch },
  { name: 'a body that is no object', answer: '422 validation_failed ', spoil: (draft) => addText(draft, (text) => `[${text}]`) },
  { name: 'an unknown field', answer: '422 validation_failed x', spoil: withField('x', 1) },
  { name: 'a missing record', answer: '404 not_found', spoil: withId('none') },
  { name: 'a record out of scope', answer: '404 not_found', spoil: withId('bens') },
  { name: 'a malformed id', answer: '404 not_found', spoil: withId('%00') },
  { name: 'a stale If-Match', answer: '412 precondition_failed', spoil: withHeader('if-match', '"9"') },
  { name: 'a missing embedded object', answer: '422 validation_failed part', spoil: withField('part', { b: 1 }) },
  { name: 'a duplicate key', answer: '409 duplicate_key code', spoil: withField('code', 'taken') },
];

function addText(draft: Draft, change: (text: string) => string): void {
  const before = draft.text;
  draft.text = (text) => change(before(text));
}

function pad(draft: Draft): void {
  addText(draft, (text) => text + ' '.repeat(500));
}

function withoutIfMatch(draft: Draft): void {
  draft.path = draft.path.replace('things', 'careful');
  delete draft.headers['if-match'];
}

/** Pairs that no request can have both of, or whose answers are one check. */
const excluded = new Set([
  'a malformed If-Match+no If-Match where one is required',
  'no If-Match where one is required+a stale If-Match',
  'a malformed If-Match+a stale If-Match',
]);
const bodyless = ['a body that is no object', 'an unknown field', 'a missing embedded object', 'a duplicate key'];
const pairs = failures
  .flatMap((first, index) => failures.slice(index + 1).map((second) => [first, second] as const))
  .filter(([a, b]) => !excluded.has(`${a.name}+${b.name}`));

beforeAll(async () => {
  const things = database.db.collection<{ _id: string }>('things');
  await things.createIndex({ code: 1 }, { unique: true });
  await things.insertMany([
    { _id: 'anns', code: 'a', owner: 'ann' },
    { _id: 'bens', code: 'b', owner: 'ben' },
    { _id: 'other', code: 'taken', owner: 'ann' },
  ] as never);
});

/** `RENAME` is the custom operation. */
async function send(operation: string, spoilers: readonly Failure[]): Promise<Answer> {
  const [method, path] = operation === 'RENAME' ? ['POST', '/api/things/anns/rename'] : [operation, '/api/things/anns'];
  const draft: Draft = { path, headers: {}, body: { code: 'a' }, text: (text) => text };
  for (const failure of spoilers) failure.spoil(draft);
  const sent = method === 'DELETE' ? { headers: draft.headers } : { headers: draft.headers, body: draft.text(JSON.stringify(draft.body)) };
  const request = () => api.request(method, draft.path, sent);
  const others = [...(spoilers.includes(inFlightOfClient) ? ['own'] : []), ...(spoilers.includes(inFlight) ? ['b', 'c'] : [])];
  return whileInFlight(others.slice(0, 2), request);
}

/** Sends a request while some of other clients are in flight. */
async function whileInFlight(clients: readonly string[], request: () => Promise<Answer>): Promise<Answer> {
  const others: Promise<Answer>[] = [];
  for (const client of clients) {
    const arrived = once(held, 'held');
    others.push(api.request('GET', '/api/things/anns', { headers: { 'x-hold': '1', 'x-client': client } }));
    await arrived;
  }
  const answer = await request();
  held.emit('go on');
  for (const other of others) expect((await other).status).toBe(200);
  return answer;
}

function summarize({ status, body }: Answer): string {
  return [status, body?.code, ...(body?.errors ?? []).map(({ field }: { field: string }) => field)].join(' ').trimEnd();
}

afterAll(() => {
  expect(api.errors).toEqual([]);
});

/** What a custom operation does not have: nothing is merged in it. */
const isMerge = ({ name }: Failure) => name === 'a missing embedded object';
const alone = failures.flatMap((failure) =>
  (isMerge(failure) ? ['PATCH'] : ['PATCH', 'RENAME']).map((operation) => ({ operation, failure })),
);
const together = pairs.flatMap(([first, second]) =>
  (isMerge(first) || isMerge(second) ? ['PATCH'] : ['PATCH', 'RENAME']).map((operation) => ({ operation, first, second })),
);

describe('the order of checks', () => {
  it.each(alone)('$operation: $failure.name alone has its own answer', async ({ operation, failure }) => {
    expect(summarize(await send(operation, [failure]))).toBe(failure.answer.trimEnd());
  });

  it.each(together)('$operation: $first.name comes before $second.name', async ({ operation, first, second }) => {
    // Both wrong fields are told at once, and an array has no fields.
    expect(summarize(await send(operation, [first, second].sort(byText)))).toBe(first.answer.trimEnd());
  });

  const forDelete = pairs.filter(
    (pair) => !pair.some(({ name, answer }) => bodyless.includes(name) || /^(?:413|415|400 malformed_json)/.test(answer)),
  );
  it.each(forDelete.map(([first, second]) => [first.name, second.name, first, second] as const))(
    'DELETE: %s comes before %s',
    async (_first, _second, first, second) => {
      expect(summarize(await send('DELETE', [first, second]))).toBe(first.answer);
    },
  );

  it.each([
    ['a path that does not exist', 'GET', '/api/nothing', '404 not_found'],
    ['a path below a record', 'GET', '/api/things/anns/x', '404 not_found'],
    ['a method that does not exist', 'POST', '/api/things/anns', '405 method_not_allowed'],
  ])('%s comes before everything else', async (_name, method, path, answer) => {
    const request = () =>
      api.request(method, path, { headers: { authorization: 'bad', 'content-type': 'text/plain', 'if-match': 'x' }, body: 'x' });
    expect(summarize(await whileInFlight(['b', 'c'], request))).toBe(answer);
  });

  it.each([
    ['GET', '/api/things?x=1'],
    ['POST', '/api/things'],
    ['PUT', '/api/things/none'],
  ])('credentials and guards come before all that is in %s', async (method, path) => {
    const sent = method === 'GET' ? {} : { body: '{' };
    const anonymous = await api.request(method, path, { ...sent, headers: { authorization: 'bad', 'x-guard': 'closed' } });
    const closed = await api.request(method, path, { ...sent, headers: { 'x-guard': 'closed' } });
    const open = await api.request(method, path, sent);
    expect([anonymous.status, closed.status, open.status]).toEqual([401, 403, 400]);
  });
});

/** The text of a body is broken after it was put into a list, and not before. */
function byText(a: Failure, b: Failure): number {
  return Number(a.name === 'broken JSON') - Number(b.name === 'broken JSON');
}
