import { applyIndexes, Problem } from '../../../src/index.ts';
import { explainProblem } from '../../../src/products/mcp/explain-problem.ts';
import type { Tool } from '../../../src/products/mcp/tool.ts';
import { useDatabase } from '../../support/database/database.ts';
import { until } from '../../support/until.ts';
import { type Agent, connect } from './connect.ts';
import { createOdd, type Odd } from './odd-api.ts';

const database = useDatabase();
let odd: Odd;
let agent: Agent;

beforeAll(async () => {
  odd = createOdd(database.db);
  await applyIndexes(odd.api);
});

beforeEach(async () => {
  odd.errors.length = 0;
  odd.seen.length = 0;
  await database.db.collection('things').deleteMany({});
  agent = await connect(odd.api, { write: true, headers: { authorization: 'ann' } });
});

const stored = (id: string) =>
  database.db.collection<{ _id: string; big?: unknown }>('things').findOne({ _id: id }, { promoteLongs: false });

describe('an argument', () => {
  it.each(['..', '.', ''])('cannot make another operation of the path by the id %j', async (id) => {
    const { isError, text } = await agent.call('things_ship', { id, body: { by: 'x' } });
    expect([isError, text]).toEqual([true, '`id` must be the id of a record.']);
  });

  it.each(['../plains', '%2e%2e', 'a/b', '..%2fplains', 'a?limit=1', 'a#b', ' ', '\\..\\plains'])('is data in a path: %j', async (id) => {
    await agent.call('things_create', { body: { id } });
    expect((await agent.call('things_get', { id })).json.data).toMatchObject({ id, owner: 'ann' });
  });

  it('is not text that a path can hold: a lone surrogate', async () => {
    expect(await agent.call('things_get', { id: '\ud800' })).toMatchObject({ isError: true, text: '`id` is not valid Unicode.' });
  });

  it.each(['$where', 'label[$ne]', 'label[eq]', '__proto__', 'constructor', 'toString', 'deleted_', 'owner', 'max_affected'])(
    'named %s is unknown to a list',
    async (name) => {
      const { isError, text } = await agent.call('things_list', JSON.parse(`{"${name}":"x"}`));
      // The SDK drops `__proto__` before anybody sees it.
      expect([isError, text]).toEqual(
        name === '__proto__' ? [false, expect.anything()] : [true, expect.stringContaining(`no argument \`${name}\``)],
      );
    },
  );

  it('is never an operator, as a value of a filter', async () => {
    for (const value of [{ $ne: null }, [{ $gt: '' }]])
      expect(await agent.call('things_list', { label_in: value })).toMatchObject({
        isError: true,
        text: '`label_in` must be a single value.',
      });
    expect((await agent.call('things_list', { label: ['a'] })).text).toBe(
      '`label` takes one value, and not a list: for several, there is `label_in`.',
    );
  });

  it('is stored as it is, or refused, with keys such as `$set` and `__proto__`', async () => {
    const data = JSON.parse('{"$set":{"owner":"bob"},"a.b":1,"__proto__":{"polluted":true}}');
    expect((await agent.call('things_create', { body: { id: 'k', data } })).text).toContain('"__proto__":{"polluted":true}');
    expect(Object.hasOwn({}, 'polluted') || 'polluted' in {}).toBe(false);
    const { structured } = await agent.call('things_patch', {
      id: 'k',
      body: JSON.parse('{"$set":{"owner":"bob"},"__proto__":{"owner":"bob"}}'),
    });
    expect(structured.errors.map(({ argument }: { argument: string }) => argument)).toEqual(['body.$set', 'body.__proto__']);
    expect(await stored('k')).toMatchObject({ owner: 'ann' });
  });

  it('null is not the absence of a filter: a write to many would match more', async () => {
    await agent.call('things_create', { body: { id: 'a', label: 'x' } });
    expect((await agent.call('things_deleteMany', { label: null })).text).toBe('`label` must not be null: leave it out.');
    expect((await agent.call('things_deleteMany', { big: null })).text).toBe(
      '`big` must not be null: leave it out, or send the text "null" to look for records without a value.',
    );
    expect((await agent.call('things_deleteMany', {})).isError).toBe(true);
    expect(await stored('a')).toMatchObject({ label: 'x' });
  });

  it('of several values is one argument, whose values may have commas', async () => {
    const list = (await agent.client.listTools()).tools.find(({ name }) => name === 'things_list');
    const properties = Object.entries(list?.inputSchema.properties ?? {}).filter(([name]) => name.startsWith('label_in'));
    expect(properties).toEqual([['label_in', { type: 'array', items: { type: 'string' } }]]);
  });

  it('matches nothing as an empty list, and takes commas in a value', async () => {
    await agent.call('things_create', { body: { id: 'a', label: 'x,y' } });
    expect((await agent.call('things_list', { label_in: [] })).json.data).toEqual([]);
    expect((await agent.call('things_list', { label_in: ['x,y'], sort: [], fields: ['label'] })).json.data).toEqual([
      { id: 'a', label: 'x,y' },
    ]);
  });

  it('beyond 2^53 is exact as text, and refused as a number that may have been rounded', async () => {
    const { text } = await agent.call('things_create', { body: { id: 'a', big: 2 ** 60 } });
    expect(text).toBe('`body.big` is an integer beyond 9007199254740991, which JSON numbers round here: send its digits as text.');
    const created = await agent.call('things_create', {
      body: { id: 'a', big: '9007199254740993', label: '9007199254740993', ratio: 1e300 },
    });
    expect(created.text).toContain('"big":9007199254740993,"ratio":1e+300,"label":"9007199254740993"');
    expect(String((await stored('a'))?.big)).toBe('9007199254740993');
    expect((await agent.call('things_list', { big: '9007199254740993' })).json.data).toHaveLength(1);
    expect((await agent.call('things_list', { big: 2 ** 60 })).isError).toBe(true);
    expect((await agent.call('things_create', { body: { id: 'b', big: '5' } })).structured.errors).toMatchObject([
      { argument: 'body.big', rule: 'type' },
    ]);
  });

  it('may be as large and as deep as the api allows, and no more', async () => {
    const large = await agent.call('things_create', { body: { id: 'a', label: 'x'.repeat(200_000) } });
    expect(large.structured).toMatchObject({ status: 413, code: 'body_too_large' });
    let deep: unknown = 'x';
    for (let level = 0; level < 100_000; level++) deep = { a: deep };
    expect((await agent.call('things_create', { body: { id: 'a', data: deep } })).text).toContain('is nested too deeply');
    expect(await stored('a')).toBeNull();
  });

  it('may not make a request whose head no server would take', async () => {
    const { isError, text } = await agent.call('things_list', { label: 'x'.repeat(100_000) });
    expect([isError, text]).toEqual([true, 'The filters are too long: together they may have about 16384 characters.']);
    const many = await agent.call('things_list', { label_in: Array.from({ length: 600 }, () => 'x') });
    expect(many.structured).toMatchObject({ status: 400 });
  });

  it.each(['a b', 'ü', 'a\nb', ''])('is no header that cannot be sent: %j', async (idempotency_key) => {
    const { isError, text } = await agent.call('things_create', { body: { id: 'a' }, idempotency_key });
    expect([isError, text]).toEqual([true, '`idempotency_key` must have 1 to 255 ASCII characters without spaces.']);
  });

  it('`idempotency_key` keeps a write from being done twice', async () => {
    const place = () => agent.call('things_ship', { id: 'a', body: { by: 'x' }, idempotency_key: 'k-1' });
    expect((await place()).text).toBe((await place()).text);
    await agent.call('things_create', { body: { id: 'a' }, idempotency_key: 'k-2' });
    expect((await agent.call('things_create', { body: { id: 'a' }, idempotency_key: 'k-2' })).isError).toBe(false);
    expect((await agent.call('things_create', { body: { id: 'a' } })).structured).toMatchObject({ status: 409 });
  });
});

describe('a call', () => {
  it('that is cancelled aborts the request', async () => {
    const cancel = new AbortController();
    const calling = agent.call('things_wait', {}, { signal: cancel.signal });
    await until(() => odd.seen.length === 1);
    cancel.abort('enough');
    await expect(calling).rejects.toThrow('enough');
    await until(() => odd.seen[0]?.aborted() === true);
    expect(odd.errors).toEqual([]);
  });

  it('of which the answer is too large says how to ask for less', async () => {
    const small = await connect(odd.api, { write: true, headers: { authorization: 'ann' }, maxAnswer: 1_000 });
    const created = await small.call('things_create', { body: { id: 'a', label: 'x'.repeat(1_000) } });
    expect([created.isError, created.text]).toEqual([
      false,
      'Done. The answer has more than 1000 bytes and is not shown. Read it by `things_get`.',
    ]);
    expect(await small.call('things_list')).toMatchObject({
      isError: true,
      text: 'The answer has more than 1000 bytes. Ask for less: a smaller `limit`, only some `fields`.',
    });
    expect((await small.call('things_list', { fields: ['id'] })).json.data).toEqual([{ id: 'a' }]);
  });

  it('of which the problem is too large tells the first errors, and how to mend them', async () => {
    const small = await connect(odd.api, { write: true, headers: { authorization: 'ann' }, maxAnswer: 1_000 });
    const body = Object.fromEntries(Array.from({ length: 60 }, (_, index) => [`unknown${index}`, index]));
    const { isError, text } = await small.call('things_create', { body });
    expect([isError, text.length < 2_000]).toEqual([true, true]);
    expect(text).toMatch(/\(validation_failed\).*- body\.unknown0: .*\n- and \d+ more/s);
  });

  it('shows text, and names what is none', async () => {
    expect((await agent.call('things_csv')).text).toBe('a,b');
    expect((await agent.call('things_file')).text).toBe('The answer is application/pdf, which is not shown here.');
  });

  it.each([
    ['database_unavailable', 'Try again in 1 s.'],
    ['write_conflict', 'Try again in 1 s.'],
    ['write_timeout', 'Nothing was written. Try again in 1 s. If it takes too long again, the call does too much at once.'],
  ] as const)('says what helps after a 503 %s', (code, hint) => {
    const { status, headers, ...problem } = new Problem({ code });
    const tool = { inputs: new Map(), reading: {}, method: 'POST' } as unknown as Tool;
    const { structuredContent } = explainProblem(tool, new Response(null, { status, headers }), JSON.stringify(problem), 1_000);
    expect(structuredContent).toEqual({ status: 503, code, hint });
  });

  it('shows problems of the application, and nothing of an error that clients must not see', async () => {
    expect((await agent.call('things_taken')).text).toBe('Ticket taken (ticket_taken): bob has it.');
    expect((await agent.call('things_busy')).text).toMatch(/\nTry again in 7 s\.$/);
    const { isError, text } = await agent.call('things_broken');
    expect([isError, text]).toEqual([true, 'Internal Server Error (500)\nIt is an error of the service, and not of the arguments.']);
    expect(odd.errors).toHaveLength(1);
  });
});

describe('the caller', () => {
  it('is whom a function names for each call', async () => {
    const names = ['ann', 'bob'];
    const server = await connect(odd.api, { write: true, headers: async () => ({ authorization: names.shift() ?? '' }) });
    await server.call('things_create', { body: { id: 'a' } });
    expect((await server.call('things_list')).json.data).toEqual([]); // bob
    expect((await server.call('things_list')).structured.status).toBe(401); // nobody
  });

  it('is the principal, if it is given: `authenticate` is not asked', async () => {
    const bob = await connect(odd.api, { write: true, principal: { name: 'bob' }, headers: { authorization: 'bad' } });
    expect((await bob.call('things_create', { body: { id: 'b' } })).json.data.owner).toBe('bob');
    for (const principal of [null, undefined, () => undefined]) {
      const nobody = await connect(odd.api, { principal, headers: { authorization: 'ann' } });
      expect((await nobody.call('things_list')).structured.status).toBe(401);
    }
  });

  it('cannot be told by an argument or by the client', async () => {
    const nobody = await connect(odd.api, { write: true });
    expect((await nobody.call('things_list', { authorization: 'ann' })).isError).toBe(true);
    const result = await nobody.client.callTool({ name: 'things_list', _meta: { authorization: 'ann', principal: { name: 'ann' } } });
    expect(result).toMatchObject({ isError: true, structuredContent: { status: 401 } });
  });

  it('is nobody if a header has no value: `undefined` is not sent as a text', async () => {
    const server = await connect(odd.api, { headers: { authorization: undefined as never } });
    expect((await server.call('things_list')).structured.status).toBe(401);
  });

  it('is nobody if its function fails, and the model reads only what is meant for clients', async () => {
    const broken = await connect(odd.api, { headers: () => Promise.reject(new Error('a secret')) });
    const told: unknown[] = [];
    broken.server.server.onerror = (error) => told.push(error.message);
    const text = 'It is an error of the service, and not of the arguments.';
    expect(await broken.call('things_list')).toMatchObject({ isError: true, text });
    await expect(broken.client.listTools()).rejects.toThrow(text);
    expect(told).toEqual(['a secret', 'a secret']);
  });

  it('sees tools only if it may read the description of the api', async () => {
    const { api } = createOdd(database.db, { guarded: true });
    const hidden = await connect(api, { headers: { authorization: 'ann' } });
    await expect(hidden.client.listTools()).rejects.toThrow('The caller of this connection may not see what the api offers (403).');
    const { text } = await hidden.call('things_list', { x: 1 });
    expect(text).toBe('The caller of this connection may not see what the api offers (403).');
    const root = await connect(api, { headers: { authorization: 'root' } });
    expect(await root.names()).toContain('things_list');
    expect((await root.call('things_list')).json.data).toEqual([]);
  });

  it('reaches no operation that was not chosen', async () => {
    const few = await connect(odd.api, { operations: ['things.list'], headers: { authorization: 'root' } });
    for (const name of ['things_get', 'plains_list', 'things_create'])
      expect((await few.call(name, { id: 'a' })).text).toContain(`There is no tool \`${name}\``);
  });
});
